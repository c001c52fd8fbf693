// SPDX-License-Identifier: MIT
// A test that starts itself again under settings of its own, and looks at what the process says.
#ifndef WT_TESTS_CHECK_RERUN_H
#define WT_TESTS_CHECK_RERUN_H

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "tests/check.h"

typedef struct outcome {
  char text[16384];  // of both output streams
  int status;        // -1: it did not exit
} outcome;

// Runs argv[0] with the arguments of this process and one more, under these settings.
static inline void start(int argc, char **argv, const char *environment, const char *more, outcome *o) {
  char command[4096];
  int used = snprintf(command, sizeof command, "%s", environment);
  for (int i = 0; i < argc; ++i)
    used += snprintf(command + used, sizeof command - (size_t)used, " '%s'", argv[i]);
  snprintf(command + used, sizeof command - (size_t)used, " %s 2>&1", more);
  FILE *f = popen(command, "r");
  const size_t got = f ? fread(o->text, 1, sizeof o->text - 1, f) : 0;
  o->text[got] = 0;
  const int status = f ? pclose(f) : -1;
  o->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static inline void expect(const outcome *o, const char *part) {
  CHECK(strstr(o->text, part), "\"%s\" is missing in:\n%s", part, o->text);
}

#endif
