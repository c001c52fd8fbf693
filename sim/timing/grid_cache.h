// SPDX-License-Identifier: MIT
// The caches as a whole launch fills them: the lines of every work-group in the order of the launch, without
// time. A work-group that was not traced takes the lines of one that is alike, moved to where its own begin.
#ifndef SIM_TIMING_GRID_CACHE_H
#define SIM_TIMING_GRID_CACHE_H

#include "sim/timing/alike.h"
#include "sim/timing/memory.h"

typedef struct sim_grid_cache {
  uint64_t l2_lines, l2_hits;     // looked up by all dies
  uint64_t read_lines;            // that the L2s of all dies asked the LLC for
  uint64_t llc_hits, hbm_writes;  // of these; and lines written from the LLC to HBM
  uint64_t l2_reads, l2_written_bytes,
      llc_writes;   // lines read; bytes written to L2; lines, from there to the LLC
  uint64_t unlike;  // work-groups for which another's lines had to do
} sim_grid_cache;

// capacity: work-groups a compute unit holds. With `l1` lines are looked up in L1 first. llc: what the
// last-level cache begins with; NULL: nothing. False when host memory runs out.
bool sim_grid_cache_run(const sim_launch *launch, const sim_alike *alike, uint32_t capacity, bool l1,
                        const sim_cache *llc, sim_grid_cache *result);

// What the launch leaves in the last-level cache, which was empty: *llc, to be freed. False as above.
bool sim_grid_cache_leave(const sim_launch *launch, const sim_alike *alike, uint32_t capacity,
                          sim_cache *llc);

#endif
