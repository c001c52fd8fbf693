// SPDX-License-Identifier: MIT
#include "sim/exec/slot.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "sim/check/check.h"

// Waves are mapped: most registers of most kernels are never touched and then cost nothing.
bool sim_slot_open(sim_slot *slot, const sim_dispatch *d) {
  *slot = (sim_slot){.lds = calloc(1, d->lds_bytes + 64),
                     .scratch = calloc(1, (size_t)d->waves * SIM_LANES * d->scratch_bytes + 64)};
  void *waves = mmap(NULL, d->waves * sizeof *slot->waves, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (waves != MAP_FAILED) slot->waves = waves;
  if (d->check) slot->check = sim_check_thread_begin(d->check);
  return slot->waves && slot->lds && slot->scratch && (slot->check || !d->check);
}

void sim_slot_close(sim_slot *slot, const sim_dispatch *d) {
  if (slot->waves) munmap(slot->waves, d->waves * sizeof *slot->waves);
  free(slot->lds);
  free(slot->scratch);
  sim_trace_free(&slot->trace);
  sim_check_thread_end(slot->check);
}

// Bytes no one has written: not zero, so that a kernel that forgets to initialise LDS shows it.
static void poison_lds(uint8_t *lds, size_t bytes) { memset(lds, 0xfb, bytes); }

void sim_slot_begin(sim_slot *slot, const sim_dispatch *d, uint64_t index, sim_timing_part part,
                    sim_lds_count *lds_counts) {
  const uint32_t *grid = d->launch->grid;
  const sim_timing_plan *plan = d->launch->timing;
  sim_group_trace *trace = part == SIM_TIMING_UNTRACED ? NULL : &slot->trace;
  bool probe = part == SIM_TIMING_PROBE;
  // Only the first die's traced work-groups are timed in detail.
  bool counts = d->launch->count_lds || (trace && !probe && index % plan->dies == 0);
  slot->part = part;
  slot->group = (sim_group){
      .launch = d->launch,
      .program = d->launch->program,
      .lds = slot->lds,
      .lds_bytes = d->lds_bytes,
      .lds_counts = counts ? lds_counts : NULL,
      .waves = slot->waves,
      .wave_count = d->waves,
      .id = {(uint32_t)(index % grid[0]), (uint32_t)(index / grid[0] % grid[1]),
             (uint32_t)(index / grid[0] / grid[1])},
      .index = index,
      .rng = d->seed ^ (index + 1) * 0xd1342543de82ef95u,
      .schedule = d->schedule,
      .timed.costs = d->costs,
      .budget = probe ? plan->budget : d->budget,
      .probe = probe,
      .soffset_in_range = d->soffset_in_range,
      .trace = trace,
      .check = slot->check,
  };
  if (trace) sim_trace_begin(trace, d->waves);
  poison_lds(slot->lds, d->lds_bytes);
  for (uint32_t i = 0; i < d->waves; ++i)
    sim_wave_init(d, &slot->group, i, slot->scratch + (size_t)i * SIM_LANES * d->scratch_bytes);
  for (uint32_t i = 0; trace && trace->waves && i < d->waves; ++i) trace->waves[i].first = slot->waves[i].pc;
  if (slot->check) sim_check_begin(&slot->group);
}

void sim_slot_end(sim_slot *slot) {
  const sim_group *g = &slot->group;
  uint64_t instructions = 0;
  if (slot->check) sim_check_end(&slot->group);
  if (!g->trace) return;
  for (uint32_t i = 0; i < g->wave_count; ++i) instructions += slot->waves[i].instructions;
  sim_timing_take(g->launch->timing, g->program, g->index, slot->part, &slot->trace, instructions);
  slot->trace = (sim_group_trace){.waves = NULL};
}

void sim_slot_count(const sim_slot *slot, sim_result *result) {
  for (uint32_t i = 0; i < slot->group.wave_count; ++i) result->instructions += slot->waves[i].instructions;
  result->workgroups += 1;
  result->waves += slot->group.wave_count;
}
