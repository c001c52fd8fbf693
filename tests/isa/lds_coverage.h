// SPDX-License-Identifier: MIT
// Shared by the coverage tests of the memory instructions: each line the assembler accepts for a target must
// decode into an operation of the tables with understood operands.
#ifndef WT_TESTS_ISA_LDS_COVERAGE_H
#define WT_TESTS_ISA_LDS_COVERAGE_H

#include "tests/isa/harness.h"

static inline const sim_op *first_op(isa_program *p, size_t snippet) {
  const sim_wave *w = isa_begin(p, snippet);
  return &w->group->program->ops[w->pc];
}

// The lines a target's assembler accepts; returns how many.
static inline size_t accepted_lines(const char *target, const char *const *lines, size_t count,
                                    const char **accepted) {
  bool *ok = calloc(count, sizeof *ok);
  if (!ok) exit(EXIT_FAILURE);
  size_t known = 0;
  isa_accepted(target, lines, count, ok);
  for (size_t i = 0; i < count; ++i)
    if (ok[i]) accepted[known++] = lines[i];
  free(ok);
  return known;
}

// absent: how many lines the target's assembler must refuse.
static inline void check_known(const char *target, const char *const *lines, size_t count, size_t absent) {
  const char **accepted = calloc(count, sizeof *accepted);
  if (!accepted) exit(EXIT_FAILURE);
  size_t known = accepted_lines(target, lines, count, accepted);
  CHECK(known + absent == count, "%s: the assembler accepts %zu of %zu lines, expected all but %zu", target,
        known, count, absent);
  isa_program *p = isa_assemble(target, accepted, known);
  for (size_t i = 0; i < known; ++i) {
    const sim_op *op = first_op(p, i);
    CHECK(op->info, "%s: no table has '%s'", target, accepted[i]);
    CHECK(!op->info || op->run == op->info->run, "%s: operands not understood: '%s'", target, accepted[i]);
  }
  isa_free(p);
  free(accepted);
}

static inline void check_refused(const char *target, const char *const *lines, size_t count) {
  isa_program *p = isa_assemble(target, lines, count);
  for (size_t i = 0; i < count; ++i) {
    CHECK(!first_op(p, i)->info, "%s: '%s' is in a table although it is listed as refused", target, lines[i]);
    CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "does not know this instruction");
  }
  isa_free(p);
}

// Tries every opcode number of an encoding: what LLVM's disassembler knows must be in the tables with
// understood operands, unless its mnemonic begins with `refused`. Encodings: CDNA3 ISA, chapter "Microcode
// formats".
static inline void check_opcodes(const char *target, const char *encoding, uint32_t first, uint32_t shift,
                                 uint32_t count, uint32_t second, const char *refused, unsigned at_least) {
  static char text[256][48];
  const char *code[256];
  for (uint32_t number = 0; number < count; ++number) {
    snprintf(text[number], sizeof text[0], ".long 0x%08x, 0x%08x", first + (number << shift), second);
    code[number] = text[number];
  }
  isa_program *p = isa_assemble(target, code, count);
  unsigned known = 0;
  for (uint32_t number = 0; number < count; ++number) {
    const sim_op *op = first_op(p, number);
    const char *line = sim_op_text(isa_group(p)->program, op);
    if (strncmp(line, ".long", 5) == 0 || (refused && strncmp(line, refused, strlen(refused)) == 0)) continue;
    ++known;
    CHECK(op->info && op->run == op->info->run, "%s %s opcode %u is not understood: %s", target, encoding,
          number, line);
  }
  CHECK(known >= at_least, "%s %s: only %u opcodes decode", target, encoding, known);
  isa_free(p);
}

#endif
