// SPDX-License-Identifier: MIT
// Runs the program to profile, unchanged, with the simulated runtime in place of its own.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/cleanup.h"
#include "core/tool.h"
#include "prof.h"

// The folder of the simulated runtime that this command itself is linked with.
static bool runtime_folder(char *out, size_t size) {
  Dl_info info;
  void *symbol = dlsym(RTLD_DEFAULT, "wtSimTotals");
  char path[4096];
  if (!symbol || !dladdr(symbol, &info) || !realpath(info.dli_fname, path)) return false;
  return (size_t)snprintf(out, size, "%s", dirname(path)) < size;
}

enum { LEAST_ISSUES = 1 << 17 };  // enough for a few iterations of any loop, wherever it is

static void set_environment(const char *library_folder, const char *folder, const prof_options *options) {
  const char *before = getenv("LD_LIBRARY_PATH");
  char path[8192], launches[32], kept[32], from[32];
  snprintf(path, sizeof path, "%s%s%s", library_folder, before && *before ? ":" : "", before ? before : "");
  snprintf(launches, sizeof launches, "%lld", options->launches);
  setenv("LD_LIBRARY_PATH", path, 1);
  // A compute unit issues less than two instructions a cycle for long.
  const long long issues = options->trace || options->html ? LEAST_ISSUES + 2 * options->cycles : 0;
  snprintf(kept, sizeof kept, "%lld", issues);
  snprintf(from, sizeof from, "%llu", options->from);
  setenv("WT_SIM_PROFILE_ISSUES", kept, 1);
  setenv("WT_SIM_PROFILE_FROM", from, 1);
  setenv("WT_SIM_PROFILE", folder, 1);
  setenv("WT_SIM_PROFILE_LAUNCHES", launches, 1);
  if (options->repeats) setenv("WT_SIM_TIMING_REPEATS", "1", 1);
  setenv("WT_SIM_TIMING", strcmp(options->timing, "all") == 0 ? "1" : options->timing, 1);
}

// In the child: tells the parent through the pipe why the program could not be started.
static void start(char **argv, int report) {
  execvp(argv[0], argv);
  int error = errno;
  ssize_t written = write(report, &error, sizeof error);
  _exit(written == sizeof error ? 127 : 126);
}

int prof_run_program(const prof_options *options, const char *folder, int *exit_code) {
  char **argv = options->program;
  char library_folder[4096];
  int ends[2], status, error = 0;
  if (!runtime_folder(library_folder, sizeof library_folder))
    return tool_error(TOOL_FAILED, "prof needs the simulated runtime, but this command runs with another");
  if (pipe2(ends, O_CLOEXEC) != 0) return tool_error(TOOL_FAILED, "cannot make a pipe: %s", strerror(errno));
  fflush(NULL);
  pid_t child = cleanup_fork();
  if (child < 0) return tool_error(TOOL_FAILED, "cannot start a process: %s", strerror(errno));
  if (child == 0) {
    set_environment(library_folder, folder, options);
    start(argv, ends[1]);
  }
  close(ends[1]);
  bool refused = read(ends[0], &error, sizeof error) == sizeof error;
  close(ends[0]);
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  cleanup_forked_ended();
  if (refused) return tool_error(TOOL_USAGE, "cannot run \"%s\": %s", argv[0], strerror(error));
  *exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return TOOL_OK;
}
