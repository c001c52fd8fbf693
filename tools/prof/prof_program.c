// SPDX-License-Identifier: MIT
// Runs the program to profile, unchanged, with the simulated runtime in place of its own.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "core/cleanup.h"
#include "core/folders.h"
#include "core/program.h"
#include "core/tool.h"
#include "prof.h"

enum { LEAST_ISSUES = 1 << 17 };  // enough for a few iterations of any loop, wherever it is

static void set_environment(const char *library_folder, const char *folder, const prof_options *options) {
  char launches[32], kept[32], from[32];
  snprintf(launches, sizeof launches, "%lld", options->launches);
  tool_program_use_runtime(library_folder);
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

int prof_run_program(const prof_options *options, const char *folder, int *exit_code) {
  char library_folder[TOOL_PATH];
  int status;
  if (!tool_runtime_folder(library_folder, sizeof library_folder))
    return tool_error(TOOL_FAILED, "prof needs the simulated runtime, but this command runs with another");
  set_environment(library_folder, folder, options);
  const int code = tool_program_run(options->program, cleanup_fork, &status);
  cleanup_forked_ended();
  if (code) return code;
  *exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  return TOOL_OK;
}
