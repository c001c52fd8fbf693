// SPDX-License-Identifier: MIT
// Finds the loops of a decoded kernel.
#ifndef WT_TOOLS_ISA_LOOPS_H
#define WT_TOOLS_ISA_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/isa/program.h"

typedef struct isa_loop {
  uint32_t head;   // index of its first op in program->ops
  uint32_t depth;  // 1 for a loop in no other
  bool *member;    // member[i - first]: op i is executed in the loop
} isa_loop;

// Returns the natural loops among the ops first..last, sorted by head: all ops from which control can come
// back to the head without leaving through it, for branches back to a head that every path passes first. A
// cold block placed behind the code it returns to is no loop. Indirect branches count as leaving. Returns
// NULL with *count 0 when there is none or host memory runs out.
isa_loop *isa_loops_find(const sim_program *program, uint32_t first, uint32_t last, uint32_t *count);
void isa_loops_free(isa_loop *loops, uint32_t count);

#endif
