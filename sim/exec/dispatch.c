// SPDX-License-Identifier: MIT
// Host threads take workgroups in dispatch order and run each to its end; the lowest faulting workgroup is
// reported, so the outcome does not depend on how many threads there are.
#include "sim/exec/dispatch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "sim/exec/turn.h"
#include "sim/timing/timing.h"

typedef struct crew {
  const sim_dispatch *dispatch;
  sim_result *result;
  sim_turn turn;
  pthread_mutex_t result_mutex;
  bool progress;
  double last_progress;
} crew;

typedef struct worker {
  crew *crew;
  unsigned thread;
  pthread_t handle;
  uint8_t *lds, *scratch;
  sim_wave *waves;
  sim_lds_count *lds_counts;
  sim_group group;
  bool out_of_memory;
} worker;

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static unsigned thread_count(const sim_dispatch *d) {
  uint64_t count = d->threads < SIM_MAX_THREADS ? d->threads : SIM_MAX_THREADS;
  return (unsigned)(count < d->groups ? count : d->groups);
}

static void show_progress(crew *c, uint64_t index) {
  double now = seconds();
  if (now - c->last_progress < 0.25) return;
  c->last_progress = now;
  uint64_t groups = c->dispatch->groups;
  fprintf(stderr, "\r%s: workgroup %llu of %llu (%.0f%%) ", c->dispatch->launch->kernel->name,
          (unsigned long long)index, (unsigned long long)groups, 100.0 * (double)index / (double)groups);
}

// Bytes no one has written: not zero, so that a kernel that forgets to initialise LDS shows it.
static void poison_lds(uint8_t *lds, size_t bytes) { memset(lds, 0xfb, bytes); }

static void count_group(crew *c, uint64_t index, uint32_t waves, uint64_t instructions) {
  c->result->instructions += instructions;
  c->result->workgroups += 1;
  c->result->waves += waves;
  if (c->progress) show_progress(c, index);
}

static void skip_group(crew *c, uint64_t index) {
  pthread_mutex_lock(&c->result_mutex);
  count_group(c, index, c->dispatch->waves, 0);
  pthread_mutex_unlock(&c->result_mutex);
}

static void run_group(worker *me, uint64_t index) {
  crew *c = me->crew;
  const sim_dispatch *d = c->dispatch;
  const uint32_t *grid = d->launch->grid;
  const sim_timing_plan *plan = d->launch->timing;
  sim_group_trace *trace = plan ? sim_timing_trace_of(plan, index) : NULL;
  if (plan && plan->mode != SIM_TIMING_ALL && !trace) {
    skip_group(c, index);
    return;
  }
  // Of the traced work-groups only those of the first die are timed in detail.
  bool counts = d->launch->count_lds || (trace && index % plan->dies == 0);
  sim_group *g = &me->group;
  *g = (sim_group){
      .launch = d->launch,
      .program = d->launch->program,
      .lds = me->lds,
      .lds_bytes = d->lds_bytes,
      .lds_counts = counts ? me->lds_counts : NULL,
      .waves = me->waves,
      .wave_count = d->waves,
      .id = {(uint32_t)(index % grid[0]), (uint32_t)(index / grid[0] % grid[1]),
             (uint32_t)(index / grid[0] / grid[1])},
      .index = index,
      .rng = d->seed ^ (index + 1) * 0xd1342543de82ef95u,
      .schedule = d->schedule,
      .budget = d->budget,
      .soffset_in_range = d->soffset_in_range,
      .turn = &c->turn,
      .trace = trace,
  };
  if (trace) sim_trace_begin(trace, d->waves);
  poison_lds(me->lds, d->lds_bytes);
  for (uint32_t i = 0; i < d->waves; ++i)
    sim_wave_init(d, g, i, me->scratch + (size_t)i * SIM_LANES * d->scratch_bytes);
  for (uint32_t i = 0; trace && trace->waves && i < d->waves; ++i) trace->waves[i].first = me->waves[i].pc;
  sim_group_run(g);

  uint64_t instructions = 0;
  for (uint32_t i = 0; i < d->waves; ++i) instructions += me->waves[i].instructions;
  pthread_mutex_lock(&c->result_mutex);
  count_group(c, index, d->waves, instructions);
  if (g->fault && sim_turn_fault(&c->turn, index)) {
    c->result->fault = g->fault;
    memcpy(c->result->report, g->report, sizeof c->result->report);
  }
  pthread_mutex_unlock(&c->result_mutex);
}

static void *work(void *argument) {
  worker *me = argument;
  const sim_dispatch *d = me->crew->dispatch;
  me->waves = aligned_alloc(64, d->waves * sizeof *me->waves);
  me->lds = calloc(1, d->lds_bytes + 64);
  me->scratch = calloc(1, (size_t)d->waves * SIM_LANES * d->scratch_bytes + 64);
  bool count = d->launch->count_lds || d->launch->timing;
  if (count) me->lds_counts = calloc(d->launch->program->op_count + 1u, sizeof *me->lds_counts);
  me->out_of_memory = !me->waves || !me->lds || !me->scratch || (count && !me->lds_counts);
  if (!me->out_of_memory) {
    memset(me->waves, 0, d->waves * sizeof *me->waves);
    for (uint64_t index; (index = sim_turn_next(&me->crew->turn, me->thread)) != UINT64_MAX;)
      run_group(me, index);
  }
  free(me->waves);
  free(me->lds);
  free(me->scratch);
  return NULL;
}

// Sums are the same whichever thread ran which workgroup.
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
  const char *progress = getenv("WT_SIM_PROGRESS");
  unsigned threads = thread_count(d), started = 0;
  crew c = {.dispatch = d, .result = result, .progress = progress && *progress == '1'};
  worker *workers = calloc(threads, sizeof *workers);
  sim_turn_init(&c.turn, d->groups, threads);
  pthread_mutex_init(&c.result_mutex, NULL);
  for (unsigned i = 0; workers && i < threads; ++i) workers[i] = (worker){.crew = &c, .thread = i};
  for (unsigned i = 1; workers && i < threads; ++i, ++started)
    if (pthread_create(&workers[i].handle, NULL, work, &workers[i]) != 0) break;
  if (workers) work(&workers[0]);
  for (unsigned i = 1; i <= started; ++i) pthread_join(workers[i].handle, NULL);
  if (c.progress && c.last_progress > 0)
    fprintf(stderr, "\r%s: %llu workgroups done%20s\n", d->launch->kernel->name,
            (unsigned long long)result->workgroups, "");
  if (!result->fault && result->workgroups < d->groups) {
    result->fault = SIM_FAULT_PROGRAM;
    snprintf(result->report, sizeof result->report,
             "wavetile sim: out of host memory while running kernel %s; close other programs or set "
             "WT_SIM_THREADS=1\n",
             d->launch->kernel->name);
  }
  if (workers) give_lds_counts(d, workers, threads, result);
  pthread_mutex_destroy(&c.result_mutex);
  sim_turn_destroy(&c.turn);
  free(workers);
}
