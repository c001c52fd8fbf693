// SPDX-License-Identifier: MIT
// Follows undefined bits through scalar instructions, and finds branches that depend on them.
#include "sim/check/undefined.h"

static uint64_t scalar_source(const sim_check_wave *c, const sim_operand *o) {
  if (o->kind == SIM_OPND_SPECIAL && o->reg == 253) return c->undefined_scc ? ~0ull : 0;  // scc
  if (o->kind != SIM_OPND_SGPR) return 0;
  uint64_t bits = c->undefined_bits[o->reg & 127];
  return o->regs > 1 ? bits | (uint64_t)c->undefined_bits[(o->reg + 1) & 127] << 32 : bits;
}

static uint64_t scalar_value(const sim_wave *w, const sim_operand *o) {
  return o->kind == SIM_OPND_NONE || o->kind == SIM_OPND_TEXT ? 0
         : o->regs > 1 || o->kind == SIM_OPND_CONST           ? sim_src64(w, o)
                                                              : sim_src32(w, o);
}

void sim_undefined_scalar(sim_wave *w, const sim_op *named, const sim_op *op, const sim_op_facts *f) {
  sim_check_wave *c = sim_check_wave_of(w);
  const sim_operand exec = {.kind = SIM_OPND_SGPR, .reg = SIM_EXEC, .regs = 2};
  const bool saves = (f->flags & SIM_FACT_EXEC_OUT) && f->write_count > op->dst_count;
  const sim_operand *x = &op->src[0], *y = saves ? &exec : &op->src[1];
  const uint64_t a = op->src_count ? scalar_source(c, x) : 0,
                 b = op->src_count > 1 || saves ? scalar_source(c, y) : 0;
  uint64_t all = a | b, undefined;
  for (unsigned i = 2; i < op->src_count; ++i) all |= scalar_source(c, &op->src[i]);
  const unsigned own =
      f->implied + (f->flags & SIM_FACT_READS_M0 ? 1u : 0u);  // reads that are sources, and M0
  const bool keeps = f->read_count > own && !saves && op->dst_count;
  if (keeps) all |= scalar_source(c, &op->dst[0]);
  if ((f->flags & SIM_FACT_SCC_IN) && f->spread != SIM_SPREAD_SELECT && c->undefined_scc) all = ~0ull;
  if (!all && !c->undefined_scc && !c->undefined_bits[op->dst[0].reg & 127]) {
    // In the usual case nothing undefined comes or goes.
    for (unsigned i = 0; i < op->dst_count && op->dst[i].kind == SIM_OPND_SGPR; ++i)
      for (unsigned r = 0; r < op->dst[i].regs; ++r) c->undefined_bits[(op->dst[i].reg + r) & 127] = 0;
    return;
  }
  switch ((sim_spread)f->spread) {
    case SIM_SPREAD_AND:
    case SIM_SPREAD_ANDN1:
    case SIM_SPREAD_ANDN2: {
      const uint64_t p = scalar_value(w, x) ^ -(uint64_t)(f->spread == SIM_SPREAD_ANDN1),
                     q = scalar_value(w, y) ^ -(uint64_t)(f->spread == SIM_SPREAD_ANDN2);
      undefined = (a & (b | q)) | (b & (a | p));
      break;
    }
    case SIM_SPREAD_OR:
    case SIM_SPREAD_ORN1:
    case SIM_SPREAD_ORN2: {
      const uint64_t p = scalar_value(w, x) ^ -(uint64_t)(f->spread == SIM_SPREAD_ORN1),
                     q = scalar_value(w, y) ^ -(uint64_t)(f->spread == SIM_SPREAD_ORN2);
      undefined = (a & (b | ~q)) | (b & (a | ~p));
      break;
    }
    case SIM_SPREAD_BITS: undefined = all; break;
    case SIM_SPREAD_SELECT: undefined = c->undefined_scc ? ~0ull : w->scc ? a : b; break;
    default: undefined = all ? ~0ull : 0;
  }
  // The saved mask is the old EXEC, and the new one is what has been computed.
  const uint64_t result = saves ? 0 : undefined;
  for (unsigned i = 0; i < op->dst_count; ++i) {
    if (op->dst[i].kind != SIM_OPND_SGPR) continue;
    for (unsigned r = 0; r < op->dst[i].regs; ++r)
      c->undefined_bits[(op->dst[i].reg + r) & 127] = (uint32_t)(result >> (32 * (r & 1)));
  }
  if (f->flags & SIM_FACT_SCC_OUT) c->undefined_scc = undefined != 0;
  if ((f->flags & SIM_FACT_EXEC_OUT) && undefined) {
    sim_undefined_report(w, named, -1, "the set of active lanes");
    sim_undefined_set_mask(c, SIM_EXEC, 0);
  }
}

void sim_undefined_branch(sim_wave *w, const sim_op *op, const sim_op_facts *f) {
  sim_check_wave *c = sim_check_wave_of(w);
  bool undefined = (f->flags & SIM_FACT_SCC_IN) && c->undefined_scc;
  for (unsigned i = 0; i < f->read_count; ++i) {
    const sim_reg_run r = f->read[i];
    if (r.first < SIM_REG_SGPR) continue;
    const unsigned s = r.first - SIM_REG_SGPR;
    if (s == SIM_VCC) {  // whether any bit is set: one that is known decides
      const uint64_t bits = sim_undefined_mask(c, SIM_VCC);
      undefined |= bits && !(sim_s64(w, SIM_VCC) & ~bits);
    } else {
      for (unsigned k = 0; k < r.count; ++k) undefined |= c->undefined_bits[s + k] != 0;
    }
  }
  if (undefined) sim_undefined_report(w, op, -1, "the condition or target of a branch");
  for (unsigned i = 0; i < op->dst_count; ++i)
    if (op->dst[i].kind == SIM_OPND_SGPR) sim_undefined_set_mask(c, op->dst[i].reg, 0);
}
