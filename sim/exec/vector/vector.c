// SPDX-License-Identifier: MIT
// Implements the direct handlers of vector ALU rows: whole-dword operands under the default MODE, with at
// most sign modifiers or DPP. Everything else goes to the general handler (general.c).
#include "sim/exec/vector/vector.h"

#include "sim/exec/vector/source.h"

// Returns whether MODE has its default: rounding to nearest, denormals kept, no s_set_gpr_idx.
static inline bool default_mode(const sim_wave *w) { return (w->mode & (SIM_MODE_GPR_IDX | 0xff)) == 0xf0; }

static inline bool direct(const sim_wave *w, const sim_op *op) {
  if (!default_mode(w) || (op->info->flags & SIM_V_NARROW)) return false;
  if (op->encoding == SIM_ENC_PLAIN || op->encoding == SIM_ENC_DPP) return true;
  if (op->encoding == SIM_ENC_VOP3P) return !((op->flags & SIM_F_CLAMP) | op->neg_lo | op->neg_hi);
  return op->encoding == SIM_ENC_VOP3 && !((op->flags & SIM_F_CLAMP) | op->omod);
}

// Returns source i as contiguous rows: the register itself, or a scalar spread into scratch.
static inline const uint32_t *plain_source(const sim_wave *w, const sim_operand *o, sim_lane_row scratch[2]) {
  if (o->kind == SIM_OPND_VGPR) return w->v[o->reg];
  if (o->type == SIM_T_MASK) {
    spread_mask(scratch[0], sim_src64(w, o));
    return scratch[0];
  }
  if (sim_type_rows(o->type) == 1) {
    fill_row(scratch[0], sim_src32(w, o));
    return scratch[0];
  }
  uint64_t value = sim_src64(w, o);
  fill_row(scratch[0], (uint32_t)value);
  fill_row(scratch[1], (uint32_t)(value >> 32));
  return scratch[0];
}

// Sign modifiers change the top dword of a value.
static const uint32_t *signed_source(const sim_operand *o, const uint32_t *rows, sim_lane_row scratch[2]) {
  unsigned top = sim_type_rows(o->type) - 1;
  if (top > 1) return rows;
  if (top && rows != scratch[0]) memcpy(scratch[0], rows, sizeof(sim_lane_row));
  sim_sign_bits(scratch[top], rows + top * SIM_LANES, 0x80000000u, o->mods & SIM_NEG, o->mods & SIM_ABS);
  return scratch[0];
}

static inline void direct_sources(const sim_wave *w, const sim_op *op, const uint32_t *s[4],
                                  sim_lane_row scratch[4][2], const sim_dpp_state *dpp) {
  unsigned count = op->src_count;
  for (unsigned i = 0; i < count; ++i) {
    const sim_operand *o = &op->src[i];
    s[i] = plain_source(w, o, scratch[i]);
    if (i == 0 && op->encoding == SIM_ENC_DPP) {
      for (unsigned r = 0; r < sim_type_rows(o->type); ++r)
        sim_permute_dpp(dpp, s[0] + r * SIM_LANES, scratch[0][r]);
      s[0] = scratch[0][0];
    }
    if (o->mods) s[i] = signed_source(o, s[i], scratch[i]);
  }
  sim_implied_sources(w, op, s, count, scratch[3][0]);
}

// Finds the lanes to be written. Returns false when the instruction faulted.
static inline bool direct_lanes(sim_wave *w, const sim_op *op, sim_dpp_state *dpp, uint64_t *lanes) {
  *lanes = sim_exec(w);
  if (op->encoding != SIM_ENC_DPP) return true;
  if (!sim_prepare_dpp(w, op, dpp)) return false;
  *lanes = dpp->written;
  return true;
}

void sim_valu(sim_wave *w, const sim_op *op) {
  if (!direct(w, op)) {
    sim_valu_general(w, op);
    return;
  }
  _Alignas(64) sim_lane_row scratch[4][2];
  const uint32_t *s[4] = {NULL, NULL, NULL, NULL};
  sim_dpp_state dpp;
  uint64_t lanes;
  if (!direct_lanes(w, op, &dpp, &lanes)) return;
  direct_sources(w, op, s, scratch, &dpp);
  sim_lane_context x = {.op = op, .mode = w->mode};
  uint32_t *d = w->v[op->dst[0].reg];
  if (lanes == UINT64_MAX && op->dst_count == 1) {
    sim_call_lanes(op, d, s, &x);
    return;
  }
  _Alignas(64) sim_lane_row out[33];
  sim_call_lanes(op, out[0], s, &x);
  unsigned rows = sim_type_rows(op->dst[0].type);
  for (unsigned i = 0; i < rows; ++i) merge_row(d + i * SIM_LANES, out[i], lanes);
  if (op->dst_count == 2) sim_write_mask(w, op, &op->dst[1], gather_mask(out[rows]) & lanes);
}

void sim_valu_mask(sim_wave *w, const sim_op *op) {
  if (!direct(w, op)) {
    sim_valu_general(w, op);
    return;
  }
  _Alignas(64) sim_lane_row scratch[4][2], out;
  const uint32_t *s[4] = {NULL, NULL, NULL, NULL};
  sim_dpp_state dpp;
  uint64_t lanes;
  if (!direct_lanes(w, op, &dpp, &lanes)) return;
  direct_sources(w, op, s, scratch, &dpp);
  sim_lane_context x = {.op = op, .mode = w->mode};
  sim_call_lanes(op, out, s, &x);
  sim_write_mask(w, op, &op->dst[0], gather_mask(out) & lanes);
}

void sim_valu_wide(sim_wave *w, const sim_op *op) {
  for (unsigned i = 0; i < op->src_count; ++i) {
    if (sim_type_rows(op->src[i].type) > 2 && op->src[i].kind != SIM_OPND_VGPR) {
      sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "source %u of %s must be vector registers", i,
                op->info->name);
      return;
    }
  }
  sim_valu(w, op);
}

// Packed f32: one call of the f32 lane function per half; op_sel and op_sel_hi say which dword each half
// reads.
void sim_valu_pair(sim_wave *w, const sim_op *op) {
  if (!default_mode(w) || op->encoding != SIM_ENC_VOP3P || (op->flags & SIM_F_CLAMP)) {
    sim_valu_general(w, op);
    return;
  }
  _Alignas(64) sim_lane_row scratch[3], out[2];
  sim_lane_context x = {.op = op, .mode = w->mode};
  for (unsigned half = 0; half < 2; ++half) {
    const uint32_t *s[4] = {NULL, NULL, NULL, NULL};
    unsigned select = half ? op->op_sel_hi : op->op_sel, neg = half ? op->neg_hi : op->neg_lo;
    for (unsigned i = 0; i < op->src_count; ++i) {
      s[i] = sim_row(w, &op->src[i], select >> i & 1, scratch[i]);
      if (!(neg >> i & 1)) continue;
      sim_sign_bits(scratch[i], s[i], 0x80000000u, true, false);
      s[i] = scratch[i];
    }
    sim_call_lanes(op, out[half], s, &x);
  }
  uint64_t exec = sim_exec(w);
  for (unsigned half = 0; half < 2; ++half) merge_row(w->v[op->dst[0].reg + half], out[half], exec);
}
