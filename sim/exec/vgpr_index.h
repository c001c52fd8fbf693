// SPDX-License-Identifier: MIT
// VGPR indexing (CDNA3 ISA 6.6): while s_set_gpr_idx is on, M0 holds an index in bits 7:0, and bits 15:12 say
// to which VGPR operands it is added.
#ifndef SIM_EXEC_VGPR_INDEX_H
#define SIM_EXEC_VGPR_INDEX_H

#include "sim/exec/wave.h"

typedef enum sim_indexed {
  SIM_INDEXED_SRC0,
  SIM_INDEXED_SRC1,
  SIM_INDEXED_SRC2,
  SIM_INDEXED_DST
} sim_indexed;

// Returns the row of a VGPR operand, which is number `which` of the instruction.
static inline unsigned sim_indexed_row(const sim_wave *w, const sim_operand *o, unsigned which) {
  const bool on = (w->mode & SIM_MODE_GPR_IDX) && (w->s[SIM_M0] >> (12 + which) & 1);
  return o->reg + (on ? w->s[SIM_M0] & 255 : 0);
}

// Returns false, after a fault, when an indexed operand leaves its register file.
static inline bool sim_index_fits(sim_wave *w, const sim_op *op, const sim_operand *o, unsigned which) {
  if (o->kind != SIM_OPND_VGPR) return true;
  const unsigned first = sim_indexed_row(w, o, which), end = o->reg < SIM_ACC ? SIM_ACC : 2 * SIM_ACC;
  if (first + o->regs <= end) return true;
  sim_fault(w, SIM_FAULT_PROGRAM, op, -1, "register number %u plus the index %u in m0 is past the last VGPR",
            o->reg % SIM_ACC, w->s[SIM_M0] & 255);
  return false;
}

#endif
