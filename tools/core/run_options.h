// SPDX-License-Identifier: MIT
// The options that all subcommands have that compute something on a device and verify it.
#ifndef WT_TOOLS_RUN_OPTIONS_H
#define WT_TOOLS_RUN_OPTIONS_H

#include "tool.h"

typedef struct tool_run_options {
  unsigned long long seed;
  const char *device;
  bool explain, verify, no_verify, progress, help;
} tool_run_options;

#define TOOL_RUN_OPTIONS_INIT (tool_run_options){.seed = 1, .device = "sim:mi355x"}

// Writes their rows of an option table, TOOL_RUN_ROWS of them.
enum { TOOL_RUN_ROWS = 7 };
void tool_run_rows(tool_run_options *options, tool_option *table);

// Before any work: the device's runtime (tool_device_prepare; argv as main has it), and whether to show
// progress.
int tool_run_prepare(tool_run_options *options, char **argv);

// Whether results are checked: by default those of random inputs.
bool tool_run_verifies(const tool_run_options *options, bool random_inputs);

// One line of progress, where it is shown.
void tool_run_say(const tool_run_options *options, const char *what);

#endif
