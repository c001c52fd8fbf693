// SPDX-License-Identifier: MIT
// Prints the lines of reports.
#include "report.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

void report_row(const char *label, const char *format, ...) {
  va_list args;
  va_start(args, format);
  printf("  %-13s ", label);
  vprintf(format, args);
  putchar('\n');
  va_end(args);
}

double tool_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
