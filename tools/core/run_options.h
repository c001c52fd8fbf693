// SPDX-License-Identifier: MIT
// The options of all subcommands that compute something on a device and verify it, and the loop over the runs
// that their sizes ask for.
#ifndef WT_TOOLS_RUN_OPTIONS_H
#define WT_TOOLS_RUN_OPTIONS_H

#include "record.h"
#include "tool.h"

typedef struct tool_run_options {
  unsigned long long seed;
  const char *device;
  bool explain, verify, no_verify, predict, json, csv, progress, help;
} tool_run_options;

#define TOOL_RUN_OPTIONS_INIT (tool_run_options){.seed = 1, .device = "sim:mi355x"}

// Writes the rows of these options to an option table: TOOL_RUN_ROWS of them, and with `explains` one more,
// --explain.
enum { TOOL_RUN_ROWS = 9, TOOL_RUN_EXPLAINS = 1 };
void tool_run_rows(tool_run_options *options, tool_option *table, bool explains);

// Must be called before any work: checks the options against each other, and prepares the device's runtime
// (tool_device_prepare; argv as main has it) and the progress. Returns TOOL_OK, or reports and returns an
// exit code.
int tool_run_prepare(tool_run_options *options, char **argv);

// Returns whether results are checked: by default those of random inputs are.
bool tool_run_verifies(const tool_run_options *options, bool random_inputs);

// Prints one line of progress, where it is shown.
void tool_run_say(const tool_run_options *options, const char *what);

// Says what a subcommand does for one combination of sizes. Each gets the subcommand's own `job`.
typedef struct tool_run_steps {
  // Computes, verifies, and writes files; *wrong: an element is above its bound. Returns an exit code.
  int (*run)(void *job, bool *wrong);
  void (*report)(const void *job);               // prints the report of the run
  void (*describe)(const void *job, record *r);  // or makes a record of it
  void (*release)(void *job);                    // frees what the run made, so that another can follow
} tool_run_steps;

// Runs all combinations of the table's sizes. One run ends with its report; several, or with --json or --csv,
// with a row for each. Ends at the first run that fails; a wrong result lets the others run. Returns an exit
// code.
int tool_run_each(const tool_run_options *options, const tool_option *table, size_t count,
                  const tool_run_steps *steps, void *job);

#endif
