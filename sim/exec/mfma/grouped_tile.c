// SPDX-License-Identifier: MIT
// Computes the 16x16 tile product with products added in groups: by rows of 16 columns (grouped_row.c), one
// element at a time where these cannot vouch for the result (grouped.c), and all at once where no bit can be
// lost on the way to a sum (grouped_whole.c).
#include <math.h>

#include "sim/exec/mfma/grouped.h"

typedef struct tile {
  const sim_mfma_grouped *g;
  size_t at_a, at_b, stride;
  int depth;
  const sim_mfma_scales *scales;
  int row, column;  // of the scales
  unsigned flags;
} tile;

// ---- one element at a time

static int scale_exponent(const tile *t, int k, int i, int j) {
  if (!t->scales) return 0;
  const int a = t->scales->a[k / 32][t->row + i], b = t->scales->b[k / 32][t->column + j];
  return a == SIM_MFMA_NO_SCALE || b == SIM_MFMA_NO_SCALE ? SIM_MFMA_NO_SCALE : a + b;
}

static float add_element(const tile *t, int i, int j, float c) {
  const int size = t->g->grouping.size;
  for (int k = 0; k < t->depth; k += size) {
    const sim_mfma_terms terms = {.left = t->g->a.value + t->at_a + (size_t)k * t->stride + i,
                                  .right = t->g->b.value + t->at_b + (size_t)k * t->stride + j,
                                  .left_step = t->stride,
                                  .right_step = t->stride,
                                  .count = t->depth - k < size ? t->depth - k : size,
                                  .scale = scale_exponent(t, k, i, j)};
    c = SIM_VARIANT_NAME(sim_mfma_add_group)(t->g, &terms, t->flags, c);
  }
  return c;
}

// ---- by rows

// Returns 2^n, or an infinity instead of a NaN: what is not between 2^-79 and 2^100 makes a sum doubtful.
static float scale_power(int n) {
  if (n == SIM_MFMA_NO_SCALE) return INFINITY;
  return n < -126 ? 0x1p-127f : sim_f32((uint32_t)(n + 127) << 23);
}

static void add_rows(const tile *t, float acc[16][16], uint32_t doubtful[16][16]) {
  const int size = t->g->grouping.size;
  _Alignas(64) float scale[16], columns[16];
  for (int k = 0; k < t->depth; k += size) {
    for (int j = 0; j < 16 && t->scales; ++j) columns[j] = scale_power(t->scales->b[k / 32][t->column + j]);
    const size_t a = t->at_a + (size_t)k * t->stride, b = t->at_b + (size_t)k * t->stride;
    sim_mfma_row row = {.right = t->g->b.value + b,
                        .right_power = t->g->b.power + b,
                        .left_step = t->stride,
                        .right_step = t->stride,
                        .count = t->depth - k < size ? t->depth - k : size,
                        .scale = t->scales ? scale : NULL};
    for (int i = 0; i < 16; ++i) {
      row.left = t->g->a.value + a + i;
      row.left_power = t->g->a.power + a + i;
      if (t->scales) {
        const float factor = scale_power(t->scales->a[k / 32][t->row + i]);
        for (int j = 0; j < 16; ++j) scale[j] = factor * columns[j];
      }
      SIM_VARIANT_NAME(sim_mfma_add_row)(t->g, &row, acc[i], doubtful[i]);
    }
  }
}

static void add_by_rows(const tile *t, const float *const c[16], float *const d[16]) {
  _Alignas(64) float acc[16][16];
  _Alignas(64) uint32_t doubtful[16][16] = {{0}};
  for (int i = 0; i < 16; ++i) memcpy(acc[i], c[i], sizeof acc[i]);
  add_rows(t, acc, doubtful);
  for (int i = 0; i < 16; ++i) {
    uint32_t any = 0;
    for (int j = 0; j < 16; ++j) any |= doubtful[i][j];
    for (int j = 0; j < 16 && any; ++j)
      if (doubtful[i][j]) acc[i][j] = add_element(t, i, j, c[i][j]);
  }
  for (int i = 0; i < 16; ++i) memcpy(d[i], acc[i], sizeof acc[i]);
}

void SIM_VARIANT_NAME(sim_mfma_grouped_tile)(sim_mfma_grouped *g, size_t at_a, size_t at_b, size_t stride,
                                             int depth, const sim_mfma_scales *scales, int row, int column,
                                             unsigned flags, const float *const c[16], float *const d[16]) {
  const tile t = {g, at_a, at_b, stride, depth, scales, row, column, flags};
  if (!g->lanes || flags) {
    for (int i = 0; i < 16; ++i)
      for (int j = 0; j < 16; ++j) d[i][j] = add_element(&t, i, j, c[i][j]);
    return;
  }
  if (g->whole && !scales && SIM_VARIANT_NAME(sim_mfma_add_whole)(g, at_a, at_b, stride, depth, c, d)) return;
  SIM_VARIANT_NAME(sim_mfma_make_powers)(g);
  add_by_rows(&t, c, d);
}
