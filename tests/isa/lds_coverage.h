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

#endif
