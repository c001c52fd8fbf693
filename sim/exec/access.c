// SPDX-License-Identifier: MIT
// Checks bounds of global accesses, the order of order-sensitive ones, and polling.
#include "sim/exec/order.h"
#include "sim/exec/wave.h"

const sim_allocation *sim_find_allocation(sim_group *g, uint64_t address) {
  uint64_t generation = sim_memory_generation();
  if (g->memory_generation != generation) {
    memset(g->recent, 0, sizeof g->recent);
    g->memory_generation = generation;
  }
  for (int i = 0; i < SIM_RECENT; ++i)
    if (address - g->recent[i].base < g->recent[i].size) return &g->recent[i];
  sim_allocation found;
  const bool known =
      g->fault_by_page ? sim_memory_find_pages(address, &found) : sim_memory_find(address, &found);
  if (!known || !sim_memory_allows(&found, g->launch->device, g->launch->peers)) return NULL;
  sim_allocation *slot = &g->recent[g->next_recent++ % SIM_RECENT];
  *slot = found;
  return slot;
}

bool sim_check_addresses(sim_wave *w, const sim_op *op, const uint64_t address[SIM_LANES], uint64_t lanes,
                         uint32_t bytes) {
  if (!lanes) return true;
  const sim_allocation *a = sim_find_allocation(w->group, address[__builtin_ctzll(lanes)]);
  if (a && a->size >= bytes) {
    // These are the bounds of all lanes at once. Host addresses have 47 bits: the sign of a difference tells
    // which is larger.
    uint64_t first = a->base, last = a->base + a->size - bytes, outside = 0;
    for (int l = 0; l < SIM_LANES; ++l)
      outside |= ((address[l] - first) | (last - address[l])) & -(lanes >> l & 1);
    if (!(outside >> 63)) return true;
  }
  for (; lanes; lanes &= lanes - 1) {
    int lane = __builtin_ctzll(lanes);
    a = sim_find_allocation(w->group, address[lane]);
    if (a && a->size - (address[lane] - a->base) >= bytes) continue;
    sim_fault_address(w, op, lane, address[lane], bytes);
    return false;
  }
  return true;
}

void sim_wait_in_order(sim_wave *w) {
  sim_group *g = w->group;
  if (!g->order || sim_order_wait(g->order, g->position)) return;
  // A work-group before this one has faulted: this one's results and report no longer matter.
  g->fault = SIM_FAULT_PROGRAM;
}

// These are the polls of a wave that runs ahead before its peers go on, and of each wave before other
// work-groups do.
enum { POLLS_AHEAD = 16, POLLS = 64 };

void sim_note_poll(sim_wave *w, uint64_t address) {
  sim_group *g = w->group;
  const sim_allocation *a = sim_find_allocation(g, address);
  if (a) g->watched = a->kind;
  if (++g->idle_polls >= POLLS_AHEAD && g->lead_left > 1) g->lead_left = 1;
  if (g->idle_polls >= POLLS * g->wave_count && g->schedule != SIM_TIMED) g->sleepy = true;
}
