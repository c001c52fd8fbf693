// SPDX-License-Identifier: MIT
// Host threads take work-groups in dispatch order and run each to its end; the lowest faulting work-group is
// reported, so the outcome does not depend on how many threads there are. A work-group that only polls gives
// its thread to others (order.h).
#include "sim/exec/dispatch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/exec/monitor.h"
#include "sim/exec/order.h"
#include "sim/exec/resident.h"
#include "sim/exec/slot.h"
#include "sim/settings/environment.h"

typedef struct crew {
  const sim_dispatch *dispatch;
  sim_result *result;
  sim_order order;
  pthread_mutex_t result_mutex;
  bool progress;
  double last_progress;
} crew;

typedef struct worker {
  crew *crew;
  unsigned thread;
  pthread_t handle;
  sim_slot *slot;  // for the next work-group
  sim_lds_count *lds_counts;
} worker;

#define OUT_OF_MEMORY \
  "wavetile sim: out of host memory while running kernel %s; close other programs or set WT_SIM_THREADS=1\n"

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static unsigned thread_count(const sim_dispatch *d) {
  uint64_t count = d->threads < SIM_MAX_THREADS ? d->threads : SIM_MAX_THREADS;
  return (unsigned)(count < d->groups ? count : d->groups);
}

static void show_progress(crew *c, uint64_t position) {
  double now = seconds();
  if (now - c->last_progress < 0.25) return;
  c->last_progress = now;
  uint64_t groups = c->dispatch->groups;
  fprintf(stderr, "\r%s: work-group %llu of %llu (%.0f%%) ", c->dispatch->launch->kernel->name,
          (unsigned long long)position, (unsigned long long)groups,
          100.0 * (double)position / (double)groups);
}

static void skip_group(crew *c, uint64_t position) {
  pthread_mutex_lock(&c->result_mutex);
  c->result->workgroups += 1;
  c->result->waves += c->dispatch->waves;
  if (c->progress) show_progress(c, position);
  pthread_mutex_unlock(&c->result_mutex);
}

static sim_slot *open_slot(const sim_dispatch *d) {
  sim_slot *slot = malloc(sizeof *slot);
  if (slot && sim_slot_open(slot, d)) return slot;
  if (slot) sim_slot_close(slot, d);
  free(slot);
  return NULL;
}

static void close_slot(sim_slot *slot, const sim_dispatch *d) {
  if (slot) sim_slot_close(slot, d);
  free(slot);
}

// Runs the work-group in the thread's slot until it has ended or only polls.
static void run_on(worker *me) {
  crew *c = me->crew;
  const sim_dispatch *d = c->dispatch;
  sim_group *g = &me->slot->group;
  if (!sim_group_run(g)) {
    if (sim_order_park(&c->order, me->thread, me->slot, g->moved)) {
      me->slot = NULL;
      return;
    }
    g->fault = SIM_FAULT_PROGRAM;
    snprintf(g->report, sizeof g->report, OUT_OF_MEMORY, d->launch->kernel->name);
  }
  sim_slot_end(me->slot);
  sim_monitor_count(d->monitor, g);
  pthread_mutex_lock(&c->result_mutex);
  sim_slot_count(me->slot, c->result);
  if (c->progress) show_progress(c, g->position);
  if (g->fault && sim_order_fault(&c->order, g->position)) {
    c->result->fault = g->fault;
    memcpy(c->result->report, g->report, sizeof c->result->report);
  }
  pthread_mutex_unlock(&c->result_mutex);
}

static void run_new(worker *me, uint64_t position) {
  crew *c = me->crew;
  const sim_dispatch *d = c->dispatch;
  const sim_selection *s = d->launch->selection;
  uint64_t index = s ? s->nth(s->context, position) : position;
  uint64_t earlier = s ? s->waits_for(s->context, position) : 0;
  if (earlier && !sim_order_wait_for_lower(&c->order, earlier)) return;
  sim_share share = s ? s->share(s->context, index) : (sim_share){.extent = SIM_EXTENT_WHOLE};
  if (share.extent == SIM_EXTENT_NONE) {
    skip_group(c, position);
    return;
  }
  sim_slot_begin(me->slot, d, index, &share, me->lds_counts);
  sim_group *g = &me->slot->group;
  g->order = &c->order;
  g->position = position;
  g->unread = s && s->unread;
  run_on(me);
}

// All work-groups only poll. What they wait for comes from the host or from other work; of a launch of which
// only parts are executed, it may be in the rest.
static void let_others_run(crew *c) {
  const sim_launch *launch = c->dispatch->launch;
  if (!launch->selection || !launch->selection->unread) {
    if (launch->give_way) launch->give_way();
    return;
  }
  pthread_mutex_lock(&c->result_mutex);
  if (sim_order_fault(&c->order, 0)) {
    c->result->fault = SIM_FAULT_DEADLOCK;
    snprintf(
        c->result->report, sizeof c->result->report,
        "wavetile sim: the work-groups of kernel %s wait for each other, and only some of them are executed "
        "for a prediction; set WT_SIM_RESIDENT=1\n",
        launch->kernel->name);
  }
  pthread_mutex_unlock(&c->result_mutex);
}

static void run_parked(worker *me, sim_slot *slot, bool stalled) {
  if (stalled) let_others_run(me->crew);
  sim_slot *own = me->slot;
  me->slot = slot;
  if (slot->group.lds_counts) slot->group.lds_counts = me->lds_counts;
  run_on(me);
  if (!me->slot)
    me->slot = own;
  else
    close_slot(own, me->crew->dispatch);
}

static void *work(void *argument) {
  worker *me = argument;
  crew *c = me->crew;
  const sim_dispatch *d = c->dispatch;
  bool count = d->launch->count_lds || d->launch->selection, stalled;
  void *parked;
  if (count) me->lds_counts = calloc(d->launch->program->op_count + 1u, sizeof *me->lds_counts);
  me->slot = open_slot(d);
  while (me->slot && (me->lds_counts || !count)) {
    const uint64_t position = sim_order_next(&c->order, me->thread, &parked, &stalled);
    if (position == UINT64_MAX) break;
    if (parked)
      run_parked(me, parked, stalled);
    else
      run_new(me, position);
    if (!me->slot) me->slot = open_slot(d);
  }
  close_slot(me->slot, d);
  return NULL;
}

// Sums are the same whichever thread ran which work-group.
static void give_lds_counts(const sim_dispatch *d, worker *workers, unsigned threads, sim_result *result) {
  sim_lds_count *sum = NULL;
  for (unsigned i = 0; i < threads; ++i) {
    sim_lds_count *counts = workers[i].lds_counts;
    if (!counts) continue;
    if (!sum) {
      sum = counts;
      continue;
    }
    for (uint32_t op = 0; op < d->launch->program->op_count; ++op) {
      sum[op].executions += counts[op].executions;
      sum[op].conflict_cycles += counts[op].conflict_cycles;
    }
    free(counts);
  }
  if (!result->fault && d->launch->count_lds)
    result->lds_counts = sum;
  else
    free(sum);
}

void sim_dispatch_run(const sim_dispatch *d, sim_result *result) {
  if (d->resident) {
    sim_resident_run(d, result);
    return;
  }
  unsigned threads = thread_count(d), started = 0;
  crew c = {.dispatch = d, .result = result, .progress = sim_env_choice(SIM_ENV_PROGRESS, 0)};
  worker *workers = calloc(threads, sizeof *workers);
  sim_order_init(&c.order, d->groups, sim_resident_limit(d), threads);
  pthread_mutex_init(&c.result_mutex, NULL);
  for (unsigned i = 0; workers && i < threads; ++i) workers[i] = (worker){.crew = &c, .thread = i};
  for (unsigned i = 1; workers && i < threads; ++i, ++started)
    if (pthread_create(&workers[i].handle, NULL, work, &workers[i]) != 0) break;
  if (workers) work(&workers[0]);
  for (unsigned i = 1; i <= started; ++i) pthread_join(workers[i].handle, NULL);
  if (c.progress && c.last_progress > 0)
    fprintf(stderr, "\r%s: %llu work-groups done%20s\n", d->launch->kernel->name,
            (unsigned long long)result->workgroups, "");
  if (!result->fault && result->workgroups < d->groups) {
    result->fault = SIM_FAULT_PROGRAM;
    snprintf(result->report, sizeof result->report, OUT_OF_MEMORY, d->launch->kernel->name);
  }
  if (workers) give_lds_counts(d, workers, threads, result);
  pthread_mutex_destroy(&c.result_mutex);
  for (uint64_t i = 0; i < c.order.parked_count; ++i) close_slot(c.order.parked[i].slot, d);
  sim_order_destroy(&c.order);
  free(workers);
}
