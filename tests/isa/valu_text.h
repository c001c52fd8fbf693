// SPDX-License-Identifier: MIT
// Shared by the vector ALU tests: the tables' rows, an instruction line for any row, and interesting values.
#ifndef WT_TESTS_ISA_VALU_TEXT_H
#define WT_TESTS_ISA_VALU_TEXT_H

#include "sim/isa/operand.h"
#include "sim/isa/tables.h"
#include "tests/isa/harness.h"

enum { VALU_TABLES = 8 };

// Return table `index` of a host variant, and every table in turn.
const sim_optable *valu_table(sim_host host, int index);

// "v_add_f32 v0, v40, v48": destinations from v0 and s[20:21], sources from v40, v80 and v120 (s[30:31] for
// masks). It is false when the signature is malformed.
bool valu_line(const sim_opinfo *row, char *line, size_t size);

// Returns random bits with many edge values of every width: zeros, denormals, infinities, both kinds of NaN,
// limits.
uint32_t valu_value(test_rng *rng);

#endif
