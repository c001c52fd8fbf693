// SPDX-License-Identifier: MIT
// Models the instruction cache, which two compute units share (RPC). Launches that somebody measures repeat,
// so code is taken to be in the cache when it is first wanted; what has been evicted since comes from L2.
// Programs that fit into the cache are not simulated.
#ifndef SIM_TIMING_FETCH_H
#define SIM_TIMING_FETCH_H

#include "sim/isa/program.h"
#include "sim/timing/memory.h"

typedef struct sim_fetch {
  const sim_timing *timing;
  sim_memory_model *memory;
  uint64_t base;   // the line of memory from which lines of code are numbered
  uint64_t begin;  // first line of the program
  bool *wanted;    // which lines have been wanted before; NULL: the whole program fits
  sim_cache cache;
} sim_fetch;

bool sim_fetch_make(sim_fetch *f, const sim_program *program, const sim_machine *machine,
                    sim_memory_model *memory);
void sim_fetch_free(sim_fetch *f);
// Returns the cycle from which instructions can be fetched out of a window of the program that is asked for
// at `now`.
uint64_t sim_fetch_window(sim_fetch *f, uint32_t window, uint64_t now);

#endif
