// SPDX-License-Identifier: MIT
// The table of software wait states.
#include "sim/check/wait_states.h"

#include <string.h>

#define SIM_VARIANT portable  // the shapes are the same in every variant
#include "sim/exec/mfma/mfma.h"
#include "sim/exec/vector/vector.h"

static bool begins(const char *name, const char *with) { return strncmp(name, with, strlen(with)) == 0; }

static bool is_matrix(const sim_op *op) { return op->info && op->info->klass == SIM_CLASS_MFMA; }
static bool is_trans(const sim_op *op) { return op->info && op->info->klass == SIM_CLASS_TRANS; }
static bool is_valu(const sim_op *op) {
  return op->info && (op->info->klass == SIM_CLASS_VALU || is_trans(op));
}
static bool is_memory(const sim_op *op) {
  return op->info && (op->info->klass == SIM_CLASS_VMEM || op->info->klass == SIM_CLASS_LDS);
}

static bool overlap(const sim_operand *a, const sim_operand *b, sim_operand_kind kind) {
  return a->kind == kind && b->kind == kind && a->reg < b->reg + b->regs && b->reg < a->reg + a->regs;
}

static bool holds(const sim_operand *o, unsigned sgpr) {
  return o->kind == SIM_OPND_SGPR && o->reg <= sgpr && sgpr < o->reg + o->regs;
}

// ---- matrix instructions: table 38

// The kinds that the table tells apart: f32, f64, all others.
typedef enum kind { XDL, SGEMM, DGEMM } kind;
static kind kind_of(const sim_op *op) {
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  return shape->a == SIM_ELEM_F32 ? SGEMM : shape->a == SIM_ELEM_F64 ? DGEMM : XDL;
}

static bool loads_scale(const sim_op *op) { return strcmp(op->info->name, "v_mfma_ld_scale_b32") == 0; }

static int row_of(sim_chip chip, const sim_op *op) {  // by passes 2, 4, 8, 16
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  const sim_mai mai = sim_mai_fields(op, begins(op->info->name, "v_mfma_scale_"));
  // Formats 0 and 1 have 8 bits; with one of them it takes twice as long.
  const bool wide = shape->a == SIM_ELEM_BY_FORMAT && (mai.cbsz < 2 || mai.blgp < 2);
  const unsigned passes = shape->passes[chip] * (wide ? 2u : 1u);
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

// To the C of a matrix instruction: the same registers in the same instruction, or an overlap.
static unsigned states_to_c(sim_chip chip, const sim_op *op, const sim_op *next, bool same) {
  static const unsigned gfx942[] = {3, 5, 9, 17}, gfx950[] = {4, 6, 10, 18}, sgemm[] = {2, 4, 8, 16},
                        xdl_to_other[] = {3, 6, 10, 18};
  const int row = row_of(chip, op);
  if (begins(op->info->name, "v_smfmac_") && same) return 0;
  if (kind_of(op) == DGEMM) return is_small(op) ? 4 : same ? 0 : chip == SIM_GFX950 ? 17 : 9;
  if (same) return row == 0 ? 2 : 0;
  if (kind_of(op) == SGEMM) return kind_of(next) == XDL ? 0 : sgemm[row];
  if (kind_of(next) != XDL) return xdl_to_other[row];
  return (chip == SIM_GFX950 ? gfx950 : gfx942)[row];
}

static unsigned more(unsigned states, unsigned than, const char *reason, const char **why) {
  if (states <= than) return than;
  if (why) *why = reason;
  return states;
}

static unsigned after_matrix(sim_chip chip, const sim_op *op, const sim_op *next, const char **why) {
  static const unsigned overwrite_c[] = {1, 3, 7, 15};
  if (loads_scale(op)) return 0;
  const sim_operand *result = &op->dst[0];
  unsigned most = 0;
  const bool matrix = is_matrix(next) && !loads_scale(next);
  // The accumulator of a sparse instruction is its destination.
  const bool sparse = matrix && begins(next->info->name, "v_smfmac_");
  for (unsigned s = 0; s < next->src_count; ++s) {
    if (!overlap(result, &next->src[s], SIM_OPND_VGPR)) continue;
    if (matrix && s == 2 && !sparse) {
      const bool same = next->info == op->info && next->src[s].reg == result->reg;
      most = more(states_to_c(chip, op, next, same), most,
                  "a matrix result as C of another matrix instruction", why);
    } else {
      most = more(states_to_use(chip, op, next), most, "the use of a matrix result", why);
    }
  }
  for (unsigned d = 0; d < next->dst_count; ++d) {
    if (sparse && overlap(result, &next->dst[d], SIM_OPND_VGPR)) {
      const bool same = next->info == op->info && next->dst[d].reg == result->reg;
      most = more(states_to_c(chip, op, next, same), most,
                  "a matrix result as C of another matrix instruction", why);
    }
    if (is_matrix(next)) continue;
    if (overlap(result, &next->dst[d], SIM_OPND_VGPR))
      most = more(states_to_use(chip, op, next), most, "overwriting a matrix result", why);
    if (is_valu(next) && kind_of(op) == XDL && op->src_count > 2 &&
        overlap(&op->src[2], &next->dst[d], SIM_OPND_VGPR))
      most =
          more(overwrite_c[row_of(chip, op)], most, "overwriting the C that a matrix instruction reads", why);
  }
  return most;
}

// ---- vector instructions: table 11

static bool is_lane_access(const sim_op *op) {
  return begins(op->info->name, "v_readlane") || begins(op->info->name, "v_writelane");
}
static bool is_lane_read(const sim_op *op) {
  return begins(op->info->name, "v_readlane") || begins(op->info->name, "v_readfirstlane");
}
static bool is_permlane(const sim_op *op) { return begins(op->info->name, "v_permlane"); }
static bool is_dot(const sim_op *op) { return begins(op->info->name, "v_dot"); }
static bool is_cmpx(const sim_op *op) { return begins(op->info->name, "v_cmpx"); }

static bool writes_part(const sim_op *op) {
  if (op->encoding == SIM_ENC_SDWA) return op->dst_sel != 6;
  return op->encoding == SIM_ENC_VOP3 && (op->op_sel & 8);
}

static unsigned after_vector_result(sim_chip chip, const sim_op *op, const sim_op *next,
                                    const sim_operand *result, const char **why) {
  unsigned most = 0;
  for (unsigned s = 0; s < next->src_count; ++s) {
    if (!overlap(result, &next->src[s], SIM_OPND_VGPR)) continue;
    if (is_matrix(next)) most = more(2, most, "a vector result in a matrix instruction", why);
    if (!is_valu(next)) continue;
    if (next->encoding == SIM_ENC_DPP && s == 0) most = more(2, most, "a vector result read by DPP", why);
    if (is_lane_read(next)) most = more(1, most, "a vector result in a lane read", why);
    if (is_trans(op) && !is_trans(next))
      most = more(1, most, "the result of a transcendental instruction", why);
    if (writes_part(op)) most = more(1, most, "a result written in part", why);
    if (is_dot(op) && (!is_dot(next) || next->info != op->info || s != 2))
      most = more(3, most, "the result of a dot product", why);
    if (chip == SIM_GFX950 && is_permlane(next))
      most = more(2, most, "a vector result in v_permlane*_swap", why);
  }
  if (chip == SIM_GFX950 && is_valu(next) && is_permlane(next) &&
      overlap(result, &next->dst[0], SIM_OPND_VGPR))
    most = more(2, most, "a vector result in v_permlane*_swap", why);
  return most;
}

static unsigned after_vector_scalar(const sim_op *op, const sim_op *next, const sim_operand *result,
                                    const char **why) {
  (void)op;
  unsigned most = 0;
  for (unsigned s = 0; s < next->src_count; ++s) {
    const sim_operand *o = &next->src[s];
    const bool z = o->kind == SIM_OPND_SPECIAL && o->reg == 251;  // vccz
    if (z && holds(result, SIM_VCC) && is_valu(next))
      most = more(5, most, "VCC written before VCCZ is read", why);
    if (!overlap(result, o, SIM_OPND_SGPR)) continue;
    if (next->info->klass == SIM_CLASS_VMEM)
      most = more(5, most, "an SGPR of a vector instruction in a memory instruction", why);
    if (!is_valu(next)) continue;
    if (is_lane_access(next) && s == 1)
      most = more(4, most, "an SGPR of a vector instruction as lane select", why);
    else if (o->type != SIM_T_MASK)
      most = more(2, most, "an SGPR of a vector instruction as a constant", why);
  }
  if (holds(result, SIM_VCC) && is_valu(next) && (next->info->flags & SIM_V_READS_VCC) &&
      begins(next->info->name, "v_div_fmas"))
    most = more(4, most, "VCC in v_div_fmas", why);
  return most;
}

static unsigned after_exec_written(sim_chip chip, const sim_op *next, bool cmpx, const char **why) {
  unsigned most = 0;
  if (!is_valu(next) && !is_matrix(next)) return 0;
  if (next->encoding == SIM_ENC_DPP) most = more(5, most, "EXEC of a vector instruction in DPP", why);
  for (unsigned s = 0; s < next->src_count; ++s)
    if (next->src[s].kind == SIM_OPND_SPECIAL && next->src[s].reg == 252)
      most = more(5, most, "EXEC written before EXECZ is read", why);
  if (chip == SIM_GFX950 && cmpx && (is_matrix(next) || is_permlane(next) || is_lane_read(next)))
    most = more(4, most, "EXEC of v_cmpx", why);
  return most;
}

static unsigned after_vector(sim_chip chip, const sim_op *op, const sim_op *next, const char **why) {
  unsigned most = 0;
  for (unsigned d = 0; d < op->dst_count; ++d) {
    const sim_operand *result = &op->dst[d];
    unsigned states = 0;
    const char *reason = NULL;
    if (result->kind == SIM_OPND_VGPR) states = after_vector_result(chip, op, next, result, &reason);
    if (result->kind == SIM_OPND_SGPR) states = after_vector_scalar(op, next, result, &reason);
    most = more(states, most, reason, why);
  }
  // v_permlane*_swap and v_swap write what they read.
  if (is_permlane(op) || begins(op->info->name, "v_swap")) {
    const char *reason = NULL;
    most = more(after_vector_result(chip, op, next, &op->src[0], &reason), most, reason, why);
  }
  if (is_cmpx(op)) {
    const char *reason = NULL;
    most = more(after_exec_written(chip, next, true, &reason), most, reason, why);
  }
  return most;
}

// ---- scalar and memory instructions: table 11

static bool needs_m0(const sim_op *op) {
  const char *name = op->info->name;
  return (op->info->klass == SIM_CLASS_VMEM && (op->flags & SIM_F_LDS)) || strstr(name, "addtid") ||
         begins(name, "ds_append") || begins(name, "ds_consume") || begins(name, "s_sendmsg") ||
         begins(name, "s_movrel");
}

static unsigned after_scalar(const sim_op *op, const sim_op *next, const char **why) {
  const char *name = op->info->name;
  if (op->dst_count && holds(&op->dst[0], SIM_M0) && needs_m0(next))
    return more(1, 0, "M0 written before its use", why);
  if (begins(name, "s_setreg") &&
      (begins(next->info->name, "s_setreg") || begins(next->info->name, "s_getreg")) &&
      (op->raw[0] & 63) == (next->raw[0] & 63))
    return more(2, 0, "s_setreg before the same register's next access", why);
  return 0;
}

// Stores of three and four dwords read their data late, buffers with an SGPR offset less so: the manual knows
// no hazard there, gfx950 stores what the next vector instruction writes (llvm/llvm-project #197267).
static bool has_sgpr_offset(const sim_op *op) {
  const char *name = op->info->name;
  const bool buffer = begins(name, "buffer_") || begins(name, "tbuffer_");
  return buffer && op->src[op->src_count - 1].kind == SIM_OPND_SGPR;
}
static bool stores_wide(const sim_op *op) {
  const char *name = op->info->name;
  if (op->info->klass != SIM_CLASS_VMEM) return false;
  const bool buffer = begins(name, "buffer_") || begins(name, "tbuffer_");
  const bool store = strstr(name, "_store_") != NULL, swap = strstr(name, "cmpswap_x2") != NULL;
  if (!store && !swap) return false;
  const sim_operand *data = &op->src[buffer ? 0 : 1];
  return data->kind == SIM_OPND_VGPR && data->regs > 2;
}

static unsigned after_store(const sim_op *op, const sim_op *next, const char **why) {
  const bool buffer = begins(op->info->name, "buffer_") || begins(op->info->name, "tbuffer_");
  const sim_operand *data = &op->src[buffer ? 0 : 1];
  unsigned states = is_valu(next) ? 2 : is_matrix(next) ? 1 : 0;
  if (states && has_sgpr_offset(op)) --states;
  for (unsigned d = 0; states && d < next->dst_count; ++d)
    if (overlap(data, &next->dst[d], SIM_OPND_VGPR))
      return more(states, 0, "overwriting the data of a wide store", why);
  return 0;
}

unsigned sim_wait_states_needed(sim_chip chip, const sim_op *op, const sim_op *next, const char **why) {
  if (!op->info || !next->info) return 0;
  if (is_matrix(op)) return after_matrix(chip, op, next, why);
  if (is_valu(op)) return after_vector(chip, op, next, why);
  if (is_memory(op)) return stores_wide(op) ? after_store(op, next, why) : 0;
  return op->info->klass == SIM_CLASS_SALU ? after_scalar(op, next, why) : 0;
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
  const bool nop = op->info && strcmp(op->info->name, "s_nop") == 0;
  return nop ? (op->raw[0] & 15) + 1 : 1;
}
