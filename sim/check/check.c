// SPDX-License-Identifier: MIT
// Check mode as an observer of the executor.
#include "sim/check/check.h"

#include <stdlib.h>

#include "sim/check/state.h"

sim_check *sim_check_create(const sim_launch *launch) {
  sim_check *c = calloc(1, sizeof *c);
  if (!c) return NULL;
  c->launch = launch;
  c->program = launch->program;
  c->waves = sim_launch_waves(launch);
  c->lds_bytes = sim_launch_lds(launch);
  c->groups = sim_launch_groups(launch);
  pthread_mutex_init(&c->lock, NULL);
  c->facts = sim_op_facts_of(c->program);
  c->pages = sim_pages_create(c->groups);
  if (c->facts && c->pages) return c;
  sim_check_free(c);
  return NULL;
}

void sim_check_free(sim_check *check) {
  if (!check) return;
  sim_pages_free(check->pages);
  pthread_mutex_destroy(&check->lock);
  free(check->facts);
  free(check->findings);
  free(check);
}

static void *open_state(void *context) {
  sim_check *check = context;
  sim_check_group *g = calloc(1, sizeof *g);
  if (!g) return NULL;
  const size_t dwords = (check->lds_bytes + 3) / 4 + 1, ops = check->program->op_count + 1u;
  g->check = check;
  g->waves = calloc(check->waves, sizeof *g->waves);
  g->lds = calloc(dwords, sizeof *g->lds);
  g->verified = calloc(2 * ops, sizeof *g->verified);
  g->verified_next = calloc(ops, 1);
  if (g->waves && g->lds && g->verified && g->verified_next) return g;
  sim_check_close(g);
  return NULL;
}

static void begin(void *state, sim_group *group) {
  sim_check_group *g = state;
  g->group = group;
  g->epoch = 1;
  g->released = g->acquired = g->polled = false;
  for (uint32_t i = 0; i < group->wave_count; ++i) {
    sim_check_wave *c = &g->waves[i];
    sim_counters_begin(c);
    c->barriers = 0;
    c->epoch_begin = 0;
    c->poll_count = 0;
    c->history.count = c->history.next_branch = 0;
    c->history.states = SIM_WAIT_STATES_FAR;
    c->history.path = c->history.pipe_free = 0;
    sim_undefined_begin(&group->waves[i]);
  }
  sim_check_lds_begin(g);
}

static void end(void *state, sim_group *group) {
  (void)state;
  sim_check_barrier_end(group);
}

static void before(sim_wave *w, const sim_op *op) {
  sim_check_wave *c = sim_check_wave_of(w);
  const sim_op_facts *f = sim_facts_of(w, op);
  if (!op->info) return;
  c->exec = sim_exec(w);
  sim_op meant;
  sim_op_facts meant_facts;
  const bool indexed = sim_check_indexed(w, op, f, &meant, &meant_facts);
  sim_check_registers(w, op, indexed ? &meant_facts : f);
  sim_check_wait_states(w, op, f);
  sim_undefined_before(w, op, indexed ? &meant : op, indexed ? &meant_facts : f);
  if (op->info->klass == SIM_CLASS_WAIT)
    sim_counters_wait(c, sim_check_group_of(w->group)->check->facts, sim_op_vmcnt(op), sim_op_lgkmcnt(op));
  if (f->flags & SIM_FACT_BARRIER) ++c->barriers;
}

// Returns the access that the op has just issued: it is still in its ring, landed or not.
static const sim_access *newest(const sim_wave *w, const sim_op *op, const sim_op_facts *f) {
  const sim_pending *p = &w->pending;
  const sim_access *a = f->path == SIM_PATH_LDS    ? sim_newest_lds(p)
                        : f->path == SIM_PATH_SMEM ? sim_newest_smem(p)
                                                   : sim_newest_vm(p);
  return a->op == op ? a : NULL;
}

static void after(sim_wave *w, const sim_op *op) {
  sim_check_wave *c = sim_check_wave_of(w);
  const sim_op_facts *f = sim_facts_of(w, op);
  if (!op->info || w->group->fault) return;
  if ((f->flags & SIM_FACT_BRANCH) && w->pc != sim_index_of(w, op) + 1) sim_check_branched(w, op);
  if (f->path == SIM_PATH_NONE) {
    sim_check_order(w, f);
    return;
  }
  const sim_access *a = newest(w, op, f);
  sim_flight *flight = sim_counters_issue(c, f, sim_index_of(w, op), c->exec);
  if (!a) return;
  sim_undefined_after(w, op, f, a);
  if (f->flags & (SIM_FACT_LDS | SIM_FACT_DIRECT) || f->path == SIM_PATH_FLAT)
    sim_check_lds(w, op, f, a, flight);
  if (f->path == SIM_PATH_LDS) return;
  sim_check_global(w, op, f, a);
  sim_check_written(w, op, f, a);
}

static void release(sim_group *group) {
  sim_check_group *g = sim_check_group_of(group);
  ++g->epoch;
  for (uint32_t i = 0; i < group->wave_count; ++i) {
    sim_counters_release(&g->waves[i]);
    g->waves[i].epoch_begin = group->waves[i].instructions;
  }
  sim_check_lds_release(group);
}

const sim_observer sim_check_observer = {.open = open_state,
                                         .close = sim_check_close,
                                         .begin = begin,
                                         .end = end,
                                         .before = before,
                                         .after = after,
                                         .release = release,
                                         .range = sim_check_range};
