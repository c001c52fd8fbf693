// SPDX-License-Identifier: MIT
// Defines what the direct and the general handlers share: widths of operand types, sign modifiers, DPP,
// implied sources.
#ifndef SIM_EXEC_VECTOR_SOURCE_H
#define SIM_EXEC_VECTOR_SOURCE_H

#include "sim/exec/vector/dpp.h"
#include "sim/exec/vector/lanes.h"
#include "sim/exec/vector/number.h"

typedef uint32_t sim_lane_row[SIM_LANES];

#define sim_valu_general SIM_VARIANT_NAME(sim_valu_general)
void sim_valu_general(sim_wave *w, const sim_op *op);  // any modifiers, any MODE

static inline unsigned sim_type_rows(unsigned type) {
  switch (type) {
    case SIM_T_B64:
    case SIM_T_U64:
    case SIM_T_I64:
    case SIM_T_F64:
    case SIM_T_PKF32: return 2;
    case SIM_T_B96: return 3;
    case SIM_T_B128: return 4;
    case SIM_T_B192: return 6;
    case SIM_T_B256: return 8;
    case SIM_T_B512: return 16;
    case SIM_T_B1024: return 32;
    default: return 1;
  }
}

static inline void sim_call_lanes(const sim_op *op, uint32_t *d, const uint32_t *const s[4],
                                  sim_lane_context *x) {
  x->fourth = s[3];
  ((sim_lanes_fn *)op->info->lanes)(d, s[0], s[1], s[2], x);
}

static inline void sim_sign_bits(sim_lane_row out, const uint32_t *in, uint32_t bit, bool neg, bool abs) {
  uint32_t keep = abs ? ~bit : UINT32_MAX, flip = neg ? bit : 0;
  SIM_EACH_LANE { out[l] = (in[l] & keep) ^ flip; }
}

// Returns the sources that no operand names: the old destination and VCC.
static inline unsigned sim_implied_sources(const sim_wave *w, const sim_op *op, const uint32_t *s[4],
                                           unsigned count, uint32_t *scratch) {
  if (op->info->flags & SIM_V_READS_DST) s[count++] = w->v[op->dst[0].reg];
  if (op->info->flags & SIM_V_READS_VCC) {
    spread_mask(scratch, sim_s64(w, SIM_VCC));
    s[count++] = scratch;
  }
  return count;
}

static inline void sim_write_mask(sim_wave *w, const sim_op *op, const sim_operand *o, uint64_t mask) {
  if (o->kind == SIM_OPND_SGPR) sim_set_s64(w, o->reg, mask);
  if (op->info->flags & SIM_V_CMPX) sim_set_s64(w, SIM_EXEC, mask);
}

// The lanes a DPP instruction writes, and those with a source. An inactive source lane counts as absent (GFX9
// has no FI bit; LLVM AMDGPUModifierSyntax, "fi"); without a source a lane is written only under bound_ctrl,
// as if it had read 0.
typedef struct sim_dpp_state {
  const sim_dpp_map *map;
  uint64_t valid, written;
} sim_dpp_state;

static inline bool sim_prepare_dpp(sim_wave *w, const sim_op *op, sim_dpp_state *state) {
  const sim_dpp_map *map = sim_dpp_map_of(op->dpp_ctrl);
  if (!map->defined) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "DPP control 0x%x is not defined on this device",
              op->dpp_ctrl);
    return false;
  }
  uint64_t exec = sim_exec(w), valid = map->valid;
  for (int l = 0; l < SIM_LANES && exec != UINT64_MAX; ++l) valid &= ~((~(exec >> map->from[l]) & 1) << l);
  state->map = map;
  state->valid = valid;
  state->written = exec & (op->flags & SIM_F_BOUND_CTRL ? UINT64_MAX : valid);
  if (op->row_mask != 15 || op->bank_mask != 15) state->written &= sim_dpp_lanes(op->row_mask, op->bank_mask);
  return true;
}

static inline void sim_permute_dpp(const sim_dpp_state *state, const uint32_t *in, sim_lane_row out) {
  const uint8_t *from = state->map->from;
  SIM_EACH_LANE { out[l] = in[from[l]]; }
  if (state->valid != UINT64_MAX)
    for (int l = 0; l < SIM_LANES; ++l) out[l] = state->valid >> l & 1 ? out[l] : 0;
}

#endif
