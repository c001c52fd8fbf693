// SPDX-License-Identifier: MIT
// Memory as one die sees it: its L2, and the die's share of the last-level cache (LLC) and of HBM. Caches
// hold tags, not data. Every resource is a server that takes requests in the order they are made; a request
// is answered at once with the cycle at which its data arrives.
#ifndef SIM_TIMING_MEMORY_H
#define SIM_TIMING_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/machine/machine.h"
#include "sim/timing/channels.h"

enum { SIM_LLC_WAYS = 16 };  // AMD CDNA 3 white paper

// How a line finds its set. Which way hardware takes is not published (all assumed).
typedef enum sim_cache_index {
  SIM_CACHE_HASHED,  // any stride is spread
  SIM_CACHE_FOLDED,  // higher bits onto the low ones: any stride is spread, and blocks of memory fill all
                     // sets alike
  SIM_CACHE_PLAIN    // the low bits
} sim_cache_index;

typedef struct sim_cache {
  uint64_t *tags;  // line + 1; 0: empty
  double *ready;   // when the line is there; NULL where nobody asks
  uint32_t *used;  // time of the last use, for replacement
  uint8_t *dirty;
  uint64_t sets, ways;  // sets: a power of two
  uint32_t clock;
  sim_cache_index index;
  uint32_t set_bits;
} sim_cache;

bool sim_cache_make(sim_cache *c, uint64_t bytes, uint32_t line, uint32_t ways, sim_cache_index index,
                    bool times);
void sim_cache_free(sim_cache *c);
// Takes the lines of another of the same size; all of them are there.
void sim_cache_copy(sim_cache *c, const sim_cache *from);
// The way of the line, as an index into the arrays; made if it was not there (*hit false, *evicted the line
// + 1 it replaces if that one was dirty, else 0).
uint64_t sim_cache_use(sim_cache *c, uint64_t line, bool *hit, uint64_t *evicted);

uint64_t sim_cache_dirty(const sim_cache *c);  // the number of dirty lines

// Fetches what sim_cache_use will look at into the host's own cache: sets lie anywhere, and waiting for them
// one by one is most of what a look-up costs.
void sim_cache_expect(const sim_cache *c, uint64_t line);

typedef struct sim_memory_model {
  const sim_machine *machine;
  uint32_t dies;       // that use the LLC and HBM; the first is the one timed in detail
  sim_cache *l2, llc;  // an L2 for each die
  // Servers, each free from then on: the channels of the first die's L2 and the link from each to the LLC,
  // the slices of the LLC, and the channels of HBM behind them; and what the die reads of the LLC and all of
  // HBM give together, which was measured to be less.
  double *channel, *to_llc;
  double slice[SIM_MEMORY_CHANNELS], hbm[SIM_MEMORY_CHANNELS];
  double llc_free, hbm_free;
  uint64_t l2_lines, l2_hits, llc_lines, llc_hits, written_lines;  // of the first die
  uint64_t l2_reads, l2_written_bytes;  // of the first die: lines read; bytes written
  // Lines, of all dies: asked of the LLC and written to it; from and to HBM.
  uint64_t read_lines, llc_writes, hbm_reads, hbm_writes;
} sim_memory_model;

// dies: 1 gives a die its share of HBM to itself.
bool sim_memory_model_make(sim_memory_model *m, const sim_machine *machine, uint32_t dies);
void sim_memory_model_free(sim_memory_model *m);

// A read of one line that L1 has accepted at `now`: when its data arrives there.
double sim_memory_read(sim_memory_model *m, uint64_t line, double now);
// A write of one or two 64-byte halves: when L2 has it.
double sim_memory_write(sim_memory_model *m, uint64_t line, unsigned halves, double now);
// Says that sim_memory_elsewhere will be asked (see sim_cache_expect).
void sim_memory_expect(const sim_memory_model *m, uint32_t die, uint64_t line);
// What another die reads or writes at the same time: it fills the caches and takes its part of HBM.
void sim_memory_elsewhere(sim_memory_model *m, uint32_t die, uint64_t line, bool store, double now);
// Cycles to write back what is dirty at the end.
double sim_memory_write_back(sim_memory_model *m);

#endif
