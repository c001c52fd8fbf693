// SPDX-License-Identifier: MIT
// One table for the options of subcommands that run on a device.
#include "run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"

void tool_run_rows(tool_run_options *o, tool_option *table) {
  const tool_option rows[TOOL_RUN_ROWS] = {
      {"seed", TOOL_SEED, &o->seed, "S", "of random inputs and of the verification (default 1)"},
      {"explain", TOOL_FLAG, &o->explain, NULL, "say which kernel would run and why, and run nothing"},
      {"device", TOOL_STRING, &o->device, "DEVICE", "sim:mi355x (default), sim:mi300x or hip:N"},
      {"verify", TOOL_FLAG, &o->verify, NULL, "check every element of the result (default without files)"},
      {"no-verify", TOOL_FLAG, &o->no_verify, NULL, "do not"},
      {"progress", TOOL_FLAG, &o->progress, NULL, "show progress even when stderr is not a terminal"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this help"},
  };
  memcpy(table, rows, sizeof rows);
}

int tool_run_prepare(tool_run_options *o, char **argv) {
  const int code = tool_device_prepare(o->device, argv);
  if (code) return code;
  o->progress = o->progress || isatty(STDERR_FILENO);
  if (o->progress) setenv("WT_SIM_PROGRESS", "1", 0);
  return TOOL_OK;
}

bool tool_run_verifies(const tool_run_options *o, bool random_inputs) {
  return !o->no_verify && (o->verify || random_inputs);
}

void tool_run_say(const tool_run_options *o, const char *what) {
  if (o->progress) fprintf(stderr, "%s\n", what);
}
