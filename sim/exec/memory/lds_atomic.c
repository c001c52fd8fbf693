// SPDX-License-Identifier: MIT
// Implements LDS atomics. Lanes act one after the other, lowest first; the waves of a work-group share one
// host thread.
#include "sim/exec/memory/atomic.h"

static uint64_t read_bytes(const uint8_t *p, uint32_t bytes) {
  uint64_t value = 0;
  if (bytes == 4)
    memcpy(&value, p, 4);
  else
    memcpy(&value, p, 8);
  return value;
}

// Does one atomic on `bytes` bytes at p; data dwords begin at `first` for operand a, at `second` for operand
// b.
static uint64_t apply(const sim_access *a, uint8_t *p, int l, unsigned first, unsigned second,
                      unsigned flush) {
  sim_atomic_kind kind = sim_atomic_kind_of(a->op);
  uint32_t bytes = sim_m_bytes(a->op);
  uint64_t old = read_bytes(p, bytes);
  if (bytes == 4) {
    uint32_t next = sim_atomic32(kind, flush, (uint32_t)old, a->data[first][l], a->data[second][l]);
    memcpy(p, &next, 4);
  } else {
    uint64_t x = a->data[first][l] | (uint64_t)a->data[first + 1][l] << 32;
    uint64_t y = a->data[second][l] | (uint64_t)a->data[second + 1][l] << 32;
    uint64_t next = sim_atomic64(kind, flush, old, x, y);
    memcpy(p, &next, 8);
  }
  return old;
}

static void give_back(sim_wave *w, const sim_access *a, unsigned reg, int l, uint64_t old) {
  if (!a->op->dst_count) return;
  w->v[a->op->dst[0].reg + reg][l] = (uint32_t)old;
  if (sim_m_bytes(a->op) == 8) w->v[a->op->dst[0].reg + reg + 1][l] = (uint32_t)(old >> 32);
}

static void land(sim_wave *w, sim_access *a) {
  uint32_t dwords = sim_m_dwords(a->op);
  unsigned flush = sim_atomic_flush_lds(sim_atomic_kind_of(a->op), dwords == 2, a->lds_base);
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    give_back(w, a, 0, l, apply(a, w->group->lds + a->address[l], l, 0, dwords, flush));
  }
}

static void run(sim_wave *w, const sim_op *op) {
  sim_atomic_kind kind = sim_atomic_kind_of(op);
  uint32_t bytes = sim_m_bytes(op), dwords = bytes / 4;
  bool compares = kind == SIM_AT_CMPSWAP || kind == SIM_AT_FCMPSWAP;
  sim_access *a = sim_issue_lds(w, op, land);
  a->bytes = bytes;
  a->lds_base = w->mode;  // denormal handling follows MODE at issue
  // Compare-and-store has the comparison first, unlike the global form.
  sim_capture(w, a, compares ? dwords : 0, op->src[1].reg, dwords);
  if (op->src_count > 2) sim_capture(w, a, compares ? 0 : dwords, op->src[2].reg, dwords);
  const uint32_t *row = w->v[op->src[0].reg];
  uint32_t offset = (uint32_t)op->imm, address[SIM_LANES];
  if (kind == SIM_AT_CONDXCHG) {  // manual pseudocode: (ADDR + offset) & 0xfff8
    for (int l = 0; l < SIM_LANES; ++l) address[l] = (row[l] + offset) & 0xfff8;
    row = address;
    offset = 0;
  }
  if (!sim_lds_addresses(w, op, a->lanes, row, offset, bytes, a->address)) return;
  // Atomics must be naturally aligned even where loads need not be (LLVM: unaligned DS access excludes
  // atomics).
  if (!sim_check_alignment(w, op, a->address, a->lanes, bytes, "LDS atomic address")) return;
  sim_count_lds(w, op, SIM_LDS_READ, bytes, a->lanes, a->address, NULL);
  sim_commit(w);
}

// ds_wrxchg2: two exchanges; the second address follows from the first.
static void land_pair(sim_wave *w, sim_access *a) {
  uint32_t bytes = sim_m_bytes(a->op), dwords = bytes / 4,
           unit = bytes * (a->op->info->arg & SIM_M_ST64 ? 64 : 1);
  int64_t step = (int64_t)(a->op->offset1 - a->op->offset0) * unit;
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    uint8_t *first = w->group->lds + a->address[l], *second = first + step;
    // Both old values are read before either is written (manual pseudocode).
    uint64_t old0 = read_bytes(first, bytes), old1 = read_bytes(second, bytes);
    apply(a, first, l, 0, 0, 0);
    apply(a, second, l, dwords, 0, 0);
    give_back(w, a, 0, l, old0);
    give_back(w, a, dwords, l, old1);
  }
}

static void run_pair(sim_wave *w, const sim_op *op) {
  uint32_t bytes = sim_m_bytes(op), dwords = bytes / 4, unit = bytes * (op->info->arg & SIM_M_ST64 ? 64 : 1);
  const uint32_t *row = w->v[op->src[0].reg];
  uint64_t second[SIM_LANES];
  sim_access *a = sim_issue_lds(w, op, land_pair);
  a->bytes = 2 * bytes;
  sim_capture(w, a, 0, op->src[1].reg, dwords);
  sim_capture(w, a, dwords, op->src[2].reg, dwords);
  if (!sim_lds_addresses(w, op, a->lanes, row, op->offset1 * unit, bytes, second) ||
      !sim_lds_addresses(w, op, a->lanes, row, op->offset0 * unit, bytes, a->address) ||
      !sim_check_alignment(w, op, a->address, a->lanes, bytes, "LDS atomic address"))
    return;
  sim_count_lds(w, op, SIM_LDS_READ, bytes, a->lanes, a->address, second);
  sim_commit(w);
}

#define ROW(mnemonic, signature, handler, size, atomic, more, facts_)   \
  {.name = mnemonic,                                                    \
   .operands = signature,                                               \
   .run = handler,                                                      \
   .chips = SIM_ON_BOTH,                                                \
   .klass = SIM_CLASS_LDS,                                              \
   .arg = (uint32_t)(size) | (uint32_t)(atomic) << SIM_M_KIND | (more), \
   .facts = SIM_ROW_STORES | SIM_ROW_ATOMIC | (facts_)}
// Makes the rows with and without return, for one or two data operands.
#define ONE(stem, type, signature, size, atomic)                       \
  ROW("ds_" stem "_" type, "b32," signature, run, size, atomic, 0, 0), \
      ROW("ds_" stem "_rtn_" type, "=" signature ",b32," signature, run, size, atomic, 0, 0)
#define TWO(stem, type, signature, size, atomic, facts)                                                 \
  ROW("ds_" stem "_" type, "b32," signature "," signature, run, size, atomic, 0, facts),                \
      ROW("ds_" stem "_rtn_" type, "=" signature ",b32," signature "," signature, run, size, atomic, 0, \
          facts)
#define BOTH_WIDTHS(stem, letter, atomic) \
  ONE(stem, letter "32", "b32", 4, SIM_AT_##atomic), ONE(stem, letter "64", "b64", 8, SIM_AT_##atomic)

static const sim_opinfo rows[] = {
    BOTH_WIDTHS("add", "u", ADD),
    BOTH_WIDTHS("sub", "u", SUB),
    BOTH_WIDTHS("rsub", "u", RSUB),
    BOTH_WIDTHS("inc", "u", INC),
    BOTH_WIDTHS("dec", "u", DEC),
    BOTH_WIDTHS("min", "i", SMIN),
    BOTH_WIDTHS("max", "i", SMAX),
    BOTH_WIDTHS("min", "u", UMIN),
    BOTH_WIDTHS("max", "u", UMAX),
    BOTH_WIDTHS("and", "b", AND),
    BOTH_WIDTHS("or", "b", OR),
    BOTH_WIDTHS("xor", "b", XOR),
    BOTH_WIDTHS("min", "f", FMIN),
    BOTH_WIDTHS("max", "f", FMAX),
    BOTH_WIDTHS("add", "f", FADD),
    ONE("pk_add", "f16", "b32", 4, SIM_AT_PK_ADD_F16),
    ONE("pk_add", "bf16", "b32", 4, SIM_AT_PK_ADD_BF16),
    TWO("mskor", "b32", "b32", 4, SIM_AT_MSKOR, 0),
    TWO("mskor", "b64", "b64", 8, SIM_AT_MSKOR, 0),
    TWO("cmpst", "b32", "b32", 4, SIM_AT_CMPSWAP, SIM_ROW_COMPARES),
    TWO("cmpst", "b64", "b64", 8, SIM_AT_CMPSWAP, SIM_ROW_COMPARES),
    TWO("cmpst", "f32", "b32", 4, SIM_AT_FCMPSWAP, SIM_ROW_COMPARES),
    TWO("cmpst", "f64", "b64", 8, SIM_AT_FCMPSWAP, SIM_ROW_COMPARES),
    ROW("ds_wrxchg_rtn_b32", "=b32,b32,b32", run, 4, SIM_AT_SWAP, 0, 0),
    ROW("ds_wrxchg_rtn_b64", "=b64,b32,b64", run, 8, SIM_AT_SWAP, 0, 0),
    ROW("ds_wrxchg2_rtn_b32", "=b64,b32,b32,b32", run_pair, 4, SIM_AT_SWAP, 0, SIM_ROW_PAIR),
    ROW("ds_wrxchg2_rtn_b64", "=b128,b32,b64,b64", run_pair, 8, SIM_AT_SWAP, 0, SIM_ROW_PAIR),
    ROW("ds_wrxchg2st64_rtn_b32", "=b64,b32,b32,b32", run_pair, 4, SIM_AT_SWAP, SIM_M_ST64, SIM_ROW_PAIR),
    ROW("ds_wrxchg2st64_rtn_b64", "=b128,b32,b64,b64", run_pair, 8, SIM_AT_SWAP, SIM_M_ST64, SIM_ROW_PAIR),
    ROW("ds_wrap_rtn_b32", "=b32,b32,b32,b32", run, 4, SIM_AT_WRAP, 0, 0),
    ROW("ds_condxchg32_rtn_b64", "=b64,b32,b64", run, 8, SIM_AT_CONDXCHG, 0, 0),
};

const sim_optable sim_table_lds_atomic = {rows, sizeof rows / sizeof rows[0]};
