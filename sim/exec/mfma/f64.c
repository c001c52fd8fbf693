// SPDX-License-Identifier: MIT
// Implements double precision MFMA: fused multiply-adds in order of k, starting from C. BLGP negates A, B and
// C.
//
// Layouts (CDNA4 ISA 7.1.4): A(i, k) and B(k, j) of block b are in lane i or j + m * (b + blocks * k).
// 16x16x4: D(i, j) is in register pair i / 4, lane j + 16 * (i % 4). 4x4x4: one pair, lane 16 * i + 4 * b +
// j.
#include <math.h>

#include "sim/exec/mfma/mfma.h"

static double read_f64(const uint32_t (*rows)[SIM_LANES], int pair, int lane) {
  uint64_t bits = rows[2 * pair][lane] | (uint64_t)rows[2 * pair + 1][lane] << 32;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

static void write_f64(uint32_t (*rows)[SIM_LANES], int pair, int lane, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  if (value != value) bits = 0x7ff8000000000000u;  // as in tile.c: the NaN is not published
  rows[2 * pair][lane] = (uint32_t)bits;
  rows[2 * pair + 1][lane] = (uint32_t)(bits >> 32);
}

static void read_operand(const sim_wave *w, const sim_operand *o, bool negate, double *out) {
  for (int lane = 0; lane < SIM_LANES; ++lane) {
    double value = read_f64(&w->v[o->reg], 0, lane);
    out[lane] = negate ? -value : value;
  }
}

void SIM_VARIANT_NAME(sim_mfma_f64)(sim_wave *w, const sim_op *op) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  sim_mai mai = sim_mai_fields(op, false);
  if (mai.cbsz) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "%s: cbsz %u; broadcasts do not exist for f64",
              op->info->name, mai.cbsz);
    return;
  }
  int m = shape->m, blocks = shape->blocks;
  double a[SIM_LANES], b[SIM_LANES], sum[4 * SIM_LANES];
  read_operand(w, &op->src[0], mai.blgp & 1, a);
  read_operand(w, &op->src[1], mai.blgp >> 1 & 1, b);
  uint64_t bits = SIM_VARIANT_NAME(sim_mfma_constant)(mai.src2, true);
  double constant;
  memcpy(&constant, &bits, sizeof constant);
  int pairs = m * m * blocks / SIM_LANES;
  // Runs of m lanes are the columns of one row of one block.
  for (int first = 0; first < pairs * SIM_LANES; first += m) {
    double *acc = sum + first;
    int row = first / (m * blocks), block = first / m % blocks;
    for (int j = 0; j < m; ++j) {
      int at = first + j;
      double c = op->src[2].kind == SIM_OPND_VGPR
                     ? read_f64(&w->v[op->src[2].reg], at / SIM_LANES, at % SIM_LANES)
                     : constant;
      acc[j] = mai.blgp & 4 ? -c : c;
    }
    for (int k = 0; k < shape->k; ++k) {
      const double *right = b + m * (block + blocks * k);
      double factor = a[m * (block + blocks * k) + row];
      for (int j = 0; j < m; ++j) acc[j] = fma(factor, right[j], acc[j]);
    }
  }
  for (int n = 0; n < pairs * SIM_LANES; ++n)
    write_f64(&w->v[op->dst[0].reg], n / SIM_LANES, n % SIM_LANES, sum[n]);
}
