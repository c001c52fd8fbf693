// SPDX-License-Identifier: MIT
// Runs a program of the user, unchanged, with the environment of this process.
#ifndef WT_TOOLS_PROGRAM_H
#define WT_TOOLS_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

// Makes programs that are started from now on look for the HIP runtime in `folder` first.
void tool_program_use_runtime(const char *folder);

// Starts argv[0], which is looked for in PATH, and waits for its end. `start` makes the process: fork, or
// cleanup_fork of core/cleanup.h. *status is that of waitpid. Returns TOOL_OK, or reports why the program
// could not be started and returns TOOL_USAGE or TOOL_FAILED.
int tool_program_run(char **argv, pid_t (*start)(void), int *status);

#endif
