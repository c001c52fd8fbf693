// SPDX-License-Identifier: MIT
// The table of software wait states.
#include "sim/check/wait_states.h"

#define SIM_VARIANT portable  // the shapes are the same in every variant
#include "sim/exec/mfma/mfma.h"
#include "sim/exec/scalar/hwreg.h"

static bool has(const sim_op *op, uint64_t fact) { return op->info->facts & fact; }

static bool is_matrix(const sim_op *op) { return op->info && op->info->klass == SIM_CLASS_MFMA; }
static bool is_trans(const sim_op *op) { return op->info && op->info->klass == SIM_CLASS_TRANS; }
static bool is_valu(const sim_op *op) {
  return op->info && (op->info->klass == SIM_CLASS_VALU || is_trans(op));
}
static bool is_memory(const sim_op *op) {
  return op->info && (op->info->klass == SIM_CLASS_VMEM || op->info->klass == SIM_CLASS_LDS);
}

static bool overlap(const sim_operand *a, const sim_operand *b, sim_operand_kind kind) {
  return a->kind == kind && sim_operands_overlap(a, b);
}

static bool holds(const sim_operand *o, unsigned sgpr) {
  return o->kind == SIM_OPND_SGPR && o->reg <= sgpr && sgpr < o->reg + o->regs;
}

// ---- matrix instructions: table 38

// Lists the kinds that the table tells apart: f32, f64, all others.
typedef enum kind { XDL, SGEMM, DGEMM } kind;
static kind kind_of(const sim_op *op) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  return shape->a == SIM_ELEM_F32 ? SGEMM : shape->a == SIM_ELEM_F64 ? DGEMM : XDL;
}

static bool loads_scale(const sim_op *op) { return has(op, SIM_ROW_SCALE_LOAD); }

static int row_of(sim_chip chip, const sim_op *op) {  // by passes 2, 4, 8, 16
  const unsigned passes = sim_mfma_passes(op, chip);
  return passes <= 2 ? 0 : passes <= 4 ? 1 : passes <= 8 ? 2 : 3;
}

static bool is_small(const sim_op *op) { return sim_mfma_shape_of(op)->m == 4; }

// Returns the states from a matrix result to any other use. Reading f64 from memory instructions takes longer
// than from others.
static unsigned states_to_use(sim_chip chip, const sim_op *op, const sim_op *next) {
  static const unsigned gfx942[] = {5, 7, 11, 19}, gfx950[] = {5, 8, 12, 20}, sgemm[] = {4, 6, 10, 18};
  const int row = row_of(chip, op);
  if (kind_of(op) == SGEMM) return sgemm[row];
  if (kind_of(op) == XDL) return (chip == SIM_GFX950 ? gfx950 : gfx942)[row];
  const bool memory = !is_valu(next) && !is_matrix(next);
  if (is_small(op)) return memory ? 9 : 6;
  return memory ? 18 : chip == SIM_GFX950 ? 19 : 11;
}

// Returns the wait states to the C of a matrix instruction: the same registers in the same instruction, or an
// overlap.
static unsigned states_to_c(sim_chip chip, const sim_op *op, const sim_op *next, bool same) {
  static const unsigned gfx942[] = {3, 5, 9, 17}, gfx950[] = {4, 6, 10, 18}, sgemm[] = {2, 4, 8, 16},
                        xdl_to_other[] = {3, 6, 10, 18};
  const int row = row_of(chip, op);
  if (has(op, SIM_ROW_SPARSE) && same) return 0;
  if (kind_of(op) == DGEMM) return is_small(op) ? 4 : same ? 0 : chip == SIM_GFX950 ? 17 : 9;
  if (same) return row == 0 ? 2 : 0;
  if (kind_of(op) == SGEMM) return kind_of(next) == XDL ? 0 : sgemm[row];
  if (kind_of(next) != XDL) return xdl_to_other[row];
  return (chip == SIM_GFX950 ? gfx950 : gfx942)[row];
}

// ---- rules

// Adds a rule: the table asks for `states`, and production code ships with `enough` of them.
static void more(sim_wait_need *need, unsigned states, unsigned enough, const char *why) {
  const sim_wait_rule rule = {states, enough, why};
  if (states > need->table.states) need->table = rule;
  if (enough > need->hard.enough) need->hard = rule;
}
// Adds a rule that production code keeps, too.
static void hard(sim_wait_need *need, unsigned states, const char *why) { more(need, states, states, why); }

static void after_matrix(sim_wait_need *need, sim_chip chip, const sim_op *op, const sim_op *next) {
  static const unsigned overwrite_c[] = {1, 3, 7, 15};
  static const char *const as_c = "a matrix result as C of another matrix instruction";
  if (loads_scale(op)) return;
  const sim_operand *result = &op->dst[0];
  const bool matrix = is_matrix(next) && !loads_scale(next);
  // The accumulator of a sparse instruction is its destination.
  const bool sparse = matrix && has(next, SIM_ROW_SPARSE);
  for (unsigned s = 0; s < next->src_count; ++s) {
    if (!overlap(result, &next->src[s], SIM_OPND_VGPR)) continue;
    if (matrix && s == 2 && !sparse) {
      const bool same = next->info == op->info && next->src[s].reg == result->reg;
      more(need, states_to_c(chip, op, next, same), 0, as_c);
    } else {
      more(need, states_to_use(chip, op, next), 0, "the use of a matrix result");
    }
  }
  for (unsigned d = 0; d < next->dst_count; ++d) {
    if (sparse && overlap(result, &next->dst[d], SIM_OPND_VGPR)) {
      const bool same = next->info == op->info && next->dst[d].reg == result->reg;
      more(need, states_to_c(chip, op, next, same), 0, as_c);
    }
    if (is_matrix(next)) continue;
    if (overlap(result, &next->dst[d], SIM_OPND_VGPR))
      hard(need, states_to_use(chip, op, next), "overwriting a matrix result");
    if (is_valu(next) && kind_of(op) == XDL && op->src_count > 2 &&
        overlap(&op->src[2], &next->dst[d], SIM_OPND_VGPR))
      hard(need, overwrite_c[row_of(chip, op)], "overwriting the C that a matrix instruction reads");
  }
}

// ---- vector instructions: table 11

static bool spreads(const sim_op *op, sim_spread spread) { return sim_row_spread(op->info) == spread; }
static bool is_lane_access(const sim_op *op) {
  return spreads(op, SIM_SPREAD_READLANE) || spreads(op, SIM_SPREAD_WRITELANE);
}
static bool is_lane_read(const sim_op *op) {
  return spreads(op, SIM_SPREAD_READLANE) || spreads(op, SIM_SPREAD_FIRST);
}
static bool is_permlane(const sim_op *op) { return spreads(op, SIM_SPREAD_SWAP_ROWS); }
static bool is_dot(const sim_op *op) { return has(op, SIM_ROW_DOT); }
static bool is_cmpx(const sim_op *op) { return is_valu(op) && has(op, SIM_ROW_WRITES_EXEC); }

static bool writes_part(const sim_op *op) {
  if (op->encoding == SIM_ENC_SDWA) return op->dst_sel != 6;
  return op->encoding == SIM_ENC_VOP3 && (op->op_sel & 8);
}

static void after_vector_result(sim_wait_need *need, sim_chip chip, const sim_op *op, const sim_op *next,
                                const sim_operand *result) {
  static const char *const in_swap = "a vector result in v_permlane*_swap";
  for (unsigned s = 0; s < next->src_count; ++s) {
    if (!overlap(result, &next->src[s], SIM_OPND_VGPR)) continue;
    if (is_matrix(next)) hard(need, 2, "a vector result in a matrix instruction");
    if (!is_valu(next)) continue;
    if (next->encoding == SIM_ENC_DPP && s == 0) more(need, 2, 1, "a vector result read by DPP");
    if (is_lane_read(next)) more(need, 1, 0, "a vector result in a lane read");
    if (is_trans(op) && !is_trans(next)) hard(need, 1, "the result of a transcendental instruction");
    if (writes_part(op)) hard(need, 1, "a result written in part");
    if (is_dot(op) && (!is_dot(next) || next->info != op->info || s != 2))
      hard(need, 3, "the result of a dot product");
    if (chip == SIM_GFX950 && is_permlane(next)) more(need, 2, 0, in_swap);
  }
  if (chip == SIM_GFX950 && is_valu(next) && is_permlane(next) &&
      overlap(result, &next->dst[0], SIM_OPND_VGPR))
    more(need, 2, 0, in_swap);
}

static void after_vector_scalar(sim_wait_need *need, const sim_op *next, const sim_operand *result) {
  for (unsigned s = 0; s < next->src_count; ++s) {
    const sim_operand *o = &next->src[s];
    const bool z = o->kind == SIM_OPND_SPECIAL && o->reg == 251;  // vccz
    if (z && holds(result, SIM_VCC) && is_valu(next)) hard(need, 5, "VCC written before VCCZ is read");
    if (!overlap(result, o, SIM_OPND_SGPR)) continue;
    if (next->info->klass == SIM_CLASS_VMEM)
      hard(need, 5, "an SGPR of a vector instruction in a memory instruction");
    if (!is_valu(next)) continue;
    if (is_lane_access(next) && s == 1)
      hard(need, 4, "an SGPR of a vector instruction as lane select");
    else if (o->type != SIM_T_MASK)
      hard(need, 2, "an SGPR of a vector instruction as a constant");
  }
  if (holds(result, SIM_VCC) && is_valu(next) && has(next, SIM_ROW_READS_VCC))
    hard(need, 4, "VCC in v_div_fmas");
}

static void after_exec_written(sim_wait_need *need, sim_chip chip, const sim_op *next) {
  if (!is_valu(next) && !is_matrix(next)) return;
  if (next->encoding == SIM_ENC_DPP) hard(need, 5, "EXEC of a vector instruction in DPP");
  for (unsigned s = 0; s < next->src_count; ++s)
    if (next->src[s].kind == SIM_OPND_SPECIAL && next->src[s].reg == 252)
      hard(need, 5, "EXEC written before EXECZ is read");
  if (chip == SIM_GFX950 && (is_matrix(next) || is_permlane(next) || is_lane_read(next)))
    hard(need, 4, "EXEC of v_cmpx");
}

static bool is_redefined(const uint64_t *sgprs, unsigned reg) {
  return sgprs && sgprs[reg / 64] >> (reg & 63) & 1;
}

static void after_vector(sim_wait_need *need, sim_chip chip, const sim_op *op, const sim_op *next,
                         const uint64_t *redefined) {
  for (unsigned d = 0; d < op->dst_count; ++d) {
    const sim_operand *result = &op->dst[d];
    if (result->kind == SIM_OPND_VGPR) after_vector_result(need, chip, op, next, result);
    for (unsigned i = 0; result->kind == SIM_OPND_SGPR && i < result->regs; ++i) {
      sim_operand one = *result;
      one.reg = (uint16_t)(result->reg + i);
      one.regs = 1;
      if (!is_redefined(redefined, one.reg & 127)) after_vector_scalar(need, next, &one);
    }
  }
  // v_permlane*_swap and v_swap write what they read.
  if (is_permlane(op) || spreads(op, SIM_SPREAD_SWAP)) after_vector_result(need, chip, op, next, &op->src[0]);
  if (is_cmpx(op) && !(is_redefined(redefined, SIM_EXEC) && is_redefined(redefined, SIM_EXEC + 1)))
    after_exec_written(need, chip, next);
}

// ---- scalar and memory instructions: table 11

static bool is_direct(const sim_op *op) { return op->info->klass == SIM_CLASS_VMEM && op->flags & SIM_F_LDS; }

static void after_scalar(sim_wait_need *need, const sim_op *op, const sim_op *next) {
  if (op->dst_count && holds(&op->dst[0], SIM_M0)) {
    if (is_direct(next)) more(need, 1, 0, "M0 written before a copy to LDS");
    if (has(next, SIM_ROW_READS_M0)) hard(need, 1, "M0 written before its use");
  }
  if (has(op, SIM_ROW_SETREG) && has(next, SIM_ROW_SETREG | SIM_ROW_GETREG) &&
      (op->raw[0] & 63) == (next->raw[0] & 63))
    hard(need, 2, "s_setreg before the same register's next access");
  if (!sim_sets_vskip(op)) return;
  if (has(op, SIM_ROW_SETREG)) {
    if (sim_op_is_vector(next)) hard(need, 2, "s_setreg of VSKIP before a vector instruction");
  } else if (has(next, SIM_ROW_GETREG) && sim_names_vskip(next)) {
    hard(need, 2, "s_setvskip before VSKIP is read");
  }
}

// Stores of three and four dwords read their data late, buffers with an SGPR offset less so: the manual knows
// no hazard there, gfx950 stores what the next vector instruction writes (llvm/llvm-project #197267).
static const sim_operand *data_of(const sim_op *op) { return &op->src[has(op, SIM_ROW_BUFFER) ? 0 : 1]; }
static bool stores_wide(const sim_op *op) {
  if (op->info->klass != SIM_CLASS_VMEM || !has(op, SIM_ROW_STORES)) return false;
  if (has(op, SIM_ROW_ATOMIC) && !has(op, SIM_ROW_COMPARES)) return false;
  return data_of(op)->kind == SIM_OPND_VGPR && data_of(op)->regs > 2;
}

static void after_store(sim_wait_need *need, const sim_op *op, const sim_op *next) {
  unsigned states = is_valu(next) ? 2 : is_matrix(next) ? 1 : 0;
  const bool sgpr_offset = has(op, SIM_ROW_BUFFER) && op->src[op->src_count - 1].kind == SIM_OPND_SGPR;
  if (states && sgpr_offset) --states;
  for (unsigned d = 0; states && d < next->dst_count; ++d)
    if (overlap(data_of(op), &next->dst[d], SIM_OPND_VGPR))
      hard(need, states, "overwriting the data of a wide store");
}

sim_wait_need sim_wait_states_needed(sim_chip chip, const sim_op *op, const sim_op *next,
                                     const uint64_t redefined[2]) {
  sim_wait_need need = {{0, 0, ""}, {0, 0, ""}};
  if (!op->info || !next->info) return need;
  if (is_matrix(op))
    after_matrix(&need, chip, op, next);
  else if (is_valu(op))
    after_vector(&need, chip, op, next, redefined);
  else if (is_memory(op) && stores_wide(op))
    after_store(&need, op, next);
  else if (op->info->klass == SIM_CLASS_SALU)
    after_scalar(&need, op, next);
  return need;
}

unsigned sim_wait_states_horizon(sim_chip chip, const sim_op *op) {
  (void)chip;
  if (!op->info) return 0;
  if (is_matrix(op)) return SIM_WAIT_STATES_FAR;
  if (is_valu(op)) {
    for (unsigned d = 0; d < op->dst_count; ++d)
      if (op->dst[d].kind == SIM_OPND_SGPR) return 5;
    return is_cmpx(op) ? 5 : is_dot(op) ? 3 : 2;
  }
  if (is_memory(op)) return stores_wide(op) ? 2 : 0;
  return op->info->klass == SIM_CLASS_SALU ? 2 : 0;
}

unsigned sim_wait_states_of(const sim_op *op) {
  return op->info && has(op, SIM_ROW_NOP) ? (op->raw[0] & 15) + 1 : 1;
}

unsigned sim_wait_states_held(sim_chip chip, const sim_op *op) {
  return is_matrix(op) && !loads_scale(op) ? sim_mfma_passes(op, chip) : 0;
}
