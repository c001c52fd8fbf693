// SPDX-License-Identifier: MIT
// Products of register tiles with block scales against the OCP Microscaling specification v1.0, to the bit:
// every pair of formats, with every code that is a number in A, B and their scales from 2^-2 to 2^2 or NaN,
// and bf16 by 4-bit floats. Rows and blocks that do not exist count as zeros.
//
//   mma_scaled CODE_OBJECT
#include "mma_scaled.h"

#include "tests/block_scale/mx.h"
#include "tests/kernels/ops/isa/run.h"

enum { SIZE = WT_MMA_SCALED_SIZE, BLOCKS = 8, MOST_K = BLOCKS * MX_BLOCK };

typedef struct side {
  const mx_format *format;
  unsigned char *q, *scale;
  double values[SIZE][MOST_K];
} side;

// Only numbers of at most 8 and multiples of 1/4, so that all sums are exact in f32.
static bool is_exact(const mx_format *f, unsigned code) {
  const double value = mx_value(f, code);
  return fabs(value) <= 8 && value * 4 == floor(value * 4);
}

// Fills in multiples of 1/4 between -8 and 8, as bf16.
static void fill_bf16(side *s, int rows, int blocks, test_rng *rng) {
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < blocks * MX_BLOCK; ++i) {
      const float value = (float)row_between(rng, -32, 32) / 4;
      uint32_t bits;
      memcpy(&bits, &value, sizeof bits);
      const uint16_t half = (uint16_t)(bits >> 16);
      memcpy(s->q + (row * blocks * MX_BLOCK + i) * 2, &half, sizeof half);
      s->values[row][i] = (double)value;
    }
}

static void fill(side *s, int rows, int blocks, test_rng *rng) {
  if (!s->format) return fill_bf16(s, rows, blocks, rng);
  const int bytes = mx_block_bytes(s->format);
  memset(s->q, 0, (size_t)SIZE * BLOCKS * MX_BLOCK);
  for (int row = 0; row < rows; ++row)
    for (int b = 0; b < blocks; ++b) {
      const int scale = row_between(rng, 0, 31) ? row_between(rng, 125, 129) : MX_SCALE_NAN;
      s->scale[row * blocks + b] = (unsigned char)scale;
      for (int i = 0; i < MX_BLOCK; ++i) {
        unsigned code;
        do code = (unsigned)row_between(rng, 0, (1 << s->format->bits) - 1);
        while (!is_exact(s->format, code));
        s->values[row][b * MX_BLOCK + i] = mx_value(s->format, code) * mx_scale(scale);
        for (int bit = 0; bit < s->format->bits; ++bit) {
          const int at = i * s->format->bits + bit;
          s->q[(row * blocks + b) * bytes + at / 8] |= (unsigned char)((code >> bit & 1) << at % 8);
        }
      }
    }
}

// NULL is bf16, which has no scales.
static const mx_format *format_of(const char *name) {
  static const char *const names[MX_FORMATS] = {"fp8e4m3", "fp8e5m2", "fp6e2m3", "fp6e3m2", "fp4e2m1"};
  for (int i = 0; i < MX_FORMATS; ++i)
    if (strcmp(names[i], name) == 0) return &mx_formats[i];
  return NULL;
}

static void check_kernel(hipModule_t module, const char *name, const char *a_name, const char *b_name,
                         int depth, test_rng *rng) {
  static side a, b;
  static float *c;
  if (!c) {
    a.q = isa_memory(SIZE * MOST_K * 2), b.q = isa_memory(SIZE * MOST_K),
    c = isa_memory(SIZE * SIZE * sizeof *c);
    a.scale = isa_memory(SIZE * BLOCKS), b.scale = isa_memory(SIZE * BLOCKS);
  }
  a.format = format_of(a_name), b.format = format_of(b_name);
  for (int round = 0; round < 2; ++round) {
    const int most = depth / MX_BLOCK;
    mma_scaled_args args = {a.q, a.scale, b.q, b.scale, c, SIZE, SIZE, most};
    if (round) args.m = row_between(rng, 1, SIZE), args.n = row_between(rng, 1, SIZE);
    if (round) args.blocks = row_between(rng, 1, most);
    fill(&a, args.m, args.blocks, rng), fill(&b, args.n, args.blocks, rng);
    void *arguments[] = {&args};
    if (!isa_run(module, name, 64, arguments)) return;
    for (int i = 0; i < args.m; ++i)
      for (int j = 0; j < args.n; ++j) {
        double want = 0;
        for (int k = 0; k < args.blocks * MX_BLOCK; ++k) want += a.values[i][k] * b.values[j][k];
        const double got = (double)c[i * args.n + j];
        CHECK(isnan(want) ? isnan(got) : got == want,
              "%s, %d x %d, %d blocks: C[%d][%d] is %.9g, expected %.9g", name, args.m, args.n, args.blocks,
              i, j, got, want);
      }
  }
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: mma_scaled CODE_OBJECT\n"), 2;
  test_rng rng = test_seed(43);
  hipModule_t module = NULL;
  if (!isa_ok(hipModuleLoad(&module, argv[1]), argv[1])) return test_result();
#define CHECK_KERNEL(A, B, ROWS, DEPTH, HELD) \
  check_kernel(module, "mma_scaled_" #A "_" #B "_" #ROWS "_" #DEPTH "_" #HELD, #A, #B, DEPTH, &rng);
  MMA_SCALED_KERNELS(CHECK_KERNEL)
  MMA_WIDENED_KERNELS(CHECK_KERNEL)
  isa_ok(hipModuleUnload(module), "hipModuleUnload");
  return test_result();
}
