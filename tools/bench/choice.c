// SPDX-License-Identifier: MIT
// Implements `wavetile bench choice`: its options and its report.
#include "bench/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "bench/bench.h"
#include "bench/bench_jobs.h"
#include "bench/choice_figures.h"
#include "core/read_file.h"
#include "sim/machine/machine.h"

typedef struct choice_options {
  const char *layers, *device, *keep;
  long long most_m, sample, tries, jobs;
  unsigned long long seed;
  bool batch_invariant, help;
} choice_options;

// This is the table of layers, embedded by the build (bench.cmake).
extern const char bench_layers_csv[];

enum { OPTIONS = 10 };

static void option_table(choice_options *o, tool_option table[OPTIONS]) {
  const tool_option rows[OPTIONS] = {
      {"layers", TOOL_STRING, &o->layers, "FILE",
       "read the layers from this file (default: the table that is built in, docs/validation/layers.csv of "
       "the "
       "sources)"},
      {"device", TOOL_STRING, &o->device, "DEVICE", "sim:mi355x (default) or sim:mi300x"},
      {"most-m", TOOL_SIZE, &o->most_m, "M",
       "leave out more rows of the input than this (default 8192); few rows are predicted sooner"},
      {"sample", TOOL_SIZE, &o->sample, "COUNT", "take so many of the shapes, at random (default: all)"},
      {"seed", TOOL_SEED, &o->seed, "SEED", "of the sample (default 1)"},
      {"tries", TOOL_SIZE, &o->tries, "COUNT",
       "predict so many kernels and splits of each shape, up to 32 (default 12): the chosen one, and those "
       "that give the busiest compute unit the least work"},
      {"batch-invariant", TOOL_FLAG, &o->batch_invariant, NULL,
       "compare what is chosen under batch_invariant with what is chosen freely, and nothing else"},
      {"jobs", TOOL_JOBS, &o->jobs, "COUNT", "predict so many at a time (default 1, up to 256)"},
      {"keep", TOOL_STRING, &o->keep, "FILE",
       "go on from the predictions in this file, and add to it (of the same kernels and model only)"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this help"}};
  memcpy(table, rows, sizeof rows);
}

static int check_options(const choice_options *o, choice_shapes *shapes) {
  if (o->tries > CHOICE_MOST_CANDIDATES)
    return tool_error(TOOL_USAGE, "--tries is %lld; pass at most %d", o->tries, CHOICE_MOST_CANDIDATES);
  const sim_machine *machine = NULL;
  if (strncasecmp(o->device, "sim:", 4) == 0) machine = sim_machine_find(o->device + 4);
  if (!machine) return tool_error(TOOL_USAGE, "--device is \"%s\"; pass sim:mi355x or sim:mi300x", o->device);
  *shapes = (choice_shapes){
      .chip = machine->name, .tries = (int)o->tries, .invariant = o->batch_invariant, .keep = o->keep};
  return TOOL_OK;
}

static int read_shapes(const choice_options *o, choice_shapes *shapes) {
  if (!o->layers) return choice_shapes_read("layers.csv", bench_layers_csv, o->most_m, shapes);
  size_t size = 0;
  unsigned char *file = read_file(o->layers, &size);
  if (!file) return tool_error(TOOL_USAGE, "cannot read --layers %s, or it is empty", o->layers);
  char *text = strndup((const char *)file, size);
  free(file);
  const int code = text ? choice_shapes_read(o->layers, text, o->most_m, shapes)
                        : tool_error(TOOL_FAILED, "out of host memory for %s", o->layers);
  free(text);
  return code;
}

// ---- the report

static const char *candidate_text(char *text, size_t size, const choice_shape *s, int c) {
  wt_gemm_kernel_info info = {.struct_size = sizeof info};
  if (wt_gemm_kernel_at((size_t)s->candidate[c].kernel, &info)) return "";
  snprintf(text, size, "%s / %d%s", info.name, s->candidate[c].parts,
           s->candidate[c].several ? ", and others" : "");
  return text;
}

static void print_sums(double *ratios, size_t count, const choice_shapes *shapes, double host_us) {
  const choice_figures figures = choice_figures_of(ratios, count);
  printf("\n%zu of %zu shapes: ", count, shapes->count);
  choice_figures_print(stdout, &figures, shapes->invariant ? &choice_invariant_targets : &choice_targets);
  printf("A choice takes %.1f us on this host in the mean.\n", host_us);
}

static int print_report(const choice_shapes *shapes) {
  double *ratios = calloc(shapes->count + 1, sizeof *ratios), host_us = 0;
  size_t count = 0;
  if (!ratios) return tool_error(TOOL_FAILED, "out of host memory for %zu shapes", shapes->count);
  printf("%-13s %-20s %-7s %-20s %-36s %9s  %-36s %9s %7s\n", "model", "layer", "type", "M x N x K",
         "chosen / parts of K", "cycles", "best / parts of K", "cycles", "ratio");
  for (size_t i = 0; i < shapes->count; ++i) {
    const choice_shape *s = &shapes->shapes[i];
    const int best = choice_best(s);
    char shape[64], chosen[64], other[64];
    if (best < 0) continue;
    ratios[count++] = s->cycles[0] / s->cycles[best];
    host_us += s->host_us;
    snprintf(shape, sizeof shape, "%lldx%lldx%lld", s->m, s->n, s->k);
    printf("%-13s %-20s %-7s %-20s %-36s %9.0f  %-36s %9.0f %7.3f\n", s->model, s->layer, s->type, shape,
           candidate_text(chosen, sizeof chosen, s, 0), s->cycles[0],
           candidate_text(other, sizeof other, s, best), s->cycles[best], ratios[count - 1]);
  }
  if (count) print_sums(ratios, count, shapes, host_us / (double)count);
  free(ratios);
  puts("Predicted by a model (docs/timing.md) with memory cold, measured on no hardware.");
  return TOOL_OK;
}

static int run(const choice_options *o, choice_shapes *shapes) {
  int code = read_shapes(o, shapes);
  if (!code && !shapes->count)
    code = tool_error(TOOL_USAGE, "--most-m is %lld, which leaves no shape; pass at least 1", o->most_m);
  if (code) return code;
  if (o->sample) choice_shapes_sample(shapes, (size_t)o->sample, o->seed);
  code = choice_find_candidates(shapes, (size_t)o->jobs);
  if (!code && shapes->keep) code = choice_keep_read(shapes);
  if (code) return code;
  code = choice_predict(shapes, (size_t)o->jobs);
  const int printed = print_report(shapes);
  return code ? code : printed;
}

int tool_bench_choice(int argc, char **argv) {
  choice_options options = {.device = "sim:mi355x", .most_m = 8192, .tries = 12, .jobs = 1, .seed = 1};
  tool_option table[OPTIONS];
  choice_shapes shapes = {.count = 0};
  option_table(&options, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (options.help) {
    tool_help(
        "usage: wavetile bench choice [options]\n\n"
        "Predicts the kernel and split of K that wt_gemm chooses for the linear layers of published models, "
        "and "
        "other kernels and splits, with the timing model, and prints how the chosen one compares with the "
        "best, and whether that meets the targets (docs/guide/choice.md).\n",
        table, OPTIONS);
    return TOOL_OK;
  }
  code = check_options(&options, &shapes);
  if (!code) code = run(&options, &shapes);
  choice_shapes_free(&shapes);
  return code;
}
