// SPDX-License-Identifier: MIT
// One die: its compute units side by side over one memory, work-groups given to them as they become free, and
// what follows for the launch.
#include <stdlib.h>

#include "sim/exec/wave.h"
#include "sim/timing/compute_unit.h"

typedef struct die {
  const sim_launch *launch;
  const sim_timing_plan *plan;
  sim_cu *units;
  uint32_t unit_count, capacity;  // work-groups a unit holds
  sim_memory_model memory;
  sim_op_cost *costs;
  uint64_t next, ended, *ends;  // work-groups started and ended; when the n-th ended
  uint64_t engine_free[8];
} die;

// The n-th work-group of the first die; those of the others follow it.
static const sim_group_trace *first_of(const die *d, uint64_t n) {
  return &d->plan->groups[n * d->plan->dies];
}

// ---- the hot loop: the backward branch before which most matrix work is done

// Adds to work[branch] the matrix cycles since the backward branch before.
static void walk_wave(const die *d, const sim_wave_trace *trace, uint64_t *work) {
  sim_trace_access lines[SIM_TRACE_LINES];
  sim_trace_reader r = sim_trace_read(trace);
  uint64_t cycles = 0;
  for (;;) {
    const sim_op_cost *c = &d->costs[r.op];
    uint32_t op = r.op;
    if (c->internal == SIM_INTERNAL_END) return;
    if (c->unit == SIM_UNIT_MFMA) cycles += c->cycles;
    switch ((sim_class)c->klass) {
      case SIM_CLASS_LDS: sim_trace_next_lds(&r); break;
      case SIM_CLASS_VMEM: sim_trace_next_vmem(&r, lines); break;
      case SIM_CLASS_SMEM: sim_trace_next_scalar(&r); break;
      case SIM_CLASS_BRANCH:
        if (!sim_trace_next_branch(&r) || r.op > op) break;
        work[op] += cycles;
        cycles = 0;
        break;
      default: sim_trace_next_plain(&r); break;
    }
  }
}

static uint32_t hot_branch(const die *d) {
  const sim_group_trace *first = first_of(d, 0);
  uint32_t ops = d->launch->program->op_count, best = UINT32_MAX;
  uint64_t *work = calloc(ops + 1u, sizeof *work);
  if (!work) return best;
  for (uint32_t i = 0; i < first->wave_count; ++i) walk_wave(d, &first->waves[i], work);
  for (uint32_t i = 0; i < ops; ++i)
    if (work[i] && (best == UINT32_MAX || work[i] > work[best])) best = i;
  free(work);
  return best;
}

// ---- dispatch: consecutive work-groups go to the engines in turn, and one that has no room holds up those
// that come after (PYHIP se-dispatch.md)

static sim_cu *unit_with_room(die *d, uint32_t engine, uint32_t engines) {
  sim_cu *best = NULL;
  for (uint32_t i = engine; i < d->unit_count; i += engines) {
    sim_cu *cu = &d->units[i];
    if (cu->resident < d->capacity && (!best || cu->resident < best->resident)) best = cu;
  }
  return best;
}

static void dispatch(die *d, uint64_t now) {
  const sim_timing *t = d->launch->machine->timing;
  while (d->next < d->plan->count) {
    uint32_t engine = (uint32_t)(d->next % t->engines);
    if (d->engine_free[engine] > now) return;
    sim_cu *cu = unit_with_room(d, engine, t->engines);
    if (!cu) return;
    const sim_group_trace *trace = first_of(d, d->next);
    sim_cu_start(cu, trace, (uint32_t)d->plan->dies - 1, now);
    ++d->next;
    d->engine_free[engine] = now + (uint64_t)trace->wave_count * t->wave_launch_cycles;
  }
}

static uint64_t run(die *d) {
  uint64_t now = 0;
  for (; d->ended < d->plan->count; ++now) {
    if (d->next < d->plan->count) dispatch(d, now);
    uint64_t sleeps = UINT64_MAX;
    for (uint32_t i = 0; i < d->unit_count; ++i) {
      sim_cu *cu = &d->units[i];
      if (!cu->resident) continue;
      for (uint32_t ended = sim_cu_step(cu, now); ended; --ended) d->ends[d->ended++] = now;
      if (cu->sleeps < sleeps) sleeps = cu->sleeps;
    }
    // All units asleep: on to the first that wakes, unless work-groups are to be given out.
    if (d->next == d->plan->count && sleeps != UINT64_MAX && sleeps > now + 1) now = sleeps - 1;
  }
  return now;
}

// ---- results

// Work-groups beyond those timed come at the rate at which the second round ended.
static double total_cycles(const die *d, uint64_t end) {
  const sim_machine *m = d->launch->machine;
  uint64_t groups = (uint64_t)d->launch->grid[0] * d->launch->grid[1] * d->launch->grid[2];
  uint64_t of_die = (groups + m->xcds - 1) / m->xcds, round = (uint64_t)d->capacity * d->unit_count;
  if (of_die <= d->plan->count || 2 * round > d->plan->count) return (double)end;
  double rate = (double)(d->ends[2 * round - 1] - d->ends[round - 1]) / (double)round;
  return (double)end + rate * (double)(of_die - d->plan->count);
}

static void finish(die *d, uint64_t end, sim_timing_result *r) {
  const sim_machine *m = d->launch->machine;
  double busy = 0, loop_cycles = 0, loop_busy = 0;
  for (uint32_t i = 0; i < d->unit_count; ++i) {
    const sim_cu *cu = &d->units[i];
    if (cu->last_write > end) end = cu->last_write;
    for (uint32_t s = 0; s < SIM_CU_SIMDS; ++s) busy += (double)cu->simd[s].matrix_busy;
    loop_cycles += cu->loop_cycles;
    loop_busy += cu->loop_busy;
  }
  r->groups = d->plan->count;
  r->matrix_share = busy / ((double)end * d->unit_count * SIM_CU_SIMDS);
  r->loop_efficiency = loop_cycles > 0 ? loop_busy / loop_cycles : 0;
  r->write_back = sim_memory_write_back(&d->memory);
  r->cycles = total_cycles(d, end);
  r->l2_lines = d->memory.l2_lines;
  r->l2_hits = d->memory.l2_hits;
  r->llc_lines = d->memory.llc_lines;
  r->llc_hits = d->memory.llc_hits;
  r->written_lines = d->memory.written_lines;
  r->hbm_read_bytes = d->memory.hbm_reads * m->timing->line_bytes;
  r->hbm_written_bytes = d->memory.hbm_writes * m->timing->line_bytes;
  double mhz = m->timing->clock_idle - m->timing->clock_slope * 100 * r->matrix_share;
  r->clock_mhz = mhz < m->clock_mhz ? mhz : m->clock_mhz;
  r->seconds = (r->cycles + r->write_back) / (r->clock_mhz * 1e6);
  r->valid = true;
}

static void begin_profile(die *d, sim_timing_profile *profile, uint32_t hot) {
  profile->loop_branch = hot;
  for (uint32_t i = 0; i < d->launch->program->op_count; ++i) {
    profile->ops[i].unit = d->costs[i].unit;
    profile->ops[i].cycles = d->costs[i].cycles;
  }
  for (uint32_t i = 0; i < d->unit_count; ++i) d->units[i].ops = profile->ops;
  d->units[0].issues = &profile->issues;
}

static bool make(die *d, sim_timing_profile *profile, sim_timing_result *result) {
  const sim_launch *l = d->launch;
  const sim_machine *m = l->machine;
  uint32_t items = l->block[0] * l->block[1] * l->block[2];
  d->unit_count = m->cus / m->xcds;
  d->capacity = sim_occupancy(m, l->kernel, items, l->dynamic_lds);
  d->costs = sim_op_costs(l->program, m);
  d->units = calloc(d->unit_count, sizeof *d->units);
  d->ends = calloc(d->plan->count, sizeof *d->ends);
  bool ok =
      sim_memory_model_make(&d->memory, m, d->plan->mode == SIM_TIMING_DIE ? 1 : (uint32_t)d->plan->dies) &&
      d->costs && d->units && d->ends && d->capacity;
  for (uint64_t i = 0; ok && i < d->plan->count; ++i)
    ok = first_of(d, i)->waves && !first_of(d, i)->out_of_memory;
  uint32_t hot = ok ? hot_branch(d) : 0;
  for (uint32_t i = 0; ok && i < d->unit_count; ++i) {
    d->units[i] = (sim_cu){.machine = m,
                           .timing = m->timing,
                           .program = l->program,
                           .costs = d->costs,
                           .memory = &d->memory,
                           .result = result,
                           .hot_branch = hot};
    ok = sim_cu_make(&d->units[i]);
  }
  if (ok && profile) begin_profile(d, profile, hot);
  return ok;
}

void sim_timing_run(const sim_launch *launch, sim_timing_profile *profile, sim_timing_result *result) {
  die d = {.launch = launch, .plan = launch->timing};
  *result = (sim_timing_result){.valid = false};
  if (make(&d, profile, result)) finish(&d, run(&d), result);
  for (uint32_t i = 0; d.units && i < d.unit_count; ++i) sim_cu_free(&d.units[i]);
  sim_memory_model_free(&d.memory);
  free(d.units);
  free(d.costs);
  free(d.ends);
}
