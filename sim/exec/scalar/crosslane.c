// SPDX-License-Identifier: MIT
// Moves between lanes and between scalar and vector registers (CDNA3 ISA, "VOP1" and "VOP3" instructions; the
// permlane swaps exist on gfx950 only). None of them applies EXEC to the lanes it reads.
#include "sim/exec/scalar/hwreg.h"
#include "sim/isa/tables.h"

// s_set_gpr_idx: the row of a vector operand with the index added, when `enable` (1 SRC0, 8 DST) is on.
static unsigned indexed_row(const sim_wave *w, const sim_operand *o, uint32_t enable) {
  bool on = w->mode & SIM_MODE_GPR_IDX_EN && w->gpr_idx >> 12 & enable;
  return on ? (o->reg + (w->gpr_idx & 255)) % 512 : o->reg;
}

static uint32_t source_lane(const sim_wave *w, const sim_operand *o, unsigned lane) {
  return o->kind == SIM_OPND_VGPR ? w->v[indexed_row(w, o, 1)][lane] : sim_src32(w, o);
}

static void run_readfirstlane(sim_wave *w, const sim_op *op) {
  uint64_t exec = sim_exec(w);
  sim_dst32(w, &op->dst[0], source_lane(w, &op->src[0], exec ? (unsigned)__builtin_ctzll(exec) : 0));
}

static void run_readlane(sim_wave *w, const sim_op *op) {
  sim_dst32(w, &op->dst[0], source_lane(w, &op->src[0], sim_src32(w, &op->src[1]) & 63));
}

static void run_writelane(sim_wave *w, const sim_op *op) {
  w->v[indexed_row(w, &op->dst[0], 8)][sim_src32(w, &op->src[1]) & 63] = sim_src32(w, &op->src[0]);
}

// Exchanges the upper half of each block of 2 * info->arg lanes of the destination with the lower half of the
// source's.
static void run_swap(sim_wave *w, const sim_op *op) {
  unsigned half = op->info->arg;
  uint32_t *d = w->v[op->dst[0].reg], *s = w->v[op->src[0].reg];
  uint64_t exec = sim_exec(w);
  for (unsigned lane = 0; lane < SIM_LANES; ++lane) {
    if (lane & half) continue;
    uint32_t low = s[lane], high = d[lane + half];
    if (exec >> lane & 1) s[lane] = high;
    if (exec >> (lane + half) & 1) d[lane + half] = low;
  }
}

#define ROW(mnemonic, signature, handler, on, argument)                                            \
  {                                                                                                \
    .name = mnemonic, .operands = signature, .run = handler, .chips = on, .klass = SIM_CLASS_VALU, \
    .arg = argument                                                                                \
  }

static const sim_opinfo rows[] = {
    ROW("v_readfirstlane_b32", "=b32,b32", run_readfirstlane, SIM_ON_BOTH, 0),
    ROW("v_readlane_b32", "=b32,b32,b32", run_readlane, SIM_ON_BOTH, 0),
    ROW("v_writelane_b32", "=b32,b32,b32", run_writelane, SIM_ON_BOTH, 0),
    ROW("v_permlane16_swap_b32", "=b32,b32", run_swap, SIM_ON_GFX950, 16),
    ROW("v_permlane32_swap_b32", "=b32,b32", run_swap, SIM_ON_GFX950, 32),
};
const sim_optable sim_table_crosslane = {rows, sizeof rows / sizeof rows[0]};
