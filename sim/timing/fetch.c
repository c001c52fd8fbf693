// SPDX-License-Identifier: MIT
#include "sim/timing/fetch.h"

#include <math.h>
#include <stdlib.h>

enum { CODE_PLACE = 45 };  // lines of code are numbered from 2^45, where nothing else is

bool sim_fetch_make(sim_fetch *f, const sim_program *program, const sim_machine *machine,
                    sim_memory_model *memory) {
  const sim_timing *t = machine->timing;
  *f = (sim_fetch){.timing = t, .memory = memory, .base = UINT64_C(1) << CODE_PLACE};
  if (!program->op_count) return true;
  const sim_op *last = &program->ops[program->op_count - 1];
  f->begin = program->ops[0].offset / t->fetch_line;
  uint64_t lines = (last->offset + last->size) / t->fetch_line + 1 - f->begin;
  if (lines * t->fetch_line <= t->fetch_cache_bytes) return true;
  f->wanted = calloc(lines, sizeof *f->wanted);
  // Plain: assumed, so that code of the cache's size fits.
  return f->wanted &&
         sim_cache_make(&f->cache, t->fetch_cache_bytes, t->fetch_line, t->fetch_ways, SIM_CACHE_PLAIN, true);
}

void sim_fetch_free(sim_fetch *f) {
  free(f->wanted);
  sim_cache_free(&f->cache);
}

uint64_t sim_fetch_window(sim_fetch *f, uint32_t window, uint64_t now) {
  const sim_timing *t = f->timing;
  if (!f->wanted) return now;
  uint64_t line = (uint64_t)window * t->fetch_bytes / t->fetch_line, evicted;
  bool hit, *wanted = &f->wanted[line - f->begin];
  double *ready = &f->cache.ready[sim_cache_use(&f->cache, line, &hit, &evicted)];
  if (!hit) *ready = *wanted ? sim_memory_read(f->memory, f->base + line, (double)now) : 0;
  *wanted = true;
  uint64_t there = (uint64_t)ceil(*ready);
  return there > now ? there : now;
}
