// SPDX-License-Identifier: MIT
// One disassembled line and its encoding words to a dense operation.
#ifndef SIM_ISA_DECODE_H
#define SIM_ISA_DECODE_H

#include "sim/isa/op.h"

// Fills *op from the line (modified while parsing) and the op's raw words, size and offset, which the caller
// has set. An instruction or operand form that the tables do not know gives an op that faults by name when it
// is executed.
void sim_decode_op(sim_op *op, char *line, int chip_bit);

// Whether an instruction is one of the reserved forms that LLVM's disassembler does not survive. `left` is
// how many bytes of code there are.
bool sim_is_reserved(const uint8_t *code, size_t left);

#endif
