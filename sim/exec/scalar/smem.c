// SPDX-License-Identifier: MIT
// Scalar memory: loads, stores, atomics and time (CDNA3 ISA, chapter 8 "Scalar memory operations"). Operands
// are captured at issue; the access happens when it lands. One row is one width or one atomic function; `arg`
// holds it, `flags` says how the address is formed.
#include "sim/exec/memory/memory_ops.h"
#include "sim/exec/scalar/hwreg.h"
#include "sim/isa/tables.h"

enum {
  BUFFER = 1,  // a 128-bit descriptor instead of a 64-bit base
  SCRATCH = 2  // the register offset counts 64-byte units
};

// ---- addresses

// Says where an access goes: dwords beyond `in_range` are outside the descriptor's bounds.
typedef struct place {
  uint64_t address;
  uint32_t in_range;
} place;

// Byte offsets: every component's two low bits are ignored (CDNA3 ISA 8.2.1).
static uint64_t offset_of(const sim_wave *w, const sim_op *op, const sim_operand *offset) {
  uint64_t reg = offset->kind == SIM_OPND_SGPR ? w->s[offset->reg] & ~3u : 0;
  if (op->info->flags & SCRATCH) reg *= 64;
  return reg + (uint64_t)(int64_t)(op->imm & ~3);
}

static place place_of(const sim_wave *w, const sim_op *op, const sim_operand *base, const sim_operand *offset,
                      uint32_t dwords) {
  uint64_t bytes = offset_of(w, op, offset);
  if (!(op->info->flags & BUFFER)) return (place){(sim_s64(w, base->reg) & ~3ull) + bytes, dwords};
  // Only base (47:0), stride (61:48) and num_records (95:64) of the descriptor count; a dword is in range
  // when all of it lies below num_records, in units of stride if there is one.
  const uint32_t *v = &w->s[base->reg];
  uint64_t start = (v[0] | (uint64_t)(v[1] & 0xffff) << 32) & ~3ull;
  uint32_t stride = v[1] >> 16 & 0x3fff;
  uint64_t limit = (uint64_t)v[2] * (stride ? stride : 1);
  uint64_t room = bytes < limit ? (limit - bytes + 3) / 4 : 0;
  return (place){start + bytes, room < dwords ? (uint32_t)room : dwords};
}

// Returns how many bytes of [address, address + bytes) lie inside one allocation, from the start.
static uint64_t allocated(sim_group *g, uint64_t address, uint64_t bytes) {
  const sim_allocation *a = sim_find_allocation(g, address);
  if (!a) return 0;
  uint64_t room = a->size - (address - a->base);
  return room < bytes ? room : bytes;
}

static bool accessible(sim_wave *w, const sim_op *op, uint64_t address, uint32_t bytes) {
  if (allocated(w->group, address, bytes) == bytes) return true;
  sim_fault_address(w, op, -1, address, bytes);
  return false;
}

// ---- loads

static void land_load(sim_wave *w, sim_access *a) {
  uint32_t *d = &w->s[a->op->dst[0].reg], dwords = a->bytes / 4, readable = a->data[0][0];
  if (a->op->flags & SIM_F_POLLS && readable) {
    sim_wait_in_order(w);
    sim_note_poll(w, a->address[0]);
  }
  sim_read_shared(d, 1, a->address[0], readable);
  for (uint32_t i = readable; i < dwords; ++i) d[i] = 0;
}

// Compilers load three dwords as four when 16-byte alignment keeps the fourth in the same cache line; it then
// may lie past the end of the allocation, and reads 0 here.
static bool widened_load(sim_group *g, place p) {
  return p.in_range == 4 && p.address % 16 == 0 && allocated(g, p.address, 16) == 12;
}

static void run_load(sim_wave *w, const sim_op *op) {
  uint32_t dwords = op->info->arg;
  place p = place_of(w, op, &op->src[0], &op->src[1], dwords);
  if (widened_load(w->group, p)) p.in_range = 3;
  if (p.in_range && !accessible(w, op, p.address, p.in_range * 4)) return;
  sim_access *a = sim_issue_smem(w, op, land_load, dwords);
  a->address[0] = p.address;
  a->bytes = dwords * 4;
  a->data[0][0] = p.in_range;
  sim_commit(w);
}

// ---- stores

static void land_store(sim_wave *w, sim_access *a) {
  if (w->group->program->polls) {
    sim_wait_in_order(w);
    sim_move(w->group);
  }
  sim_write_shared(a->address[0], a->data[0], 1, a->bytes / 4);
}

static void run_store(sim_wave *w, const sim_op *op) {
  uint32_t dwords = op->info->arg;
  place p = place_of(w, op, &op->src[1], &op->src[2], dwords);
  if (p.in_range && !accessible(w, op, p.address, p.in_range * 4)) return;
  sim_access *a = sim_issue_smem(w, op, land_store, dwords);
  a->address[0] = p.address;
  a->bytes = p.in_range * 4;
  memcpy(a->data[0], &w->s[op->src[0].reg], p.in_range * 4);
  sim_commit(w);
}

// ---- atomics

enum { X2 = 64 };  // info->arg of an atomic: its function, plus this for 64 bits

typedef enum function { SWAP, CMPSWAP, ADD, SUB, SMIN, UMIN, SMAX, UMAX, AND, OR, XOR, INC, DEC } function;

// Returns whether a < b as signed values of `bits` bits.
static bool less(uint64_t a, uint64_t b, unsigned bits) {
  return (int64_t)(a << (64 - bits)) < (int64_t)(b << (64 - bits));
}

static uint64_t apply(function f, uint64_t old, uint64_t data, uint64_t compare, unsigned bits) {
  switch (f) {
    case SWAP: return data;
    case CMPSWAP: return old == compare ? data : old;
    case ADD: return old + data;
    case SUB: return old - data;
    case SMIN: return less(data, old, bits) ? data : old;
    case UMIN: return data < old ? data : old;
    case SMAX: return less(data, old, bits) ? old : data;
    case UMAX: return data >= old ? data : old;
    case AND: return old & data;
    case OR: return old | data;
    case XOR: return old ^ data;
    case INC: return old >= data ? 0 : old + 1;
    case DEC: return old == 0 || old > data ? data : old - 1;
  }
  return old;
}

static uint64_t exchange(uint64_t address, function f, bool wide, uint64_t data, uint64_t compare) {
  if (wide) {
    uint64_t *p = (uint64_t *)(uintptr_t)address, old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(p, &old, apply(f, old, data, compare, 64), false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return old;
  }
  uint32_t *p = (uint32_t *)(uintptr_t)address, old = __atomic_load_n(p, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(p, &old, (uint32_t)apply(f, old, data, compare, 32), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  return old;
}

static void land_atomic(sim_wave *w, sim_access *a) {
  const sim_op *op = a->op;
  function f = (function)(op->info->arg & (X2 - 1));
  bool wide = op->info->arg & X2, returns = op->flags & SIM_F_SC0;
  uint64_t data = a->data[0][0], compare = a->data[0][1], old = 0;
  if (wide) data |= compare << 32, compare = a->data[0][2] | (uint64_t)a->data[0][3] << 32;
  if (a->bytes) {
    bool ordered =
        w->group->program->ordered_atomics || returns || f == SWAP || f == CMPSWAP || f == INC || f == DEC;
    if (ordered || w->group->program->polls) sim_wait_in_order(w);
    old = exchange(a->address[0], f, wide, data, compare);
    if (apply(f, old, data, compare, wide ? 64 : 32) != old)
      sim_move(w->group);
    else if (op->flags & SIM_F_POLLS)
      sim_note_poll(w, a->address[0]);
  }
  if (!returns) return;
  if (wide) {
    sim_dst64(w, &op->src[0], old);
  } else {
    sim_dst32(w, &op->src[0], (uint32_t)old);
  }
}

static void run_atomic(sim_wave *w, const sim_op *op) {
  uint32_t dwords = op->info->arg & X2 ? 2 : 1;
  place p = place_of(w, op, &op->src[1], &op->src[2], dwords);
  uint32_t bytes = p.in_range == dwords ? dwords * 4 : 0;
  if (bytes && p.address % bytes) {
    sim_fault(w, SIM_FAULT_ALIGNMENT, op, -1, "the 64-bit atomic at 0x%llx is not 8-byte aligned",
              (unsigned long long)p.address);
    return;
  }
  if (bytes && !accessible(w, op, p.address, bytes)) return;
  sim_access *a = sim_issue_smem(w, op, land_atomic, dwords);
  a->address[0] = p.address;
  a->bytes = bytes;
  memcpy(a->data[0], &w->s[op->src[0].reg], op->src[0].regs * 4u);
  sim_commit(w);
}

// ---- time and caches

static void land_time(sim_wave *w, sim_access *a) {
  w->s[a->op->dst[0].reg] = a->data[0][0];
  w->s[a->op->dst[0].reg + 1] = a->data[0][1];
}

// A loop that only waits for the clock reads it after few instructions, again and again.
enum { TIGHT = 64, READINGS = 16, PART = 32 };

// Lets time pass for a wave that only waits for it: each reading skips a small part of the wait so far, so
// that a delay of any length takes some hundred readings and is overshot by that part at most.
static void skip_time(sim_wave *w) {
  sim_group *g = w->group;
  const bool waits = w->instructions - w->clock.instructions <= TIGHT &&
                     w->clock.vm == w->pending.vm_issued && w->clock.lds == w->pending.lds_issued &&
                     w->clock.polls == g->idle_polls && g->schedule != SIM_TIMED;
  if (!waits || w->clock.row == 0) w->clock.begun = sim_clock(w);
  w->clock.row = waits ? w->clock.row + 1 : 0;
  w->clock.instructions = w->instructions;
  w->clock.vm = w->pending.vm_issued;
  w->clock.lds = w->pending.lds_issued;
  w->clock.polls = g->idle_polls;
  if (w->clock.row > READINGS) g->clocks_skipped += (sim_clock(w) - w->clock.begun) / PART;
}

// The time is deterministic: core clocks (s_memtime) or ticks of the 100 MHz reference clock (s_memrealtime)
// since the work-group began.
static void run_time(sim_wave *w, const sim_op *op) {
  skip_time(w);
  uint64_t time = sim_clock(w);
  if (op->info->arg) time = time * 100 / w->group->launch->machine->clock_mhz;
  sim_access *a = sim_issue_smem(w, op, land_time, 2);
  a->data[0][0] = (uint32_t)time;
  a->data[0][1] = (uint32_t)(time >> 32);
  sim_commit(w);
}

// Cache maintenance and translation probes do nothing: simulated memory has no stale copies.
static void run_cache(sim_wave *w, const sim_op *op) {
  (void)w;
  (void)op;
}

// ---- rows

#define ROW(mnemonic, signature, handler, argument, how, facts_) \
  {.name = mnemonic,                                             \
   .operands = signature,                                        \
   .run = handler,                                               \
   .chips = SIM_ON_BOTH,                                         \
   .klass = SIM_CLASS_SMEM,                                      \
   .flags = how,                                                 \
   .arg = argument,                                              \
   .facts = facts_}
#define LOADS(name, base, how, facts)                                     \
  ROW(name "_dword", "=b32," base ",any", run_load, 1, how, facts),       \
      ROW(name "_dwordx2", "=b64," base ",any", run_load, 2, how, facts), \
      ROW(name "_dwordx4", "=b128," base ",any", run_load, 4, how, facts)
#define WIDE_LOADS(name, base, how)                                            \
  ROW(name "_dwordx8", "=b256," base ",any", run_load, 8, how, SIM_ROW_LOADS), \
      ROW(name "_dwordx16", "=b512," base ",any", run_load, 16, how, SIM_ROW_LOADS)
#define STORES(name, base, how)                                                    \
  ROW(name "_dword", "b32," base ",any", run_store, 1, how, SIM_ROW_STORES),       \
      ROW(name "_dwordx2", "b64," base ",any", run_store, 2, how, SIM_ROW_STORES), \
      ROW(name "_dwordx4", "b128," base ",any", run_store, 4, how, SIM_ROW_STORES)
#define ATOMIC(text, function, single, pair)                                                                 \
  ROW("s_atomic_" text, single ",b64,any", run_atomic, function, 0, SIM_ROW_GLOBAL_ATOMIC),                  \
      ROW("s_atomic_" text "_x2", pair ",b64,any", run_atomic, function | X2, 0, SIM_ROW_GLOBAL_ATOMIC),     \
      ROW("s_buffer_atomic_" text, single ",b128,any", run_atomic, function, BUFFER, SIM_ROW_GLOBAL_ATOMIC), \
      ROW("s_buffer_atomic_" text "_x2", pair ",b128,any", run_atomic, function | X2, BUFFER,                \
          SIM_ROW_GLOBAL_ATOMIC)

static const sim_opinfo rows[] = {
    LOADS("s_load", "b64", 0, SIM_ROW_LOADS),
    WIDE_LOADS("s_load", "b64", 0),
    LOADS("s_buffer_load", "b128", BUFFER, SIM_ROW_LOADS),
    WIDE_LOADS("s_buffer_load", "b128", BUFFER),
    LOADS("s_scratch_load", "b64", SCRATCH, 0),
    STORES("s_store", "b64", 0),
    STORES("s_buffer_store", "b128", BUFFER),
    STORES("s_scratch_store", "b64", SCRATCH),
    ATOMIC("swap", SWAP, "b32", "b64"),
    ATOMIC("cmpswap", CMPSWAP, "b64", "b128"),
    ATOMIC("add", ADD, "b32", "b64"),
    ATOMIC("sub", SUB, "b32", "b64"),
    ATOMIC("smin", SMIN, "b32", "b64"),
    ATOMIC("umin", UMIN, "b32", "b64"),
    ATOMIC("smax", SMAX, "b32", "b64"),
    ATOMIC("umax", UMAX, "b32", "b64"),
    ATOMIC("and", AND, "b32", "b64"),
    ATOMIC("or", OR, "b32", "b64"),
    ATOMIC("xor", XOR, "b32", "b64"),
    ATOMIC("inc", INC, "b32", "b64"),
    ATOMIC("dec", DEC, "b32", "b64"),
    ROW("s_memtime", "=b64", run_time, 0, 0, SIM_ROW_CLOCK),
    ROW("s_memrealtime", "=b64", run_time, 1, 0, 0),
    ROW("s_dcache_inv", "", run_cache, 0, 0, SIM_ROW_NO_MEMORY | SIM_ROW_INVALIDATES),
    ROW("s_dcache_wb", "", run_cache, 0, 0, SIM_ROW_NO_MEMORY),
    ROW("s_dcache_inv_vol", "", run_cache, 0, 0, SIM_ROW_NO_MEMORY | SIM_ROW_INVALIDATES),
    ROW("s_dcache_wb_vol", "", run_cache, 0, 0, SIM_ROW_NO_MEMORY),
    ROW("s_dcache_discard", "b64,any", run_cache, 0, 0, SIM_ROW_NO_MEMORY),
    ROW("s_dcache_discard_x2", "b64,any", run_cache, 0, 0, SIM_ROW_NO_MEMORY),
    ROW("s_atc_probe", "any,b64,any", run_cache, 0, 0, SIM_ROW_NO_MEMORY),
    ROW("s_atc_probe_buffer", "any,b128,any", run_cache, 0, 0, SIM_ROW_NO_MEMORY),
};
const sim_optable sim_table_smem = {rows, sizeof rows / sizeof rows[0]};
