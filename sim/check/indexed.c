// SPDX-License-Identifier: MIT
// Finds registers that an instruction names only together with an index in M0: vector instructions while
// s_set_gpr_idx is on, and s_movrels and s_movreld.
#include "sim/check/state.h"

enum { SGPRS = SIM_VCC + 2, SOURCES = 3, DESTINATION_BIT = 15 };

static bool shift(sim_operand *o, uint32_t index) {
  if (o->kind == SIM_OPND_VGPR) {
    const unsigned end = o->reg < SIM_ACC ? SIM_ACC : 2 * SIM_ACC;
    if (o->reg + index + o->regs > end) return false;
  } else if (o->kind != SIM_OPND_SGPR || index >= SGPRS || o->reg + index + o->regs > SGPRS) {
    return false;
  }
  o->reg = (uint16_t)(o->reg + index);
  return true;
}

// The index is in 7:0, what it counts for in 15:12: sources 0 to 2, destination (CDNA3 ISA, "VGPR indexing").
static bool shift_vector(sim_op *meant, uint32_t m0) {
  for (unsigned i = 0; i < meant->src_count && i < SOURCES; ++i)
    if (m0 >> (12 + i) & 1 && meant->src[i].kind == SIM_OPND_VGPR && !shift(&meant->src[i], m0 & 255))
      return false;
  return !(m0 >> DESTINATION_BIT & 1) || !meant->dst_count || meant->dst[0].kind != SIM_OPND_VGPR ||
         shift(&meant->dst[0], m0 & 255);
}

bool sim_check_indexed(const sim_wave *w, const sim_op *op, const sim_op_facts *f, sim_op *meant,
                       sim_op_facts *meant_facts) {
  const bool vector = op->info->klass == SIM_CLASS_VALU || op->info->klass == SIM_CLASS_TRANS;
  const bool scalar = op->info->klass == SIM_CLASS_SALU && f->flags & SIM_FACT_READS_M0;
  if (!scalar && !(vector && w->mode & SIM_MODE_GPR_IDX)) return false;
  *meant = *op;
  // What leaves the register file faults when it is executed.
  if (vector
          ? !shift_vector(meant, w->s[SIM_M0])
          : !shift(op->info->facts & SIM_ROW_INDEXES_SOURCE ? &meant->src[0] : &meant->dst[0], w->s[SIM_M0]))
    return false;
  sim_op_facts_find(meant_facts, meant, w->group->program->chip);
  return true;
}
