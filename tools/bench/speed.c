// SPDX-License-Identifier: MIT
// Implements `wavetile bench sim`. The things compared run one after the other, and the best repetition of
// each counts: a little load from other programs then disturbs the ratios less than the seconds.
#include "bench/speed.h"

#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench/bench.h"
#include "core/device.h"
#include "core/device_memory.h"
#include "core/report.h"
#include "core/tool.h"
#include "predict/predict.h"
#include "wavetile_sim.h"

enum { CALLS = 3, OPTIONS = 6, MOST_SIZE = 16384, MOST_THREADS = 1024 };

typedef enum speed_mode { PLAIN, CHECKED, TIMED, FAST_MFMA, MODES } speed_mode;

// These are what the simulator shall reach.
static const double sgemm_goal = 4, check_goal = 4, start_goal = 0.3, growth_goal = 8, memory_goal = 24;
// "About" 8 times: a tenth more.
static const double growth_slack = 1.1;

typedef struct speed_options {
  long long size, repeat, threads;
  bool large, first_launch, help;
} speed_options;

typedef struct speed_row {
  speed_call call;
  unsigned long long instructions;  // of waves, in one run
  double seconds[MODES];            // the best so far; 0: none
} speed_row;

typedef struct speed_job {
  speed_options options;
  wt_context *context;
  speed_blas blas;
  speed_row rows[CALLS], large;
  double sgemm, start;
} speed_job;

// ---- measuring

static void keep_best(double *best, double seconds) {
  if (*best == 0 || seconds < *best) *best = seconds;
}

// Sets check mode on or off, without its report.
static int set_check(int enable) {
  __typeof__(wtSimCheck) *check = NULL;
  int code = predict_function("wtSimCheck", &check);
  if (!code) check(enable, NULL, NULL);
  return code;
}

// Each launch reads this setting anew.
static void set_mfma(speed_mode mode) {
  if (mode == FAST_MFMA)
    setenv("WT_SIM_MFMA", "fast", 1);
  else
    unsetenv("WT_SIM_MFMA");
}

static int set_mode(speed_mode mode) {
  int code = set_check(mode == CHECKED);
  set_mfma(mode);
  return code ? code : predict_begin(mode == TIMED ? WT_SIM_TIMING_ALL : WT_SIM_TIMING_OFF);
}

static int measure(speed_row *row, speed_mode mode) {
  unsigned long long before = 0, after = 0, groups;
  int code = set_mode(mode);
  if (code) return code;
  tool_device_counters(&before, &groups);
  const double start = tool_seconds();
  code = row->call.run(&row->call);
  keep_best(&row->seconds[mode], tool_seconds() - start);
  tool_device_counters(&after, &groups);
  row->instructions = after - before;
  const int ended = set_mode(PLAIN);
  return code ? code : ended;
}

static int measure_all(speed_job *job) {
  double start, seconds;
  int code = TOOL_OK;
  for (long long r = 0; r < job->options.repeat && !code; ++r) {
    start = tool_seconds();
    if (job->blas.library) {
      speed_blas_run(&job->blas);
      keep_best(&job->sgemm, tool_seconds() - start);
    }
    for (int mode = 0; mode < MODES; ++mode)
      for (int i = 0; i < CALLS && !code; ++i) code = measure(&job->rows[i], (speed_mode)mode);
    if (!code && job->options.large) code = measure(&job->large, PLAIN);
    if (!code) code = speed_start(&seconds);
    if (!code) keep_best(&job->start, seconds);
  }
  return code;
}

// ---- the report

static void print_row(const speed_row *row) {
  printf("  %-15s %-18s %-22s %8.3f %13.4g", row->call.name, row->call.shape, row->call.kernel,
         row->seconds[PLAIN], (double)row->instructions / row->seconds[PLAIN]);
  for (int mode = CHECKED; mode < MODES; ++mode)
    if (row->seconds[mode] > 0)
      printf(" %11.2fx", row->seconds[mode] / row->seconds[PLAIN]);
    else
      printf(" %12s", "-");
  putchar('\n');
}

static void print_goal(const char *what, double value, const char *unit, double goal, double limit) {
  printf("  %-52s %7.2f%s, goal %g%s: %s\n", what, value, unit, goal, unit,
         value <= limit ? "met" : "missed");
}

static double peak_gib(void) {
  struct rusage usage;
  return getrusage(RUSAGE_SELF, &usage) == 0 ? (double)usage.ru_maxrss / (1 << 20)
                                             : 0;  // ru_maxrss is in KiB
}

static void print_goals(const speed_job *job) {
  char what[128];
  const speed_row *gemm = &job->rows[0];
  if (job->blas.library)
    print_goal("gemm, times the seconds of sgemm", gemm->seconds[PLAIN] / job->sgemm, "x", sgemm_goal,
               sgemm_goal);
  else
    puts("  OpenBLAS is not installed (Debian: libopenblas0-pthread), so there is no ratio to sgemm");
  for (int i = 0; i < CALLS; ++i) {
    const speed_row *row = &job->rows[i];
    snprintf(what, sizeof what, "check mode, times the seconds without: %s", row->call.name);
    print_goal(what, row->seconds[CHECKED] / row->seconds[PLAIN], "x", check_goal, check_goal);
  }
  print_goal("a new process to the end of its first launch", job->start, " s", start_goal, start_goal);
  if (!job->options.large) return;
  print_goal("gemm of twice the size, times the seconds of gemm",
             job->large.seconds[PLAIN] / gemm->seconds[PLAIN], "x", growth_goal, growth_goal * growth_slack);
  print_goal("largest memory of this process", peak_gib(), " GiB", memory_goal, memory_goal);
}

static void print_report(const speed_job *job) {
  const long long size = job->options.size;
  char shape[64], kernel[64];
  printf("speed of the simulator on this host (sim:mi355x, %lld threads, best of %lld, in turn)\n\n",
         job->options.threads, job->options.repeat);
  printf("  %-15s %-18s %-22s %8s %13s %12s %12s %12s\n", "call", "shape", "kernel", "seconds", "instr./s",
         "with checks", "with timing", "fast MFMA");
  if (job->blas.library) {
    snprintf(shape, sizeof shape, "%lldx%lldx%lld", size, size, size);
    snprintf(kernel, sizeof kernel, "OpenBLAS, %s", job->blas.core);
    printf("  %-15s %-18s %-22s %8.3f\n", "sgemm f32", shape, kernel, job->sgemm);
  }
  for (int i = 0; i < CALLS; ++i) print_row(&job->rows[i]);
  if (job->options.large) print_row(&job->large);
  puts(
      "\n  Instructions are those of waves, 64 lanes each. Seconds are this host's and say nothing about a "
      "GPU.\n");
  print_goals(job);
}

// ---- the command

static int run(speed_job *job) {
  tool_device device;
  int code = tool_device_open("sim:mi355x", &device);
  if (code) return code;
  const hipError_t error = hipSetDevice(device.ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  if (wt_context_create(device.ordinal, &job->context))
    return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  const long long size = job->options.size;
  code = speed_gemm(&job->rows[0].call, job->context, size);
  if (!code) code = speed_attention(&job->rows[1].call, job->context, size);
  if (!code) code = speed_norm(&job->rows[2].call, job->context, size);
  if (!code && job->options.large) code = speed_gemm(&job->large.call, job->context, 2 * size);
  if (!code) code = speed_blas_open(&job->blas, size, (int)job->options.threads);
  if (!code) code = measure_all(job);
  if (!code) print_report(job);
  return code;
}

static int check_options(speed_options *o) {
  char threads[32];
  if (o->size % 2 || o->size > MOST_SIZE)
    return tool_error(TOOL_USAGE, "--size is %lld; pass an even number up to %d", o->size, MOST_SIZE);
  if (o->threads > MOST_THREADS)
    return tool_error(TOOL_USAGE, "--threads is %lld; pass at most %d", o->threads, MOST_THREADS);
  if (!o->threads) o->threads = sysconf(_SC_NPROCESSORS_ONLN);
  snprintf(threads, sizeof threads, "%lld", o->threads);
  setenv("WT_SIM_THREADS", threads, 1);
  return TOOL_OK;
}

int tool_bench_sim(int argc, char **argv) {
  speed_job job = {.options = {.size = 4096, .repeat = 3}};
  speed_options *o = &job.options;
  const tool_option table[OPTIONS] = {
      {"size", TOOL_SIZE, &o->size, "N", "size of the products, N x N x N (default 4096)"},
      {"large", TOOL_FLAG, &o->large, NULL,
       "also measure a product of twice the size: its time and the memory it takes"},
      {"repeat", TOOL_SIZE, &o->repeat, "COUNT",
       "number of runs of each call; the fastest counts (default 3)"},
      {"threads", TOOL_SIZE, &o->threads, "COUNT",
       "number of threads of the simulator and of OpenBLAS (default: all cores)"},
      {"first-launch", TOOL_FLAG, &o->first_launch, NULL,
       "make one small call and end: the process whose start-up time is measured"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this help"}};
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (o->help) {
    tool_help(
        "usage: wavetile bench sim [options]\n\n"
        "Measures how fast the simulator runs on this host: an FP8 GEMM beside sgemm of OpenBLAS, attention "
        "and layer norm, each without checks, in check mode, with the timing model and with "
        "WT_SIM_MFMA=fast, "
        "and the start of a process.\n",
        table, OPTIONS);
    return TOOL_OK;
  }
  if (o->first_launch) return speed_first_launch();
  code = check_options(o);
  if (!code) code = run(&job);
  for (int i = 0; i < CALLS; ++i) speed_call_free(&job.rows[i].call);
  speed_call_free(&job.large.call);
  speed_blas_close(&job.blas);
  wt_context_destroy(job.context);
  return code;
}
