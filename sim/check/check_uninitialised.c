// SPDX-License-Identifier: MIT
// Follows what nothing has written: registers as a wave finds them, LDS as a work-group finds it. Moving it
// about is no error; storing it, addressing with it or branching on it is. VGPRs are followed lane by lane,
// SGPRs bit by bit, LDS byte by byte. What an instruction writes in part counts as written, and a lane that
// an instruction selects away as not read: where the rules are coarse, they miss rather than accuse.
#include <stdio.h>

#include "sim/check/undefined.h"

#define SIM_VARIANT portable  // neither shapes nor DPP differ between variants
#include "sim/exec/dispatch.h"
#include "sim/exec/mfma/mfma.h"
#include "sim/exec/vector/dpp.h"

void sim_undefined_begin(sim_wave *w) {
  sim_check_wave *c = sim_check_wave_of(w);
  for (unsigned i = 0; i < 128; ++i) c->undefined_bits[i] = w->s[i] == SIM_UNWRITTEN ? ~0u : 0;
  for (unsigned row = 0; row < SIM_REG_SGPR; ++row) {
    uint64_t lanes = 0;
    if (w->v[row][0] == SIM_UNWRITTEN || w->v[row][SIM_LANES - 1] == SIM_UNWRITTEN)
      for (int l = 0; l < SIM_LANES; ++l) lanes |= (uint64_t)(w->v[row][l] == SIM_UNWRITTEN) << l;
    c->undefined[row] = lanes;
  }
  c->undefined_bits[SIM_EXEC] = c->undefined_bits[SIM_EXEC + 1] = 0;
  c->undefined_scc = false;
  c->undefined_from = SIM_NO_OP;
}

// ---- reports

void sim_undefined_report(sim_wave *w, const sim_op *op, int lane, const char *use) {
  const sim_check_wave *c = sim_check_wave_of(w);
  sim_finding *found = sim_find(w, SIM_FINDING_UNINITIALISED, sim_index_of(w, op), c->undefined_from, lane);
  if (!found) return;
  const char *from =
      c->undefined_from == SIM_NO_OP ? "a register that nothing has written" : "what this instruction read";
  snprintf(found->detail, sizeof found->detail, "%s comes from %s", use, from);
  snprintf(found->remedy, sizeof found->remedy, "initialise it before, or do not use it");
}

static int lowest(uint64_t lanes) { return __builtin_ctzll(lanes); }

// ---- operands

// Returns the lanes of a vector instruction's source that are undefined in any of its dwords.
static uint64_t source_lanes(const sim_check_wave *c, const sim_operand *o) {
  uint64_t lanes = 0;
  if (o->kind == SIM_OPND_VGPR) {
    for (unsigned i = 0; i < o->regs; ++i) lanes |= c->undefined[(o->reg + i) & (SIM_REG_SGPR - 1)];
  } else if (o->kind == SIM_OPND_SGPR && o->type == SIM_T_MASK) {
    lanes = sim_undefined_mask(c, o->reg & 126);
  } else if (o->kind == SIM_OPND_SGPR) {
    for (unsigned i = 0; i < o->regs; ++i)
      if (c->undefined_bits[(o->reg + i) & 127]) lanes = ~0ull;
  }
  return lanes;
}

// Returns, for packed f32 operations and v_pk_mov_b32, the lanes in which one dword of the result is
// undefined.
static uint64_t packed_lanes(const sim_check_wave *c, const sim_op *op, unsigned half) {
  const bool move = op->info->facts & SIM_ROW_PICKS;
  uint64_t lanes = 0;
  for (unsigned i = 0; i < op->src_count; ++i) {
    const sim_operand *o = &op->src[i];
    const unsigned select = half && !move ? op->op_sel_hi >> i & 1 : op->op_sel >> i & 1;
    if (move && i != half) continue;
    if (o->kind == SIM_OPND_VGPR)
      lanes |= c->undefined[(o->reg + select) & (SIM_REG_SGPR - 1)];
    else if (o->kind == SIM_OPND_SGPR && c->undefined_bits[(o->reg + select) & 127])
      lanes = ~0ull;
  }
  return lanes;
}

// Returns the lanes of which the sources' low dwords are undefined.
static uint64_t low_lanes(const sim_check_wave *c, const sim_op *op) {
  uint64_t lanes = 0;
  for (unsigned i = 0; i < op->src_count; ++i) {
    const sim_operand *o = &op->src[i];
    if (o->kind == SIM_OPND_VGPR)
      lanes |= c->undefined[o->reg];
    else if (o->kind == SIM_OPND_SGPR && c->undefined_bits[o->reg & 127])
      lanes = ~0ull;
  }
  return lanes;
}

static void set_row(sim_check_wave *c, unsigned row, uint64_t lanes, uint64_t undefined) {
  c->undefined[row] = (c->undefined[row] & ~lanes) | (undefined & lanes);
}

// ---- vector instructions

static uint64_t lanes_by_dpp(const sim_wave *w, const sim_op *op, uint64_t *undefined) {
  const sim_dpp_map *map = sim_dpp_map_of(op->dpp_ctrl);
  const uint64_t exec = sim_exec(w);
  uint64_t valid = 0, moved = 0;
  for (int l = 0; l < SIM_LANES; ++l) {
    valid |= (map->valid >> l & 1 & (exec >> map->from[l])) << l;
    moved |= (*undefined >> map->from[l] & 1) << l;
  }
  *undefined = moved & valid;
  uint64_t written = exec & (op->flags & SIM_F_BOUND_CTRL ? ~0ull : valid);
  return written & sim_dpp_lanes(op->row_mask, op->bank_mask);
}

static void packed(sim_check_wave *c, const sim_op *op) {
  const uint64_t low = packed_lanes(c, op, 0), high = packed_lanes(c, op, 1);
  set_row(c, op->dst[0].reg, c->exec, low);
  set_row(c, (op->dst[0].reg + 1u) & (SIM_REG_SGPR - 1), c->exec, high);
}

// Returns them for v_perm_b32. Compilers fill a register half by half with it while the other half is not
// written yet, so a result that takes bytes of both sources counts as written if either source is.
static uint64_t permuted_lanes(const sim_wave *w, const sim_check_wave *c, const sim_op *op) {
  const uint64_t first = source_lanes(c, &op->src[0]), second = source_lanes(c, &op->src[1]);
  if (op->src[2].kind == SIM_OPND_VGPR) return (first & second) | source_lanes(c, &op->src[2]);
  const uint32_t selector = sim_src32(w, &op->src[2]);
  bool from_first = false, from_second = false;
  for (int byte = 0; byte < 4; ++byte) {  // 0 to 3: of the second, 4 to 7: of the first; 8 to 11 their signs
    const uint32_t from = selector >> (8 * byte) & 0xff;
    from_second |= from < 4 || from == 8 || from == 9;
    from_first |= (from >= 4 && from < 8) || from == 10 || from == 11;
  }
  uint64_t undefined = from_first || from_second ? ~0ull : 0;
  if (from_first) undefined &= first;
  if (from_second) undefined &= second;
  return undefined | source_lanes(c, &op->src[2]);
}

static void vector_lanes(sim_wave *w, sim_check_wave *c, const sim_op *named, const sim_op *op,
                         const sim_op_facts *f) {
  uint64_t lanes = c->exec, undefined = 0;
  if (op->encoding == SIM_ENC_DPP && op->src_count) {
    undefined = source_lanes(c, &op->src[0]);
    lanes = lanes_by_dpp(w, op, &undefined);
    for (unsigned i = 1; i < op->src_count; ++i) undefined |= source_lanes(c, &op->src[i]);
  } else if (f->spread == SIM_SPREAD_CHOICE && op->src_count == 3 && op->src[2].kind == SIM_OPND_SGPR) {
    const uint64_t chosen = sim_s64(w, op->src[2].reg);
    undefined = (source_lanes(c, &op->src[0]) & ~chosen) | (source_lanes(c, &op->src[1]) & chosen) |
                source_lanes(c, &op->src[2]);
  } else if (f->spread == SIM_SPREAD_PERM) {
    undefined = permuted_lanes(w, c, op);
  } else {
    for (unsigned i = 0; i < op->src_count; ++i) undefined |= source_lanes(c, &op->src[i]);
  }
  // These are sources that no operand names: the destination and VCC.
  for (unsigned i = f->implied; i < f->read_count; ++i) {
    const sim_reg_run r = f->read[i];
    if (r.first >= SIM_REG_SGPR) undefined |= sim_undefined_mask(c, r.first - SIM_REG_SGPR);
    for (unsigned k = 0; r.first < SIM_REG_SGPR && k < r.count; ++k) undefined |= c->undefined[r.first + k];
  }
  // The low dword of sums, products and left shifts depends on low dwords only.
  const bool halves = f->flags & SIM_FACT_LOW_FROM_LOW && undefined;
  const uint64_t low = halves ? low_lanes(c, op) & undefined : undefined;
  for (unsigned i = 0; i < op->dst_count; ++i) {
    const sim_operand *d = &op->dst[i];
    if (d->kind == SIM_OPND_VGPR)
      for (unsigned r = 0; r < d->regs; ++r)
        set_row(c, (d->reg + r) & (SIM_REG_SGPR - 1), lanes, r || i ? undefined : low);
    else if (d->kind == SIM_OPND_SGPR)
      sim_undefined_set_mask(c, d->reg, undefined & lanes);
  }
  if ((f->flags & SIM_FACT_EXEC_OUT) && (undefined & lanes)) {
    sim_undefined_report(w, named, lowest(undefined & lanes), "the condition of a lane");
    sim_undefined_set_mask(c, SIM_EXEC, 0);
  }
}

// Row i of A gives row i of D, column j of B gives column j.
static void matrix(sim_check_wave *c, const sim_op *op) {
  uint64_t a = source_lanes(c, &op->src[0]), b = source_lanes(c, &op->src[1]), sum = 0;
  const sim_operand *d = &op->dst[0], *acc = &op->src[2];
  const bool sparse = op->info->facts & SIM_ROW_SPARSE;
  if (sparse) acc = d;
  for (unsigned i = 0; i < d->regs; ++i)
    sum |= acc->kind == SIM_OPND_VGPR ? c->undefined[(acc->reg + i) & (SIM_REG_SGPR - 1)] : 0;
  for (unsigned i = 3; i < op->src_count; ++i) a |= i == 3 ? source_lanes(c, &op->src[3]) : 0;
  if (op->src_count > 4) b |= source_lanes(c, &op->src[4]);
  if (!(a | b | sum)) {
    for (unsigned i = 0; i < d->regs; ++i) c->undefined[(d->reg + i) & (SIM_REG_SGPR - 1)] = 0;
    return;
  }
  const sim_mfma_shape *shape = sim_mfma_shape_of(op);
  uint64_t rows[32] = {0};
  for (unsigned i = 0; i < d->regs && i < 32; ++i)
    rows[i] = acc->kind == SIM_OPND_VGPR ? c->undefined[(acc->reg + i) & (SIM_REG_SGPR - 1)] : 0;
  // An element of 64 bits stands in two registers and is undefined as a whole.
  const unsigned words = shape->a == SIM_ELEM_F64 ? 2 : 1;
  for (unsigned i = 0; words == 2 && i < d->regs && i < 32; i += 2)
    rows[i] = rows[i + 1] = rows[i] | rows[i + 1];
  // Where a modifier sends lanes elsewhere, the rules below do not hold.
  const bool plain = shape->a == SIM_ELEM_BY_FORMAT || sparse || (!op->cbsz && !op->blgp);
  const unsigned m = shape->m, blocks = shape->blocks, h = shape->a == SIM_ELEM_F64 ? 1 : 4;
  if (plain && (a | b)) {
    unsigned block_rows = (64 * h + m * m - 1) / (m * m), per = 64 / block_rows / m;
    unsigned groups = m / (h * per);
    for (unsigned lane = 0; lane < SIM_LANES; ++lane) {
      const unsigned n = lane % m, block = lane / m % blocks;
      for (unsigned other = 0; other < m; ++other) {
        for (int side = 0; side < 2; ++side) {
          if (!((side ? b : a) >> lane & 1)) continue;
          const unsigned i = side ? other : n, j = side ? n : other;
          const unsigned reg = words * (i % h + h * (i / (h * per) + groups * (block / block_rows)));
          const unsigned to = j + m * (block % block_rows + block_rows * (i / h % per));
          for (unsigned k = 0; reg + k < 32 && to < 64 && k < words; ++k) rows[reg + k] |= 1ull << to;
        }
      }
    }
  }
  for (unsigned i = 0; i < d->regs && i < 32; ++i) c->undefined[(d->reg + i) & (SIM_REG_SGPR - 1)] = rows[i];
}

static void between_lanes(sim_wave *w, sim_check_wave *c, const sim_op *op, const sim_op_facts *f) {
  const sim_operand *s = &op->src[0], *d = &op->dst[0];
  const uint64_t source = source_lanes(c, s);
  switch ((sim_spread)f->spread) {
    case SIM_SPREAD_FIRST: {
      const int lane = c->exec ? lowest(c->exec) : 0;
      c->undefined_bits[d->reg & 127] = source >> lane & 1 ? ~0u : 0;
      break;
    }
    case SIM_SPREAD_READLANE: {
      const unsigned lane = sim_src32(w, &op->src[1]) & 63;
      c->undefined_bits[d->reg & 127] = source >> lane & 1 ? ~0u : 0;
      break;
    }
    case SIM_SPREAD_WRITELANE: {
      // Masks of which only some lanes' bits are known are kept in VGPRs too: a lane is undefined when all
      // bits are.
      const uint64_t lane = 1ull << (sim_src32(w, &op->src[1]) & 63);
      const bool known = s->kind == SIM_OPND_SGPR && ~c->undefined_bits[s->reg & 127];
      set_row(c, d->reg, lane, known ? 0 : source);
      break;
    }
    case SIM_SPREAD_SWAP: {
      const uint64_t old = c->undefined[d->reg];
      set_row(c, d->reg, c->exec, source);
      set_row(c, s->reg, c->exec, old);
      break;
    }
    default: {  // v_permlane*_swap: the upper half of each block with the lower half of the other's
      const unsigned half = op->info->arg;
      uint64_t *x = &c->undefined[d->reg], *y = &c->undefined[s->reg];
      for (unsigned lane = 0; lane < SIM_LANES; ++lane) {
        if (lane & half) continue;
        const uint64_t low = *y >> lane & 1, high = *x >> (lane + half) & 1;
        *y = (*y & ~(1ull << lane)) | high << lane;
        *x = (*x & ~(1ull << (lane + half))) | low << (lane + half);
      }
    }
  }
}

// ---- scalar and vector instructions

// Marks the result of a register combined with itself (x ^ x, x - x) as defined.
static void clear(sim_check_wave *c, const sim_op *op, const sim_op_facts *f) {
  const sim_operand *d = &op->dst[0];
  for (unsigned r = 0; r < d->regs; ++r)
    if (d->kind == SIM_OPND_VGPR)
      set_row(c, (d->reg + r) & (SIM_REG_SGPR - 1), c->exec, 0);
    else
      c->undefined_bits[(d->reg + r) & 127] = 0;
  if (f->flags & SIM_FACT_SCC_OUT) c->undefined_scc = false;
}

// s_set_gpr_idx_on, _idx and _mode write the index, what it counts for, or both.
static void index_register(sim_check_wave *c, const sim_op *op) {
  const uint32_t index = op->src[0].kind == SIM_OPND_SGPR ? c->undefined_bits[op->src[0].reg & 127] & 255 : 0;
  if (op->info->facts & SIM_ROW_SETS_INDEX)
    c->undefined_bits[SIM_M0] = (c->undefined_bits[SIM_M0] & ~255u) | index;
  if (op->info->facts & SIM_ROW_SETS_INDEX_MODE) c->undefined_bits[SIM_M0] &= ~0xf000u;
}

// ---- memory instructions

static void permute(sim_wave *w, sim_check_wave *c, const sim_op *op) {
  const bool swizzle = op->src_count == 1, back = op->info->facts & SIM_ROW_BACKWARDS;
  const uint64_t address = swizzle ? 0 : source_lanes(c, &op->src[0]);
  const uint64_t data = source_lanes(c, &op->src[swizzle ? 0 : 1]);
  c->address_undefined = address & c->exec;
  c->moved_undefined = 0;
  if (!data) return;
  const uint32_t *lane = w->v[op->src[0].reg];
  if (swizzle) {
    // Which lane comes where is the instruction's own matter: only if no lane is defined, none can come.
    c->moved_undefined = (data & c->exec) == c->exec ? ~0ull : 0;
    return;
  }
  for (int l = 0; l < SIM_LANES; ++l) {
    const unsigned other = (lane[l] + (uint32_t)op->imm) / 4 % SIM_LANES;
    if (back)
      c->moved_undefined |= (data >> other & c->exec >> other & 1) << l;
    else
      c->moved_undefined |= (data >> l & c->exec >> l & 1) << other;
  }
}

// Reports lanes whose address is undefined, and notes what the data operands hold; the access itself follows
// once it is issued.
static void memory(sim_wave *w, sim_check_wave *c, const sim_op *op, const sim_op_facts *f) {
  if (f->spread == SIM_SPREAD_PERMUTE) {
    permute(w, c, op);
    return;
  }
  memset(c->data_undefined, 0, sizeof c->data_undefined);
  c->address_undefined = 0;
  const bool lds = f->path == SIM_PATH_LDS, stores = f->flags & SIM_FACT_STORES;
  unsigned dword = 0;
  for (unsigned i = 0; i < op->src_count; ++i) {
    const sim_operand *o = &op->src[i];
    if (o->kind == SIM_OPND_VGPR) {
      const bool data =
          stores && (lds ? i > 0 || op->src_count == 1 : f->data.count && o->reg == f->data.first);
      for (unsigned r = 0; r < o->regs; ++r) {
        const uint64_t lanes = c->undefined[(o->reg + r) & (SIM_REG_SGPR - 1)];
        if (!data)
          c->address_undefined |= lanes;
        else if (dword < 4)
          c->data_undefined[dword++] = lanes;
      }
    } else if (o->kind == SIM_OPND_SGPR) {
      const bool data = f->path == SIM_PATH_SMEM && stores && i == 0;
      for (unsigned r = 0; r < o->regs; ++r)
        if (c->undefined_bits[(o->reg + r) & 127]) {
          if (data)
            c->data_undefined[0] = ~0ull;
          else
            c->address_undefined = ~0ull;
        }
    }
  }
  // FLAT operands may be address and data in one register.
  c->address_undefined &= c->exec;
  if (f->path == SIM_PATH_SMEM && op->src_count) c->address_undefined = c->address_undefined ? ~0ull : 0;
}

// Returns whether a scalar load reads dword `index` of an argument that the launch left out.
static bool argument_missing(const sim_wave *w, const sim_op_facts *f, const sim_access *a, unsigned index) {
  if (f->path != SIM_PATH_SMEM || (f->flags & SIM_FACT_STORES) || !a->op->src_count) return false;
  const uint32_t readable = a->data[0][0];
  const uint64_t address = a->address[0] + 4 * index;
  if (index >= readable) return false;
  const sim_allocation *segment = sim_find_allocation(w->group, address);
  uint32_t value;
  if (!segment || segment->kind != SIM_MEMORY_CODE) return false;
  memcpy(&value, (const void *)(uintptr_t)address, sizeof value);
  return value == SIM_UNWRITTEN;
}

void sim_undefined_after(sim_wave *w, const sim_op *op, const sim_op_facts *f, const sim_access *a) {
  sim_check_wave *c = sim_check_wave_of(w);
  const uint64_t lanes = f->path == SIM_PATH_SMEM ? ~0ull : a->lanes;
  if (f->spread == SIM_SPREAD_PERMUTE) {
    if (c->address_undefined)
      sim_undefined_report(w, op, lowest(c->address_undefined), "the lane to read or write");
    set_row(c, op->dst[0].reg, lanes, c->moved_undefined);
    return;
  }
  if (c->address_undefined & lanes)
    sim_undefined_report(w, op, lowest(c->address_undefined & lanes), "an address");
  if ((f->flags & SIM_FACT_STORES) && !(f->flags & (SIM_FACT_LDS | SIM_FACT_SCRATCH)))
    for (unsigned i = 0; i < 4; ++i) {
      uint64_t stored = c->data_undefined[i] & lanes;
      if (f->path != SIM_PATH_SMEM) stored &= a->in_range[i];
      if (f->path == SIM_PATH_FLAT) stored &= ~sim_lds_lanes(w, a);  // LDS keeps what is undefined
      if (!stored) continue;
      sim_undefined_report(w, op, f->path == SIM_PATH_SMEM ? -1 : lowest(stored), "a value stored to memory");
      break;
    }
  if (!(f->flags & SIM_FACT_RETURNS) || (f->flags & SIM_FACT_LDS)) return;
  for (unsigned i = 0; i < f->write_count; ++i)
    for (unsigned r = f->write[i].first; r < (unsigned)f->write[i].first + f->write[i].count; ++r) {
      if (r < SIM_REG_SGPR) {
        c->undefined[r] &= ~lanes;
        continue;
      }
      const bool missing = argument_missing(w, f, a, r - f->write[i].first);
      if (missing) c->undefined_from = sim_index_of(w, op);
      c->undefined_bits[r - SIM_REG_SGPR] = missing ? ~0u : 0;
    }
}

void sim_undefined_loaded(sim_wave *w, const sim_op *op, unsigned row, uint64_t lanes, uint64_t undefined) {
  sim_check_wave *c = sim_check_wave_of(w);
  if (row >= SIM_REG_SGPR) return;
  if (undefined & lanes) c->undefined_from = sim_index_of(w, op);
  set_row(c, row, lanes, undefined);
}

// ----

void sim_undefined_before(sim_wave *w, const sim_op *op, const sim_op *meant, const sim_op_facts *f) {
  sim_check_wave *c = sim_check_wave_of(w);
  if ((f->flags & SIM_FACT_READS_M0) && c->undefined_bits[SIM_M0]) {
    sim_finding *found = sim_find(w, SIM_FINDING_M0, sim_index_of(w, op), SIM_NO_OP, -1);
    if (found) {
      snprintf(found->detail, sizeof found->detail,
               "M0, from which this takes its LDS address or index, was never written");
      snprintf(found->remedy, sizeof found->remedy, "set m0 before this");
    }
  }
  switch ((sim_spread)f->spread) {
    case SIM_SPREAD_LANES:
    case SIM_SPREAD_CHOICE:
    case SIM_SPREAD_PERM: vector_lanes(w, c, op, meant, f); return;
    case SIM_SPREAD_PACKED: packed(c, meant); return;
    case SIM_SPREAD_CLEAR: clear(c, meant, f); return;
    case SIM_SPREAD_INDEX: index_register(c, op); return;
    case SIM_SPREAD_MATRIX:
      if (!(op->info->facts & SIM_ROW_SCALE_LOAD)) matrix(c, op);
      return;
    case SIM_SPREAD_FIRST:
    case SIM_SPREAD_READLANE:
    case SIM_SPREAD_WRITELANE:
    case SIM_SPREAD_SWAP:
    case SIM_SPREAD_SWAP_ROWS: between_lanes(w, c, op, f); return;
    case SIM_SPREAD_SCALAR:
    case SIM_SPREAD_AND:
    case SIM_SPREAD_OR:
    case SIM_SPREAD_ANDN1:
    case SIM_SPREAD_ANDN2:
    case SIM_SPREAD_ORN1:
    case SIM_SPREAD_ORN2:
    case SIM_SPREAD_BITS:
    case SIM_SPREAD_SELECT: sim_undefined_scalar(w, op, meant, f); return;
    case SIM_SPREAD_NONE:
    case SIM_SPREAD_PERMUTE: break;
  }
  if (f->flags & SIM_FACT_BRANCH) sim_undefined_branch(w, op, f);
  if (f->path != SIM_PATH_NONE) memory(w, c, op, f);
}
