// SPDX-License-Identifier: MIT
// `wavetile tune gemm`: which kernel, split of K and grid order the timing model finds fastest for a problem.
#include "tune/tune.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/device.h"
#include "core/tool.h"
#include "sim/machine/machine.h"

enum { OPTIONS = 9 };

static void option_table(tune_job *job, tool_option table[OPTIONS]) {
  const tool_option rows[OPTIONS] = {
      {"m", TOOL_SIZE, &job->m, "M", "rows of C"},
      {"n", TOOL_SIZE, &job->n, "N", "columns of C"},
      {"k", TOOL_SIZE, &job->k, "K", "length of the sum: columns of A and of B"},
      {"dtype", TOOL_STRING, &job->type, "TYPE",
       "element type of A and B: f8e4m3, f8e5m2, bf16 (default), f16 or i8"},
      {"device", TOOL_STRING, &job->device, "DEVICE", "sim:mi355x (default) or sim:mi300x"},
      {"tries", TOOL_SIZE, &job->tries, "COUNT", "number of predictions at most, up to 64 (default 24)"},
      {"only", TOOL_STRING, &job->only, "TEXT", "try only kernels whose name contains this"},
      {"out", TOOL_STRING, &job->out, "FILE",
       "add the fastest to this table, which wt_gemm_table_load reads"},
      {"help", TOOL_FLAG, &job->help, NULL, "print this help"}};
  memcpy(table, rows, sizeof rows);
}

static void print_help(const tool_option *table) {
  tool_help(
      "usage: wavetile tune gemm --m M --n N --k K [options]\n\n"
      "Predicts the library's kernels with the timing model (docs/timing.md), then splits of K, windows and "
      "chunks of the fastest one, and ranks them.\n",
      table, OPTIONS);
}

static int check_options(tune_job *job) {
  const struct {
    const char *name;
    long long value;
  } sizes[] = {{"m", job->m}, {"n", job->n}, {"k", job->k}};
  for (int i = 0; i < 3; ++i)
    if (!sizes[i].value)
      return tool_error(TOOL_USAGE, "--%s is missing; pass --m, --n and --k", sizes[i].name);
  if (!element_type_find(job->type, false))
    return tool_error(TOOL_USAGE, "--dtype is \"%s\"; pass f8e4m3, f8e5m2, bf16, f16 or i8", job->type);
  if (job->tries > TUNE_MOST_TRIES)
    return tool_error(TOOL_USAGE, "--tries is %lld; pass at most %d", job->tries, TUNE_MOST_TRIES);
  if (strncasecmp(job->device, "sim:", 4) != 0)
    return tool_error(TOOL_USAGE,
                      "--device is \"%s\", but only simulated devices predict; pass sim:mi355x or "
                      "sim:mi300x",
                      job->device);
  const sim_machine *machine = NULL;
  for (size_t i = 0; (machine = sim_machine_at(i)) && strcasecmp(machine->name, job->device + 4) != 0; ++i);
  if (!machine)
    return tool_error(TOOL_USAGE, "--device is \"%s\"; pass sim:mi355x or sim:mi300x", job->device);
  job->chip = machine->name;
  job->compute_units = (int)machine->cus;
  return tune_check_table(job);
}

static void order_text(char *text, size_t size, int value) {
  if (value)
    snprintf(text, size, "%d", value);
  else
    snprintf(text, size, "own");
}

static void print_ranks(const tune_job *job) {
  printf("%lld x %lld x %lld in %s on %s (%s)\n\n", job->m, job->n, job->k, job->type, job->chip,
         job->target);
  printf("rank %-28s %6s %6s %6s %10s %9s %8s %6s %6s %7s  %s\n", "kernel", "parts", "window", "chunk",
         "cycles", "us", "TFLOP/s", "loop%", "all%", "L2 hit%", "waves wait most for");
  for (int i = 0; i < job->done_count; ++i) {
    const tune_try *t = &job->done[i];
    const wt_sim_timing_total *total = &t->result.total;
    const wt_sim_timing_result *r = &total->longest;
    char limits[128], parts[16], window[16], chunk[16];
    predict_limits(&t->result, limits, sizeof limits);
    order_text(parts, sizeof parts, t->parts);
    order_text(window, sizeof window, t->window);
    order_text(chunk, sizeof chunk, t->chunk);
    printf("%4d %-28s %6s %6s %6s %10.0f %9.2f %8.1f %6.1f %6.1f %7.1f  %s\n", i + 1, t->kernel, parts,
           window, chunk, total->cycles, total->seconds * 1e6, t->result.flops / total->seconds * 1e-12,
           predict_loop(&t->result), predict_overall(&t->result),
           r->l2_lines ? 100 * (double)r->l2_hits / (double)r->l2_lines : 0, limits);
  }
  for (int i = 0; i < job->skipped_count; ++i)
    printf("%s %s", i ? "," : "\nnot tried, since their matrix work alone takes longer:", job->skipped[i]);
  if (job->skipped_count) puts("");
  puts("\nPredicted by a model, measured on no hardware.");
}

int tool_tune(int argc, char **argv) {
  static tune_job job;
  tool_option table[OPTIONS];
  const char *what = NULL;
  job.type = "bf16", job.device = "sim:mi355x", job.tries = 24;
  option_table(&job, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, &what, 1);
  if (code) return code;
  if (job.help) {
    print_help(table);
    return TOOL_OK;
  }
  if (!what || strcmp(what, "gemm") != 0)
    return tool_error(TOOL_USAGE, "wavetile tune takes \"gemm\"; see wavetile tune --help");
  code = check_options(&job);
  if (!code) code = tune_search(&job);
  if (code) return code;
  print_ranks(&job);
  if (job.out) code = tune_write(&job);
  return code;
}
