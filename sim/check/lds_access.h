// SPDX-License-Identifier: MIT
// Declares what check_lds.c, which orders accesses of LDS, and check_lds_explain.c, which reports them,
// share: the words of state of a dword, and an access as one wave makes it.
#ifndef SIM_CHECK_LDS_ACCESS_H
#define SIM_CHECK_LDS_ACCESS_H

#include "sim/check/state.h"

// Says where the parts of the words stand: of the last write, and of the reads of this epoch.
enum {
  SERIAL_MASK = (1 << 25) - 1,
  WRITER_SHIFT = 25,  // wave * PATHS + path
  WRITER_MASK = 63,
  ATOMIC_SHIFT = 31,
  BYTES_SHIFT = 32,
  DEFINED_SHIFT = 36,
  WRITE_OP_SHIFT = 40,
  EPOCH_MASK = (1 << 16) - 1,
  READERS_SHIFT = 16,
  READ_BYTES_SHIFT = 32,
  LATE_SHIFT = 36,
  COPIERS_SHIFT = 48,  // above the address, of 47 bits
  READ_OP_SHIFT = 40,
  MOST_WAVES = 16
};

// Says how an access reaches LDS: a DS instruction, a copy from memory, a FLAT instruction. The serials of
// the last two are those of the vector memory queue.
typedef enum sim_lds_path { PATH_DS, PATH_COPY, PATH_FLAT, PATHS } sim_lds_path;

typedef struct sim_lds_sight {  // one access by one wave
  sim_wave *w;
  const sim_op *op;
  sim_lds_dword *lds;
  uint32_t index, epoch;
  uint32_t position;  // instructions of the wave since the last barrier
  sim_lds_path how;
  bool writes, atomic;
  const sim_access *copy;                 // NULL: it is none
  uint64_t source;                        // of the dword that is copied; 0: not known, or no copy
  uint32_t limit[PATHS * MOST_WAVES];     // serials up to which another's writes happen before this
  uint32_t released;                      // serials of this wave's queue that the last barrier has ordered
  uint64_t fresh;                         // what a write leaves, without bytes
  uint64_t readers_here;                  // what a read leaves
  bool told_write, told_read, told_step;  // each is counted once for all lanes
} sim_lds_sight;

static inline sim_queue_kind sim_lds_queue_of(sim_lds_path how) {
  return how == PATH_DS ? SIM_QUEUE_LDS : SIM_QUEUE_VM;
}

// Report that the access comes in no order with the write, or with the reads, that the word describes.
void sim_lds_explain_write(sim_lds_sight *s, uint64_t word, int lane, uint32_t dword);
void sim_lds_explain_read(sim_lds_sight *s, uint64_t word, int lane, uint32_t dword);

#endif
