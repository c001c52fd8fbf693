// SPDX-License-Identifier: MIT
// SMFMAC: A holds two of every four values of k, with 2-bit positions in a register; D accumulates in place.
//
// Lane l of A and of B: row or column l % m, slice g = l / m (AMD's matrix instruction calculator; CDNA4 ISA
// 7). The t-th stored value of A in slice g is at k = K_L * g + 4 * (t / 2) + position(t), with K_L = K * m /
// 64; B holds k = K_L * g + e, or for 32 bytes per lane, two runs of 16 that lie K / 2 apart: run e / R at k
// = K / 2 * (e / R) + R * g + e % R, with R the items in 16 bytes. The deep forms of gfx950 so follow what
// ROCm/hip-fpsan measured on MI350 (its dataflow of 16x16x64 and 32x32x32 with 16 bits, 16x16x128 and
// 32x32x64 with 8, is this one with k renumbered). Numerics as in tile.c, over the stored values in order.
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

void SIM_VARIANT_NAME(sim_mfma_sparse)(sim_wave *w, const sim_op *op) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  sim_mai mai = sim_mai_fields(op, false);
  sim_chip chip = w->group->launch->machine->chip;
  int m = shape->m, kept = shape->k / 2;
  sparse_a a;
  float b[SIM_MFMA_VALUES];
  sim_mfma_shape half = *shape;
  half.k = (uint8_t)kept;
  SIM_VARIANT_NAME(sim_mfma_unpack)(&w->v[op->src[0].reg], &half, shape->a, chip, a.value);
  SIM_VARIANT_NAME(sim_mfma_unpack)(&w->v[op->src[1].reg], shape, shape->b, chip, b);
  read_positions(w, op, shape, &mai, &a);
  unsigned flags = w->mode & SIM_MODE_FP16_OVFL ? SIM_MFMA_SATURATE : 0;
  bool i8 = shape->a == SIM_ELEM_I8;
  bool exact = SIM_VARIANT_NAME(sim_mfma_exact)(shape->a, a.value, (size_t)(m * kept)) &&
               SIM_VARIANT_NAME(sim_mfma_exact)(shape->b, b, (size_t)(m * shape->k));
  for (int row = 0; row < m; ++row) {
    int reg = m == 16 ? row % 4 : row % 4 + row / 8 * 4, lane = m == 16 ? row / 4 * 16 : row / 4 % 2 * 32;
    uint32_t *d = &w->v[op->dst[0].reg + reg][lane];
    float acc[32], factor[32];
    for (int j = 0; j < m; ++j) acc[j] = i8 ? 0.0f : sim_f32(d[j]);
    for (int n = 0; n < kept; ++n) {
      const float *right = b + a.k[n * m + row] * m;
      for (int j = 0; j < m; ++j) factor[j] = a.value[n * m + row];
      if (!flags)
        SIM_VARIANT_NAME(sim_mfma_lanes)(acc, factor, right, m, exact);
      else
        for (int j = 0; j < m; ++j)
          acc[j] = SIM_VARIANT_NAME(sim_mfma_step)(acc[j], factor[j], right[j], flags);
    }
    for (int j = 0; j < m; ++j)
      d[j] = i8 ? d[j] + (uint32_t)(int32_t)acc[j] : sim_bits32(sim_canonical(acc[j]));
  }
}
