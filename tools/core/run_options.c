// SPDX-License-Identifier: MIT
// Has one table for the options of subcommands that run on a device, and their loop.
#include "run_options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device.h"
#include "sizes.h"

void tool_run_rows(tool_run_options *o, tool_option *table, bool explains) {
  const tool_option rows[TOOL_RUN_ROWS] = {
      {"seed", TOOL_SEED, &o->seed, "S", "seed of random inputs and of the verification (default 1)"},
      {"device", TOOL_STRING, &o->device, "DEVICE", "sim:mi355x (default), sim:mi300x or hip:N"},
      {"verify", TOOL_FLAG, &o->verify, NULL, "check every element of the result (default without files)"},
      {"no-verify", TOOL_FLAG, &o->no_verify, NULL, "do not check the result"},
      {"predict", TOOL_FLAG, &o->predict, NULL,
       "predict cycles and time with the timing model; with --no-verify and without files only what the "
       "model needs is executed, which is fast"},
      {"json", TOOL_FLAG, &o->json, NULL, "print an array of objects, one for each run, and no report"},
      {"csv", TOOL_FLAG, &o->csv, NULL, "print a line for each run, and no report"},
      {"progress", TOOL_FLAG, &o->progress, NULL, "show progress even when stderr is not a terminal"},
      {"help", TOOL_FLAG, &o->help, NULL, "show this text"},
  };
  if (explains)
    *table++ = (tool_option){"explain", TOOL_FLAG, &o->explain, NULL,
                             "say which kernel would run and why, and run nothing"};
  memcpy(table, rows, sizeof rows);
}

static int check_options(const tool_run_options *o) {
  const struct {
    const char *name, *other;
    bool both;
  } pairs[] = {{"json", "csv", o->json && o->csv},
               {"explain", "json", o->explain && o->json},
               {"explain", "csv", o->explain && o->csv},
               {"explain", "predict", o->explain && o->predict},
               {"verify", "no-verify", o->verify && o->no_verify}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
    if (pairs[i].both)
      return tool_error(TOOL_USAGE, "--%s and --%s are both given; pass one of them", pairs[i].name,
                        pairs[i].other);
  return TOOL_OK;
}

int tool_run_prepare(tool_run_options *o, char **argv) {
  int code = check_options(o);
  if (!code) code = tool_device_prepare(o->device, argv);
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

int tool_run_each(const tool_run_options *o, const tool_option *table, size_t count,
                  const tool_run_steps *steps, void *job) {
  const bool rows = o->json || o->csv || tool_sweep_count(table, count) > 1;
  record_writer writer = {.format = o->json ? RECORD_JSON : o->csv ? RECORD_CSV : RECORD_TABLE};
  long long wrong_runs = 0;
  int code = TOOL_OK;
  do {
    bool wrong = false;
    code = steps->run(job, &wrong);
    if (!code && !o->explain && rows) {
      record r = {.count = 0};
      steps->describe(job, &r);
      record_put(&writer, &r);
    } else if (!code && !o->explain) {
      steps->report(job);
    }
    wrong_runs += wrong;
    steps->release(job);
  } while (!code && tool_sweep_next(table, count));
  if (rows && !o->explain) record_end(&writer);
  if (code || !wrong_runs) return code;
  return tool_error(TOOL_FAILED, "the result is wrong; no file was written for it");
}
