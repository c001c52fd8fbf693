// SPDX-License-Identifier: MIT
// Moves between lanes and between scalar and vector registers (CDNA3 ISA, "VOP1" and "VOP3" instructions; the
// permlane swaps exist on gfx950 only). The lane moves ignore EXEC.
#include "sim/exec/scalar/hwreg.h"
#include "sim/exec/vgpr_index.h"
#include "sim/isa/tables.h"

// s_set_gpr_idx shifts the VGPR of a lane move: source 0 of the reads, the destination of the write. The lane
// and the value written are scalar, and indexing does not concern SGPRs (CDNA4 ISA 6.6.2).
static void read_lane(sim_wave *w, const sim_op *op, unsigned lane) {
  const sim_operand *o = &op->src[0];
  if (!sim_index_fits(w, op, o, SIM_INDEXED_SRC0)) return;
  sim_dst32(w, &op->dst[0],
            o->kind == SIM_OPND_VGPR ? w->v[sim_indexed_row(w, o, SIM_INDEXED_SRC0)][lane] : sim_src32(w, o));
}

static void run_readfirstlane(sim_wave *w, const sim_op *op) {
  uint64_t exec = sim_exec(w);
  read_lane(w, op, exec ? (unsigned)__builtin_ctzll(exec) : 0);
}

static void run_readlane(sim_wave *w, const sim_op *op) { read_lane(w, op, sim_src32(w, &op->src[1]) & 63); }

static void run_writelane(sim_wave *w, const sim_op *op) {
  if (!sim_index_fits(w, op, &op->dst[0], SIM_INDEXED_DST)) return;
  w->v[sim_indexed_row(w, &op->dst[0], SIM_INDEXED_DST)][sim_src32(w, &op->src[1]) & 63] =
      sim_src32(w, &op->src[0]);
}

// The manual does not say whether s_set_gpr_idx shifts the operands of the swaps, and no compiler mixes the
// two.
static bool indexed(sim_wave *w, const sim_op *op) {
  if (!(w->mode & SIM_MODE_GPR_IDX) || !(w->s[SIM_M0] & 0xf000)) return false;
  sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "%s while s_set_gpr_idx is on", op->info->name);
  return true;
}

// Exchanges the upper half of each block of 2 * info->arg lanes of the destination with the lower half of the
// source. The manual gives the exchange for a full EXEC. Lanes outside EXEC are not written, as in every
// vector operation; what a lane receives from a lane outside EXEC follows the rule of the FI and BOUND_CTRL
// bits of DPP: FI takes the value, else BOUND_CTRL gives 0, else the lane keeps what it has.
static void run_swap(sim_wave *w, const sim_op *op) {
  if (indexed(w, op)) return;
  unsigned half = op->info->arg;
  uint32_t *d = w->v[op->dst[0].reg], *s = w->v[op->src[0].reg];
  uint64_t exec = sim_exec(w);
  bool fetch_inactive = op->op_sel & 1, zero = op->op_sel & 2;
  for (unsigned lane = 0; lane < SIM_LANES; ++lane) {
    if (lane & half) continue;
    unsigned other = lane + half;
    uint32_t low = s[lane], high = d[other];
    bool low_on = exec >> lane & 1, high_on = exec >> other & 1;
    if (low_on && (high_on || fetch_inactive || zero)) s[lane] = high_on || fetch_inactive ? high : 0;
    if (high_on && (low_on || fetch_inactive || zero)) d[other] = low_on || fetch_inactive ? low : 0;
  }
}

#define ROW(mnemonic, signature, handler, on, argument, spread) \
  {.name = mnemonic,                                            \
   .operands = signature,                                       \
   .run = handler,                                              \
   .chips = on,                                                 \
   .klass = SIM_CLASS_VALU,                                     \
   .arg = argument,                                             \
   .facts = SIM_ROW_SPREAD(spread)}

static const sim_opinfo rows[] = {
    ROW("v_readfirstlane_b32", "=b32,b32", run_readfirstlane, SIM_ON_BOTH, 0, FIRST),
    ROW("v_readlane_b32", "=b32,b32,b32", run_readlane, SIM_ON_BOTH, 0, READLANE),
    ROW("v_writelane_b32", "=b32,b32,b32", run_writelane, SIM_ON_BOTH, 0, WRITELANE),
    ROW("v_permlane16_swap_b32", "=b32,b32", run_swap, SIM_ON_GFX950, 16, SWAP_ROWS),
    ROW("v_permlane32_swap_b32", "=b32,b32", run_swap, SIM_ON_GFX950, 32, SWAP_ROWS),
};
const sim_optable sim_table_crosslane = {rows, sizeof rows / sizeof rows[0]};
