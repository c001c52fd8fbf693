// SPDX-License-Identifier: MIT
// Cross-lane LDS instructions: swizzle and permutes (no LDS memory used, but lgkmcnt counts them) and the
// transpose reads of gfx950.
#include "sim/exec/memory/lds_lanes.h"

static void land_result(sim_wave *w, sim_access *a) {
  uint32_t *row = w->v[a->op->dst[0].reg];
  if (a->lanes == ~0ull) {
    memcpy(row, a->data[0], sizeof a->data[0]);
    return;
  }
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    row[l] = a->data[0][l];
  }
}

// ---- ds_swizzle_b32

static unsigned reverse5(unsigned value) {
  unsigned result = 0;
  for (int i = 0; i < 5; ++i) result |= (value >> i & 1) << (4 - i);
  return result;
}

// Returns the source lane within a group of 32 lanes. The four modes are told by offset[15:13]: LLVM
// SIDefines.h (Swizzle::EncBits) and the manual's ds_swizzle_b32 (its FFT tables are counted from 1).
static unsigned swizzle_source(unsigned offset, unsigned lane) {
  unsigned mask = offset & 31;
  if (offset >= 0xe000) {  // FFT
    if (mask == 31) return lane;
    return reverse5(lane) >> __builtin_popcount(mask) | (lane & mask);
  }
  if (offset >= 0xc000) {  // rotate within the lanes that share the masked bits
    unsigned size = offset >> 5 & 31, by = offset >> 10 & 1 ? 32 - size : size;
    return (lane & mask) | ((lane + by) & ~mask & 31);
  }
  if (offset & 0x8000) return (lane & ~3u) | (offset >> (2 * (lane & 3)) & 3);  // quad permute
  return ((lane & mask) | (offset >> 5 & 31)) ^ (offset >> 10 & 31);
}

void sim_run_ds_swizzle(sim_wave *w, const sim_op *op) {
  sim_access *a = sim_issue_lds(w, op, land_result);
  const uint32_t *row = w->v[op->src[0].reg];
  a->bytes = 4;
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    unsigned source = swizzle_source((unsigned)op->imm, l & 31) | (l & 32);
    a->data[0][l] = a->lanes >> source & 1 ? row[source] : 0;
  }
  sim_commit(w);
}

// ---- ds_permute_b32, ds_bpermute_b32: manual pseudocode

void sim_run_ds_permute(sim_wave *w, const sim_op *op) {
  sim_access *a = sim_issue_lds(w, op, land_result);
  const uint32_t *to = w->v[op->src[0].reg], *row = w->v[op->src[1].reg];
  a->bytes = 4;
  memset(a->data[0], 0, sizeof a->data[0]);
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    a->data[0][(to[l] + (uint32_t)op->imm) / 4 % SIM_LANES] = row[l];
  }
  sim_commit(w);
}

void sim_run_ds_bpermute(sim_wave *w, const sim_op *op) {
  sim_access *a = sim_issue_lds(w, op, land_result);
  const uint32_t *from = w->v[op->src[0].reg], *row = w->v[op->src[1].reg];
  a->bytes = 4;
  uint32_t source[SIM_LANES];
  for (unsigned l = 0; l < SIM_LANES; ++l) source[l] = (from[l] + (uint32_t)op->imm) / 4 % SIM_LANES;
  for (unsigned l = 0; l < SIM_LANES; ++l) a->data[0][l] = row[source[l]];
  if (a->lanes != ~0ull)  // an inactive source reads 0
    for (unsigned l = 0; l < SIM_LANES; ++l)
      if (!(a->lanes >> source[l] & 1)) a->data[0][l] = 0;
  sim_commit(w);
}

// ---- transpose reads (CDNA4 ISA 11.4)
// Lanes form groups of 16. Read one after the other, the elements the 16 lanes addressed form rows of 16;
// element r of lane j is element j of row r. (For b16 a row is what four lanes addressed, for b8 two, for b4
// and b6 one.)

static void transpose_b16(uint32_t *out, const uint16_t *in) {
  for (int j = 0; j < 16; ++j) out[j] = in[j] | (uint32_t)in[16 + j] << 16;
}

static void transpose_b8(uint32_t *out, const uint8_t *in) {
  for (int j = 0; j < 16; ++j)
    out[j] = in[j] | (uint32_t)in[16 + j] << 8 | (uint32_t)in[32 + j] << 16 | (uint32_t)in[48 + j] << 24;
}

static void land_transpose_b16(sim_wave *w, sim_access *a) {
  uint32_t (*rows)[SIM_LANES] = &w->v[a->op->dst[0].reg];
  for (unsigned group = 0; group < SIM_LANES; group += 16) {
    uint16_t raw[64];
    for (unsigned j = 0; j < 16; ++j) memcpy(raw + 4 * j, w->group->lds + a->address[group + j], 8);
    transpose_b16(&rows[0][group], raw);
    transpose_b16(&rows[1][group], raw + 32);
  }
}

static void land_transpose_b8(sim_wave *w, sim_access *a) {
  uint32_t (*rows)[SIM_LANES] = &w->v[a->op->dst[0].reg];
  for (unsigned group = 0; group < SIM_LANES; group += 16) {
    uint8_t raw[128];
    for (unsigned j = 0; j < 16; ++j) memcpy(raw + 8 * j, w->group->lds + a->address[group + j], 8);
    transpose_b8(&rows[0][group], raw);
    transpose_b8(&rows[1][group], raw + 64);
  }
}

// Lands 4- and 6-bit elements: 16 per lane.
static void land_transpose_narrow(sim_wave *w, sim_access *a) {
  unsigned bytes = sim_m_bytes(a->op), width = bytes / 2;
  uint32_t (*rows)[SIM_LANES] = &w->v[a->op->dst[0].reg];
  for (unsigned group = 0; group < SIM_LANES; group += 16) {
    unsigned __int128 out[16] = {0};
    for (unsigned r = 0; r < 16; ++r) {
      unsigned __int128 raw = 0;
      memcpy(&raw, w->group->lds + a->address[group + r], bytes);
      for (unsigned j = 0; j < 16; ++j, raw >>= width)
        out[j] |= (unsigned __int128)((uint32_t)raw & ((1u << width) - 1)) << (r * width);
    }
    for (unsigned j = 0; j < 16; ++j)
      for (unsigned i = 0; i < bytes / 4; ++i) rows[i][group + j] = (uint32_t)(out[j] >> (32 * i));
  }
}

void sim_run_ds_transpose(sim_wave *w, const sim_op *op) {
  if (sim_exec(w) != ~0ull) {
    sim_fault(w, SIM_FAULT_PROGRAM, op, -1, "EXEC is 0x%llx; %s needs all lanes active (CDNA4 ISA 11.4)",
              (unsigned long long)sim_exec(w), op->info->name);
    return;
  }
  uint32_t bytes = sim_m_bytes(op), elements = op->info->arg >> SIM_M_ELEMENTS;
  sim_access *a = sim_issue_lds(w, op,
                                elements == 4   ? land_transpose_b16
                                : elements == 8 ? land_transpose_b8
                                                : land_transpose_narrow);
  a->bytes = bytes;
  if (!sim_lds_addresses(w, op, a->lanes, w->v[op->src[0].reg], (uint32_t)op->imm, bytes, a->address)) return;
  // The address must be aligned to the data size (CDNA4 ISA 11.4): to 16 bytes for 96 bits, whose rows users
  // pad to 128.
  uint32_t alignment = bytes == 8 ? 8 : 16;
  if (!sim_check_alignment(w, op, a->address, a->lanes, alignment, "LDS address")) return;
  sim_count_lds(w, op, SIM_LDS_READ, bytes, a->lanes, a->address, NULL);
  sim_commit(w);
}
