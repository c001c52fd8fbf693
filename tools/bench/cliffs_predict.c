// SPDX-License-Identifier: MIT
// Makes the calls of sweeps and predicts them.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/bench_jobs.h"
#include "bench/bench_keep.h"
#include "bench/cliffs.h"

// ---- points

// Puts a number where # stands in a sweep's shape, and drops options of 0.
static void make_shape(const char *from, long long step, char shape[CLIFF_LONGEST_SHAPE]) {
  size_t length = 0, word = 0;
  for (const char *at = from; *at && length < CLIFF_LONGEST_SHAPE - 1; ++at) {
    if (*at == ' ') word = length;
    if (*at != '#') {
      shape[length++] = *at;
      continue;
    }
    const int digits = snprintf(shape + length, CLIFF_LONGEST_SHAPE - length, "%lld", step);
    length = step == 0 ? word : length + (size_t)digits;
    if (length >= CLIFF_LONGEST_SHAPE) length = CLIFF_LONGEST_SHAPE - 1;
  }
  shape[length] = 0;
}

static bool is_wanted(const cliff_sweep *sweep, const char *chip, const char *only, bool full) {
  if (sweep->extent == CLIFF_FULL && !full) return false;
  if (sweep->chips == CLIFF_MI355X && strcmp(chip, "mi355x") != 0) return false;
  return !only || strstr(sweep->family, only) || strstr(sweep->name, only);
}

static bool add_sweep(cliff_run *run, const cliff_sweep *sweep) {
  char *end;
  for (const char *at = sweep->steps; *at; at = end) {
    cliff_point *larger = realloc(run->points, (run->count + 1) * sizeof *larger);
    if (!larger) return false;
    run->points = larger;
    cliff_point *point = &run->points[run->count++];
    *point = (cliff_point){.sweep = sweep, .step = strtoll(at, &end, 10)};
    make_shape(sweep->shape, point->step, point->shape);
  }
  return true;
}

int cliff_points_make(cliff_run *run, const char *only, bool full) {
  for (size_t i = 0; i < cliff_sweep_count; ++i)
    if (is_wanted(&cliff_sweeps[i], run->chip, only, full) && !add_sweep(run, &cliff_sweeps[i]))
      return tool_error(TOOL_FAILED, "out of host memory for the calls of %s", cliff_sweeps[i].name);
  if (run->count) return TOOL_OK;
  return tool_error(
      TOOL_USAGE,
      "--only is \"%s\", which no sweep's family or name contains; wavetile bench cliffs --list "
      "prints them, with --full also those of large matrices",
      only);
}

void cliff_run_free(cliff_run *run) { free(run->points); }

// ---- predictions

// Describes what a process finds.
typedef struct predicted {
  double cycles, work;
} predicted;

static bool is_same_call(const cliff_point *a, const cliff_point *b) {
  return strcmp(a->sweep->kernel, b->sweep->kernel) == 0 && strcmp(a->sweep->type, b->sweep->type) == 0 &&
         strcmp(a->shape, b->shape) == 0;
}

static bool is_predicted(void *context, size_t i) { return ((cliff_run *)context)->points[i].cycles > 0; }

static const char *point_name(void *context, size_t i) {
  static char text[192];
  const cliff_point *point = &((cliff_run *)context)->points[i];
  snprintf(text, sizeof text, "%s %s %s", point->sweep->name, point->sweep->type, point->shape);
  return text;
}

static int predict_one(void *context, size_t i, void *to) {
  const cliff_run *run = context;
  const cliff_point *point = &run->points[i];
  predict_call call = {.chip = run->chip, .kernel = point->sweep->kernel, .type = point->sweep->type};
  if (!predict_shape_read(point->shape, &call.shape))
    return tool_error(TOOL_FAILED, "sweep %s: \"%s\" is no shape", point->sweep->name, point->shape);
  predict_result result;
  const int code = predict(&call, WT_SIM_TIMING_ONLY, &result);
  *(predicted *)to = (predicted){result.total.cycles, result.flops > 0 ? result.flops : result.bytes};
  return code;
}

static int take_prediction(void *context, size_t i, const void *from) {
  cliff_run *run = context;
  const cliff_point *point = &run->points[i];
  predicted value;
  memcpy(&value, from, sizeof value);
  for (size_t other = 0; other < run->count; ++other)  // a call may be part of several sweeps
    if (is_same_call(&run->points[other], point))
      run->points[other].cycles = value.cycles, run->points[other].work = value.work;
  if (!run->keep) return TOOL_OK;
  return bench_keep_line(run->keep, "%s\t%s\t%s\t%s\t%.0f\t%.0f", run->chip, point->sweep->kernel,
                         point->sweep->type, point->shape, value.cycles, value.work);
}

int cliff_predict(cliff_run *run, size_t jobs) {
  const bench_work all = {.context = run,
                          .count = run->count,
                          .bytes = sizeof(predicted),
                          .is_done = is_predicted,
                          .name = point_name,
                          .run = predict_one,
                          .take = take_prediction};
  return bench_jobs_run(&all, jobs);
}

// ---- what was predicted before

enum { CHIP, KERNEL, TYPE, SHAPE, CYCLES, WORK, FIELDS };

static void take_line(void *context, char *const field[]) {
  cliff_run *run = context;
  for (size_t i = 0; i < run->count && strcmp(run->chip, field[CHIP]) == 0; ++i) {
    cliff_point *point = &run->points[i];
    if (strcmp(point->sweep->kernel, field[KERNEL]) != 0 || strcmp(point->sweep->type, field[TYPE]) != 0 ||
        strcmp(point->shape, field[SHAPE]) != 0)
      continue;
    point->cycles = strtod(field[CYCLES], NULL), point->work = strtod(field[WORK], NULL);
  }
}

int cliff_keep_read(cliff_run *run) { return bench_keep_lines(run->keep, FIELDS, take_line, run); }

// ---- verdicts

double cliff_ratio(const cliff_run *run, size_t i) {
  const cliff_point *point = &run->points[i], *before = point - 1;
  if (i == 0 || before->sweep != point->sweep || !(point->cycles > 0) || !(before->cycles > 0)) return NAN;
  // This rounds once where the products are whole numbers below 2^53: a ratio that is 0.8 must not come out
  // below.
  return point->work * before->cycles / (point->cycles * before->work);
}

bool cliff_is(const cliff_run *run, size_t i) { return cliff_ratio(run, i) < cliff_share; }
