// SPDX-License-Identifier: MIT
// Wait states that software has to put between two instructions (CDNA4 ISA tables 11 and 38; for CDNA3 the
// same tables as LLVM 22 keeps them). The hardware does not interlock these. This is the only table of the
// project: check mode applies it to what waves execute, tests/kernels/matrix_hazards.c to every path through
// the library's code.
#ifndef SIM_CHECK_WAIT_STATES_H
#define SIM_CHECK_WAIT_STATES_H

#include "sim/isa/op.h"
#include "sim/machine/machine.h"

enum { SIM_WAIT_STATES_FAR = 20 };  // no two instructions need more

// Returns how many states `next` needs after `op`, 0 for none. If there are some, *why says for what (why may
// be NULL).
unsigned sim_wait_states_needed(sim_chip chip, const sim_op *op, const sim_op *next, const char **why);

// Returns a number of states that no instruction after `op` exceeds.
unsigned sim_wait_states_horizon(sim_chip chip, const sim_op *op);

// Returns how many states pass while an op is issued: 1, or N + 1 for s_nop N.
unsigned sim_wait_states_of(const sim_op *op);

#endif
