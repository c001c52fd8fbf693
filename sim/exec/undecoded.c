// SPDX-License-Identifier: MIT
// Runs in place of an instruction that the decoder does not know.
#include "sim/exec/wave.h"
#include "sim/isa/decode.h"

void sim_run_unknown(sim_wave *w, const sim_op *op) {
  sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "the simulated device does not know this instruction");
}

void sim_run_bad_operands(sim_wave *w, const sim_op *op) {
  sim_fault(w, SIM_FAULT_UNSUPPORTED, op, -1, "the simulated device does not know this operand form of %s",
            op->info->name);
}

// Running off the end of the code is a fault, not a walk through memory.
void sim_run_past_end(sim_wave *w, const sim_op *op) {
  sim_fault(w, SIM_FAULT_PROGRAM, op, -1, "execution ran past the end of the code object");
}
