// SPDX-License-Identifier: MIT
// Keeps durations by size, and places work-groups as the dispatcher does: consecutive work-groups go to the
// engines one after the other, and one that does not fit holds up those that come after (PYHIP
// se-dispatch.md).
#include "sim/timing/compose.h"

#include <stdlib.h>

// ---- durations

void sim_durations_add(sim_durations *d, uint64_t instructions, double cycles) {
  uint32_t i = sim_timing_bucket(instructions);
  d->bucket[i].cycles += cycles;
  d->bucket[i].instructions += (double)instructions;
  ++d->bucket[i].count;
}

double sim_durations_of(const sim_durations *d, uint64_t instructions) {
  uint32_t wanted = sim_timing_bucket(instructions);
  for (uint32_t distance = 0; distance < SIM_TIMING_BUCKETS; ++distance) {
    uint32_t at = UINT32_MAX;
    if (wanted + distance < SIM_TIMING_BUCKETS && d->bucket[wanted + distance].count) at = wanted + distance;
    if (distance <= wanted && d->bucket[wanted - distance].count) at = wanted - distance;
    if (at == UINT32_MAX) continue;
    double seen = d->bucket[at].instructions;
    double cycles = d->bucket[at].cycles / (double)d->bucket[at].count;
    return seen > 0 ? cycles * (double)instructions * (double)d->bucket[at].count / seen : cycles;
  }
  return 0;
}

// ---- places

static uint32_t units_of(const sim_machine *m, uint32_t engine) {
  uint32_t units = m->cus / m->xcds, engines = m->timing->engines;
  return units / engines + (engine < units % engines);
}

bool sim_schedule_make(sim_schedule_state *s, const sim_machine *machine, uint32_t capacity, uint32_t waves) {
  *s = (sim_schedule_state){.machine = machine,
                            .capacity = capacity,
                            .wave_cycles = (double)waves * machine->timing->wave_launch_cycles};
  s->free_at = calloc((size_t)(machine->cus / machine->xcds) * capacity, sizeof *s->free_at);
  return s->free_at != NULL;
}

void sim_schedule_free(sim_schedule_state *s) { free(s->free_at); }

void sim_schedule_next(sim_schedule_state *s, double cycles) {
  uint32_t engine = (uint32_t)(s->next++ % s->machine->timing->engines);
  double *place = s->free_at;
  for (uint32_t i = 0; i < engine; ++i) place += (size_t)units_of(s->machine, i) * s->capacity;
  uint32_t places = units_of(s->machine, engine) * s->capacity;
  double *first = place;
  for (uint32_t i = 1; i < places; ++i)
    if (place[i] < *first) first = &place[i];
  double start = s->last_start;
  if (*first > start) start = *first;
  if (s->engine_free[engine] > start) start = s->engine_free[engine];
  s->last_start = start;
  s->engine_free[engine] = start + s->wave_cycles;
  *first = start + cycles;
  if (*first > s->end) s->end = *first;
}
