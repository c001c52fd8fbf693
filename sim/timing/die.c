// SPDX-License-Identifier: MIT
// Times one die: its compute units side by side over one memory, work-groups given to them as they become
// free, and what follows for the launch.
#include <math.h>
#include <stdlib.h>

#include "sim/exec/wave.h"
#include "sim/timing/compose.h"
#include "sim/timing/compute_unit.h"
#include "sim/timing/grid_cache.h"
#include "sim/timing/left_over.h"
#include "sim/timing/zeroed.h"

// L1 hits, as a share of its lookups, that the whole launch is not searched for.
#define NEGLIGIBLE_HITS 0.005

enum { SIM_CU_PLACES = SIM_CU_SIMDS * SIM_CU_WAVES };  // at most a work-group per wave

// Describes a work-group that is timed in detail.
typedef struct timed_group {
  const sim_group_trace *trace;
  uint64_t index;   // of the launch
  uint32_t others;  // work-groups that follow it there and run on the other dies
  uint64_t instructions, round;
  const sim_cu_group *place;  // while it runs
  uint64_t start, end;
} timed_group;

typedef struct die {
  const sim_launch *launch;
  const sim_timing_plan *plan;
  sim_cu *units;
  uint32_t unit_count, capacity;  // work-groups a unit holds
  sim_memory_model memory;
  sim_cache left;  // what the LLC of a launch that has more than is timed begins with, and then ends with;
                   // without tags where that is nothing
  sim_alike alike;
  sim_op_cost *costs;
  sim_fetch *fetches;   // of each pair of units
  timed_group *groups;  // in the order they are given out
  uint32_t *running;    // of each unit, SIM_CU_PLACES of them: indices + 1
  uint64_t count, next, ended;
  uint64_t engine_free[8];
} die;

// ---- the hot loop: the backward branch before which most matrix work is done

// Adds to work[branch] the matrix cycles since the backward branch before.
static void walk_wave(const die *d, const sim_wave_trace *trace, uint64_t *work) {
  sim_trace_access lines[SIM_TRACE_LINES];
  sim_trace_reader r = sim_trace_read(trace, d->launch->program);
  uint64_t cycles = 0;
  for (;;) {
    const sim_op_cost *c = &d->costs[r.op];
    uint32_t op = r.op;
    if (c->internal == SIM_INTERNAL_END) return;
    if (c->unit == SIM_UNIT_MFMA) cycles += c->cycles;
    sim_trace_next_access(&r, d->launch->program, lines);
    if (c->klass != SIM_CLASS_BRANCH || r.op > op) continue;
    work[op] += cycles;
    cycles = 0;
  }
}

static uint32_t hot_branch(const die *d) {
  const sim_group_trace *first = d->groups[0].trace;
  uint32_t ops = d->launch->program->op_count, best = UINT32_MAX;
  uint64_t *work = calloc(ops + 1u, sizeof *work);
  if (!work) return best;
  for (uint32_t i = 0; i < first->wave_count; ++i) walk_wave(d, &first->waves[i], work);
  for (uint32_t i = 0; i < ops; ++i)
    if (work[i] && (best == UINT32_MAX || work[i] > work[best])) best = i;
  free(work);
  return best;
}

// ---- dispatch: consecutive work-groups go to the engines one after the other, and one that does not fit
// holds up those that come after (PYHIP se-dispatch.md)

static sim_cu *unit_with_room(die *d, uint32_t engine, uint32_t engines) {
  sim_cu *best = NULL;
  for (uint32_t i = engine; i < d->unit_count; i += engines) {
    sim_cu *cu = &d->units[i];
    if (cu->resident < d->capacity && (!best || cu->resident < best->resident)) best = cu;
  }
  return best;
}

static void start(die *d, sim_cu *cu, uint64_t now) {
  timed_group *g = &d->groups[d->next];
  uint32_t *running = &d->running[(size_t)(cu - d->units) * SIM_CU_PLACES];
  while (*running) ++running;
  *running = (uint32_t)++d->next;
  g->place = sim_cu_start(cu, g->trace, g->index, g->others, now);
  g->start = now;
}

static void dispatch(die *d, uint64_t now) {
  const sim_timing *t = d->launch->machine->timing;
  while (d->next < d->count) {
    uint32_t engine = (uint32_t)(d->next % t->engines);
    if (d->engine_free[engine] > now) return;
    sim_cu *cu = unit_with_room(d, engine, t->engines);
    if (!cu) return;
    d->engine_free[engine] = now + (uint64_t)d->groups[d->next].trace->wave_count * t->wave_launch_cycles;
    start(d, cu, now);
  }
}

// Notes which work-groups of the unit have ended.
static void note_ends(die *d, uint32_t unit, uint64_t now) {
  uint32_t *running = &d->running[(size_t)unit * SIM_CU_PLACES];
  for (uint32_t i = 0; i < SIM_CU_PLACES; ++i) {
    timed_group *g = &d->groups[running[i] ? running[i] - 1 : 0];
    if (!running[i] || g->place->live) continue;
    g->end = now;
    running[i] = 0;
    ++d->ended;
  }
}

static uint64_t run(die *d) {
  uint64_t now = 0;
  for (; d->ended < d->count; ++now) {
    if (d->next < d->count) dispatch(d, now);
    uint64_t sleeps = UINT64_MAX;
    for (uint32_t i = 0; i < d->unit_count; ++i) {
      sim_cu *cu = &d->units[i];
      if (!cu->resident) continue;
      if (sim_cu_step(cu, now)) note_ends(d, i, now);
      if (cu->sleeps < sleeps) sleeps = cu->sleeps;
    }
    // When all units are asleep, this goes on to the first that wakes, unless work-groups are to be given
    // out.
    if (d->next == d->count && sleeps != UINT64_MAX && sleeps > now + 1) now = sleeps - 1;
  }
  return now;
}

// ---- the whole launch

// Returns the instructions of work-group n of the die; 0: they are unknown, and like all others.
static uint64_t instructions_of(const die *d, uint64_t n) {
  const sim_timing_plan *plan = d->plan;
  if (!plan->summaries) return 0;
  uint64_t own = plan->summaries[n * plan->dies].instructions;
  return own ? own : plan->summaries[0].instructions;
}

// The second round is the steady state; the examples run beside it. Sizes seen only in the first or the third
// have their durations from there.
static void add_durations(const die *d, sim_durations *durations) {
  for (int steady = 1; steady >= 0; --steady)
    for (uint64_t i = 0; i < d->count; ++i) {
      const timed_group *g = &d->groups[i];
      bool seen = durations->bucket[sim_timing_bucket(g->instructions)].count > 0;
      if (steady ? g->round == 1 : g->round != 1 && !seen)
        sim_durations_add(durations, g->instructions, (double)(g->end - g->start));
    }
}

// Sets *longer to the time that the dispatcher's rules give for all work-groups of the die, less the time
// that they give for those timed in detail: the launch is so much longer. *share becomes the part of all
// instructions that was timed.
static bool compose(const die *d, double *longer, double *share) {
  const sim_machine *m = d->launch->machine;
  uint64_t of_die = (d->plan->total + m->xcds - 1) / m->xcds;
  *longer = 0;
  *share = 1;
  if (!d->plan->total || of_die <= d->plan->count) return true;
  sim_durations *durations = calloc(1, sizeof *durations);
  sim_schedule_state all, timed;
  uint32_t waves = d->groups[0].trace->wave_count;
  bool ok = sim_schedule_make(&all, m, d->capacity, waves);
  ok = sim_schedule_make(&timed, m, d->capacity, waves) && ok && durations;
  double instructions[2] = {0, 0};
  if (ok) add_durations(d, durations);
  for (uint64_t i = 0; ok && i < of_die; ++i) {
    sim_schedule_next(&all, sim_durations_of(durations, instructions_of(d, i)));
    instructions[0] += (double)instructions_of(d, i);
  }
  for (uint64_t i = 0; ok && i < d->count; ++i) {
    sim_schedule_next(&timed, sim_durations_of(durations, d->groups[i].instructions));
    instructions[1] += (double)d->groups[i].instructions;
  }
  *longer = all.end - timed.end;
  *share = instructions[0] > 0 ? instructions[1] / instructions[0] : (double)d->count / (double)of_die;
  sim_schedule_free(&all);
  sim_schedule_free(&timed);
  free(durations);
  return ok;
}

// ---- results

static uint64_t groups_of(const sim_launch *l) { return (uint64_t)l->grid[0] * l->grid[1] * l->grid[2]; }

// Takes the counts of the whole launch where it is longer than what is timed.
static void count_grid(const die *d, const sim_grid_cache *grid, wt_sim_timing_result *r) {
  const uint32_t line = d->launch->machine->timing->line_bytes;
  r->l2_lines = grid->l2_lines;
  r->l2_hits = grid->l2_hits;
  r->llc_lines = r->read_lines = grid->read_lines;
  r->llc_hits = grid->llc_hits;
  r->hbm_read_bytes = (grid->read_lines - grid->llc_hits) * line;
  r->hbm_written_bytes = grid->hbm_writes * line;
  r->hbm_share = 1;
  r->unlike_groups = grid->unlike;
  r->read_bytes[WT_SIM_LEVEL_L2] = (double)grid->l2_reads * line;
  r->written_bytes[WT_SIM_LEVEL_L2] = (double)grid->l2_written_bytes;
  r->read_bytes[WT_SIM_LEVEL_LLC] = (double)grid->read_lines * line;
  r->written_bytes[WT_SIM_LEVEL_LLC] = (double)grid->llc_writes * line;
}

// Returns how many of the bytes written to HBM go there when no work-group waits for them any more.
static uint64_t count_lines(die *d, wt_sim_timing_result *r) {
  const sim_memory_model *m = &d->memory;
  double seen = (double)d->plan->count * (d->plan->mode == WT_SIM_TIMING_DIE ? 1 : (double)d->plan->dies);
  double all = (double)groups_of(d->launch), line = m->machine->timing->line_bytes;
  sim_grid_cache grid = {0};
  r->l2_lines = m->l2_lines;
  r->l2_hits = m->l2_hits;
  r->llc_lines = m->llc_lines;
  r->llc_hits = m->llc_hits;
  r->written_lines = m->written_lines;
  r->read_lines = m->read_lines;
  r->hbm_read_bytes = m->hbm_reads * m->machine->timing->line_bytes;
  r->hbm_written_bytes = m->hbm_writes * m->machine->timing->line_bytes;
  r->hbm_share = seen < all ? seen / all : 1;
  // L1's bytes and L2's are of the first die, what lies behind them is of all dies.
  r->read_bytes[WT_SIM_LEVEL_L1] /= r->timed_share;
  r->written_bytes[WT_SIM_LEVEL_L1] /= r->timed_share;
  r->read_bytes[WT_SIM_LEVEL_L2] = (double)m->l2_reads * line / r->timed_share;
  r->written_bytes[WT_SIM_LEVEL_L2] = (double)m->l2_written_bytes / r->timed_share;
  r->read_bytes[WT_SIM_LEVEL_LLC] = (double)m->read_lines * line / r->hbm_share;
  r->written_bytes[WT_SIM_LEVEL_LLC] = (double)m->llc_writes * line / r->hbm_share;
  bool l1 = (double)r->tcp_hits > NEGLIGIBLE_HITS * (double)r->tcp_lines;
  if (d->plan->more && sim_grid_cache_run(d->launch, &d->alike, d->capacity, l1, &d->left, &grid))
    count_grid(d, &grid, r);
  r->read_bytes[WT_SIM_LEVEL_HBM] = (double)r->hbm_read_bytes / r->hbm_share;
  r->written_bytes[WT_SIM_LEVEL_HBM] = (double)r->hbm_written_bytes / r->hbm_share;
  return grid.late_writes * m->machine->timing->line_bytes;
}

// A launch is not faster than its bytes allow: what later work-groups find in the caches is known only here.
// `late` bytes are in the cycles to write back.
static double least_cycles(const sim_machine *m, const wt_sim_timing_result *r, uint64_t late) {
  const sim_timing *t = m->timing;
  double written = (double)(r->hbm_written_bytes - late);
  double hbm = (double)r->hbm_read_bytes / t->hbm_rate + written / t->hbm_write_rate;
  double llc = (double)r->read_lines * t->line_bytes / t->llc_rate;
  return (hbm > llc ? hbm : llc) / m->xcds;
}

static void finish(die *d, uint64_t end, wt_sim_timing_result *r) {
  const sim_machine *m = d->launch->machine;
  double busy = 0, loop_cycles = 0, loop_busy = 0, longer, share;
  for (uint32_t i = 0; i < d->unit_count; ++i) {
    const sim_cu *cu = &d->units[i];
    if (cu->last_write > end) end = cu->last_write;
    for (uint32_t s = 0; s < SIM_CU_SIMDS; ++s) busy += (double)cu->simd[s].matrix_busy;
    loop_cycles += cu->loop_cycles;
    loop_busy += cu->loop_busy;
  }
  r->valid = compose(d, &longer, &share);
  r->groups = d->count;
  r->timed_share = share * ceil((double)groups_of(d->launch) / m->xcds) / (double)groups_of(d->launch);
  r->write_back = sim_memory_write_back(&d->memory);
  const uint64_t late = count_lines(d, r);
  r->cycles = (double)end + longer;
  if (d->plan->more && r->cycles < least_cycles(m, r, late)) r->cycles = least_cycles(m, r, late);
  r->matrix_share = busy / share / (r->cycles * d->unit_count * SIM_CU_SIMDS);
  r->loop_efficiency = loop_cycles > 0 ? loop_busy / loop_cycles : 0;
  double mhz = m->timing->clock_idle - m->timing->clock_slope * 100 * r->matrix_share;
  r->clock_mhz = mhz < m->clock_mhz ? mhz : m->clock_mhz;
  r->seconds = (r->cycles + r->write_back) / (r->clock_mhz * 1e6);
  r->launch_seconds = m->timing->launch_ns * 1e-9;
}

// ---- the work-groups to time

static void add_group(die *d, uint64_t n) {
  const sim_timing_plan *plan = d->plan;
  uint64_t round = n / ((uint64_t)d->capacity * d->unit_count), index = n * plan->dies;
  uint64_t others = plan->mode == WT_SIM_TIMING_DIE ? 0 : plan->dies - 1, left = plan->total - index - 1;
  d->groups[d->count++] = (timed_group){.trace = &plan->groups[index],
                                        .index = index,
                                        .others = (uint32_t)(others < left ? others : left),
                                        .instructions = instructions_of(d, n),
                                        .round = round};
}

// Adds an example of each size that the plan does not have, before the last round of the plan.
static void add_examples(die *d) {
  const sim_timing_plan *plan = d->plan;
  bool planned[SIM_TIMING_BUCKETS] = {false};
  if (!plan->examples) return;
  for (uint64_t n = 0; n < plan->count; ++n) planned[sim_timing_bucket(instructions_of(d, n))] = true;
  for (uint32_t i = 0; i < SIM_TIMING_BUCKETS; ++i) {
    const sim_timing_example *e = &plan->examples[i];
    if (planned[i] || !e->trace.waves || e->trace.out_of_memory) continue;
    d->groups[d->count++] = (timed_group){.trace = &e->trace,
                                          .index = e->index,
                                          .instructions = plan->summaries[e->index].instructions,
                                          .round = 1};
  }
}

static bool make_groups(die *d) {
  const sim_timing_plan *plan = d->plan;
  uint64_t last_round = (uint64_t)d->capacity * d->unit_count;
  uint64_t before = plan->count > last_round ? plan->count - last_round : plan->count;
  bool ok = plan->count > 0;
  d->groups = calloc(plan->count + SIM_TIMING_BUCKETS, sizeof *d->groups);
  d->running = calloc((size_t)d->unit_count * SIM_CU_PLACES, sizeof *d->running);
  for (uint64_t n = 0; ok && n < plan->count; ++n)
    ok = plan->groups[n * plan->dies].waves && !plan->groups[n * plan->dies].out_of_memory;
  if (!ok || !d->groups || !d->running) return false;
  for (uint64_t n = 0; n < before; ++n) add_group(d, n);
  add_examples(d);
  for (uint64_t n = before; n < plan->count; ++n) add_group(d, n);
  return true;
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

// Units of an engine are numbered in steps of the engines; those that follow each other share a cache.
static sim_fetch *fetch_of(const die *d, uint32_t unit) {
  const sim_timing *t = d->launch->machine->timing;
  return &d->fetches[unit / t->engines / t->fetch_units * t->engines + unit % t->engines];
}

// Begins with what earlier launches have left. The part of the launch that is timed changes it, so that a
// copy is kept for the whole of a longer one.
static bool follow(die *d) {
  sim_cache *llc = &d->memory.llc, left = sim_left_over_take(d->launch->device);
  if (!left.tags) return true;
  const sim_timing *t = d->launch->machine->timing;
  if (d->plan->more) {
    if (!sim_cache_make(&d->left, t->llc_bytes, t->line_bytes, SIM_LLC_WAYS, SIM_CACHE_FOLDED, true)) {
      sim_cache_free(&left);
      return false;
    }
    sim_cache_copy(&d->left, &left);
  }
  sim_cache_free(llc);
  *llc = left;
  sim_cache_go_on(llc);
  return true;
}

// Sets what the launch finds in the last-level cache.
static bool fill_llc(die *d) {
  const wt_sim_timing_repeat repeats = d->plan->repeats;
  sim_grid_cache counts;
  if (repeats == WT_SIM_TIMING_COLD || d->plan->mode == WT_SIM_TIMING_DIE) return true;
  if (repeats == WT_SIM_TIMING_FOLLOWS) return follow(d);
  if (!sim_grid_cache_run(d->launch, &d->alike, d->capacity, false, &d->left, &counts)) return false;
  if (repeats == WT_SIM_TIMING_COPIES) sim_cache_make_copies(&d->left);
  sim_cache_copy(&d->memory.llc, &d->left);
  return true;
}

// Leaves the last-level cache to the launch that follows, or nothing where it does not stand for all dies.
static void leave_llc(die *d) {
  sim_cache nothing = {0};
  const bool follows = d->plan->repeats == WT_SIM_TIMING_FOLLOWS && d->plan->mode != WT_SIM_TIMING_DIE;
  sim_left_over_put(d->launch->device, !follows ? &nothing : d->plan->more ? &d->left : &d->memory.llc);
}

static bool make(die *d, sim_timing_profile *profile, wt_sim_timing_result *result) {
  const sim_launch *l = d->launch;
  const sim_machine *m = l->machine;
  uint32_t items = l->block[0] * l->block[1] * l->block[2];
  d->unit_count = m->cus / m->xcds;
  d->capacity = sim_occupancy(m, l->kernel, items, l->dynamic_lds);
  d->costs = sim_op_costs(l->program, m);
  d->units = sim_zeroed(d->unit_count * sizeof *d->units);
  d->fetches = calloc(d->unit_count, sizeof *d->fetches);
  bool ok = sim_memory_model_make(&d->memory, m,
                                  d->plan->mode == WT_SIM_TIMING_DIE ? 1 : (uint32_t)d->plan->dies) &&
            sim_alike_make(&d->alike, d->plan) && d->costs && d->units && d->fetches && d->capacity &&
            make_groups(d);
  ok = ok && fill_llc(d);
  uint32_t hot = ok ? hot_branch(d) : 0;
  for (uint32_t i = 0; ok && i < d->unit_count; ++i) {
    sim_cu *cu = &d->units[i];  // zero: it is too large to be written as a whole
    cu->machine = m, cu->timing = m->timing, cu->program = l->program;
    cu->costs = d->costs, cu->alike = &d->alike, cu->memory = &d->memory, cu->fetch = fetch_of(d, i);
    cu->result = result, cu->hot_branch = hot;
    ok = sim_cu_make(cu) && sim_fetch_make(&d->fetches[i], l->program, m, &d->memory);
  }
  if (ok && profile) begin_profile(d, profile, hot);
  return ok;
}

void sim_timing_run(const sim_launch *launch, const sim_timing_plan *plan, sim_timing_profile *profile,
                    wt_sim_timing_result *result) {
  die d = {.launch = launch, .plan = plan};
  *result = (wt_sim_timing_result){.valid = false};
  if (make(&d, profile, result)) {
    finish(&d, run(&d), result);
    leave_llc(&d);
  }
  for (uint32_t i = 0; d.units && i < d.unit_count; ++i) sim_cu_free(&d.units[i]);
  sim_memory_model_free(&d.memory);
  sim_cache_free(&d.left);
  sim_alike_free(&d.alike);
  for (uint32_t i = 0; d.fetches && i < d.unit_count; ++i) sim_fetch_free(&d.fetches[i]);
  free(d.fetches);
  sim_zeroed_free(d.units, d.unit_count * sizeof *d.units);
  free(d.costs);
  free(d.groups);
  free(d.running);
}
