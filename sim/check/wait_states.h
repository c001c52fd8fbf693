// SPDX-License-Identifier: MIT
// Wait states that software has to put between two instructions (CDNA4 ISA tables 11 and 38; for CDNA3 the
// same tables as LLVM 22 keeps them). This is the only table of the project: check mode applies it to what
// waves execute, tests/kernels/matrix_hazards.c to every path through the library's code.
//
// The manual says that the hardware does not wait by itself. For some of the rules production code shows
// otherwise: it breaks them in thousands of places and works (docs/check.md has the counts).
#ifndef SIM_CHECK_WAIT_STATES_H
#define SIM_CHECK_WAIT_STATES_H

#include "sim/isa/op.h"
#include "sim/machine/machine.h"

enum { SIM_WAIT_STATES_FAR = 20 };  // no two instructions need more

typedef struct sim_wait_rule {
  unsigned states;  // that the manual's table asks for
  unsigned enough;  // with which production code ships: fewer are an error
  const char *why;
} sim_wait_rule;

// Several rules may hold for two instructions. `table` is the one that asks for most states, `hard` the one
// whose `enough` is largest. Their states are 0 where there is none.
typedef struct sim_wait_need {
  sim_wait_rule table, hard;
} sim_wait_need;

// Returns what `next` needs after `op`. `redefined` has a bit for each SGPR that an instruction between the
// two has written: what `op` left there is gone (NULL: none has been).
sim_wait_need sim_wait_states_needed(sim_chip chip, const sim_op *op, const sim_op *next,
                                     const uint64_t redefined[2]);

// Returns a number of states that no instruction after `op` exceeds.
unsigned sim_wait_states_horizon(sim_chip chip, const sim_op *op);

// Returns how many states pass while an op is issued: 1, or N + 1 for s_nop N.
unsigned sim_wait_states_of(const sim_op *op);

// Returns for how many states from its issue a matrix instruction holds the matrix pipe, so that no other
// matrix instruction of the wave is issued; 0 for other instructions.
unsigned sim_wait_states_held(sim_chip chip, const sim_op *op);
enum { SIM_WAIT_STATES_MOST_HELD = 16 };

#endif
