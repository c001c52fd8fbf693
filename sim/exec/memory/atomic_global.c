// SPDX-License-Identifier: MIT
// Implements atomics on global memory: real host atomics, because work-groups run on several host threads.
// FLAT atomics may also reach the work-group's own LDS, which only its own thread touches.
#include "sim/exec/memory/atomic.h"

void sim_atomic_capture(sim_wave *w, const sim_op *op, sim_access *a, unsigned data_reg) {
  sim_atomic_kind kind = sim_atomic_kind_of(op);
  uint32_t dwords = sim_m_dwords(op);
  sim_capture(w, a, 0, data_reg, kind == SIM_AT_CMPSWAP ? 2 * dwords : dwords);
  a->bytes = 4 * dwords;
  a->lds_base = w->mode;  // lanes that reach LDS follow MODE as it is now
}

// An odd stride of scratch per lane can leave a lane's doubleword on a dword boundary; nobody else sees
// scratch.
static uint64_t update_private64(sim_atomic_kind kind, uint64_t address, uint64_t a, uint64_t b) {
  uint64_t old, next;
  memcpy(&old, (const void *)(uintptr_t)address, sizeof old);
  next = sim_atomic64(kind, 0, old, a, b);
  memcpy((void *)(uintptr_t)address, &next, sizeof next);
  return old;
}

static uint32_t update32(sim_atomic_kind kind, unsigned flush, uint64_t address, uint32_t a, uint32_t b) {
  uint32_t *p = (uint32_t *)(uintptr_t)address, old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(p, &old, sim_atomic32(kind, flush, old, a, b), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  return old;
}

static uint64_t update64(sim_atomic_kind kind, unsigned flush, uint64_t address, uint64_t a, uint64_t b) {
  uint64_t *p = (uint64_t *)(uintptr_t)address, old = __atomic_load_n(p, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(p, &old, sim_atomic64(kind, flush, old, a, b), false, __ATOMIC_SEQ_CST,
                                      __ATOMIC_SEQ_CST)) {
  }
  return old;
}

static uint64_t pair(const sim_access *a, unsigned dword, int l) {
  return a->data[dword][l] | (uint64_t)a->data[dword + 1][l] << 32;
}

// Returns whether there is another value now, in a program whose atomics have an order.
static bool changes(uint64_t address, uint64_t old, bool wide) {
  uint64_t now = 0;
  memcpy(&now, (const void *)(uintptr_t)address, wide ? 8 : 4);
  return now != old;
}

void sim_land_atomic(sim_wave *w, sim_access *a) {
  sim_atomic_kind kind = sim_atomic_kind_of(a->op);
  bool wide = sim_m_bytes(a->op) == 8, returns = a->op->flags & SIM_F_SC0;
  unsigned l2 = sim_atomic_flush_l2(kind, wide), lds = sim_atomic_flush_lds(kind, wide, a->lds_base);
  uint64_t lds_begin = (uint64_t)(uintptr_t)w->group->lds, lds_size = w->group->lds_bytes;
  // A returning buffer atomic writes its data registers.
  unsigned reg = a->op->dst_count ? a->op->dst[0].reg : a->op->src[0].reg;
  bool ordered = w->group->program->ordered_atomics || sim_atomic_order_of(a->op) == SIM_ORDER_FIXED;
  const bool polls = w->group->program->polls;
  bool changed = false;
  if (polls || (ordered && (returns || !w->group->unread))) sim_wait_in_order(w);
  for (uint64_t lanes = a->lanes; lanes; lanes &= lanes - 1) {
    int l = __builtin_ctzll(lanes);
    uint64_t old = 0;
    if (a->in_range[0] >> l & 1) {
      unsigned flush = a->address[l] - lds_begin < lds_size ? lds : l2;
      old = !wide               ? update32(kind, flush, a->address[l], a->data[0][l], a->data[1][l])
            : a->address[l] & 7 ? update_private64(kind, a->address[l], pair(a, 0, l), pair(a, 2, l))
                                : update64(kind, flush, a->address[l], pair(a, 0, l), pair(a, 2, l));
    }
    if (polls && a->in_range[0] >> l & 1) changed |= changes(a->address[l], old, wide);
    if (!returns) continue;
    w->v[reg][l] = (uint32_t)old;
    if (wide) w->v[reg + 1][l] = (uint32_t)(old >> 32);
  }
  if (changed)
    sim_move(w->group);
  else if (a->op->flags & SIM_F_POLLS && a->lanes)
    sim_note_poll(w, a->address[__builtin_ctzll(a->lanes)]);
}
