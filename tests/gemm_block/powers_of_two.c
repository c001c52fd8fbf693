// SPDX-License-Identifier: MIT
// Tests powers of two as scales of wt_gemm_block: which kernels take them, that every one of E8M0 counts as
// what it is, on either side, and what becomes of scales that are none.
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "wavetile.h"

enum { POWERS = 255, BROKEN = 8, ROWS = POWERS + BROKEN, COLUMNS = 130, MOST_K = 2080 };
enum { TILES_OF_B = 2 };

static wt_context *context;

static bool has_such_kernels(void) { return strcmp(wt_context_target(context), "gfx950") == 0; }

static wt_gemm_block_desc desc_of(int64_t m, int64_t n, int64_t k) {
  wt_gemm_block_desc desc = WT_GEMM_BLOCK_DESC_INIT;
  desc.m = m, desc.n = n, desc.k = k, desc.type_c = WT_TYPE_F32;
  desc.type_ab = has_such_kernels() ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  desc.scales = WT_BLOCK_SCALES_POWER_OF_TWO;
  return desc;
}

static bool takes_powers(const wt_gemm_block_desc *desc) {
  const char *name = NULL;
  CHECK(wt_gemm_block_chosen(context, desc, &name) == WT_SUCCESS, "%s", wt_last_error(context));
  return name && strncmp(name, "gemm_block_powers_", 18) == 0;
}

static void kernels_take_what_they_can(void) {
  wt_gemm_block_desc desc = desc_of(4096, 4096, 4096);
  static const char *const what[] = {"scales of B's rows", "rows of scales with gaps",
                                     "scales that are stored transposed"};
  wt_gemm_block_desc such[] = {desc, desc, desc};
  such[0].scales_of_b = WT_SCALES_OF_B_ROWS;
  such[1].a_scale_row = such[1].b_scale_row = 40, such[1].a_scale_block = such[1].b_scale_block = 1;
  such[2].a_scale_row = such[2].b_scale_row = 1, such[2].a_scale_block = 4096, such[2].b_scale_block = 32;
  CHECK(takes_powers(&desc) == has_such_kernels(), "a large product");
  for (int i = 0; i < 3; ++i) CHECK(takes_powers(&such[i]) == has_such_kernels(), "%s", what[i]);
  static const char *const why[] = {"any scales", "K that ends within a block of 32"};
  wt_gemm_block_desc others[] = {desc, desc};
  others[0].scales = WT_BLOCK_SCALES_F32, others[1].k = 4080;
  for (int i = 0; i < 2; ++i) CHECK(!takes_powers(&others[i]), "%s", why[i]);
}

// C in 16 bits of several rounds of tiles, alpha times the product, of a K in whole groups of steps.
static void persistent_kernels_take_what_they_can(void) {
  wt_gemm_block_desc desc = desc_of(8192, 4096, 4096);
  float bias = 0;
  desc.type_c = WT_TYPE_BF16;
  const char *name = NULL;
  CHECK(wt_gemm_block_chosen(context, &desc, &name) == WT_SUCCESS &&
            (strstr(name, "persistent") != NULL) == has_such_kernels(),
        "two rounds of tiles: %s", name);
  static const char *const what[] = {
      "one round of tiles",         "C in F32",           "a bias",
      "K that ends within a group", "a short K",          "rows of C beside 16 bytes",
      "rows of A beside 16 bytes",  "far rows of scales", "far blocks of scales"};
  enum { OTHERS = sizeof what / sizeof *what };
  wt_gemm_block_desc others[OTHERS];
  for (int i = 0; i < OTHERS; ++i) others[i] = desc;
  others[0].m = 4096, others[1].type_c = WT_TYPE_F32, others[2].bias = &bias, others[3].k = 4064;
  others[4].k = 512, others[5].ldc = 4100, others[6].lda = 4100;
  others[7].a_scale_row = 1 << 21, others[7].a_scale_block = 1;
  others[8].b_scale_row = 1, others[8].b_scale_block = 1 << 24;
  for (int i = 0; i < OTHERS; ++i) {
    CHECK(wt_gemm_block_chosen(context, &others[i], &name) == WT_SUCCESS && !strstr(name, "persistent"),
          "%s: %s", what[i], name);
  }
}

// Elements are 1 or 0, so that C is K times the product of the scales.
typedef struct product {
  unsigned char *a, *b;
  float *a_scale, *b_scale, *c;
  int k, blocks;
} product;

static void *memory(size_t bytes) {
  void *pointer = NULL;
  CHECK(hipMalloc(&pointer, bytes) == hipSuccess, "hipMalloc");
  return pointer;
}

static void set(void *to, const void *from, size_t bytes) {
  CHECK(hipMemcpy(to, from, bytes, hipMemcpyHostToDevice) == hipSuccess, "hipMemcpy");
}

// Scales that break the promise: what they are, and what a matrix core takes them for.
static const struct {
  float scale, taken;
  bool zeros;  // the row of A
} broken[BROKEN] = {
    {-2.0f, 2.0f, false},   {3.0f, 2.0f, false}, {0.0f, 0x1p-127f, false}, {0x1p-140f, 0x1p-127f, false},
    {INFINITY, NAN, false}, {NAN, NAN, false},   {0.0f, 0.0f, true},       {0x1p-140f, 0.0f, true}};

static void fill(product *p, float of_b) {
  static unsigned char a[ROWS * MOST_K], b[COLUMNS * MOST_K];
  static float scales[ROWS * (MOST_K / WT_F32_BLOCK_ELEMENTS + 1)];
  const int one = has_such_kernels() ? 0x38 : 0x40;  // FNUZ has another bias
  memset(a, 0, sizeof a), memset(b, one, sizeof b);
  for (int row = 0; row < ROWS; ++row) {
    const bool breaks = row >= POWERS;
    const float scale = breaks ? broken[row - POWERS].scale : ldexpf(1, row - 127);
    if (!breaks || !broken[row - POWERS].zeros) memset(a + row * p->k, one, (size_t)p->k);
    for (int i = 0; i < p->blocks; ++i) scales[row * p->blocks + i] = scale;
  }
  set(p->a, a, sizeof a), set(p->b, b, sizeof b);
  set(p->a_scale, scales, sizeof scales);
  for (int i = 0; i < TILES_OF_B * p->blocks; ++i) scales[i] = of_b;
  set(p->b_scale, scales, sizeof scales);
}

static void check_rows(const product *p, float of_b, bool takes) {
  static float c[ROWS * COLUMNS];
  CHECK(hipMemcpy(c, p->c, sizeof c, hipMemcpyDeviceToHost) == hipSuccess, "hipMemcpy");
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    const int row = i / COLUMNS;
    if (!takes && row >= POWERS) continue;
    const double scale = row < POWERS ? ldexp(1, row - 127) : (double)broken[row - POWERS].taken;
    const float want = (float)(scale * (double)of_b * p->k);
    CHECK(isnan(want) ? isnan(c[i]) : c[i] == want, "K %d, scales %g and %g: C[%d][%d] is %g, not %g", p->k,
          scale, (double)of_b, row, i % COLUMNS, (double)c[i], (double)want);
  }
}

// The least and the largest sums of the range of F32 are covered; what is beyond is infinite.
static void every_power_counts(void) {
  static const int lengths[] = {96, 2048, MOST_K};
  static const float of_b[] = {1, 0x1p-10f, 0x1p+10f};
  product p = {
      .a = memory(ROWS * MOST_K), .b = memory(COLUMNS * MOST_K), .c = memory(ROWS * COLUMNS * sizeof(float))};
  p.a_scale = memory(ROWS * (MOST_K / WT_F32_BLOCK_ELEMENTS + 1) * sizeof(float));
  p.b_scale = memory(ROWS * (MOST_K / WT_F32_BLOCK_ELEMENTS + 1) * sizeof(float));
  for (int i = 0; i < 9; ++i) {
    p.k = lengths[i / 3], p.blocks = (p.k - 1) / WT_F32_BLOCK_ELEMENTS + 1;
    fill(&p, of_b[i % 3]);
    const wt_gemm_block_desc desc = desc_of(ROWS, COLUMNS, p.k);
    const bool takes = takes_powers(&desc);
    CHECK(takes == has_such_kernels(), "the kernel for K %d", p.k);
    CHECK(wt_gemm_block(context, &desc, p.a, p.a_scale, p.b, p.b_scale, p.c, NULL) == WT_SUCCESS, "%s",
          wt_last_error(context));
    CHECK(hipDeviceSynchronize() == hipSuccess, "K %d", p.k);
    check_rows(&p, of_b[i % 3], takes);
  }
  void *const all[] = {p.a, p.b, p.a_scale, p.b_scale, p.c};
  for (int i = 0; i < 5; ++i) CHECK(hipFree(all[i]) == hipSuccess, "hipFree");
}

int main(void) {
  for (int device = 0; device < 2; ++device) {
    CHECK(wt_context_create(device, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
    CHECK(hipSetDevice(device) == hipSuccess, "hipSetDevice");
    kernels_take_what_they_can();
    persistent_kernels_take_what_they_can();
    every_power_counts();
    wt_context_destroy(context);
  }
  return test_result();
}
