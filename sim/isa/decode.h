// SPDX-License-Identifier: MIT
// Decodes one disassembled line and its encoding words into a dense operation.
#ifndef SIM_ISA_DECODE_H
#define SIM_ISA_DECODE_H

#include "sim/isa/op.h"

// Fills *op from the line (modified while parsing) and the op's raw words, size and offset, which the caller
// has set. An instruction or operand form that the tables do not know gives an op that faults by name when it
// is executed.
void sim_decode_op(sim_op *op, char *line, int chip_bit);

// These are what such an op runs, and what runs behind the last op of a program; the executor defines them
// (sim/exec/undecoded.c).
void sim_run_unknown(sim_wave *w, const sim_op *op);
void sim_run_bad_operands(sim_wave *w, const sim_op *op);
void sim_run_past_end(sim_wave *w, const sim_op *op);

// Returns whether an instruction is one of the reserved forms on which LLVM's disassembler crashes. `left` is
// the number of bytes of code from `code` on.
bool sim_is_reserved(const uint8_t *code, size_t left);

#endif
