// SPDX-License-Identifier: MIT
// All compute units of all dies take turns: in a turn each place that holds a work-group gives one of its
// waves one instruction. So work-groups that begin together stay together, as those of a GEMM do.
#include "sim/timing/grid_cache.h"

#include <stdlib.h>
#include <string.h>

#include "sim/timing/memory.h"
#include "sim/timing/op_cost.h"

// Lines from one work-group's own part to the next one's: odd, so that they fill all sets.
#define UNSEEN_STEP UINT64_C(0x9e3779b1)

enum {
  MOST_WAVES = 16,
  MOST_KEPT = 4  // times the LLC: of a launch that reads more, the next finds nothing
};

typedef struct place {
  const sim_group_trace *trace;  // NULL: empty
  sim_trace_reader reader[MOST_WAVES];
  uint32_t turn, live;
  uint64_t group;
  const sim_group_summary *own, *example;  // of the work-group, and of the one whose trace it is
  sim_cache *l1;
} place;

typedef struct example {
  uint64_t group;
  const sim_group_trace *trace;  // NULL: none
} example;

typedef struct grid {
  const sim_launch *launch;
  const sim_timing_plan *plan;
  const sim_op_cost *costs;
  place *places;  // die by die
  uint32_t of_die, capacity;
  uint64_t *next;  // of each die
  sim_cache *l1;   // of each compute unit, or NULL
  sim_cache *l2, llc;
  example *table;  // by signature
  size_t table_size;
  sim_grid_cache *result;
} grid;

// ---- work-groups that are alike

static bool fits(const grid *g, const example *e, const sim_group_summary *s) {
  const sim_group_summary *other = &g->plan->summaries[e->group];
  return other->signature == s->signature && (!s->instructions || other->instructions == s->instructions);
}

static example *look_up(const grid *g, const sim_group_summary *s) {
  size_t at = s->signature % g->table_size;
  while (g->table[at].trace && !fits(g, &g->table[at], s)) at = (at + 1) % g->table_size;
  return &g->table[at];
}

static void add_example(grid *g, uint64_t group, const sim_group_trace *trace) {
  if (!trace->waves || trace->out_of_memory || trace->wave_count > MOST_WAVES) return;
  example *e = look_up(g, &g->plan->summaries[group]);
  if (!e->trace) *e = (example){group, trace};
}

static bool make_table(grid *g) {
  const sim_timing_plan *plan = g->plan;
  uint64_t traced = plan->count * plan->dies;
  g->table_size = 2 * (traced + SIM_TIMING_BUCKETS) + 1;
  g->table = calloc(g->table_size, sizeof *g->table);
  for (uint64_t i = 0; g->table && i < traced; ++i) add_example(g, i, &plan->groups[i]);
  for (uint32_t i = 0; g->table && i < SIM_TIMING_BUCKETS; ++i)
    add_example(g, plan->examples[i].index, &plan->examples[i].trace);
  return g->table != NULL;
}

// One that is alike, else one of that size, else the first.
static example example_of(grid *g, uint64_t group) {
  const sim_timing_plan *plan = g->plan;
  const sim_group_summary *s = &plan->summaries[group];
  const example *found = look_up(g, s);
  if (found->trace) return *found;
  ++g->result->unlike;
  const sim_timing_example *e = &plan->examples[sim_timing_bucket(s->instructions)];
  if (s->instructions && e->trace.waves && !e->trace.out_of_memory) return (example){e->index, &e->trace};
  return (example){0, &plan->groups[0]};
}

// Where the work-group itself has the line. Of allocations it was not seen to touch it has its own part.
static uint64_t moved(const place *p, uint64_t line) {
  const sim_trace_touch *there = sim_summary_touch(p->example, line);
  if (!there || p->own == p->example) return line;
  for (uint32_t i = 0; i < SIM_TRACE_ALLOCATIONS && p->own->touch[i].begin; ++i)
    if (p->own->touch[i].begin == there->begin) return line - there->first + p->own->touch[i].first;
  return (UINT64_C(1) << 44) + p->group * UNSEEN_STEP + (line - there->first);
}

// ---- accesses

static void to_llc(grid *g, uint64_t line, bool write) {
  bool hit;
  uint64_t evicted, way = sim_cache_use(&g->llc, line, &hit, &evicted);
  if (write) g->llc.dirty[way] = 1;
  if (evicted) ++g->result->hbm_writes;
  if (write) return;
  ++g->result->read_lines;
  g->result->llc_hits += hit;
}

static void access(grid *g, place *p, uint32_t die, uint64_t line, const sim_op_cost *c) {
  bool hit;
  uint64_t evicted;
  if (p->l1 && !c->store && !c->bypass) {
    sim_cache_use(p->l1, line, &hit, &evicted);
    if (hit) return;
  }
  uint64_t way = sim_cache_use(&g->l2[die], line, &hit, &evicted);
  ++g->result->l2_lines;
  g->result->l2_hits += hit;
  if (c->store) g->l2[die].dirty[way] = 1;
  if (evicted) to_llc(g, evicted - 1, true);
  if (!hit && !c->store) to_llc(g, line, false);
}

// One instruction of the wave; false when there is none left.
static bool step_wave(grid *g, place *p, uint32_t die, sim_trace_reader *r) {
  sim_trace_access lines[SIM_TRACE_LINES];
  while (!sim_trace_ended(r)) {
    const sim_op_cost *c = &g->costs[r->op];
    uint32_t count = sim_trace_next_access(r, g->launch->program, lines);
    for (uint32_t i = 0; i < count; ++i) access(g, p, die, moved(p, lines[i].line), c);
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
  example e = group < g->plan->count * g->plan->dies ? (example){group, &g->plan->groups[group]}
                                                     : example_of(g, group);
  p->trace = e.trace;
  p->group = group;
  p->own = &g->plan->summaries[group];
  p->example = &g->plan->summaries[e.group];
  p->turn = 0;
  p->live = e.trace->wave_count;
  for (uint32_t i = 0; i < p->live; ++i) p->reader[i] = sim_trace_read(&e.trace->waves[i]);
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

// Between launches L2 is written back and invalidated (SHARK), L1 too; the LLC keeps what it has.
static void end_launch(grid *g) {
  uint32_t dies = (uint32_t)g->plan->dies;
  for (uint32_t die = 0; die < dies; ++die)
    for (uint64_t i = 0; i < g->l2[die].sets * g->l2[die].ways; ++i)
      if (g->l2[die].dirty[i]) to_llc(g, g->l2[die].tags[i] - 1, true);
  for (uint32_t die = 0; die < dies; ++die) sim_cache_clear(&g->l2[die]);
  for (uint32_t i = 0; g->l1 && i < dies * g->of_die / g->capacity; ++i) sim_cache_clear(&g->l1[i]);
  memset(g->next, 0, dies * sizeof *g->next);
}

// A launch that repeats finds in the LLC what it left there, unless it has moved much more than fits.
static void run(grid *g) {
  const sim_timing *t = g->launch->machine->timing;
  run_launch(g);
  sim_grid_cache first = *g->result;
  first.repeated_llc_hits = first.llc_hits;
  if ((first.read_lines - first.llc_hits) * t->line_bytes < MOST_KEPT * t->llc_bytes) {
    end_launch(g);
    *g->result = (sim_grid_cache){0};
    run_launch(g);
    first.repeated_llc_hits = g->result->llc_hits;
  }
  *g->result = first;
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
  bool ok = g->places && g->next && g->l2 && (!l1 || g->l1) && make_table(g) &&
            sim_cache_make(&g->llc, t->llc_bytes, t->line_bytes, SIM_LLC_WAYS, SIM_CACHE_FOLDED, false);
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
  free(g->table);
}

bool sim_grid_cache_run(const sim_launch *launch, uint32_t capacity, bool l1, sim_grid_cache *result) {
  sim_op_cost *costs = sim_op_costs(launch->program, launch->machine);
  grid g = {.launch = launch, .plan = launch->timing, .costs = costs, .capacity = capacity, .result = result};
  *result = (sim_grid_cache){0};
  bool ok = make(&g, l1) && costs && launch->timing->groups[0].wave_count <= MOST_WAVES;
  if (ok) run(&g);
  free_grid(&g);
  free(costs);
  return ok;
}
