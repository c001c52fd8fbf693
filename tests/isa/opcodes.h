// SPDX-License-Identifier: MIT
// Every opcode LLVM's disassembler knows for a chip, found by trying all opcode numbers of all encodings.
#ifndef WT_TESTS_ISA_OPCODES_H
#define WT_TESTS_ISA_OPCODES_H

#include "tests/check.h"
#include "tests/isa/record.h"

enum { ISA_MOST_OPCODES = 2048 };

typedef struct isa_opcode {
  char name[ISA_NAME_SIZE];  // mnemonic without encoding suffix
  char encodings[96];        // those it has, in the order of the sweep: "VOP2 SDWA DPP VOP3"
  char missed[160];          // a form the tables do not know, as LLVM prints it; empty when all are known
  const sim_opinfo *row;     // NULL when the tables have none
} isa_opcode;

// Fills `opcodes` for "gfx942" or "gfx950" in the order of the sweep; returns their number.
size_t isa_list_opcodes(const char *target, isa_opcode opcodes[ISA_MOST_OPCODES]);

// Makes two words of a random instruction: an opcode number of one of the encodings, and some other bits
// changed.
void isa_random_instruction(test_rng *rng, uint32_t words[2]);

// Fills `words` with random instructions that the target has and the tables know; short ones with s_nop
// behind them.
void isa_known_instructions(const char *target, test_rng *rng, uint32_t (*words)[2], size_t count);

#endif
