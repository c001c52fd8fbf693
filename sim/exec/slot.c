// SPDX-License-Identifier: MIT
#include "sim/exec/slot.h"

#include <stdlib.h>
#include <sys/mman.h>

// Waves are mapped: most registers of most kernels are never touched and then cost nothing.
bool sim_slot_open(sim_slot *slot, const sim_dispatch *d) {
  *slot = (sim_slot){.lds = calloc(1, d->lds_bytes + 64),
                     .scratch = calloc(1, (size_t)d->waves * SIM_LANES * d->scratch_bytes + 64)};
  void *waves = mmap(NULL, d->waves * sizeof *slot->waves, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (waves != MAP_FAILED) slot->waves = waves;
  bool watched = true;
  for (int seat = 0; seat < SIM_SEATS; ++seat) {
    const sim_watch *watch = &d->launch->watch[seat];
    if (!watch->calls) continue;
    slot->state[seat] = watch->calls->open(watch->context);
    watched &= slot->state[seat] != NULL;
  }
  return slot->waves && slot->lds && slot->scratch && watched;
}

void sim_slot_close(sim_slot *slot, const sim_dispatch *d) {
  if (slot->waves) munmap(slot->waves, d->waves * sizeof *slot->waves);
  free(slot->lds);
  free(slot->scratch);
  for (int seat = 0; seat < SIM_SEATS; ++seat)
    if (slot->state[seat]) d->launch->watch[seat].calls->close(slot->state[seat]);
}

// Bytes no one has written: not zero, so that a kernel that forgets to initialise LDS shows it.
static void poison_lds(uint8_t *lds, size_t bytes) { memset(lds, 0xfb, bytes); }

void sim_slot_begin(sim_slot *slot, const sim_dispatch *d, uint64_t index, const sim_share *share,
                    sim_lds_count *lds_counts) {
  const uint32_t *grid = d->launch->grid;
  const bool probe = share->extent == SIM_EXTENT_BEGINNING;
  sim_group *g = &slot->group;
  *g = (sim_group){
      .launch = d->launch,
      .program = d->launch->program,
      .lds = slot->lds,
      .lds_bytes = d->lds_bytes,
      .lds_counts = d->launch->count_lds || share->counts_lds ? lds_counts : NULL,
      .waves = slot->waves,
      .wave_count = d->waves,
      .id = {(uint32_t)(index % grid[0]), (uint32_t)(index / grid[0] % grid[1]),
             (uint32_t)(index / grid[0] / grid[1])},
      .index = index,
      .rng = d->seed ^ (index + 1) * 0xd1342543de82ef95u,
      .schedule = d->schedule,
      .timed.costs = d->costs,
      .budget = probe ? share->budget : 0,
      .reserve = probe ? 0 : d->budget,
      .monitor = d->monitor,
      .probe = probe,
      .soffset_in_range = d->soffset_in_range,
      .fault_by_page = d->fault_by_page,
      .mfma = d->mfma,
      .part = share->part,
  };
  for (sim_seat seat = 0; seat < SIM_SEATS; ++seat)
    if (slot->state[seat] && (seat != SIM_SEAT_TIMING || share->timed))
      sim_watch_group(g, seat, d->launch->watch[seat].calls, slot->state[seat]);
  poison_lds(slot->lds, d->lds_bytes);
  for (uint32_t i = 0; i < d->waves; ++i)
    sim_wave_init(d, g, i, slot->scratch + (size_t)i * SIM_LANES * d->scratch_bytes);
  for (int seat = 0; seat < SIM_SEATS; ++seat)
    if (g->observer[seat]) g->observer[seat]->begin(g->observer_state[seat], g);
}

void sim_slot_end(sim_slot *slot) {
  sim_group *g = &slot->group;
  for (int seat = 0; seat < SIM_SEATS; ++seat)
    if (g->observer[seat]) g->observer[seat]->end(g->observer_state[seat], g);
}

void sim_slot_count(const sim_slot *slot, sim_result *result) {
  for (uint32_t i = 0; i < slot->group.wave_count; ++i) result->instructions += slot->waves[i].instructions;
  result->workgroups += 1;
  result->waves += slot->group.wave_count;
}
