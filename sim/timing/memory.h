// SPDX-License-Identifier: MIT
// Models memory as one die sees it: its L2, and the die's share of the last-level cache (LLC) and of HBM.
// Caches hold tags, not data. Every resource is a server that takes requests in the order they are made; a
// request is answered at once with the cycle at which its data arrives.
#ifndef SIM_TIMING_MEMORY_H
#define SIM_TIMING_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/machine/machine.h"
#include "sim/timing/channels.h"

enum { SIM_LLC_WAYS = 16 };  // AMD CDNA 3 white paper

// Says how a line finds its set. Which of these hardware uses is not published (all assumed).
typedef enum sim_cache_index {
  SIM_CACHE_HASHED,  // any stride is spread
  SIM_CACHE_FOLDED,  // higher bits onto the low ones: any stride is spread, and blocks of memory fill all
                     // sets alike
  SIM_CACHE_PLAIN    // the low bits
} sim_cache_index;

typedef struct sim_cache {
  uint64_t *tags;  // line + 1; 0: empty
  double *ready;   // when the line is there; NULL where nobody asks
  uint32_t *used;  // when the way was last used, in uses of the cache, for replacement
  uint8_t *dirty;
  uint64_t sets, ways;  // `sets` is a power of two
  uint32_t clock;
  uint32_t begun;  // the clock when the launch began: lines used last before have long been there
  sim_cache_index index;
  uint32_t set_bits;
  void *memory;  // in which all arrays lie
  size_t memory_bytes;
} sim_cache;

bool sim_cache_make(sim_cache *c, uint64_t bytes, uint32_t line, uint32_t ways, sim_cache_index index,
                    bool times);
void sim_cache_free(sim_cache *c);
// Copies the lines of another cache of the same size; all of them are ready.
void sim_cache_copy(sim_cache *c, const sim_cache *from);
// Begins a launch with the lines that an earlier one has left.
void sim_cache_go_on(sim_cache *c);
// Gives all lines other addresses, and fills the empty ways with still other copies of them: so a launch
// leaves the cache that runs again and again, each time on another copy of its data.
void sim_cache_make_copies(sim_cache *c);
// Looks a line up, and returns its place as an index into the arrays. If the line was not there, it is put
// there: *hit is then false, and *evicted is 1 + the line that it replaces if that one was dirty, else 0.
uint64_t sim_cache_use(sim_cache *c, uint64_t line, bool *hit, uint64_t *evicted);

// Fetches what sim_cache_use will look at into the host's own cache: sets lie anywhere, and waiting for them
// one by one is most of what a look-up costs.
void sim_cache_expect(const sim_cache *c, uint64_t line);

typedef struct sim_memory_model {
  const sim_machine *machine;
  uint32_t dies;       // dies that use the LLC and HBM; the first is the one timed in detail
  sim_cache *l2, llc;  // an L2 for each die
  // These are the cycles from which servers are free: the channels of the first die's L2 and the link from
  // each to the LLC, the slices of the LLC, and the channels of HBM behind them. `llc_free` and `hbm_free`
  // stand for what the die reads of the LLC and what all of HBM gives together, which was measured to be
  // less.
  double *channel, *to_llc;
  double slice[SIM_MEMORY_CHANNELS], hbm[SIM_MEMORY_CHANNELS];
  double llc_free, hbm_free;
  uint64_t l2_lines, l2_hits, llc_lines, llc_hits, written_lines;  // of the first die
  uint64_t l2_reads, l2_written_bytes;  // of the first die: lines read; bytes written
  // Counts lines of all dies: read from the LLC and written to it; read from HBM and written to it.
  uint64_t read_lines, llc_writes, hbm_reads, hbm_writes;
} sim_memory_model;

// With `dies` 1, a die has its share of HBM to itself. Returns false when host memory runs out.
bool sim_memory_model_make(sim_memory_model *m, const sim_machine *machine, uint32_t dies);
void sim_memory_model_free(sim_memory_model *m);

// Reads one line that L1 has accepted at `now`. Returns when its data arrives in L1.
double sim_memory_read(sim_memory_model *m, uint64_t line, double now);
// Writes one or two 64-byte halves of a line. Returns when L2 has them.
double sim_memory_write(sim_memory_model *m, uint64_t line, unsigned halves, double now);
// Says that sim_memory_elsewhere will be asked (see sim_cache_expect).
void sim_memory_expect(const sim_memory_model *m, uint32_t die, uint64_t line);
// Reads or writes a line for another die at the same time: this fills the caches and takes its part of HBM.
void sim_memory_elsewhere(sim_memory_model *m, uint32_t die, uint64_t line, bool store, double now);
// Writes back what is dirty at the end, and returns the cycles that this takes: the dies' lines to the LLC,
// and what they drive out of it to HBM.
double sim_memory_write_back(sim_memory_model *m);

#endif
