// SPDX-License-Identifier: MIT
// Allocates memory that is zero until it is touched. The model of a chip has tens of megabytes of state, of
// which most launches touch little; malloc would set all of it to zero when it gives the same memory out
// again.
#ifndef SIM_TIMING_ZEROED_H
#define SIM_TIMING_ZEROED_H

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { SIM_LEAST_MAPPED_BYTES = 128 << 10 };  // less is not worth the calls

// Returns so many bytes, or NULL when there is no memory.
static inline void *sim_zeroed(size_t bytes) {
  if (bytes < SIM_LEAST_MAPPED_BYTES) return calloc(1, bytes);
  void *memory =
      mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

// `bytes` is what was asked for.
static inline void sim_zeroed_free(void *memory, size_t bytes) {
  if (bytes < SIM_LEAST_MAPPED_BYTES) {
    free(memory);
  } else if (memory) {
    munmap(memory, bytes);
  }
}

#endif
