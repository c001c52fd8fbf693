// SPDX-License-Identifier: MIT
// Buffer resources: the descriptor, and addresses and range checks of MUBUF and MTBUF accesses.
#ifndef SIM_EXEC_MEMORY_BUFFER_H
#define SIM_EXEC_MEMORY_BUFFER_H

#include "sim/exec/memory/memory_ops.h"

typedef struct sim_buffer {  // CDNA4 ISA table 48
  uint64_t base;
  uint32_t stride, num_records;
  uint32_t dst_sel;  // four fields of three bits
  uint32_t num_format, data_format;
  uint32_t index_stride;  // lanes: 8, 16, 32 or 64
  bool swizzle;           // of what this instruction accesses
  bool add_tid;
} sim_buffer;

// Operands in text order end with address, descriptor, offset.
static inline const sim_operand *sim_buffer_vaddr(const sim_op *op) { return &op->src[op->src_count - 3]; }

// Reads the descriptor that the operation names. Returns false after a fault.
bool sim_buffer_read(sim_wave *w, const sim_op *op, sim_buffer *buffer);

// Fills access->address and access->in_range for `bytes` per lane, and checks against the allocations what
// lies in range. all_or_nothing: atomics and formats are in range only when every component is (`bytes` then
// counts up to the end of the last component, whose size is `last`). Returns false after a fault.
bool sim_buffer_addresses(sim_wave *w, const sim_op *op, const sim_buffer *buffer, sim_access *a,
                          uint32_t bytes, uint32_t last, bool all_or_nothing);

// Serves a direct-to-LDS copy when its addresses are known: it checks that they are aligned, and sets up the
// LDS addresses. Returns false after a fault.
bool sim_buffer_direct_setup(sim_wave *w, const sim_op *op, const sim_buffer *buffer, sim_access *a,
                             uint32_t bytes);

// Handlers of the format forms (format.c).
void sim_run_buffer_load_format(sim_wave *w, const sim_op *op);
void sim_run_buffer_store_format(sim_wave *w, const sim_op *op);

#endif
