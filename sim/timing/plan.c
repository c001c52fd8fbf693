// SPDX-License-Identifier: MIT
// Decides which work-groups a launch traces, and what is kept of the others. Work-group i runs on die i
// modulo the number of dies (SHARK; PYHIP se-dispatch.md).
#include <stdlib.h>
#include <string.h>

#include "sim/exec/memory.h"
#include "sim/settings/environment.h"
#include "sim/timing/timing.h"

enum {
  // A launch of so many rounds is timed whole: work-groups drift apart from round to round, and find less
  // in L2.
  WHOLE_ROUNDS = 8,
  // In a longer launch so many rounds are timed. The first fills the die, the second runs beside whatever
  // replaces the first, and the third keeps the die full until the second has ended: the second is the steady
  // state.
  ROUNDS = 3,
  // A wave whose work-group is only begun executes at least so many: they cover what comes before the main
  // loop.
  PROBED_INSTRUCTIONS = 1024,
  // A launch of at most so many instructions of waves is executed whole. It takes the host less than a
  // second, and what it leaves in memory may say what later launches do: a sort of 131,072 tokens by their
  // experts is three launches, of 600 thousand instructions together.
  FEW_INSTRUCTIONS = 1 << 20,
  SIGNED_ACCESSES = 16  // of each wave that its work-group's signature covers
};

// Returns the work-groups of each die that are timed in detail: those of as many rounds as
// WT_SIM_TIMING_ROUNDS says, if it does.
static uint64_t detailed(uint64_t of_die, uint64_t resident) {
  uint64_t rounds = sim_env_number(SIM_ENV_TIMING_ROUNDS, 0);
  if (!rounds) rounds = of_die <= WHOLE_ROUNDS * resident ? WHOLE_ROUNDS : ROUNDS;
  return of_die / rounds < resident ? of_die : rounds * resident;
}

static void find_parts(sim_trace_parts *parts, const sim_launch *launch) {
  const uint8_t *bytes = launch->kernarg;
  for (size_t i = 0; i + 8 <= launch->kernarg_size && parts->count < SIM_TRACE_PARTS; i += 8) {
    uint64_t address;
    sim_allocation a;
    memcpy(&address, bytes + i, sizeof address);
    if (sim_memory_find(address, &a) && address != a.base)
      parts->begin[parts->count++] = (a.place + (address - a.base)) / SIM_TRACE_LINE;
  }
}

bool sim_timing_plan_make(sim_timing_plan *plan, const sim_launch *launch, wt_sim_timing_mode mode,
                          wt_sim_timing_repeat repeats) {
  const sim_machine *m = launch->machine;
  uint64_t groups = (uint64_t)launch->grid[0] * launch->grid[1] * launch->grid[2];
  uint32_t items = launch->block[0] * launch->block[1] * launch->block[2];
  uint64_t resident =
      (uint64_t)sim_occupancy(m, launch->kernel, items, launch->dynamic_lds) * (m->cus / m->xcds);
  uint64_t of_die = (groups + m->xcds - 1) / m->xcds;
  *plan = (sim_timing_plan){.dies = m->xcds, .mode = mode, .repeats = repeats, .total = groups};
  find_parts(&plan->parts, launch);
  plan->count = detailed(of_die, resident);
  plan->budget = (uint64_t)PROBED_INSTRUCTIONS * ((items + 63) / 64);
  plan->groups = calloc(plan->count ? plan->count * plan->dies : 1, sizeof *plan->groups);
  plan->more = of_die > plan->count && mode != WT_SIM_TIMING_DIE;
  bool summaries = plan->more || mode == WT_SIM_TIMING_ONLY;
  if (summaries) {
    plan->summaries = calloc(groups, sizeof *plan->summaries);
    plan->examples = calloc(SIM_TIMING_BUCKETS, sizeof *plan->examples);
  }
  pthread_mutex_init(&plan->lock, NULL);
  bool ok = plan->groups && (!summaries || (plan->summaries && plan->examples));
  if (!ok) sim_timing_plan_free(plan);
  return ok;
}

void sim_timing_plan_free(sim_timing_plan *plan) {
  for (uint64_t i = 0; plan->groups && i < plan->count * plan->dies; ++i) sim_trace_free(&plan->groups[i]);
  for (uint32_t i = 0; plan->examples && i < SIM_TIMING_BUCKETS; ++i)
    sim_trace_free(&plan->examples[i].trace);
  free(plan->groups);
  free(plan->summaries);
  free(plan->examples);
  pthread_mutex_destroy(&plan->lock);
  *plan = (sim_timing_plan){.mode = WT_SIM_TIMING_OFF};
}

// ---- parts

static bool of_plan(const sim_timing_plan *plan, uint64_t group) { return group < plan->count * plan->dies; }

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

// With WT_SIM_TIMING_ONLY, this says how many are executed to their end before it is known whether the others
// must be. All of the first die, and, should dies differ, one of each other.
static uint64_t deciding(const sim_timing_plan *plan) {
  return least(plan->total, plan->dies) + plan->count - 1;
}

// The work-groups of other dies in the last round of the plan come next: they confirm that dies are alike
// where work-groups of one die are not.
static uint64_t last_round(const sim_timing_plan *plan) { return (plan->count - 1) * plan->dies; }
static uint64_t confirming(const sim_timing_plan *plan) {
  if (plan->count == 1) return 0;
  return least(plan->total, plan->count * plan->dies) - last_round(plan) - 1;
}
static bool confirms(const sim_timing_plan *plan, uint64_t group) {
  return plan->count > 1 && of_plan(plan, group) && group > last_round(plan);
}

uint64_t sim_timing_nth(const sim_timing_plan *plan, uint64_t position) {
  const uint64_t decide = deciding(plan), known = decide + confirming(plan), others = plan->dies - 1;
  bool in_order = plan->mode != WT_SIM_TIMING_ONLY || position < plan->dies || !of_plan(plan, position);
  if (in_order) return position;
  if (position < decide) return (position - others) * plan->dies;
  if (position < known) return last_round(plan) + 1 + (position - decide);
  const uint64_t after = position - known;
  return (1 + after / others) * plan->dies + 1 + after % others;
}

uint64_t sim_timing_waits_for(const sim_timing_plan *plan, uint64_t position) {
  const uint64_t decide = deciding(plan), known = decide + confirming(plan);
  if (plan->mode != WT_SIM_TIMING_ONLY || position < decide) return 0;
  return position < known ? decide : known;
}

// What a work-group begins to touch in its first half it goes on with, and where that lies must be seen of
// all; what it touches late are results, its own. Waves need not be in step: a quarter more.
static void widen_probes(sim_timing_plan *plan) {
  const sim_group_summary *s = &plan->summaries[0];
  const uint64_t waves = plan->budget / PROBED_INSTRUCTIONS;
  for (uint32_t i = 0; i < SIM_TRACE_ALLOCATIONS && s->touch[i].begin; ++i) {
    const uint64_t least = (s->touch[i].at + s->touch[i].at / 4 + 1) * waves;
    if (s->touch[i].at < s->instructions / waves / 2 && plan->budget < least) plan->budget = least;
  }
}

// Returns whether so many work-groups from the one at a position on are as large as those of the first die.
static bool like_first_die(const sim_timing_plan *plan, uint64_t position, uint64_t count) {
  for (uint64_t i = position; i < position + count; ++i) {
    const uint64_t group = sim_timing_nth(plan, i), of_first = group / plan->dies * plan->dies;
    if (plan->summaries[group].instructions != plan->summaries[of_first].instructions) return false;
  }
  return true;
}

static sim_timing_others compare(const sim_timing_plan *plan) {
  sim_timing_others others = SIM_OTHERS_ALIKE;
  uint64_t most = 0;
  for (uint64_t i = 0; i < deciding(plan); ++i) {
    const uint64_t instructions = plan->summaries[sim_timing_nth(plan, i)].instructions;
    if (!instructions) return SIM_OTHERS_WAITED_FOR;
    if (instructions != plan->summaries[0].instructions) others = SIM_OTHERS_DIFFER;
    if (instructions > most) most = instructions;
  }
  if (most <= FEW_INSTRUCTIONS / plan->total) return SIM_OTHERS_FEW;
  const bool dies_alike = confirming(plan) && like_first_die(plan, 0, plan->dies);
  return others == SIM_OTHERS_DIFFER && dies_alike ? SIM_OTHERS_LIKE_FIRST_DIE : others;
}

// Returns how the work-groups that decide compare, when they have ended. What those that confirm have to
// confirm holds for none of them.
static sim_timing_others others_of(sim_timing_plan *plan, uint64_t group) {
  pthread_mutex_lock(&plan->lock);
  if (plan->others == SIM_OTHERS_UNKNOWN) {
    plan->others = compare(plan);
    if (plan->others == SIM_OTHERS_ALIKE) widen_probes(plan);
  }
  if (plan->others == SIM_OTHERS_LIKE_FIRST_DIE && !plan->confirmed && !confirms(plan, group)) {
    plan->confirmed = true;
    widen_probes(plan);
    if (!like_first_die(plan, deciding(plan), confirming(plan))) plan->others = SIM_OTHERS_DIFFER;
  }
  const bool open = plan->others == SIM_OTHERS_LIKE_FIRST_DIE && !plan->confirmed;
  const sim_timing_others result = open ? SIM_OTHERS_DIFFER : plan->others;
  pthread_mutex_unlock(&plan->lock);
  return result;
}

sim_timing_part sim_timing_part_of(sim_timing_plan *plan, uint64_t group) {
  const bool of_first = group % plan->dies == 0, decides = group < plan->dies || of_first;
  const sim_timing_part whole = of_plan(plan, group) ? SIM_TIMING_DETAIL : SIM_TIMING_SUMMARY;
  if (plan->mode == WT_SIM_TIMING_DIE && (!of_first || !of_plan(plan, group))) return SIM_TIMING_SKIP;
  if (plan->mode != WT_SIM_TIMING_ONLY || (decides && of_plan(plan, group))) return whole;
  switch (others_of(plan, group)) {
    case SIM_OTHERS_ALIKE: return SIM_TIMING_PROBE;
    case SIM_OTHERS_LIKE_FIRST_DIE: return of_first ? whole : SIM_TIMING_PROBE;
    case SIM_OTHERS_UNKNOWN:
    case SIM_OTHERS_DIFFER:
    case SIM_OTHERS_FEW:
    case SIM_OTHERS_WAITED_FOR: break;
  }
  return whole;
}

sim_timing_part sim_timing_part_whole(const sim_timing_plan *plan, uint64_t group) {
  if (of_plan(plan, group)) return SIM_TIMING_DETAIL;
  return plan->mode == WT_SIM_TIMING_DIE ? SIM_TIMING_UNTRACED : SIM_TIMING_SUMMARY;
}

// ---- summaries

uint64_t sim_timing_instructions(const sim_timing_plan *plan, uint64_t group) {
  const uint64_t own = plan->summaries[group].instructions;
  if (own || plan->others != SIM_OTHERS_LIKE_FIRST_DIE) return own;
  return plan->summaries[group / plan->dies * plan->dies].instructions;
}

bool sim_timing_leaves_all(const sim_timing_plan *plan) {
  uint64_t sum = 0;
  if (plan->mode != WT_SIM_TIMING_ONLY) return false;
  for (uint64_t i = 0; i < plan->total; ++i) {
    if (!plan->summaries[i].instructions) return false;
    sum += plan->summaries[i].instructions;
  }
  return sum <= FEW_INSTRUCTIONS;
}

uint32_t sim_timing_bucket(uint64_t instructions) {
  if (instructions < 16) return 0;
  uint32_t log = 63u - (uint32_t)__builtin_clzll(instructions);
  uint32_t bucket = log * 16 + (uint32_t)(instructions >> (log - 4) & 15);
  return bucket < SIM_TIMING_BUCKETS ? bucket : SIM_TIMING_BUCKETS - 1;
}

static void add_touches(sim_group_summary *s, const sim_wave_trace *wave, uint32_t number) {
  for (uint32_t i = 0; i < wave->touched; ++i) {
    uint32_t k = 0;
    while (k < SIM_TRACE_ALLOCATIONS && s->touch[k].begin && s->touch[k].begin != wave->touch[i].begin) ++k;
    if (k == SIM_TRACE_ALLOCATIONS || s->touch[k].begin) continue;
    s->touch[k] = wave->touch[i];
    s->wave[k] = (uint8_t)number;
  }
}

static uint64_t mixed(uint64_t hash, uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
  return hash ^ hash >> 29;
}

static uint64_t signature_of(uint64_t hash, const sim_group_summary *s, const sim_program *program,
                             const sim_wave_trace *wave) {
  sim_trace_access lines[SIM_TRACE_LINES];
  sim_trace_reader r = sim_trace_read(wave, program);
  for (uint32_t accesses = 0; accesses < SIGNED_ACCESSES;) {
    uint32_t op = r.op, count = sim_trace_next_access(&r, program, lines);
    if (!count && sim_trace_ended(&r)) return hash;
    if (!count) continue;
    hash = mixed(hash, op);
    for (uint32_t i = 0; i < count; ++i) {
      const sim_trace_touch *t = sim_summary_touch(s, lines[i].line);
      hash = mixed(hash, t ? t->begin : 0);
      hash = mixed(hash, (lines[i].line - (t ? t->first : 0)) << 2 | lines[i].halves);
    }
    ++accesses;
  }
  return hash;
}

const sim_trace_touch *sim_summary_touch(const sim_group_summary *s, uint64_t line) {
  const sim_trace_touch *best = NULL;
  for (uint32_t i = 0; i < SIM_TRACE_ALLOCATIONS && s->touch[i].begin; ++i)
    if (s->touch[i].begin <= line && (!best || s->touch[i].begin > best->begin)) best = &s->touch[i];
  return best;
}

static void summarise(sim_group_summary *s, const sim_program *program, const sim_group_trace *trace,
                      uint64_t instructions) {
  s->instructions = instructions;
  for (uint32_t i = 0; trace->waves && i < trace->wave_count; ++i) add_touches(s, &trace->waves[i], i);
  for (uint32_t i = 0; trace->waves && i < trace->wave_count; ++i)
    s->signature = signature_of(s->signature + i, s, program, &trace->waves[i]);
}

// Among work-groups of the same size the first in the launch becomes the example, whichever host thread
// finishes first.
static void offer_example(sim_timing_plan *plan, uint64_t group, sim_group_trace *trace,
                          uint64_t instructions) {
  sim_timing_example *e = &plan->examples[sim_timing_bucket(instructions)];
  pthread_mutex_lock(&plan->lock);
  if (!e->trace.waves || group < e->index) {
    sim_group_trace before = e->trace;
    *e = (sim_timing_example){group, *trace};
    *trace = before;
  }
  pthread_mutex_unlock(&plan->lock);
}

void sim_timing_take(sim_timing_plan *plan, const sim_program *program, uint64_t group, sim_timing_part part,
                     sim_group_trace *trace, uint64_t instructions) {
  bool whole = part != SIM_TIMING_PROBE;
  if (plan->summaries) summarise(&plan->summaries[group], program, trace, whole ? instructions : 0);
  if (part == SIM_TIMING_DETAIL) {
    plan->groups[group] = *trace;
    return;
  }
  if (part == SIM_TIMING_SUMMARY && group % plan->dies == 0) offer_example(plan, group, trace, instructions);
  sim_trace_free(trace);
}
