// SPDX-License-Identifier: MIT
// The instruction cache, which two compute units share (RPC). Launches that somebody measures repeat, so code
// is taken to be there when it is first wanted; what has been driven out since comes from L2. Programs that
// fit are not looked at.
#ifndef SIM_TIMING_FETCH_H
#define SIM_TIMING_FETCH_H

#include "sim/isa/program.h"
#include "sim/timing/memory.h"

typedef struct sim_fetch {
  const sim_timing *timing;
  sim_memory_model *memory;
  uint64_t base;   // what the numbers of lines of code are counted from, as lines of memory
  uint64_t begin;  // first line of the program
  bool *wanted;    // lines before; NULL: the whole program fits
  sim_cache cache;
} sim_fetch;

bool sim_fetch_make(sim_fetch *f, const sim_program *program, const sim_machine *machine,
                    sim_memory_model *memory);
void sim_fetch_free(sim_fetch *f);
// When a window of the program, asked for at `now`, can be fetched from.
uint64_t sim_fetch_window(sim_fetch *f, uint32_t window, uint64_t now);

#endif
