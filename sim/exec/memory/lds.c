// SPDX-License-Identifier: MIT
// LDS loads and stores. Any byte address is legal for them: amdhsa runs gfx9 with unaligned DS access enabled
// (LLVM features unaligned-access-mode and unaligned-ds-access).
#include "sim/exec/memory/lds_lanes.h"

static uint64_t lds_base(const sim_wave *w) { return (uint64_t)(uintptr_t)w->group->lds; }

static void land_read(sim_wave *w, sim_access *a) {
  sim_gather(&w->v[a->op->dst[0].reg], lds_base(w), a->address, sim_m_dwords(a->op), a->lanes);
}

static void land_read_small(sim_wave *w, sim_access *a) {
  uint32_t *row = w->v[a->op->dst[0].reg];
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    row[l] = sim_load_small(lds_base(w) + a->address[l], a->op->info->arg);
  }
}

static void land_write(sim_wave *w, sim_access *a) {
  sim_scatter((const uint32_t (*)[SIM_LANES])a->data, lds_base(w), a->address, sim_m_dwords(a->op), a->lanes);
}

static void land_write_small(sim_wave *w, sim_access *a) {
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    sim_store_small(lds_base(w) + a->address[l], a->data[0][l], a->op->info->arg);
  }
}

static void run_read(sim_wave *w, const sim_op *op) {
  uint32_t bytes = sim_m_bytes(op);
  sim_access *a = sim_issue_lds(w, op, bytes < 4 ? land_read_small : land_read);
  a->bytes = bytes;
  if (!sim_lds_addresses(w, op, a->lanes, w->v[op->src[0].reg], (uint32_t)op->imm, bytes, a->address)) return;
  sim_count_lds(w, op, SIM_LDS_READ, bytes, a->lanes, a->address, NULL);
  sim_commit(w);
}

static void run_write(sim_wave *w, const sim_op *op) {
  uint32_t bytes = sim_m_bytes(op);
  sim_access *a = sim_issue_lds(w, op, bytes < 4 ? land_write_small : land_write);
  a->bytes = bytes;
  sim_capture(w, a, 0, op->src[1].reg, bytes < 4 ? 1 : bytes / 4);
  if (!sim_lds_addresses(w, op, a->lanes, w->v[op->src[0].reg], (uint32_t)op->imm, bytes, a->address)) return;
  sim_count_lds(w, op, SIM_LDS_WRITE, bytes, a->lanes, a->address, NULL);
  sim_commit(w);
}

// Two-address forms: access->address is the first address, access->lds_base what to add for the second.
static bool pair_addresses(sim_wave *w, const sim_op *op, sim_access *a, sim_lds_kind kind) {
  const uint32_t *row = w->v[op->src[0].reg];
  uint32_t bytes = sim_m_bytes(op), unit = bytes * (op->info->arg & SIM_M_ST64 ? 64 : 1);
  uint64_t second[SIM_LANES];
  a->bytes = 2 * bytes;
  a->lds_base = (op->offset1 - op->offset0) * unit;
  if (!sim_lds_addresses(w, op, a->lanes, row, op->offset1 * unit, bytes, second) ||
      !sim_lds_addresses(w, op, a->lanes, row, op->offset0 * unit, bytes, a->address))
    return false;
  sim_count_lds(w, op, kind, bytes, a->lanes, a->address, second);
  return true;
}

static uint64_t second_base(const sim_wave *w, const sim_access *a) {
  return lds_base(w) + (uint64_t)(int64_t)(int32_t)a->lds_base;
}

static void land_read2(sim_wave *w, sim_access *a) {
  uint32_t dwords = sim_m_dwords(a->op), reg = a->op->dst[0].reg;
  sim_gather(&w->v[reg], lds_base(w), a->address, dwords, a->lanes);
  sim_gather(&w->v[reg + dwords], second_base(w, a), a->address, dwords, a->lanes);
}

static void land_write2(sim_wave *w, sim_access *a) {
  uint32_t dwords = sim_m_dwords(a->op);
  const uint32_t (*data)[SIM_LANES] = (const uint32_t (*)[SIM_LANES])a->data;
  sim_scatter(data, lds_base(w), a->address, dwords, a->lanes);
  sim_scatter(data + dwords, second_base(w, a), a->address, dwords, a->lanes);
}

static void run_read2(sim_wave *w, const sim_op *op) {
  sim_access *a = sim_issue_lds(w, op, land_read2);
  if (pair_addresses(w, op, a, SIM_LDS_READ)) sim_commit(w);
}

static void run_write2(sim_wave *w, const sim_op *op) {
  uint32_t dwords = sim_m_dwords(op);
  sim_access *a = sim_issue_lds(w, op, land_write2);
  sim_capture(w, a, 0, op->src[1].reg, dwords);
  sim_capture(w, a, dwords, op->src[2].reg, dwords);
  if (pair_addresses(w, op, a, SIM_LDS_WRITE)) sim_commit(w);
}

// Computes the addresses of ds_read_addtid and ds_write_addtid: address = M0[15:0] + offset + lane * 4.
static bool addtid_addresses(sim_wave *w, const sim_op *op, sim_access *a, sim_lds_kind kind) {
  uint32_t row[SIM_LANES];
  for (uint32_t l = 0; l < SIM_LANES; ++l) row[l] = (w->s[SIM_M0] & 0xffff) + 4 * l;
  a->bytes = 4;
  if (!sim_lds_addresses(w, op, a->lanes, row, (uint32_t)op->imm, 4, a->address)) return false;
  sim_count_lds(w, op, kind, 4, a->lanes, a->address, NULL);
  return true;
}

static void run_read_addtid(sim_wave *w, const sim_op *op) {
  sim_access *a = sim_issue_lds(w, op, land_read);
  if (addtid_addresses(w, op, a, SIM_LDS_READ)) sim_commit(w);
}

static void run_write_addtid(sim_wave *w, const sim_op *op) {
  sim_access *a = sim_issue_lds(w, op, land_write);
  sim_capture(w, a, 0, op->src[0].reg, 1);
  if (addtid_addresses(w, op, a, SIM_LDS_WRITE)) sim_commit(w);
}

static void run_nop(sim_wave *w, const sim_op *op) {
  sim_issue_lds(w, op, sim_land_nothing);
  sim_commit(w);
}

// ds_append, ds_consume: one LDS dword counts the active lanes up or down; every lane gets the old value.
// Address M0[15:0] + offset: LLVM puts the pointer in M0 (SelectDSAppendConsume).
static void land_count(sim_wave *w, sim_access *a) {
  if (!a->lanes) return;
  uint8_t *counter = w->group->lds + a->address[0];
  uint32_t old, active = (uint32_t)__builtin_popcountll(a->lanes);
  memcpy(&old, counter, sizeof old);
  uint32_t next = a->op->info->arg & SIM_M_SIGNED ? old - active : old + active;
  memcpy(counter, &next, sizeof next);
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1)
    w->v[a->op->dst[0].reg][__builtin_ctzll(lanes)] = old;
}

static void run_count(sim_wave *w, const sim_op *op) {
  if (w->s[SIM_M0] > 0xffff) {
    sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "M0 is 0x%x; %s takes a 16-bit LDS address from it",
              w->s[SIM_M0], op->info->name);
    return;
  }
  uint32_t row[SIM_LANES];
  for (int l = 0; l < SIM_LANES; ++l) row[l] = w->s[SIM_M0];
  sim_access *a = sim_issue_lds(w, op, land_count);
  a->bytes = 4;
  uint64_t one = a->lanes & -a->lanes;  // all lanes share the address
  if (!sim_lds_addresses(w, op, one, row, (uint32_t)op->imm, 4, a->address)) return;
  if (!sim_check_alignment(w, op, a->address, one, 4, "LDS counter address")) return;
  sim_count_lds(w, op, SIM_LDS_READ, 4, one, a->address, NULL);
  sim_commit(w);
}

#define ROW(mnemonic, signature, handler, argument, facts_) \
  {.name = mnemonic,                                        \
   .operands = signature,                                   \
   .run = handler,                                          \
   .chips = SIM_ON_BOTH,                                    \
   .klass = SIM_CLASS_LDS,                                  \
   .arg = argument,                                         \
   .facts = facts_}

enum { HI = SIM_M_D16 | SIM_M_HIGH };

static const sim_opinfo rows[] = {
    ROW("ds_read_u8", "=b32,b32", run_read, 1, 0),
    ROW("ds_read_i8", "=b32,b32", run_read, 1 | SIM_M_SIGNED, 0),
    ROW("ds_read_u16", "=b32,b32", run_read, 2, 0),
    ROW("ds_read_i16", "=b32,b32", run_read, 2 | SIM_M_SIGNED, 0),
    ROW("ds_read_u8_d16", "=b32,b32", run_read, 1 | SIM_M_D16, 0),
    ROW("ds_read_u8_d16_hi", "=b32,b32", run_read, 1 | HI, 0),
    ROW("ds_read_i8_d16", "=b32,b32", run_read, 1 | SIM_M_SIGNED | SIM_M_D16, 0),
    ROW("ds_read_i8_d16_hi", "=b32,b32", run_read, 1 | SIM_M_SIGNED | HI, 0),
    ROW("ds_read_u16_d16", "=b32,b32", run_read, 2 | SIM_M_D16, 0),
    ROW("ds_read_u16_d16_hi", "=b32,b32", run_read, 2 | HI, 0),
    ROW("ds_read_b32", "=b32,b32", run_read, 4, 0),
    ROW("ds_read_b64", "=b64,b32", run_read, 8, 0),
    ROW("ds_read_b96", "=b96,b32", run_read, 12, 0),
    ROW("ds_read_b128", "=b128,b32", run_read, 16, 0),
    ROW("ds_read2_b32", "=b64,b32", run_read2, 4, SIM_ROW_PAIR),
    ROW("ds_read2_b64", "=b128,b32", run_read2, 8, SIM_ROW_PAIR),
    ROW("ds_read2st64_b32", "=b64,b32", run_read2, 4 | SIM_M_ST64, SIM_ROW_PAIR),
    ROW("ds_read2st64_b64", "=b128,b32", run_read2, 8 | SIM_M_ST64, SIM_ROW_PAIR),
    ROW("ds_read_addtid_b32", "=b32", run_read_addtid, 4, SIM_ROW_NO_ADDRESS | SIM_ROW_READS_M0),
    ROW("ds_write_b8", "b32,b32", run_write, 1, SIM_ROW_STORES),
    ROW("ds_write_b8_d16_hi", "b32,b32", run_write, 1 | SIM_M_HIGH, SIM_ROW_STORES),
    ROW("ds_write_b16", "b32,b32", run_write, 2, SIM_ROW_STORES),
    ROW("ds_write_b16_d16_hi", "b32,b32", run_write, 2 | SIM_M_HIGH, SIM_ROW_STORES),
    ROW("ds_write_b32", "b32,b32", run_write, 4, SIM_ROW_STORES),
    ROW("ds_write_b64", "b32,b64", run_write, 8, SIM_ROW_STORES),
    ROW("ds_write_b96", "b32,b96", run_write, 12, SIM_ROW_STORES),
    ROW("ds_write_b128", "b32,b128", run_write, 16, SIM_ROW_STORES),
    ROW("ds_write2_b32", "b32,b32,b32", run_write2, 4, SIM_ROW_STORES | SIM_ROW_PAIR),
    ROW("ds_write2_b64", "b32,b64,b64", run_write2, 8, SIM_ROW_STORES | SIM_ROW_PAIR),
    ROW("ds_write2st64_b32", "b32,b32,b32", run_write2, 4 | SIM_M_ST64, SIM_ROW_STORES | SIM_ROW_PAIR),
    ROW("ds_write2st64_b64", "b32,b64,b64", run_write2, 8 | SIM_M_ST64, SIM_ROW_STORES | SIM_ROW_PAIR),
    ROW("ds_write_addtid_b32", "b32", run_write_addtid, 4,
        SIM_ROW_STORES | SIM_ROW_NO_ADDRESS | SIM_ROW_READS_M0),
    ROW("ds_append", "=b32", run_count, 4,
        SIM_ROW_STORES | SIM_ROW_ATOMIC | SIM_ROW_COUNTS | SIM_ROW_READS_M0),
    ROW("ds_consume", "=b32", run_count, 4 | SIM_M_SIGNED,
        SIM_ROW_STORES | SIM_ROW_ATOMIC | SIM_ROW_COUNTS | SIM_ROW_READS_M0),
    ROW("ds_nop", "", run_nop, 0, SIM_ROW_NO_MEMORY),
    ROW("ds_swizzle_b32", "=b32,b32", sim_run_ds_swizzle, 4, SIM_ROW_SPREAD(PERMUTE)),
    ROW("ds_permute_b32", "=b32,b32,b32", sim_run_ds_permute, 4, SIM_ROW_SPREAD(PERMUTE)),
    ROW("ds_bpermute_b32", "=b32,b32,b32", sim_run_ds_bpermute, 4,
        SIM_ROW_SPREAD(PERMUTE) | SIM_ROW_BACKWARDS),
#define TRANSPOSE(mnemonic, signature, elements) \
  {.name = mnemonic,                             \
   .operands = signature,                        \
   .run = sim_run_ds_transpose,                  \
   .chips = SIM_ON_GFX950,                       \
   .klass = SIM_CLASS_LDS,                       \
   .arg = elements,                              \
   .facts = SIM_ROW_EXCHANGES}
    TRANSPOSE("ds_read_b64_tr_b16", "=b64,b32", 8 | 4 << SIM_M_ELEMENTS),
    TRANSPOSE("ds_read_b64_tr_b8", "=b64,b32", 8 | 8 << SIM_M_ELEMENTS),
    TRANSPOSE("ds_read_b64_tr_b4", "=b64,b32", 8 | 16 << SIM_M_ELEMENTS),
    TRANSPOSE("ds_read_b96_tr_b6", "=b96,b32", 12 | 16 << SIM_M_ELEMENTS),
};

const sim_optable sim_table_lds = {rows, sizeof rows / sizeof rows[0]};
