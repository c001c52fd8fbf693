// SPDX-License-Identifier: MIT
// SMFMAC: A holds two of every four values of k, with 2-bit positions in a register; D accumulates in place.
//
// Lane l of A and of B holds row or column l % m, slice g = l / m (AMD's matrix instruction calculator; CDNA4
// ISA 7). The t-th stored value of A in slice g is at k = K_L * g + 4 * (t / 2) + position(t), with K_L = K *
// m / 64; B holds k = K_L * g + e, or for 32 bytes per lane, two runs of 16 that lie K / 2 apart: run e / R
// at k = K / 2 * (e / R) + R * g + e % R, with R the items in 16 bytes. The deep forms of gfx950 so follow
// what ROCm/hip-fpsan measured on MI350 (its dataflow of 16x16x64 and 32x32x32 with 16 bits, 16x16x128 and
// 32x32x64 with 8, is this one with k renumbered). Sums as in tile.c or grouped.c, over the stored values in
// order.
#include "sim/exec/mfma/grouped.h"
#include "sim/exec/mfma/mfma.h"

typedef struct sparse_a {
  float value[SIM_MFMA_VALUES];  // [stored][m]
  uint8_t k[SIM_MFMA_VALUES];    // dense k of each
} sparse_a;

// Positions: 2 bits per stored value; ABID selects among the sets a register can hold while CBSZ is 0
// (LLVM pull request 193541: two sets for the deep 16-bit forms, one for the deep 8-bit forms).
static void read_positions(const sim_wave *w, const sim_op *op, const sim_mfma_shape *shape,
                           const sim_mai *mai, sparse_a *a) {
  int m = shape->m, slices = SIM_LANES / m, stored = shape->k / 2 / slices, bits = 2 * stored;
  int set = mai->cbsz ? 0 : mai->abid % (32 / bits);
  for (int lane = 0; lane < SIM_LANES; ++lane) {
    uint32_t positions = w->v[op->src[2].reg][lane] >> (set * bits);
    int row = lane % m, slice = lane / m;
    for (int t = 0; t < stored; ++t) {
      int k = 2 * stored * slice + t / 2 * 4 + (int)(positions >> (2 * t) & 3);
      a->k[(slice * stored + t) * m + row] = (uint8_t)k;
    }
  }
}

typedef struct sparse_product {
  const sparse_a *a;
  const float *b;  // [k][m]
  int m, kept;     // stored values in a row of A
  bool exact;
  unsigned flags;
} sparse_product;

// Adds the products of one row of A to the columns of acc.
static void add_row(const sparse_product *p, int row, float *acc) {
  float factor[32];
  for (int n = 0; n < p->kept; ++n) {
    const float *right = p->b + p->a->k[n * p->m + row] * p->m;
    for (int j = 0; j < p->m; ++j) factor[j] = p->a->value[n * p->m + row];
    if (!p->flags)
      SIM_VARIANT_NAME(sim_mfma_lanes)(acc, factor, right, p->m, p->exact);
    else
      for (int j = 0; j < p->m; ++j)
        acc[j] = SIM_VARIANT_NAME(sim_mfma_step)(acc[j], factor[j], right[j], p->flags);
  }
}

// Adds one column of a row: all groups, one after the other.
static float add_column_grouped(const sparse_product *p, const sim_mfma_grouped *g, int row, int column,
                                float c) {
  const int size = g->grouping.size;
  float right[16];
  for (int first = 0; first < p->kept; first += size) {
    for (int n = 0; n < size; ++n) right[n] = p->b[p->a->k[(first + n) * p->m + row] * p->m + column];
    const sim_mfma_terms terms = {.left = p->a->value + first * p->m + row,
                                  .right = right,
                                  .left_step = (size_t)p->m,
                                  .right_step = 1,
                                  .count = size};
    c = SIM_VARIANT_NAME(sim_mfma_add_group)(g, &terms, p->flags, c);
  }
  return c;
}

// Does the same in groups of the stored values, in their order. How hardware groups them is not published.
static void add_row_grouped(const sparse_product *p, const sim_mfma_grouped *g, int row, float *acc) {
  const int size = g->grouping.size;
  uint16_t at[16];
  for (int column = 0; column < p->m; column += 16) {
    _Alignas(64) float sum[16];
    uint32_t doubtful[16] = {0};
    memcpy(sum, acc + column, sizeof sum);
    for (int first = 0; first < p->kept && g->lanes; first += size) {
      for (int n = 0; n < size; ++n) at[n] = (uint16_t)(p->a->k[(first + n) * p->m + row] * p->m);
      const size_t left = (size_t)(first * p->m + row);
      const sim_mfma_row products = {.left = g->a.value + left,
                                     .left_power = g->a.power + left,
                                     .right = g->b.value + column,
                                     .right_power = g->b.power + column,
                                     .left_step = (size_t)p->m,
                                     .right_at = at,
                                     .count = size};
      SIM_VARIANT_NAME(sim_mfma_add_row)(g, &products, sum, doubtful);
    }
    for (int j = 0; j < 16; ++j)
      acc[column + j] = doubtful[j] || !g->lanes || p->flags
                            ? add_column_grouped(p, g, row, column + j, acc[column + j])
                            : sum[j];
  }
}

void SIM_VARIANT_NAME(sim_mfma_sparse)(sim_wave *w, const sim_op *op) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  sim_mai mai = sim_mai_fields(op, false);
  sim_chip chip = w->group->launch->machine->chip;
  int m = shape->m, kept = shape->k / 2;
  sparse_a a;
  _Alignas(64) float b[SIM_MFMA_VALUES];
  sim_mfma_shape half = *shape;
  half.k = (uint8_t)kept;
  SIM_VARIANT_NAME(sim_mfma_unpack)(&w->v[op->src[0].reg], &half, shape->a, chip, a.value);
  SIM_VARIANT_NAME(sim_mfma_unpack)(&w->v[op->src[1].reg], shape, shape->b, chip, b);
  read_positions(w, op, shape, &mai, &a);
  bool i8 = shape->a == SIM_ELEM_I8;
  sparse_product p = {
      .a = &a, .b = b, .m = m, .kept = kept, .flags = w->mode & SIM_MODE_FP16_OVFL ? SIM_MFMA_SATURATE : 0};
  sim_mfma_grouped g;
  const bool grouped = !i8 && w->group->mfma == SIM_MFMA_EXACT;
  if (grouped) {
    SIM_VARIANT_NAME(sim_mfma_group)(&g, shape->a, shape->b, chip);
    SIM_VARIANT_NAME(sim_mfma_measure)(&g, a.value, (size_t)(m * kept), b, (size_t)(m * shape->k));
    SIM_VARIANT_NAME(sim_mfma_make_powers)(&g);
  } else {
    p.exact = SIM_VARIANT_NAME(sim_mfma_exact)(shape->a, a.value, (size_t)(m * kept)) &&
              SIM_VARIANT_NAME(sim_mfma_exact)(shape->b, b, (size_t)(m * shape->k));
  }
  for (int row = 0; row < m; ++row) {
    int reg = m == 16 ? row % 4 : row % 4 + row / 8 * 4, lane = m == 16 ? row / 4 * 16 : row / 4 % 2 * 32;
    uint32_t *d = &w->v[op->dst[0].reg + reg][lane];
    float acc[32];
    for (int j = 0; j < m; ++j) acc[j] = i8 ? 0.0f : sim_f32(d[j]);
    if (grouped)
      add_row_grouped(&p, &g, row, acc);
    else
      add_row(&p, row, acc);
    for (int j = 0; j < m; ++j)
      d[j] = i8 ? d[j] + (uint32_t)(int32_t)acc[j] : sim_bits32(sim_canonical(acc[j]));
  }
}
