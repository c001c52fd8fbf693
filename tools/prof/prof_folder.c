// SPDX-License-Identifier: MIT
// Makes and removes the folder for the records of a run.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/cleanup.h"
#include "core/tool.h"
#include "prof.h"

int prof_make_folder(char *out, size_t size) {
  const char *root = getenv("TMPDIR");
  snprintf(out, size, "%s/wavetile-prof-XXXXXX", root && *root ? root : "/tmp");
  if (cleanup_make_folder(out))
    return tool_error(TOOL_FAILED,
                      "cannot make the folder %s: %s; set TMPDIR to a folder that can be written", out,
                      strerror(errno));
  return TOOL_OK;
}
