// SPDX-License-Identifier: MIT
// Runs the kernels of the rows on the simulated device with the timing model on. Only the work-groups that
// the model needs are executed: the numbers in C are not looked at.
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "core/device.h"
#include "core/device_memory.h"
#include "sim/timing/timing.h"
#include "wavetile.h"

typedef int (*timing_fn)(int, sim_timing_result *, size_t);

static wt_gemm_desc descriptor(const bench_row *row) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = row->m;
  desc.n = row->n;
  desc.k = row->k;
  desc.type_a = desc.type_b = strcmp(row->type, "bf16") == 0 ? WT_TYPE_BF16 : WT_TYPE_F8E4M3;
  desc.type_c = WT_TYPE_BF16;
  desc.kernel = row->kernel;
  return desc;
}

static int launch(const bench_row *row, wt_context *context, void *const memory[3]) {
  wt_gemm_desc desc = descriptor(row);
  if (wt_gemm(context, &desc, memory[0], memory[1], memory[2], NULL))
    return tool_error(TOOL_FAILED, "%s", wt_last_error(context));
  hipError_t error = hipDeviceSynchronize();
  return error == hipSuccess ? TOOL_OK : tool_hip_failed(row->kernel, error);
}

static int run(const bench_row *row, int ordinal) {
  size_t element = strcmp(row->type, "bf16") == 0 ? 2 : 1;
  size_t bytes[3] = {(size_t)(row->m * row->k) * element, (size_t)(row->n * row->k) * element,
                     (size_t)(row->m * row->n) * 2};
  void *memory[3] = {NULL, NULL, NULL};
  wt_context *context = NULL;
  int code = TOOL_OK;
  hipError_t error = hipSetDevice(ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  if (wt_context_create(ordinal, &context)) code = tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  for (int i = 0; i < 3 && !code; ++i) code = tool_upload(&memory[i], NULL, bytes[i], "allocating a matrix");
  if (!code) code = launch(row, context, memory);
  for (int i = 0; i < 3; ++i) (void)hipFree(memory[i]);
  wt_context_destroy(context);
  return code;
}

static bool same_launch(const bench_row *a, const bench_row *b) {
  return strcmp(a->chip, b->chip) == 0 && strcmp(a->kernel, b->kernel) == 0 &&
         strcmp(a->type, b->type) == 0 && a->m == b->m && a->n == b->n && a->k == b->k;
}

static double quantity_of(const bench_row *row, const sim_timing_result *r) {
  switch (row->quantity) {
    case BENCH_TFLOPS: return 2.0 * (double)row->m * (double)row->n * (double)row->k / r->seconds * 1e-12;
    case BENCH_CYCLES: return r->cycles;
    case BENCH_LOOP:
    case BENCH_QUANTITIES: break;
  }
  return 100 * r->loop_efficiency;
}

// Slow kernels execute billions of instructions, and their work-groups on other dies hardly disturb each
// other: one die has to do.
static sim_timing_mode mode_for(const bench_row *row) {
  return row->quantity == BENCH_TFLOPS && row->measured < 100 ? SIM_TIMING_DIE : SIM_TIMING_ONLY;
}

static int predict(bench_table *table, size_t first, timing_fn timing) {
  const bench_row *row = &table->rows[first];
  char spec[64];
  tool_device device;
  sim_timing_result result;
  snprintf(spec, sizeof spec, "sim:%s", row->chip);
  timing((int)mode_for(row), NULL, 0);
  int code = tool_device_open(spec, &device);
  if (!code) code = run(row, device.ordinal);
  if (code) return code;
  timing(-1, &result, sizeof result);
  if (!result.valid) return tool_error(TOOL_FAILED, "no prediction for %s: host memory ran out", row->kernel);
  for (size_t i = first; i < table->count; ++i)
    if (same_launch(&table->rows[i], row)) table->rows[i].predicted = quantity_of(&table->rows[i], &result);
  return TOOL_OK;
}

int bench_predict(bench_table *table, const char *only) {
  timing_fn timing;
  void *symbol = dlsym(RTLD_DEFAULT, "wtSimTiming");
  if (!symbol)
    return tool_error(TOOL_FAILED,
                      "wavetile bench validate needs the simulated runtime, and another is loaded");
  memcpy(&timing, &symbol, sizeof timing);
  size_t kept = 0;
  for (size_t i = 0; i < table->count; ++i)
    if (!only || strstr(table->rows[i].kernel, only)) table->rows[kept++] = table->rows[i];
  table->count = kept;
  if (!kept) return tool_error(TOOL_USAGE, "--only is \"%s\", which no row's kernel contains", only);
  for (size_t i = 0; i < table->count; ++i) {
    if (table->rows[i].predicted > 0) continue;
    fprintf(stderr, "\r%zu of %zu: %-40s", i + 1, table->count, table->rows[i].kernel);
    int code = predict(table, i, timing);
    if (code) return code;
  }
  fprintf(stderr, "\r%60s\r", "");
  return TOOL_OK;
}
