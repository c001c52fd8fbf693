// SPDX-License-Identifier: MIT
// All compute units of all dies alternate: in a round each slot that holds a work-group executes one
// instruction of one of its waves. So work-groups that begin together stay together, as a GEMM's do.
#include "sim/timing/grid_cache.h"

#include <stdlib.h>
#include <string.h>

#include "sim/exec/op_cost.h"
#include "sim/timing/memory.h"

enum { MOST_WAVES = 16 };

typedef struct place {
  const sim_group_trace *trace;  // NULL: empty
  sim_trace_reader reader[MOST_WAVES];
  uint32_t turn, live;
  uint64_t group;
  sim_stand_in like;  // whose trace it is
  sim_cache *l1;
} place;

typedef struct grid {
  const sim_launch *launch;
  const sim_timing_plan *plan;
  const sim_alike *alike;
  sim_op_cost *costs;
  place *places;  // die by die
  uint32_t of_die, capacity;
  uint64_t *next;  // of each die
  sim_cache *l1;   // of each compute unit, or NULL
  sim_cache *l2, llc;
  sim_grid_cache *result;
} grid;

// ---- accesses

typedef struct llc_access {
  uint64_t line;
  bool write;
} llc_access;

typedef struct llc_accesses {
  llc_access at[2 * SIM_TRACE_LINES];
  uint32_t count;
} llc_accesses;

static void add_llc(const grid *g, llc_accesses *list, uint64_t line, bool write) {
  sim_cache_expect(&g->llc, line);
  list->at[list->count++] = (llc_access){line, write};
}

static void to_llc(grid *g, llc_access a) {
  bool hit;
  uint64_t evicted, way = sim_cache_use(&g->llc, a.line, &hit, &evicted);
  if (a.write) g->llc.dirty[way] = 1;
  if (evicted) ++g->result->hbm_writes;
  g->result->llc_writes += a.write;
  if (a.write) return;
  ++g->result->read_lines;
  g->result->llc_hits += hit;
}

// Looks one line up in L1 and L2, and says what they leave for the LLC.
static void access(grid *g, place *p, uint32_t die, sim_trace_access a, const sim_op_cost *c,
                   llc_accesses *llc) {
  const uint64_t line = a.line;
  bool hit;
  uint64_t evicted;
  if (p->l1 && !c->store && !c->bypass) {
    sim_cache_use(p->l1, line, &hit, &evicted);
    if (hit) return;
  }
  uint64_t way = sim_cache_use(&g->l2[die], line, &hit, &evicted);
  ++g->result->l2_lines;
  g->result->l2_hits += hit;
  if (c->store)
    g->result->l2_written_bytes += g->launch->machine->timing->write_granule * (a.halves == 3 ? 2u : 1u);
  else
    ++g->result->l2_reads;
  if (c->store) g->l2[die].dirty[way] = 1;
  if (evicted) add_llc(g, llc, evicted - 1, true);
  if (!hit && !c->store) add_llc(g, llc, line, false);
}

// Executes one instruction of the wave; returns false when there is none left. Its lines go through one cache
// after the other, so that what they find there can be fetched for all of them at once.
static bool step_wave(grid *g, place *p, uint32_t die, sim_trace_reader *r) {
  sim_trace_access lines[SIM_TRACE_LINES];
  while (!sim_trace_ended(r)) {
    const sim_op_cost *c = &g->costs[r->op];
    uint32_t count = sim_trace_next_access(r, g->launch->program, lines);
    llc_accesses llc;
    llc.count = 0;
    for (uint32_t i = 0; i < count; ++i) {
      lines[i].line = sim_alike_line(g->plan, p->group, &p->like, lines[i].line);
      sim_cache_expect(&g->l2[die], lines[i].line);
    }
    for (uint32_t i = 0; i < count; ++i) access(g, p, die, lines[i], c, &llc);
    for (uint32_t i = 0; i < llc.count; ++i) to_llc(g, llc.at[i]);
    if (count) return true;
  }
  return false;
}

static void step_group(grid *g, place *p, uint32_t die) {
  for (uint32_t waves = p->trace->wave_count; p->live;) {
    uint32_t i = p->turn++ % waves;
    if (!p->reader[i].at) continue;
    if (step_wave(g, p, die, &p->reader[i])) return;
    p->reader[i].at = NULL;
    --p->live;
  }
  p->trace = NULL;
}

static bool begin_group(grid *g, place *p, uint32_t die) {
  uint64_t group = g->next[die] * g->plan->dies + die;
  if (group >= g->plan->total) return false;
  ++g->next[die];
  sim_stand_in s = sim_alike_find(g->alike, group);
  g->result->unlike += !s.like;
  p->trace = s.trace;
  p->group = group;
  p->like = s;
  p->turn = 0;
  p->live = s.trace->wave_count;
  for (uint32_t i = 0; i < p->live; ++i)
    p->reader[i] = sim_trace_read(&s.trace->waves[i], g->launch->program);
  return true;
}

static void run_launch(grid *g) {
  uint32_t dies = (uint32_t)g->plan->dies;
  uint64_t busy = 1;
  for (uint32_t turn = 0; busy; ++turn) {
    busy = 0;
    for (uint32_t k = 0; k < dies; ++k) {
      uint32_t die = (turn + k) % dies;  // another comes first each time
      for (uint32_t i = 0; i < g->of_die; ++i) {
        // Units first: the second work-group of a unit begins when all have one.
        place *p = &g->places[die * g->of_die + i];
        if (!p->trace && !begin_group(g, p, die)) continue;
        step_group(g, p, die);
        ++busy;
      }
    }
  }
}

// At the end of a launch L2 is written back (SHARK); the LLC keeps what it has.
static void write_back(grid *g) {
  const uint64_t before = g->result->hbm_writes;
  for (uint32_t die = 0; die < g->plan->dies; ++die)
    for (uint64_t i = 0; i < g->l2[die].sets * g->l2[die].ways; ++i)
      if (g->l2[die].dirty[i]) to_llc(g, (llc_access){g->l2[die].tags[i] - 1, true});
  g->result->late_writes = g->result->hbm_writes - before;
}

static bool make(grid *g, bool l1) {
  const sim_machine *m = g->launch->machine;
  const sim_timing *t = m->timing;
  uint32_t dies = (uint32_t)g->plan->dies, units = m->cus / m->xcds;
  g->of_die = units * g->capacity;
  g->places = calloc((size_t)dies * g->of_die, sizeof *g->places);
  g->next = calloc(dies, sizeof *g->next);
  g->l2 = calloc(dies, sizeof *g->l2);
  if (l1) g->l1 = calloc((size_t)dies * units, sizeof *g->l1);
  bool ok = g->places && g->next && g->l2 && (!l1 || g->l1) &&
            sim_cache_make(&g->llc, t->llc_bytes, t->line_bytes, SIM_LLC_WAYS, SIM_CACHE_FOLDED, true);
  for (uint32_t i = 0; ok && i < dies; ++i)
    ok = sim_cache_make(&g->l2[i], m->l2_bytes, t->line_bytes, t->l2_ways, SIM_CACHE_FOLDED, false);
  for (uint32_t i = 0; ok && l1 && i < dies * units; ++i)
    ok = sim_cache_make(&g->l1[i], t->tcp_bytes, t->line_bytes, t->tcp_ways, SIM_CACHE_HASHED, false);
  for (uint32_t i = 0; ok && l1 && i < dies * g->of_die; ++i)
    g->places[i].l1 = &g->l1[i / g->of_die * units + i % g->of_die % units];
  return ok;
}

static void free_grid(grid *g) {
  uint32_t dies = (uint32_t)g->plan->dies, units = g->launch->machine->cus / g->launch->machine->xcds;
  for (uint32_t i = 0; g->l2 && i < dies; ++i) sim_cache_free(&g->l2[i]);
  for (uint32_t i = 0; g->l1 && i < dies * units; ++i) sim_cache_free(&g->l1[i]);
  sim_cache_free(&g->llc);
  free(g->places);
  free(g->next);
  free(g->l2);
  free(g->l1);
  free(g->costs);
}

static bool begin(grid *g, const sim_launch *launch, const sim_alike *alike, uint32_t capacity, bool l1,
                  sim_grid_cache *result) {
  *result = (sim_grid_cache){0};
  *g = (grid){.launch = launch,
              .plan = alike->plan,
              .alike = alike,
              .costs = sim_op_costs(launch->program, launch->machine),
              .capacity = capacity,
              .result = result};
  return make(g, l1) && g->costs && alike->plan->groups[0].wave_count <= MOST_WAVES;
}

bool sim_grid_cache_run(const sim_launch *launch, const sim_alike *alike, uint32_t capacity, bool l1,
                        sim_cache *llc, sim_grid_cache *result) {
  grid g;
  bool ok = begin(&g, launch, alike, capacity, l1, result);
  if (ok && llc->tags) sim_cache_copy(&g.llc, llc);
  if (ok) {
    run_launch(&g);
    write_back(&g);
    sim_cache_free(llc);
    *llc = g.llc;
    g.llc = (sim_cache){0};
  }
  free_grid(&g);
  return ok;
}
