// SPDX-License-Identifier: MIT
// Bounds of global accesses, and the order of order-sensitive atomics.
#include "sim/exec/turn.h"
#include "sim/exec/wave.h"

// Finds the allocation around `address` and keeps it in the group for the next access.
static bool find_allocation(sim_group *g, uint64_t address) {
  uint64_t generation = sim_memory_generation();
  if (g->memory_generation == generation && address >= g->memory_base && address < g->memory_end) return true;
  sim_allocation found;
  if (!sim_memory_find(address, &found)) return false;
  g->memory_generation = generation;
  g->memory_base = found.base;
  g->memory_end = found.base + found.size;
  return true;
}

bool sim_check_addresses(sim_wave *w, const sim_op *op, const uint64_t address[SIM_LANES], uint64_t lanes,
                         uint32_t bytes) {
  if (!lanes) return true;
  uint64_t low = UINT64_MAX, high = 0;
  for (int lane = 0; lane < SIM_LANES; ++lane) {
    uint64_t active = lanes >> lane & 1 ? ~0ull : 0;
    uint64_t a = address[lane];
    if ((a | ~active) < low) low = a;
    if ((a & active) > high) high = a;
  }
  sim_group *g = w->group;
  if (find_allocation(g, low) && high < g->memory_end && g->memory_end - high >= bytes) return true;
  for (int lane = 0; lane < SIM_LANES; ++lane) {
    if (!(lanes >> lane & 1)) continue;
    if (find_allocation(g, address[lane]) && g->memory_end - address[lane] >= bytes) continue;
    sim_fault_address(w, op, lane, address[lane], bytes);
    return false;
  }
  return true;
}

void sim_take_turn(sim_wave *w) {
  sim_group *g = w->group;
  if (!g->turn || sim_turn_wait(g->turn, g->index)) return;
  // A workgroup before this one has faulted: this one's results and report no longer matter.
  g->fault = SIM_FAULT_PROGRAM;
}
