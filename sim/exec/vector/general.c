// SPDX-License-Identifier: MIT
// Implements the general handler of vector ALU rows: everything the encodings and MODE can ask for. Sources
// are copied, selected, extended, negated, widened; the lane function runs once, or once per half of a packed
// operation; the result is modified, rounded, placed and merged.
#include "sim/exec/vector/source.h"
#include "sim/exec/vector/vector.h"
#include "sim/exec/vgpr_index.h"

// ---- general path: sources

static bool check_indices(sim_wave *w, const sim_op *op) {
  if (!(w->mode & SIM_MODE_GPR_IDX)) return true;
  for (unsigned i = 0; i < op->src_count && i < 3; ++i)
    if (!sim_index_fits(w, op, &op->src[i], i)) return false;
  return !op->dst_count || sim_index_fits(w, op, &op->dst[0], SIM_INDEXED_DST);
}

static bool is_half(unsigned type) {
  return type == SIM_T_B16 || type == SIM_T_U16 || type == SIM_T_I16 || type == SIM_T_F16 ||
         type == SIM_T_BF16;
}
static bool is_packed16(unsigned type) {
  return type == SIM_T_PK16 || type == SIM_T_PKF16 || type == SIM_T_PKBF16;
}

// Copies one dword row of a source before any modifier; a register row is copied so that it can be changed.
static void copy_source(const sim_wave *w, const sim_op *op, unsigned i, unsigned index, sim_lane_row out,
                        const sim_dpp_state *state) {
  const sim_operand *o = &op->src[i];
  if (o->kind == SIM_OPND_VGPR) {
    const uint32_t *from = w->v[sim_indexed_row(w, o, i) + index];
    if (op->encoding == SIM_ENC_DPP && i == 0)
      sim_permute_dpp(state, from, out);
    else
      memcpy(out, from, sizeof(sim_lane_row));
    return;
  }
  uint64_t value = sim_type_rows(o->type) > 1 || o->type == SIM_T_MASK ? sim_src64(w, o) : sim_src32(w, o);
  fill_row(out, (uint32_t)(value >> (32 * (index & 1))));
}

static void sdwa_select(sim_lane_row r, unsigned sel, bool sext) {
  if (sel == 6) return;
  unsigned shift = sel < 4 ? 8 * sel : 16 * (sel - 4), width = sel < 4 ? 8 : 16;
  SIM_EACH_LANE {
    uint32_t value = r[l] >> shift << (32 - width);
    r[l] = sext ? (uint32_t)((int32_t)value >> (32 - width)) : value >> (32 - width);
  }
}

static void sign_bits(sim_lane_row r, uint32_t bit, bool neg, bool abs) {
  if (neg || abs) sim_sign_bits(r, r, bit, neg, abs);
}

// Sixteen bits in the low half become what lane functions expect; MODE may flush denormals first.
static void widen(sim_lane_row r, unsigned type, uint32_t mode, bool raw) {
  bool flush = !(mode & SIM_MODE_IN_F16_F64) && !raw;
  switch (type) {
    case SIM_T_I16: SIM_EACH_LANE { r[l] = (uint32_t)(int32_t)(int16_t)r[l];
      }
      break;
    case SIM_T_F16:
    case SIM_T_PKF16:
      SIM_EACH_LANE {
        uint32_t h = r[l] & 0xffff;
        if (flush && !(h & 0x7c00)) h &= 0x8000;
        r[l] = sim_from_f16(h);
      }
      break;
    case SIM_T_BF16:
    case SIM_T_PKBF16: SIM_EACH_LANE { r[l] <<= 16;
      }
      break;
    default: SIM_EACH_LANE { r[l] &= 0xffff;
      }
      break;
  }
}

static unsigned half_type(unsigned type, bool sign) {
  return type == SIM_T_PKF16 ? SIM_T_F16 : type == SIM_T_PKBF16 ? SIM_T_BF16 : sign ? SIM_T_I16 : SIM_T_U16;
}

// Lets denormal sources of f32 and f64 operations in as MODE says.
static void flush_sources(sim_lane_row r[2], unsigned type, uint32_t mode) {
  if (type == SIM_T_F32 && !(mode & SIM_MODE_IN_F32)) SIM_EACH_LANE {
      r[0][l] = sim_flush32(r[0][l]);
    }
  if (type == SIM_T_F64 && !(mode & SIM_MODE_IN_F16_F64)) SIM_EACH_LANE {
      sim_put64(r[0], l, sim_flush64(sim_get64(r[0], l)));
    }
}

// v_fma_mix: op_sel_hi[i] says f16, op_sel[i] which half, neg_hi[i] abs, neg_lo[i] neg (CDNA3 ISA,
// V_FMA_MIX).
static void mix_source(const sim_wave *w, const sim_op *op, unsigned i, sim_lane_row out,
                       const sim_dpp_state *state) {
  copy_source(w, op, i, 0, out, state);
  bool half = op->op_sel_hi >> i & 1;
  if (half) {
    // Inline constants arrive as f32 bits; the f16 reading of one is its f16 encoding.
    uint32_t constant = (uint32_t)op->src[i].value;
    if (op->src[i].kind == SIM_OPND_CONST && (constant & 0x7f800000u) && ~constant & 0x7f800000u)
      fill_row(out, sim_to_f16(constant));
    if (op->op_sel >> i & 1) SIM_EACH_LANE {
        out[l] >>= 16;
      }
    widen(out, SIM_T_F16, w->mode, false);
  } else if (!(w->mode & SIM_MODE_IN_F32)) {
    SIM_EACH_LANE { out[l] = sim_flush32(out[l]); }
  }
  sign_bits(out, 0x80000000u, op->neg_lo >> i & 1, op->neg_hi >> i & 1);
}

// Applies op_sel, op_sel_hi, neg_lo and neg_hi to a packed source of an operation with one result (dot
// products): the first two pick its halves, the others change their signs.
static void pair_source(const sim_op *op, unsigned i, sim_lane_row r) {
  if (op->encoding != SIM_ENC_VOP3P) {
    sign_bits(r, 0x8000, op->src[i].mods & SIM_NEG, op->src[i].mods & SIM_ABS);
    return;
  }
  unsigned low = 16 * (op->op_sel >> i & 1), high = 16 * (op->op_sel_hi >> i & 1);
  uint32_t flip = (op->neg_lo >> i & 1 ? 0x8000u : 0) | (op->neg_hi >> i & 1 ? 0x80000000u : 0);
  SIM_EACH_LANE { r[l] = ((r[l] >> low & 0xffff) | (r[l] >> high & 0xffff) << 16) ^ flip; }
}

// Makes source i ready for the lane function. `part` is 0, or 1 for the second half of a packed operation.
static void general_source(sim_wave *w, const sim_op *op, unsigned i, unsigned part, sim_lane_row out[2],
                           const sim_dpp_state *state) {
  const sim_operand *o = &op->src[i];
  unsigned type = o->type, flags = op->info->flags;
  bool raw = flags & SIM_V_RAW,
       packed_result = is_packed16(op->dst[0].type) || op->dst[0].type == SIM_T_PKF32;
  bool neg = o->mods & SIM_NEG, abs = o->mods & SIM_ABS;
  if (flags & SIM_V_MIX) {
    mix_source(w, op, i, out[0], state);
    return;
  }
  if (type == SIM_T_MASK) {
    spread_mask(out[0], sim_src64(w, o));
    return;
  }
  if (op->encoding == SIM_ENC_VOP3P && !is_packed16(type) && type != SIM_T_PKF32) neg = op->neg_lo >> i & 1;
  if (type == SIM_T_PKF32 || (packed_result && is_packed16(type))) {
    unsigned select = part ? op->op_sel_hi >> i & 1 : op->op_sel >> i & 1;
    if (op->encoding == SIM_ENC_PLAIN || op->encoding == SIM_ENC_DPP) select = part;
    if (op->encoding == SIM_ENC_VOP3P) neg = part ? op->neg_hi >> i & 1 : op->neg_lo >> i & 1;
    copy_source(w, op, i, type == SIM_T_PKF32 ? select : 0, out[0], state);
    if (type == SIM_T_PKF32) {
      sign_bits(out[0], 0x80000000u, neg, false);
      if (!(w->mode & SIM_MODE_IN_F32) && !raw) SIM_EACH_LANE {
          out[0][l] = sim_flush32(out[0][l]);
        }
      return;
    }
    if (select) SIM_EACH_LANE {
        out[0][l] >>= 16;
      }
    sign_bits(out[0], 0x8000, neg, abs);
    widen(out[0], half_type(type, op->info->arg & SIM_V_SIGNED), w->mode, raw);
    return;
  }
  unsigned rows = sim_type_rows(type);
  for (unsigned r = 0; r < rows && r < 2; ++r) copy_source(w, op, i, r, out[r], state);
  if (op->encoding == SIM_ENC_SDWA && rows == 1) sdwa_select(out[0], o->sel, o->mods & SIM_SEXT);
  if (is_packed16(type)) {
    pair_source(op, i, out[0]);
  } else if (is_half(type)) {
    if (op->encoding == SIM_ENC_VOP3 && (op->op_sel >> i & 1)) SIM_EACH_LANE {
        out[0][l] >>= 16;
      }
    sign_bits(out[0], 0x8000, neg, abs);
    widen(out[0], type, w->mode, raw);
  } else {
    sign_bits(out[rows - 1], 0x80000000u, neg, abs);
    if (!raw) flush_sources(out, type, w->mode);
  }
}

// ---- general path: results

// Output modifiers apply only when the MODE flushes denormal results and IEEE is off (CDNA3 ISA, "Output
// modifiers"; LLVM SIFoldOperands makes the same assumption); -0 then becomes +0. Clamp is to [0, 1], and a
// NaN becomes 0 under DX10_CLAMP.
static float finish_f32(float value, unsigned omod, bool clamp, uint32_t mode, bool flush) {
  static const float factor[4] = {1, 2, 4, 0.5f};
  uint32_t bits = sim_bits32(value);
  if (omod && flush && !(mode & SIM_MODE_IEEE) && !sim_isnan32(bits)) value = value * factor[omod] + 0.0f;
  if (clamp) {
    if (sim_isnan32(sim_bits32(value))) return mode & SIM_MODE_DX10_CLAMP ? 0.0f : value;
    value = value > 0 ? (value < 1 ? value : 1.0f) : 0.0f;
  }
  return value;
}

static void finish(const sim_op *op, unsigned type, uint32_t mode, sim_lane_row out[2]) {
  bool clamp = op->flags & SIM_F_CLAMP;
  switch (type) {
    case SIM_T_F32:
    case SIM_T_PKF32: {
      bool flush = !(mode & SIM_MODE_OUT_F32);
      if (op->omod || clamp)
        for (int l = 0; l < SIM_LANES; ++l)
          out[0][l] = sim_bits32(finish_f32(sim_f32(out[0][l]), op->omod, clamp, mode, flush));
      if (flush) SIM_EACH_LANE {
          out[0][l] = sim_flush32(out[0][l]);
        }
      break;
    }
    case SIM_T_F64: {
      static const double factor[4] = {1, 2, 4, 0.5};
      bool flush = !(mode & SIM_MODE_OUT_F16_F64);
      for (int l = 0; l < SIM_LANES && (op->omod || clamp || flush); ++l) {
        uint64_t bits = sim_get64(out[0], l);
        double value = sim_f64(bits);
        if (op->omod && flush && !(mode & SIM_MODE_IEEE) && !sim_isnan64(bits))
          value = value * factor[op->omod] + 0.0;
        if (clamp && sim_isnan64(bits))
          value = mode & SIM_MODE_DX10_CLAMP ? 0.0 : value;
        else if (clamp)
          value = value > 0 ? (value < 1 ? value : 1.0) : 0.0;
        bits = sim_bits64(value);
        sim_put64(out[0], l, flush ? sim_flush64(bits) : bits);
      }
      break;
    }
    case SIM_T_F16:
    case SIM_T_PKF16: {
      bool flush = !(mode & SIM_MODE_OUT_F16_F64);
      unsigned rounding = mode >> 2 & 3;
      for (int l = 0; l < SIM_LANES && (op->omod || clamp); ++l)
        out[0][l] = sim_bits32(finish_f32(sim_f32(out[0][l]), op->omod, clamp, mode, flush));
      if (rounding || (mode & SIM_MODE_FP16_OVFL)) {
        for (int l = 0; l < SIM_LANES; ++l) {
          uint32_t bits = out[0][l], h = SIM_VARIANT_NAME(sim_to_f16_mode)(bits, rounding);
          // FP16_OVFL: an overflow becomes the largest number, an infinity remains (CDNA3 ISA 3.5).
          bool finite = (bits & 0x7f800000u) != 0x7f800000u;
          if ((mode & SIM_MODE_FP16_OVFL) && finite && (h & 0x7fff) == 0x7c00) h = (h & 0x8000) | 0x7bff;
          out[0][l] = h;
        }
      } else {
        SIM_EACH_LANE { out[0][l] = sim_to_f16(out[0][l]); }
      }
      if (flush) SIM_EACH_LANE {
          out[0][l] = out[0][l] & 0x7c00 ? out[0][l] : out[0][l] & 0x8000;
        }
      break;
    }
    case SIM_T_B16:
    case SIM_T_U16:
    case SIM_T_I16:
    case SIM_T_BF16:
    case SIM_T_PK16: SIM_EACH_LANE { out[0][l] &= 0xffff;
      }
      break;
    default: break;
  }
}

// SDWA: the low bits of the result go to a byte or word of the destination (CDNA3 ISA, DST_SEL and
// DST_UNUSED).
static void sdwa_place(const sim_op *op, sim_lane_row out, const sim_lane_row old) {
  unsigned sel = op->dst_sel;
  if (sel == 6) return;
  unsigned shift = sel < 4 ? 8 * sel : 16 * (sel - 4), width = sel < 4 ? 8 : 16;
  uint32_t field = (sel < 4 ? 0xffu : 0xffffu) << shift;
  SIM_EACH_LANE {
    uint32_t placed = out[l] << shift & field;
    uint32_t sign = out[l] >> (width - 1) & 1 ? ~(field | (field - 1)) & ~((1u << shift) - 1) : 0;
    uint32_t rest = op->flags & SIM_F_UNUSED_PRESERVE ? old[l] & ~field
                    : op->flags & SIM_F_UNUSED_SEXT   ? sign
                                                      : 0;
    out[l] = placed | rest;
  }
}

static void place_half(const sim_op *op, sim_lane_row out, const sim_lane_row old) {
  bool high = (op->encoding == SIM_ENC_VOP3 && (op->op_sel & 8)) || (op->info->arg & SIM_V_HIGH);
  if (op->encoding == SIM_ENC_SDWA && op->dst_sel != 6) {
    sdwa_place(op, out, old);
  } else if (high) {
    SIM_EACH_LANE { out[l] = out[l] << 16 | (old[l] & 0xffff); }
  } else if ((op->info->flags & SIM_V_KEEP_HIGH) && op->encoding != SIM_ENC_SDWA) {
    SIM_EACH_LANE { out[l] = out[l] | (old[l] & 0xffff0000u); }
  }
}

// Runs the lane function under the MODE's rounding for its result.
static void call_rounded(const sim_wave *w, const sim_op *op, uint32_t *d, const uint32_t *const s[4],
                         sim_lane_context *x) {
  unsigned type = op->dst[0].type;
  bool single = type == SIM_T_F32 || type == SIM_T_PKF32;
  bool real = single || type == SIM_T_F64 || type == SIM_T_F16 || type == SIM_T_PKF16;
  if (op->info->arg & SIM_V_NEAREST) real = false;
  unsigned rounding = !real ? 0 : single ? w->mode & 3 : w->mode >> 2 & 3;
  if (!rounding) {
    sim_call_lanes(op, d, s, x);
    return;
  }
  int before = set_host_rounding(rounding);
  sim_call_lanes(op, d, s, x);
  restore_host_rounding(before);
}

static void write_rows(sim_wave *w, const sim_op *op, sim_lane_row *out, uint64_t exec) {
  unsigned base = sim_indexed_row(w, &op->dst[0], SIM_INDEXED_DST), rows = sim_type_rows(op->dst[0].type);
  for (unsigned r = 0; r < rows; ++r) merge_row(w->v[base + r], out[r], exec);
}

void sim_valu_general(sim_wave *w, const sim_op *op) {
  const sim_opinfo *info = op->info;
  unsigned type = op->dst[0].type, rows = sim_type_rows(type), parts = 1;
  sim_dpp_state state = {.written = sim_exec(w)};
  if (!check_indices(w, op)) return;
  if (op->encoding == SIM_ENC_DPP && !sim_prepare_dpp(w, op, &state)) return;
  bool integer = type == SIM_T_U32 || type == SIM_T_I32 || type == SIM_T_U16 || type == SIM_T_I16 ||
                 type == SIM_T_PK16 || type == SIM_T_B32 || type == SIM_T_B16 || type == SIM_T_U64 ||
                 type == SIM_T_I64 || type == SIM_T_B64;
  if (integer && (op->flags & SIM_F_CLAMP) && !(info->flags & SIM_V_CLAMPS)) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "clamp has no defined effect on %s", info->name);
    return;
  }
  if (is_packed16(type) || type == SIM_T_PKF32) parts = 2;
  sim_lane_context x = {.op = op, .mode = w->mode, .clamp = op->flags & SIM_F_CLAMP};
  const sim_lane_row *old = (const sim_lane_row *)w->v[sim_indexed_row(w, &op->dst[0], SIM_INDEXED_DST)];
  _Alignas(64) sim_lane_row scratch[4][2], out[33], first;
  for (unsigned part = 0; part < parts; ++part) {
    const uint32_t *s[4] = {NULL, NULL, NULL, NULL};
    unsigned count = op->src_count;
    for (unsigned i = 0; i < count && i < 3; ++i) {
      if (sim_type_rows(op->src[i].type) > 2) {
        s[i] = w->v[sim_indexed_row(w, &op->src[i], i)];
      } else {
        general_source(w, op, i, part, scratch[i], &state);
        s[i] = scratch[i][0];
      }
    }
    unsigned all = sim_implied_sources(w, op, s, count, scratch[3][0]);
    if (info->flags & SIM_V_READS_DST) {
      // The old destination serves as a source of its own type.
      for (unsigned r = 0; r < rows && r < 2; ++r) memcpy(scratch[3][r], old[r], sizeof(sim_lane_row));
      if (is_half(type) || is_packed16(type)) {
        bool high = part || (op->encoding == SIM_ENC_VOP3 && is_half(type) && (op->op_sel & 8));
        if (high) SIM_EACH_LANE {
            scratch[3][0][l] >>= 16;
          }
        widen(scratch[3][0], is_half(type) ? type : half_type(type, info->arg & SIM_V_SIGNED), w->mode,
              info->flags & SIM_V_RAW);
      } else {
        flush_sources(scratch[3], type, w->mode);
      }
      s[all - 1] = scratch[3][0];
    }
    call_rounded(w, op, out[0], s, &x);
    finish(op, type, w->mode, out);
    if (parts == 2 && !part) memcpy(first, out[0], sizeof first);
  }
  if (type == SIM_T_MASK) {
    sim_write_mask(w, op, &op->dst[0], gather_mask(out[0]) & state.written);
    return;
  }
  if (type == SIM_T_PKF32) {
    memcpy(out[1], out[0], sizeof(sim_lane_row));
    memcpy(out[0], first, sizeof(sim_lane_row));
  } else if (parts == 2) {
    SIM_EACH_LANE { out[0][l] = first[l] | out[0][l] << 16; }
  } else if (is_half(type)) {
    place_half(op, out[0], old[0]);
  } else if (op->encoding == SIM_ENC_SDWA && rows == 1) {
    sdwa_place(op, out[0], old[0]);
  }
  if (op->dst_count == 2) sim_write_mask(w, op, &op->dst[1], gather_mask(out[rows]) & state.written);
  write_rows(w, op, out, state.written);
}

uint32_t SIM_VARIANT_NAME(sim_to_f16_mode)(uint32_t bits, unsigned rounding) {
  if (!rounding || (bits & 0x7f800000u) == 0x7f800000u) return sim_to_f16(bits);
  uint32_t magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000;
  // Truncate, then step away from zero when something was lost and the direction asks for it.
  uint32_t truncated, lost;
  if (magnitude < 0x38800000u) {
    int shift = 126 - (int)(magnitude >> 23);  // value = mantissa * 2^-(shift + 24) in units of 2^-24
    uint32_t mantissa = (magnitude & 0x7fffffu) | (magnitude >> 23 ? 0x800000u : 0);
    truncated = shift > 31 ? 0 : mantissa >> shift;
    lost = shift > 31 ? mantissa != 0 : (mantissa & ((1u << shift) - 1)) != 0;
  } else if (magnitude >= 0x47800000u) {
    truncated = 0x7bff;
    lost = 1;
  } else {
    truncated = (magnitude - (112u << 23)) >> 13;
    lost = (magnitude & 0x1fff) != 0;
  }
  bool away = (rounding == 1 && !sign) || (rounding == 2 && sign);
  return (truncated + (away && lost)) | sign;
}
