// SPDX-License-Identifier: MIT
// Records which instructions a test program really executed, and which the simulated device refused. This is
// recorded while the harness runs snippets, written when the program ends, and read by the page
// docs/isa-coverage.md.
#ifndef WT_TESTS_ISA_RECORD_H
#define WT_TESTS_ISA_RECORD_H

#include "sim/exec/wave.h"

enum { ISA_NAME_SIZE = 64 };

// Finds the mnemonic of a disassembled line without its encoding suffix (_e32, _e64, _sdwa, _dpp).
void isa_mnemonic(const char *line, char name[ISA_NAME_SIZE]);

// Has the record written when the program ends, even an empty one.
void isa_record_open(void);

// Until isa_record_end, every operation of the program that runs is noted. There is one program at a time in
// each thread.
void isa_record_begin(sim_program *program);
void isa_record_end(void);

// For tests that call an operation's handler themselves and compare its results.
void isa_record_op(const sim_program *program, const sim_op *op);

#endif
