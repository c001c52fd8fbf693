// SPDX-License-Identifier: MIT
#include "sim/exec/timed.h"

#include "sim/exec/wave.h"

static const sim_timing *timing(const sim_group *g) { return g->launch->machine->timing; }
static uint32_t simd_of(const sim_wave *w) { return w->id % SIM_CU_SIMDS; }
static uint64_t later(uint64_t a, uint64_t b) { return a > b ? a : b; }

static const sim_op_cost *next_cost(const sim_wave *w) { return &w->group->timed.costs[w->pc]; }

// ---- memory

static uint64_t lds_arrival(sim_wave *w, const sim_op_cost *c) {
  const sim_timing *t = timing(w->group);
  uint64_t *port = &w->group->timed.lds[simd_of(w) % SIM_CU_PAIRS];
  const uint64_t transfer = later(c->in_bytes / t->lds_in_bytes, c->out_bytes / t->lds_out_bytes);
  const uint64_t begin = later(w->group->round, *port);
  *port = begin + later(c->phases, transfer);
  return c->returns ? begin + t->lds_latency + transfer : *port;
}

static uint64_t vmem_arrival(sim_wave *w, const sim_op_cost *c, uint64_t *read) {
  const sim_timing *t = timing(w->group);
  const uint64_t begin = later(w->group->round, w->group->timed.vmem);
  w->group->timed.vmem = begin + later(t->slot_cycles, c->bytes * SIM_LANES / t->tcp_clock_bytes);
  if (c->store) *read = begin + t->store_read_cycles;
  return w->group->timed.vmem + t->l2_latency;
}

uint64_t sim_timed_arrival(sim_wave *w, const sim_op *op, uint64_t *read) {
  const sim_op_cost *c = &w->group->timed.costs[op - w->group->program->ops];
  if (c->unit == SIM_UNIT_LDS) return lds_arrival(w, c);
  if (c->unit == SIM_UNIT_VMEM) return vmem_arrival(w, c, read);
  return w->group->round + timing(w->group)->scalar_latency;
}

// ---- issue

// Says until when the counters hold the wave back. It waits for what lands by itself, in its time.
static uint64_t counted(sim_wave *w, uint32_t vm, uint32_t lgkm) {
  return sim_outstanding(w, vm, lgkm) ? sim_next_landing(w) : 0;
}

// Returns the cycle from which the wave's next instruction may issue.
static uint64_t ready(sim_wave *w) {
  const sim_timed *t = &w->group->timed;
  const sim_op_cost *c = next_cost(w);
  const uint32_t simd = simd_of(w);
  if (w->due > w->group->round) return w->due;
  switch ((sim_unit)c->unit) {
    case SIM_UNIT_MFMA: return later(t->matrix[simd], later(t->vector[simd], t->operands[simd]));
    case SIM_UNIT_VALU: return later(t->vector[simd], t->operands[simd]);
    case SIM_UNIT_VMEM:
      return later(t->operands[simd], counted(w, SIM_VM_DEPTH - 1, SIM_LGKM_DEPTH - 1));  // FLAT counts twice
    case SIM_UNIT_LDS: return later(t->operands[simd], counted(w, SIM_VM_DEPTH, SIM_LGKM_DEPTH - 1));
    case SIM_UNIT_SCALAR:
      return c->scalar_weight ? counted(w, SIM_VM_DEPTH, SIM_LGKM_DEPTH - c->scalar_weight) : 0;
    case SIM_UNIT_INTERNAL:
      if (c->internal == SIM_INTERNAL_WAIT) return counted(w, c->vm, c->lgkm);
      return c->internal == SIM_INTERNAL_END ? counted(w, 0, 0) : 0;
    case SIM_UNIT_BRANCH:
    case SIM_UNITS: break;
  }
  return 0;
}

// Issues one instruction of the wave, and marks the units that it occupies.
static void issue(sim_wave *w) {
  sim_group *g = w->group;
  const sim_timing *t = timing(g);
  const sim_op_cost *c = next_cost(w);
  const uint32_t simd = simd_of(w), following = w->pc + 1;
  const uint64_t now = g->round;
  uint64_t due = now + t->slot_cycles;
  sim_group_step(w);
  if (c->unit == SIM_UNIT_VALU) g->timed.vector[simd] = now + c->cycles;
  if (c->unit == SIM_UNIT_MFMA) {
    g->timed.matrix[simd] = now + c->cycles;
    g->timed.vector[simd] = now + c->port_cycles;
    g->timed.operands[simd] = now + c->read_cycles;
  }
  if (c->unit == SIM_UNIT_BRANCH && w->pc != following) due = now + t->branch_cycles;
  if (c->internal == SIM_INTERNAL_PAUSE) due = now + c->cycles;
  w->due = later(w->due, due);
}

// Vector and matrix instructions share a category; a SIMD issues one of each category in a slot.
static uint32_t category(const sim_op_cost *c) {
  return 1u << (c->unit == SIM_UNIT_MFMA ? SIM_UNIT_VALU : c->unit);
}

static void offer(sim_wave *w) {
  uint32_t *taken = &w->group->timed.taken[simd_of(w)];
  const uint32_t bit = category(next_cost(w));
  if (ready(w) > w->group->round) return;
  if (*taken & bit && bit != 1u << SIM_UNIT_INTERNAL) {
    w->due = w->group->round + timing(w->group)->slot_cycles;
    return;
  }
  *taken |= bit;
  issue(w);
}

// The next cycle in which a wave may issue or an operation lands.
static uint64_t next_event(sim_group *g, uint64_t end) {
  uint64_t next = end;
  for (uint32_t i = 0; i < g->wave_count; ++i) {
    sim_wave *w = &g->waves[i];
    if (w->state == SIM_WAVE_DONE) continue;
    const uint64_t landing = sim_next_landing(w);
    if (landing < next) next = landing;
    if (w->state != SIM_WAVE_RUN) continue;
    const uint64_t issues = ready(w);
    if (issues < next) next = issues;
  }
  return next;
}

void sim_timed_slot(sim_group *g, uint64_t end) {
  const uint64_t slot = timing(g)->slot_cycles;
  for (uint32_t i = 0; i < g->wave_count && !g->fault; ++i)
    if (g->waves[i].state != SIM_WAVE_DONE) sim_land_due(&g->waves[i]);
  memset(g->timed.taken, 0, sizeof g->timed.taken);
  // The highest priority comes first, then the oldest wave. One that has issued is not due again in this
  // slot.
  for (int priority = 3; priority >= 0; --priority)
    for (uint32_t i = 0; i < g->wave_count && !g->fault; ++i) {
      sim_wave *w = &g->waves[i];
      if (w->state == SIM_WAVE_RUN && w->priority == (uint32_t)priority) offer(w);
    }
  const uint64_t next = (next_event(g, end) + slot - 1) / slot * slot;
  g->round = later(g->round + slot, next);
}
