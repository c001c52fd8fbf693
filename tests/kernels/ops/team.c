// SPDX-License-Identifier: MIT
// Rows of any length, at any alignment, at the very ends of an allocation, through teams of every size: what
// is reduced is exact (small integers), what is stored is all of the row and nothing else.
#include "host.h"
#include "wavetile_sim.h"

static const char *const schedules[] = {"late", "early", "lockstep", "timed", "random:1", "random:2"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

typedef struct kernel {
  const char *name;
  ops_type type;
  int threads, teams, capacity;  // elements that a team holds
} kernel;

#define KERNELS(type, number, each)                                                            \
  {"team16_" #type, number, 128, 8, 16 * each}, {"team64_" #type, number, 256, 4, 128 * each}, \
      {"team256_" #type, number, 256, 1, 256 * each}, {"team1024_" #type, number, 1024, 1, 2048 * each},
static const kernel kernels[] = {KERNELS(f32, OPS_f32, 4) KERNELS(wide_f32, OPS_f32, 8) KERNELS(
    f16, OPS_f16, 8) KERNELS(bf16, OPS_bf16, 8) KERNELS(fp8e4m3, OPS_fp8e4m3, 16)};

static void *on_device(size_t bytes, const void *from) {
  void *memory = NULL;
  isa_ok(hipMalloc(&memory, bytes), "hipMalloc");
  isa_ok(hipMemcpy(memory, from, bytes, hipMemcpyHostToDevice), "hipMemcpy");
  return memory;
}

// Rows whose last one ends where the allocation ends; `shift` elements lie before the first.
static void check_rows(hipModule_t module, const kernel *k, bool gfx950, int rows, int length, int in_stride,
                       int out_stride, int shift, const char *schedule, test_rng *rng) {
  const size_t bytes = (size_t)ops_bytes[k->type];
  const size_t in_count = (size_t)(shift + (rows - 1) * in_stride + length),
               out_count = (size_t)(shift + (rows - 1) * out_stride + length);
  unsigned char *in = malloc(in_count * bytes), *out = malloc(out_count * bytes);
  double *values = calloc(in_count, sizeof *values);
  float *results = malloc((size_t)k->threads * 4 * sizeof *results);
  for (size_t i = 0; i < in_count; ++i)
    ops_encode(k->type, gfx950, values[i] = ops_between(rng, -7, 7), in + i * bytes);
  memset(out, 0x5a, out_count * bytes);
  void *in_device = on_device(in_count * bytes, in), *out_device = on_device(out_count * bytes, out),
       *results_device = on_device((size_t)k->threads * 4 * sizeof *results, results);
  void *in_first = (char *)in_device + (size_t)shift * bytes,
       *out_first = (char *)out_device + (size_t)shift * bytes;
  void *arguments[] = {&in_first, &out_first, &results_device, &rows, &length, &in_stride, &out_stride};
  setenv("WT_SIM_SCHEDULE", schedule, 1);
  if (isa_run(module, k->name, (unsigned)k->threads, arguments)) {
    isa_ok(hipMemcpy(out, out_device, out_count * bytes, hipMemcpyDeviceToHost), "hipMemcpy");
    isa_ok(
        hipMemcpy(results, results_device, (size_t)k->threads * 4 * sizeof *results, hipMemcpyDeviceToHost),
        "hipMemcpy");
  }
  unsigned char untouched[4] = {0x5a, 0x5a, 0x5a, 0x5a}, doubled[4];
  for (size_t i = 0; i < out_count; ++i) {
    const int at = (int)i - shift, row = at < 0 ? -1 : at / out_stride, column = at < 0 ? 0 : at % out_stride;
    const bool written = row >= 0 && column < length;
    if (written) ops_encode(k->type, gfx950, 2 * values[shift + row * in_stride + column], doubled);
    CHECK(memcmp(out + i * bytes, written ? doubled : untouched, bytes) == 0,
          "%s under %s: %d of row %d of %d, %s", k->name, schedule, column, row, length,
          written ? "not doubled" : "written");
  }
  for (int t = 0; t < k->threads; ++t) {
    const int row = t / (k->threads / k->teams);
    if (row >= rows) continue;
    double want[4] = {0, -INFINITY, INFINITY, 0};
    for (int i = 0; i < length; ++i) {
      const double x = values[shift + row * in_stride + i];
      want[0] += x, want[1] = fmax(want[1], x), want[2] = fmin(want[2], x), want[3] += x > 0 ? i : 0;
    }
    for (int n = 0; n < 4; ++n)
      CHECK((double)results[t * 4 + n] == want[n],
            "%s under %s: thread %d has %g for result %d of %d, expected %g", k->name, schedule, t,
            (double)results[t * 4 + n], n, length, want[n]);
  }
  isa_ok(hipFree(in_device), "hipFree"), isa_ok(hipFree(out_device), "hipFree");
  isa_ok(hipFree(results_device), "hipFree");
  free(in), free(out), free(values), free(results);
}

// Checks `teams` rows of small integers, added up; and as many that are not there.
static void check_sum(hipModule_t module, const char *name, ops_type type, int threads, int teams, int length,
                      bool some, test_rng *rng) {
  const int bytes = ops_bytes[type];
  unsigned char *in = isa_memory((size_t)(teams * length * bytes));
  float *out = isa_memory((size_t)(2 * length) * sizeof *out);
  double *want = calloc((size_t)length, sizeof *want);
  for (int i = 0; i < teams * length; ++i) {
    const double value = ops_between(rng, -9, 9);
    ops_encode(type, true, value, in + i * bytes);
    want[i % length] += some ? value : 0;
  }
  void *from = some ? in : NULL;
  void *arguments[] = {&from, &out, &length};
  for (int s = 0; s < SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    memset(out, 0xff, (size_t)(2 * length) * sizeof *out);
    if (!isa_run(module, name, (unsigned)threads, arguments)) break;
    for (int i = 0; i < length; ++i)
      CHECK((double)out[i] == want[i] && (double)out[length + i] == 2 * want[i] + teams,
            "%s under %s: column %d of %d is %g and %g, expected %g", name, schedules[s], i, length,
            (double)out[i], (double)out[length + i], want[i]);
  }
  free(want);
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(21);
  for (int i = 0; i < 6; ++i) {
    check_sum(module, "sum16", OPS_bf16, 256, 16, i == 0 ? 128 : ops_between(&rng, 1, 128), i != 5, &rng);
    check_sum(module, "sum64", OPS_f32, 256, 4, i == 0 ? 1024 : ops_between(&rng, 1, 1024), i != 5, &rng);
    check_sum(module, "sum256", OPS_bf16, 256, 1, i == 0 ? 2048 : ops_between(&rng, 1, 2048), i != 5, &rng);
  }
  int run = 0;
  for (size_t i = 0; i < sizeof kernels / sizeof *kernels; ++i) {
    const kernel *k = &kernels[i];
    const int most = k->capacity < 2048 ? k->capacity : 2048;
    const int lengths[] = {1, ops_between(&rng, 2, 7), 8, ops_between(&rng, 9, most), k->capacity,
                           k->capacity - 1,
                           // sums of columns stay below 2^24
                           k->capacity + ops_between(&rng, 1, most) > 2500 ? 2500 : k->capacity + 1,
                           k->capacity < 1000 ? 2 * k->capacity + ops_between(&rng, 1, k->capacity) : 17};
    for (size_t n = 0; n < sizeof lengths / sizeof *lengths; ++n) {
      const int length = lengths[n] > 3000 ? 2999 : lengths[n];
      const int rows = ops_between(&rng, 1, k->teams);
      check_rows(module, k, gfx950, rows, length, length + ops_between(&rng, 0, 9),
                 length + ops_between(&rng, 0, 9), ops_between(&rng, 0, 9), schedules[run++ % SCHEDULES],
                 &rng);
    }
  }
}

int main(int argc, char **argv) {
  unsigned long long accesses = 0, conflicts = 0;
  CHECK(wtSimLdsConflicts(1, NULL, NULL) == 0, "conflicts are not counted");
  const int result = isa_main(argc, argv, check_device);
  if (wtSimLdsConflicts(0, &accesses, &conflicts) != 0 || conflicts != 0 || accesses == 0)
    return fprintf(stderr, "%llu LDS instructions lost %llu cycles to bank conflicts\n", accesses, conflicts),
           1;
  return result;
}
