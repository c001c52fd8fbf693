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

static int first_failure;  // errno of the first flush that failed

void tool_flush_output(void) {
  errno = 0;
  if (fflush(stdout) != 0 && !first_failure) first_failure = errno;
}

int tool_end_output(int code) {
  tool_flush_output();
  if (!first_failure && !ferror(stdout)) return code;
  const int failed =
      tool_error(TOOL_FAILED, "standard output cannot be written%s%s; what is there is incomplete",
                 first_failure ? ": " : "", first_failure ? strerror(first_failure) : "");
  return code ? code : failed;
}
