// SPDX-License-Identifier: MIT
// Describes operands of one disassembled line, and operand signatures of the instruction tables.
#ifndef SIM_ISA_OPERAND_H
#define SIM_ISA_OPERAND_H

#include "sim/isa/op.h"

enum { SIM_MAX_OPERANDS = 8 };

// Describes a table row's operand signature ("=f32,f32,f32"), parsed.
typedef struct sim_signature {
  uint8_t count, optional;
  struct {
    uint8_t type;  // sim_type
    bool destination, optional;
  } operands[SIM_MAX_OPERANDS];
} sim_signature;

// Returns false when the signature is malformed (a bug in a table; caught by a test).
bool sim_parse_signature(const char *text, sim_signature *signature);

// Splits "v_add_f32_e32 v0, v1, v2 clamp" into the mnemonic and its operand pieces, trailing modifiers
// removed. Pieces are NUL-terminated inside `line`, which is modified. Returns the number of operands, or -1
// when there are too many.
int sim_split_line(char *line, char **mnemonic, char *pieces[SIM_MAX_OPERANDS]);

// Parses one operand piece ("-|v3|", "s[4:5]", "vcc", "0x3f800000", "1.0", "off") as `type`. Sign and
// absolute-value marks are skipped: they come from the encoding. It is false when the text is not understood.
bool sim_parse_operand(const char *piece, sim_type type, sim_operand *operand);

// Returns the dwords of an operand type; 0 for SIM_T_ANY and SIM_T_NONE.
unsigned sim_type_dwords(sim_type type);

#endif
