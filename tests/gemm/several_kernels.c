// SPDX-License-Identifier: MIT
// Products that take several kernels, because C is cut into two pieces or operands are packed first, have the
// bits of the same product by one kernel: random shapes, transpositions, leading dimensions, batches and
// epilogues, on both simulated chips. The numbers are small integers and powers of two, so that sums are the
// same in any order.
#include <hip/hip_runtime_api.h>

#include "tests/gemm/gemm_reference.h"

enum { CASES = 3, MOST_TRIED = 40000 };  // for each kind of plan, on each chip
static const double most_products = 3.5e9;
static const char one_kernel[] = "gemm_general_128x128";  // takes every arrangement in memory

typedef enum plan_kind { CUT_BY_ROWS, CUT_BY_COLUMNS, PACKED, KINDS } plan_kind;
static const char *const kind_names[] = {"cut by rows", "cut by columns", "packed"};

static wt_context *context;
static test_rng rng;

static int between(int least, int most) {
  return least + (int)(test_random(&rng) % (uint64_t)(most - least + 1));
}

static bool chance(int of) { return between(1, of) == 1; }

static void *memory(int64_t bytes) {
  void *pointer = NULL;
  CHECK(hipMalloc(&pointer, (size_t)bytes) == hipSuccess, "hipMalloc of %lld bytes", (long long)bytes);
  return pointer;
}

// Returns a matrix of integers from -4 to 4.
static void *integers(wt_type type, int64_t elements) {
  const int element = gemm_element(type);
  unsigned char *to = memory(elements * element);
  for (int64_t i = 0; to && i < elements; ++i) {
    const uint32_t code = gemm_code(type, between(-4, 4));
    memcpy(to + i * element, &code, (size_t)element);
  }
  return to;
}

// Returns a vector of powers of two, or of integers.
static const float *vector(int64_t elements, bool powers) {
  float *to = memory(elements * 4);
  for (int64_t i = 0; to && i < elements; ++i)
    to[i] = powers ? (float)(1 << between(0, 2)) / 2 : (float)between(-8, 8);
  return to;
}

static wt_gemm_desc random_desc(plan_kind kind) {
  wt_gemm_desc d = WT_GEMM_DESC_INIT;
  const bool is_gfx950 = strcmp(wt_context_target(context), "gfx950") == 0;
  const wt_type inputs[] = {is_gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ, WT_TYPE_BF16, WT_TYPE_F16};
  const wt_type outputs[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  do {
    d.m = between(1, 5000), d.n = between(1, 300) * 16, d.k = between(4, 100) * 16, d.batch = between(1, 3);
    if (kind != PACKED) {  // a round of tiles, and a little more
      d.batch = chance(3) ? 2 : 1;
      const int units = (is_gfx950 ? 256 : 304) / (int)d.batch;
      const int side = chance(2) ? 128 : 256, tall = between(4, 40), wide = units / tall;
      d.m = side * tall + (kind == CUT_BY_ROWS ? between(1, 60) : 0);
      d.n = side * wide + (kind == CUT_BY_COLUMNS ? 16 * between(1, 4) : 0);
    }
  } while ((double)d.m * (double)d.n * (double)d.k * (double)d.batch > most_products);
  if (chance(3)) d.n -= between(1, 15);
  d.type_a = d.type_b = inputs[between(0, 2)], d.type_c = outputs[between(0, 2)];
  d.trans_a = chance(4), d.trans_b = chance(4);
  d.lda = (d.trans_a ? d.m : d.k) + between(0, 2) * 16;
  d.ldb = (d.trans_b ? d.n : d.k) + between(0, 2) * 16;
  d.ldc = d.n + between(0, 2) * 8;
  if (kind == PACKED && chance(2)) d.k -= between(1, 15);
  if (kind == PACKED) d.lda += between(0, 3), d.ldb += between(0, 3);
  d.stride_a = d.lda * (d.trans_a ? d.k : d.m), d.stride_b = d.ldb * (d.trans_b ? d.k : d.n);
  d.stride_c = d.ldc * d.m + between(0, 1) * 64;
  return d;
}

static void add_epilogue(wt_gemm_desc *d) {
  d->alpha = 0.5f;
  if (chance(2)) d->beta = 2;
  if (chance(2)) d->row_scale = vector(d->m, true);
  if (chance(2)) d->column_scale = vector(d->n, true);
  if (chance(2)) d->bias = vector(d->n, false);
  if (chance(3)) d->activation = WT_ACTIVATION_RELU;
}

// Returns whether the library computes the product so.
static bool is_done(const wt_gemm_desc *d, plan_kind kind) {
  static char text[16384];
  CHECK(wt_gemm_explain(context, d, text, sizeof text, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  if (kind == PACKED) return strncmp(text, "packed ", 7) == 0;
  wt_gemm_piece_info piece = {.struct_size = sizeof piece};
  if (!strstr(text, "piece 2") || wt_gemm_piece_at(context, d, 1, &piece)) return false;
  return kind == CUT_BY_ROWS ? piece.row > 0 : piece.column > 0;
}

static void check_case(const wt_gemm_desc *plain, plan_kind kind) {
  wt_gemm_desc d = *plain;
  add_epilogue(&d);
  const int64_t bytes = d.stride_c * d.batch * gemm_element(d.type_c);
  void *a = integers(d.type_a, d.stride_a * d.batch), *b = integers(d.type_b, d.stride_b * d.batch);
  void *before = integers(d.type_c, d.stride_c * d.batch), *c[2] = {memory(bytes), memory(bytes)};
  for (int i = 0; i < 2; ++i) {
    memcpy(c[i], before, (size_t)bytes);
    d.kernel = i ? one_kernel : NULL;
    CHECK(wt_gemm(context, &d, a, b, c[i], NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  }
  CHECK(hipDeviceSynchronize() == hipSuccess, "hipDeviceSynchronize");
  CHECK(memcmp(c[0], c[1], (size_t)bytes) == 0,
        "%s, %s: %lld x %lld x %lld, batch of %lld, type %d into %d, transposed %d %d, lda %lld, ldb %lld, "
        "beta "
        "%g: C differs from that of one kernel",
        wt_context_target(context), kind_names[kind], (long long)d.m, (long long)d.n, (long long)d.k,
        (long long)d.batch, (int)d.type_a, (int)d.type_c, d.trans_a, d.trans_b, (long long)d.lda,
        (long long)d.ldb, (double)d.beta);
  CHECK(memcmp(c[0], before, (size_t)bytes) != 0, "C is as it was");
  void *const all[] = {a, b, before, c[0], c[1], (void *)d.row_scale, (void *)d.column_scale, (void *)d.bias};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    if (all[i]) CHECK(hipFree(all[i]) == hipSuccess, "hipFree");
}

int main(void) {
  int devices = 0;
  rng = test_seed(77);
  CHECK(hipGetDeviceCount(&devices) == hipSuccess && devices == 2, "%d devices, expected 2", devices);
  for (int device = 0; device < devices; ++device) {
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    CHECK(hipSetDevice(device) == hipSuccess, "hipSetDevice");
    for (plan_kind kind = 0; kind < KINDS; ++kind) {
      int found = 0;
      for (int tried = 0; found < CASES && tried < MOST_TRIED; ++tried) {
        const wt_gemm_desc d = random_desc(kind);
        if (is_done(&d, kind)) check_case(&d, kind), ++found;
      }
      CHECK(found == CASES, "%s: %d products are %s", wt_context_target(context), found, kind_names[kind]);
    }
    wt_context_destroy(context);
  }
  return test_result();
}
