// SPDX-License-Identifier: MIT
// Declares what the tests of row kernels share: element types as numbers, and matrices on host and device
// whose rows lie anywhere, with NaN between them. Numbers of FP8 are decoded in tests/kernels/fp8.h.
#ifndef WT_TESTS_ROW_MATRIX_H
#define WT_TESTS_ROW_MATRIX_H

#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdbool.h>

#include "check.h"
#include "kernels/fp8.h"
#include "wavetile_sim.h"

static const char *const row_schedules[] = {"late",     "late-vmem", "late-lds", "early",
                                            "lockstep", "timed",     "random:1", "random:2"};
enum { ROW_SCHEDULES = sizeof row_schedules / sizeof *row_schedules, ROW_POISON = 0xff };

// Returns the schedules that the next case runs under: the first, and two of the others, which take turns
// from case to case. The bits of a case are compared among its own, so that each schedule is compared with
// the first after every fourth case.
enum { ROW_CASE_SCHEDULES = 3 };
static inline const char *const *row_case_schedules(void) {
  static const char *chosen[ROW_CASE_SCHEDULES];
  static int next;
  chosen[0] = row_schedules[0];
  for (int s = 1; s < ROW_CASE_SCHEDULES; ++s) chosen[s] = row_schedules[1 + next++ % (ROW_SCHEDULES - 1)];
  return chosen;
}

static inline bool row_ok(hipError_t status, const char *what) {
  CHECK(status == hipSuccess, "%s: %s", what, hipGetErrorString(status));
  return status == hipSuccess;
}

// ---- numbers

static inline size_t row_element(wt_type type) {
  return type == WT_TYPE_F32 || type == WT_TYPE_I32 ? 4 : type == WT_TYPE_BF16 || type == WT_TYPE_F16 ? 2 : 1;
}

static inline double row_decode(wt_type type, uint32_t bits) {
  const uint16_t half = (uint16_t)bits;
  float f32;
  switch (type) {
    case WT_TYPE_BF16: return (double)bf16_value(half);
    case WT_TYPE_F16: return (double)f16_value(half);
    case WT_TYPE_F32: memcpy(&f32, &bits, sizeof f32); return (double)f32;
    case WT_TYPE_I32: return (int32_t)bits;
    default: return fp8_value(type, (uint8_t)bits);
  }
}

// Returns the code of F32, BF16 or F16 nearest to a number, ties to even; beyond the largest it is infinity.
static inline uint32_t row_encode(wt_type type, double value) {
  const float f32 = (float)value;
  uint32_t word;
  switch (type) {
    case WT_TYPE_BF16: return isnan(value) ? 0x7fc0 : bf16_nearest(f32);
    case WT_TYPE_F16: return f16_nearest(value);
    default: memcpy(&word, &f32, sizeof word); return word;
  }
}

// Half the distance between neighbours, relative to them, and the smallest half distance there is.
static inline double row_roundoff(wt_type type) {
  return type == WT_TYPE_BF16 ? 0x1p-8 : type == WT_TYPE_F16 ? 0x1p-11 : 0x1p-24;
}
static inline double row_smallest(wt_type type) {
  return type == WT_TYPE_BF16 ? 0x1p-134 : type == WT_TYPE_F16 ? 0x1p-25 : 0x1p-150;
}

static inline int row_between(test_rng *rng, int low, int high) {
  return low + (int)(test_random(rng) % (uint64_t)(high - low + 1));
}

static inline double row_normal(test_rng *rng) {
  const double u = ((double)(test_random(rng) >> 11) + 1) * 0x1p-53,
               v = (double)(test_random(rng) >> 11) * 0x1p-53;
  return sqrt(-2 * log(u)) * cos(6.283185307179586 * v);
}

// Returns how many additions one after the other a sum of `count` numbers takes that a wave or more share:
// those of a lane, those between the lanes, and those between the waves.
static inline double row_chain(int count) {
  const int chain = (count + 63) / 64 + 16;
  return chain < count ? chain : count;
}

// ---- matrices

// The last row ends at its last element: an access past it leaves the allocation. `offset` bytes precede the
// first.
typedef struct row_matrix {
  wt_type type;
  int rows, columns, ld, offset;
  size_t element, bytes;
  unsigned char *host, *device;
} row_matrix;

static inline row_matrix row_matrix_create(wt_type type, int rows, int columns, int ld, int offset) {
  row_matrix x = {.type = type, .rows = rows, .columns = columns, .ld = ld, .offset = offset};
  x.element = row_element(type);
  x.bytes = ((size_t)(rows - 1) * (size_t)ld + (size_t)columns) * x.element;
  x.host = malloc(x.bytes);
  memset(x.host, ROW_POISON, x.bytes);
  if (!row_ok(hipMalloc((void **)&x.device, x.bytes + (size_t)offset), "hipMalloc")) exit(test_result());
  x.device += offset;
  return x;
}

static inline void row_matrix_destroy(row_matrix *x) {
  row_ok(hipFree(x->device - x->offset), "hipFree");
  free(x->host);
}

static inline size_t row_place(const row_matrix *x, int row, int column) {
  return ((size_t)row * (size_t)x->ld + (size_t)column) * x->element;
}

static inline void row_put(row_matrix *x, int row, int column, uint32_t code) {
  memcpy(x->host + row_place(x, row, column), &code, x->element);  // little-endian
}

static inline uint32_t row_get(const row_matrix *x, const unsigned char *data, int row, int column) {
  uint32_t code = 0;
  memcpy(&code, data + row_place(x, row, column), x->element);
  return code;
}

static inline double row_value(const row_matrix *x, const unsigned char *data, int row, int column) {
  return row_decode(x->type, row_get(x, data, row, column));
}

static inline void row_upload(const row_matrix *x) {
  row_ok(hipMemcpy(x->device, x->host, x->bytes, hipMemcpyHostToDevice), "copy to the device");
}

static inline void row_download(const row_matrix *x, unsigned char *to) {
  row_ok(hipMemcpy(to, x->device, x->bytes, hipMemcpyDeviceToHost), "copy from the device");
}

// Returns whether what lies between the rows still is as it was.
static inline bool row_gaps_kept(const row_matrix *x, const unsigned char *data) {
  for (int row = 0; row + 1 < x->rows; ++row)
    for (size_t at = row_place(x, row, x->columns); at < row_place(x, row + 1, 0); ++at)
      if (data[at] != ROW_POISON) return false;
  return true;
}

// ---- devices

// Calls run(context, rng) `cases` times on each of the two simulated chips, current meanwhile.
static inline void row_run_devices(int cases, test_rng *rng,
                                   void (*run)(wt_context *context, test_rng *rng)) {
  int devices = 0, combinations = 0;
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  for (int device = 0; device < devices; ++device) {
    wt_context *context;
    const wt_status status = wt_context_create(device, &context);
    CHECK(status == WT_SUCCESS, "device %d: %s", device, wt_last_error(NULL));
    if (status || !row_ok(hipSetDevice(device), "hipSetDevice")) break;
    for (int i = 0; i < cases; ++i, ++combinations) run(context, rng);
    wt_context_destroy(context);
  }
  printf("%d combinations\n", combinations);
}

// Does the same where nothing may have an LDS bank conflict.
static inline void row_each_device(int cases, test_rng *rng,
                                   void (*run)(wt_context *context, test_rng *rng)) {
  unsigned long long accesses = 0, conflicts = 0;
  CHECK(wtSimLdsConflicts(1, NULL, NULL) == 0, "conflicts are not counted");
  row_run_devices(cases, rng, run);
  CHECK(wtSimLdsConflicts(0, &accesses, &conflicts) == 0 && conflicts == 0,
        "%llu LDS instructions lost %llu cycles to bank conflicts", accesses, conflicts);
  printf("%llu LDS instructions without a bank conflict\n", accesses);
}

#endif
