// SPDX-License-Identifier: MIT
// Fills the caches as a whole launch does: with the lines of every work-group in the order of the launch,
// without time. A work-group that was not traced takes the lines of one that is alike, moved to where its own
// begin.
#ifndef SIM_TIMING_GRID_CACHE_H
#define SIM_TIMING_GRID_CACHE_H

#include "sim/timing/alike.h"
#include "sim/timing/memory.h"

typedef struct sim_grid_cache {
  uint64_t l2_lines, l2_hits;     // lines that all dies looked up, and found
  uint64_t read_lines;            // lines that the L2s of all dies asked the LLC for
  uint64_t llc_hits, hbm_writes;  // lines of these found there; lines written from the LLC to HBM
  // Lines read from L2; bytes written to L2; lines written from L2 to the LLC.
  uint64_t l2_reads, l2_written_bytes, llc_writes;
  uint64_t late_writes;  // of hbm_writes, those after the last work-group has ended, as L2 is written back
  uint64_t unlike;       // work-groups for which no alike one was found, and another's lines were taken
} sim_grid_cache;

// `capacity` is how many work-groups a compute unit holds. With `l1`, lines are looked up in L1 first. *llc
// is what the last-level cache begins with, without tags where that is nothing, and becomes what the launch
// leaves there; the caller frees it. Returns false when host memory runs out.
bool sim_grid_cache_run(const sim_launch *launch, const sim_alike *alike, uint32_t capacity, bool l1,
                        sim_cache *llc, sim_grid_cache *result);

#endif
