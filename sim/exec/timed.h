// SPDX-License-Identifier: MIT
// Implements the schedule `timed`: waves issue and memory operations land after as many cycles as the chip's
// table of timing says (sim/machine/timing.c). It models what sim/timing models, except what needs the whole
// grid: every read of memory hits L2, and neither instruction fetch, bank conflicts nor registers that are
// not ready yet hold a wave up. sim_group.round counts cycles.
#ifndef SIM_EXEC_TIMED_H
#define SIM_EXEC_TIMED_H

#include "sim/exec/op_cost.h"

typedef struct sim_group sim_group;

// Describes the cycles in which the units of the compute unit are free again. Every work-group has a compute
// unit to itself.
typedef struct sim_timed {
  const sim_op_cost *costs;  // one per op of the program
  uint64_t matrix[SIM_CU_SIMDS], vector[SIM_CU_SIMDS], operands[SIM_CU_SIMDS];
  uint64_t lds[SIM_CU_PAIRS], vmem;
  uint32_t taken[SIM_CU_SIMDS];  // the units taken in this slot, one bit each
} sim_timed;

// Returns the cycle in which a memory operation that issues now has landed. *read becomes the cycle in which
// the memory unit reads its data from registers; 0 for LDS and scalar operations.
uint64_t sim_timed_arrival(sim_wave *w, const sim_op *op, uint64_t *read);
// Runs one issue slot of the work-group's waves, then goes to the next cycle in which something happens, at
// most to `end`.
void sim_timed_slot(sim_group *g, uint64_t end);

#endif
