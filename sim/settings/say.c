// SPDX-License-Identifier: MIT
#include "sim/settings/say.h"

#include <stdio.h>

#include "sim/settings/config.h"

void sim_vsay(const char *format, va_list args) {
  if (sim_configuration()->quiet) return;
  char line[1024];
  vsnprintf(line, sizeof line, format, args);
  fprintf(stderr, "%s\n", line);  // one write, so that lines of several threads do not mix
}

void sim_say(const char *format, ...) {
  va_list args;
  va_start(args, format);
  sim_vsay(format, args);
  va_end(args);
}
