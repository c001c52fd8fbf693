// SPDX-License-Identifier: MIT
// Writes messages on standard error, and ends standard output.
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tool.h"

int tool_error(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("wavetile: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}

int tool_end_output(int code) {
  errno = 0;
  const bool flushed = fflush(stdout) == 0;
  if (flushed && !ferror(stdout)) return code;
  const int failed =
      tool_error(TOOL_FAILED, "standard output cannot be written%s%s; what is there is incomplete",
                 errno ? ": " : "", errno ? strerror(errno) : "");
  return code ? code : failed;
}
