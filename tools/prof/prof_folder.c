// SPDX-License-Identifier: MIT
// Folders for the records of a run.
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/tool.h"
#include "prof.h"

int prof_make_folder(char *out, size_t size) {
  const char *root = getenv("TMPDIR");
  snprintf(out, size, "%s/wavetile-prof-XXXXXX", root && *root ? root : "/tmp");
  if (!mkdtemp(out)) return tool_error(TOOL_FAILED, "cannot make the folder %s: %s", out, strerror(errno));
  return TOOL_OK;
}

void prof_remove_folder(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  if (dir) closedir(dir);
  rmdir(folder);
}
