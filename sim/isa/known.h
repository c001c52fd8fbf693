// SPDX-License-Identifier: MIT
// Remembers instructions that this process has decoded before. Kernels repeat most of their instructions, and
// programs load the same modules again, while asking LLVM for an instruction and parsing its text takes
// microseconds.
#ifndef SIM_ISA_KNOWN_H
#define SIM_ISA_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/isa/op.h"

enum { SIM_KNOWN_TEXT = 512 };  // bytes of an instruction's text, at most

// Finds the instruction at the beginning of `left` bytes of code, as the chips of `chip_bit` (SIM_ON_*) read
// it. If it is known, sets *op to it, at offset 0, and `text` to its text, and returns true.
bool sim_known_find(int chip_bit, const uint8_t *code, size_t left, sim_op *op, char text[SIM_KNOWN_TEXT]);

// Remembers an instruction, unless memory runs out or enough of them are known.
void sim_known_add(int chip_bit, const sim_op *op, const char *text);

#endif
