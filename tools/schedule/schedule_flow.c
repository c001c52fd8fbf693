// SPDX-License-Identifier: MIT
// Finds the steady state of a pipeline: what a wave issues, and when it has waited for it, by the counters
// alone. The rules are those of include/sched/pipeline_derive.h, and this file is independent of it.
#include <stdlib.h>

#include "schedule.h"

typedef struct walk {
  const schedule *s;
  schedule_flow *flow;
  int *number;     // of the last instruction of each event, for its counter
  int issued[2];   // instructions so far: of vmcnt, of lgkmcnt
  size_t open[2];  // events before these have landed
  int shift;       // iterations before iteration 0 of the window
} walk;

static int place_of(const walk *w, int iteration, int cluster) {
  return (iteration - w->shift) * w->s->head->clusters + cluster;
}

static bool is_in(const wt_note_op *op, int iteration, int cluster) {
  return op->cluster == cluster && schedule_is_counted(op) && schedule_takes_place(op, iteration);
}

static void issue(walk *w, const wt_note_op *op, int iteration) {
  const int counter = schedule_counts_lds(op);
  w->issued[counter] += op->events;
  w->number[w->flow->count] = w->issued[counter];
  w->flow->events[w->flow->count++] = (schedule_event){.op = op,
                                                       .iteration = iteration - w->shift,
                                                       .step = iteration - w->shift + schedule_ahead(op),
                                                       .issued = place_of(w, iteration, op->cluster),
                                                       .landed = SCHEDULE_NEVER};
}

// The compiler waits for a fetch where a put takes its registers.
static void land_fetch(walk *w, const wt_note_op *put, int step, int place) {
  for (size_t i = w->flow->count; i-- > 0;) {
    schedule_event *e = &w->flow->events[i];
    if (e->op->what != WT_NOTE_FETCH || e->op->buffer != put->buffer || step < e->step) continue;
    if (step < e->step + e->op->steps && e->landed == SCHEDULE_NEVER) e->landed = place;
    return;
  }
}

// The compiler may wait for the reads of what a cluster multiplies, and with each for all that is older.
static void land_operands(walk *w, int iteration, int cluster) {
  const int place = place_of(w, iteration, cluster);
  for (int i = 0; i < w->s->head->ops && w->s->head->by_register; ++i) {
    const wt_note_op *op = &w->s->ops[i];
    if (op->cluster != cluster || (!schedule_adds(op) && op->what != WT_NOTE_VECTOR)) continue;
    for (int n = 0; n < SCHEDULE_OPERANDS; ++n) {
      const schedule_operand from = schedule_operand_of(op, n);
      size_t after = w->flow->count;  // the last read into the fragment, and one more
      while (after > 0 && (w->flow->events[after - 1].op->what != WT_NOTE_READ ||
                           w->flow->events[after - 1].op->fragment != from.fragment))
        --after;
      for (size_t e = 0; e < after && from.buffer != WT_NOTE_NONE; ++e)
        if (schedule_counts_lds(w->flow->events[e].op) && w->flow->events[e].landed == SCHEDULE_NEVER)
          w->flow->events[e].landed = place;
    }
  }
}

// Reads are issued first. Where reads go between the same micro-ops as what else lgkmcnt counts, any may be
// the last.
static void issue_cluster(walk *w, int iteration, int cluster) {
  const schedule *s = w->s;
  const size_t first = w->flow->count;
  const bool beside = !s->head->lag_from || s->head->by_register;
  bool mixes = false, writes = false;
  land_operands(w, iteration, cluster);
  for (int i = 0; i < s->head->ops; ++i) {
    const wt_note_op *op = &s->ops[i];
    if (op->cluster != cluster) continue;
    mixes |= op->what == WT_NOTE_VECTOR || (op->what == WT_NOTE_MULTIPLY && beside) ||
             (op->what == WT_NOTE_APPLY && !s->head->lag_from);
    writes |= op->what != WT_NOTE_READ && schedule_counts_lds(op);
    if (op->what == WT_NOTE_READ && is_in(op, iteration, cluster)) issue(w, op, iteration);
  }
  for (int i = 0; i < s->head->ops; ++i) {
    const wt_note_op *op = &s->ops[i];
    if (op->what == WT_NOTE_READ || !is_in(op, iteration, cluster)) continue;
    if (op->what == WT_NOTE_PUT)
      land_fetch(w, op, iteration - w->shift + schedule_ahead(op), place_of(w, iteration, cluster));
    issue(w, op, iteration);
  }
  for (size_t i = first; i < w->flow->count && mixes && writes; ++i)
    if (schedule_counts_lds(w->flow->events[i].op)) w->number[i] = w->issued[1];
}

static void wait(walk *w, wt_note_waits at_most, int place) {
  const int counts[2] = {at_most.vmem, at_most.lds}, any[2] = {WT_NOTE_ANY_VMEM, WT_NOTE_ANY_LDS};
  for (size_t i = 0; i < w->flow->count; ++i) {
    schedule_event *e = &w->flow->events[i];
    const int counter = schedule_counts_lds(e->op);
    if (counts[counter] < any[counter] && w->number[i] <= w->issued[counter] - counts[counter] &&
        e->landed == SCHEDULE_NEVER)
      e->landed = place;
  }
}

static void run_iteration(walk *w, int iteration) {
  const int clusters = w->s->head->clusters, row = w->s->body + iteration % w->s->head->phases;
  for (int cluster = 0; cluster < clusters; ++cluster) {
    const wt_note_boundary *edge = schedule_edge(w->s, row, cluster);
    wait(w, edge->before, place_of(w, iteration, cluster));
    wait(w, edge->after, place_of(w, iteration, cluster));
    issue_cluster(w, iteration, cluster);
  }
}

bool schedule_flow_make(const schedule *s, schedule_flow *flow) {
  // What is copied in an iteration is read `depth` iterations later, and overwritten as many stages later.
  int stages = 0;
  for (int i = 0; i < s->head->buffers; ++i)
    if (s->buffers[i].stages > stages) stages = s->buffers[i].stages;
  const int phases = s->head->phases, reach = (s->head->depth + stages + phases) / phases * phases;
  const int iterations = 2 * reach + phases;
  const size_t most = (size_t)iterations * s->head->ops;
  walk w = {.s = s, .flow = flow, .shift = reach};
  *flow = (schedule_flow){.events = calloc(most ? most : 1, sizeof *flow->events),
                          .places = phases * s->head->clusters};
  w.number = calloc(most ? most : 1, sizeof *w.number);
  const bool good = flow->events && w.number;
  for (int i = 0; good && i < iterations; ++i) run_iteration(&w, i);
  free(w.number);
  if (!good) schedule_flow_free(flow);
  return good;
}

void schedule_flow_free(schedule_flow *flow) {
  free(flow->events);
  *flow = (schedule_flow){0};
}
