// SPDX-License-Identifier: MIT
// Implements `wavetile bench cliffs`: its options and its reports.
#include "bench/cliffs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/bench.h"
#include "bench/bench_jobs.h"
#include "core/read_file.h"
#include "core/record.h"
#include "sim/machine/machine.h"

typedef struct cliffs_options {
  const char *device, *only, *keep, *known;
  long long jobs;
  bool full, list, csv, help;
} cliffs_options;

// This is the list of known cliffs, embedded by the build (bench.cmake).
extern const char bench_cliffs_csv[];

enum { OPTIONS = 9 };

static void option_table(cliffs_options *o, tool_option table[OPTIONS]) {
  const tool_option rows[OPTIONS] = {
      {"device", TOOL_STRING, &o->device, "DEVICE", "sim:mi355x (default) or sim:mi300x"},
      {"only", TOOL_STRING, &o->only, "FAMILY",
       "predict only sweeps whose family or name contains this: gemm, attention, norm, softmax, "
       "cross-entropy, "
       "activation, quantise or rotary"},
      {"full", TOOL_FLAG, &o->full, NULL, "predict large matrices, too, which takes much longer"},
      {"list", TOOL_FLAG, &o->list, NULL, "print the sweeps as CSV, and predict nothing"},
      {"jobs", TOOL_JOBS, &o->jobs, "COUNT", "predict so many at a time (default 1, up to 256)"},
      {"keep", TOOL_STRING, &o->keep, "FILE",
       "go on from the predictions in this file, and add to it (of the same kernels and model only)"},
      {"known", TOOL_STRING, &o->known, "FILE",
       "read the reasons of known cliffs from this file (default: the list that is built in, "
       "docs/validation/cliffs.csv of the sources)"},
      {"csv", TOOL_FLAG, &o->csv, NULL, "print a line for each call, and no list of cliffs"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this help"}};
  memcpy(table, rows, sizeof rows);
}

static int check_options(const cliffs_options *o, cliff_run *run) {
  if (o->list && o->csv) return tool_error(TOOL_USAGE, "--list and --csv are both given; pass one of them");
  const sim_machine *machine = NULL;
  if (strncasecmp(o->device, "sim:", 4) == 0) machine = sim_machine_find(o->device + 4);
  if (!machine) return tool_error(TOOL_USAGE, "--device is \"%s\"; pass sim:mi355x or sim:mi300x", o->device);
  *run = (cliff_run){.chip = machine->name, .keep = o->keep};
  return TOOL_OK;
}

// Returns the list of known cliffs as a text of its own.
static char *known_text(const char *path) {
  if (!path) return strdup(bench_cliffs_csv);
  size_t size = 0;
  unsigned char *file = read_file(path, &size);
  char *text = file ? strndup((const char *)file, size) : NULL;
  free(file);
  return text;
}

// ---- reports

static void print_list(const cliff_run *run) {
  record_writer writer = {.format = RECORD_CSV};
  for (size_t i = 0; i < run->count; ++i) {
    const cliff_sweep *sweep = run->points[i].sweep;
    if (i && run->points[i - 1].sweep == sweep) continue;
    record r = {.count = 0};
    record_text(&r, "sweep", sweep->name);
    record_text(&r, "family", sweep->family);
    record_text(&r, "kernel", sweep->kernel);
    record_text(&r, "type", sweep->type);
    record_text(&r, "shape", sweep->shape);
    record_text(&r, "steps", sweep->steps);
    record_put(&writer, &r);
  }
  record_end(&writer);
}

static void print_points(const cliff_run *run) {
  record_writer writer = {.format = RECORD_CSV};
  for (size_t i = 0; i < run->count; ++i) {
    const cliff_point *point = &run->points[i];
    const bool known = point->cycles > 0;
    record r = {.count = 0};
    record_text(&r, "chip", run->chip);
    record_text(&r, "sweep", point->sweep->name);
    record_whole(&r, "step", point->step);
    record_text(&r, "kernel", point->sweep->kernel);
    record_text(&r, "type", point->sweep->type);
    record_text(&r, "shape", point->shape);
    record_number(&r, "predicted_cycles", known ? point->cycles : NAN);
    record_number(&r, "work_per_cycle", known ? point->work / point->cycles : NAN);
    record_number(&r, "of_the_one_before", cliff_ratio(run, i));
    record_flag(&r, "cliff", cliff_is(run, i));
    record_put(&writer, &r);
  }
  record_end(&writer);
}

static void print_cliff(const cliff_run *run, size_t i, const char *reason) {
  const cliff_point *point = &run->points[i], *before = point - 1;
  char from[CLIFF_LONGEST_SHAPE + 32];
  snprintf(from, sizeof from, "%s -> %lld", before->shape, point->step);
  printf("%-24s %-7s %-36s %9.0f %9.0f %6.2f  %s\n", point->sweep->name, point->sweep->type, from,
         before->cycles, point->cycles, cliff_ratio(run, i), reason ? reason : "not in the list");
}

// Rows of the list whose neighbours were predicted and are no cliff.
static void print_gone(const cliff_run *run) {
  for (size_t i = 0; i < run->count; ++i)
    if (!isnan(cliff_ratio(run, i)) && !cliff_is(run, i) && cliff_reason_of(run, i))
      printf("%s from %lld to %lld is in the list, but no cliff: %.2f of the speed before\n",
             run->points[i].sweep->name, run->points[i - 1].step, run->points[i].step, cliff_ratio(run, i));
}

static void print_cliffs(const cliff_run *run) {
  size_t neighbours = 0, cliffs = 0, unknown = 0;
  printf("%-24s %-7s %-36s %9s %9s %6s  %s\n", "sweep", "type", "shape, and the next number", "cycles",
         "cycles", "speed", "reason");
  for (size_t i = 0; i < run->count; ++i) {
    neighbours += !isnan(cliff_ratio(run, i));
    if (!cliff_is(run, i)) continue;
    const char *reason = cliff_reason_of(run, i);
    print_cliff(run, i, reason);
    ++cliffs, unknown += !reason;
  }
  print_gone(run);
  printf(
      "\n%zu of %zu neighbours do less than %.1f of the work per cycle of the one before; %zu of them are "
      "not in "
      "the list.\nPredicted by a model (docs/timing.md) with memory cold, measured on no hardware.\n",
      cliffs, neighbours, cliff_share, unknown);
}

// ---- the command

static int predict_and_print(const cliffs_options *o, cliff_run *run) {
  int code = run->keep ? cliff_keep_read(run) : TOOL_OK;
  if (code) return code;
  code = cliff_predict(run, (size_t)o->jobs);
  if (o->csv)
    print_points(run);
  else
    print_cliffs(run);
  return code;
}

static int run_with_reasons(const cliffs_options *o, cliff_run *run) {
  char *text = known_text(o->known);
  if (!text)
    return tool_error(TOOL_USAGE, "cannot read --known %s, or it is empty",
                      o->known ? o->known : "cliffs.csv");
  cliff_reason *reasons = NULL;
  int code = cliff_reasons_read(o->known ? o->known : "cliffs.csv", text, &reasons, &run->reason_count);
  run->reasons = reasons;
  if (!code) code = predict_and_print(o, run);
  free(reasons);
  free(text);
  return code;
}

int tool_bench_cliffs(int argc, char **argv) {
  cliffs_options options = {.device = "sim:mi355x", .jobs = 1};
  tool_option table[OPTIONS];
  cliff_run run = {.count = 0};
  option_table(&options, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (options.help) {
    tool_help(
        "usage: wavetile bench cliffs [options]\n\n"
        "Predicts calls of all families at neighbouring sizes, alignments and strides with the timing model, "
        "and "
        "prints every one that does less than 0.8 of the work per predicted cycle of the one before it, with "
        "the "
        "reason if it is known (docs/guide/cliffs.md).\n",
        table, OPTIONS);
    return TOOL_OK;
  }
  code = check_options(&options, &run);
  if (!code) code = cliff_points_make(&run, options.only, options.full);
  if (!code && options.list) print_list(&run);
  if (!code && !options.list) code = run_with_reasons(&options, &run);
  cliff_run_free(&run);
  return code;
}
