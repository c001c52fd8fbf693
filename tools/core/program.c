// SPDX-License-Identifier: MIT
// A program is started by fork and exec; a pipe that exec closes tells the parent whether it could be.
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool.h"

void tool_program_use_runtime(const char *folder) {
  const char *before = getenv("LD_LIBRARY_PATH");
  char path[16384];
  snprintf(path, sizeof path, "%s%s%s", folder, before && *before ? ":" : "", before ? before : "");
  setenv("LD_LIBRARY_PATH", path, 1);
}

// Runs in the child: tells the parent through the pipe why the program could not be started.
static void become(char **argv, int report) {
  execvp(argv[0], argv);
  int error = errno;
  ssize_t written = write(report, &error, sizeof error);
  _exit(written == sizeof error ? 127 : 126);
}

int tool_program_run(char **argv, pid_t (*start)(void), int *status) {
  int ends[2], error = 0;
  if (pipe2(ends, O_CLOEXEC) != 0) return tool_error(TOOL_FAILED, "cannot make a pipe: %s", strerror(errno));
  fflush(NULL);
  const pid_t child = start();
  if (child < 0) return tool_error(TOOL_FAILED, "cannot start a process: %s", strerror(errno));
  if (child == 0) become(argv, ends[1]);
  close(ends[1]);
  ssize_t got;
  while ((got = read(ends[0], &error, sizeof error)) < 0 && errno == EINTR) continue;
  close(ends[0]);
  while (waitpid(child, status, 0) < 0 && errno == EINTR) continue;
  if (got == sizeof error) return tool_error(TOOL_USAGE, "cannot run \"%s\": %s", argv[0], strerror(error));
  return TOOL_OK;
}
