// SPDX-License-Identifier: MIT
// This is the timing model's side of the executor: it selects the work-groups that a plan wants and traces
// them.
#include <stdlib.h>

#include "sim/exec/wave.h"
#include "sim/timing/timing.h"

typedef struct tracer {
  sim_timing_plan *plan;
  sim_group_trace trace;
} tracer;

static void *open_tracer(void *context) {
  tracer *t = calloc(1, sizeof *t);
  if (t) t->plan = context;
  return t;
}

static void close_tracer(void *state) {
  tracer *t = state;
  sim_trace_free(&t->trace);
  free(t);
}

static void begin(void *state, sim_group *g) {
  tracer *t = state;
  sim_trace_begin(&t->trace, &t->plan->parts, g->wave_count);
  for (uint32_t i = 0; t->trace.waves && i < g->wave_count; ++i) t->trace.waves[i].first = g->waves[i].pc;
}

static void after(sim_wave *w, const sim_op *op) {
  tracer *t = w->group->observer_state[SIM_SEAT_TIMING];
  sim_trace_step(&t->trace, w, op);
}

static void end(void *state, sim_group *g) {
  tracer *t = state;
  uint64_t instructions = 0;
  for (uint32_t i = 0; i < g->wave_count; ++i) instructions += g->waves[i].instructions;
  sim_timing_take(t->plan, g->program, g->index, (sim_timing_part)g->part, &t->trace, instructions);
  t->trace = (sim_group_trace){.waves = NULL};
}

const sim_observer sim_timing_observer = {
    .open = open_tracer, .close = close_tracer, .begin = begin, .end = end, .after = after};

// ---- the selection

static sim_share share_of(const sim_timing_plan *plan, uint64_t group, sim_timing_part part) {
  const bool probe = part == SIM_TIMING_PROBE, timed = part != SIM_TIMING_UNTRACED;
  if (part == SIM_TIMING_SKIP) return (sim_share){.extent = SIM_EXTENT_NONE};
  return (sim_share){.extent = probe ? SIM_EXTENT_BEGINNING : SIM_EXTENT_WHOLE,
                     .budget = plan->budget,
                     .timed = timed,
                     // Only the first die's traced work-groups are timed in detail.
                     .counts_lds = timed && !probe && group % plan->dies == 0,
                     .part = (int)part};
}

static uint64_t nth(void *plan, uint64_t position) { return sim_timing_nth(plan, position); }
static uint64_t waits_for(void *plan, uint64_t position) { return sim_timing_waits_for(plan, position); }

static sim_share share(void *context, uint64_t group) {
  const sim_timing_part part = sim_timing_part_of(context, group);
  return share_of(context, group, part);
}

static sim_share whole(void *context, uint64_t group) {
  return share_of(context, group, sim_timing_part_whole(context, group));
}

void sim_timing_attach(sim_timing_plan *plan, sim_launch *launch) {
  plan->selection = (sim_selection){.context = plan,
                                    .nth = nth,
                                    .waits_for = waits_for,
                                    .share = share,
                                    .whole = whole,
                                    .unread = plan->mode != WT_SIM_TIMING_ALL};
  launch->selection = &plan->selection;
  launch->watch[SIM_SEAT_TIMING] = (sim_watch){&sim_timing_observer, plan};
}
