// SPDX-License-Identifier: MIT
// Runs snippets of machine code under check mode. Each wrong program stands beside its corrected form, so
// that both a finding that is missing and one that is made up fail.
#ifndef WT_TESTS_CHECK_SNIPPETS_H
#define WT_TESTS_CHECK_SNIPPETS_H

#include "sim/check/check.h"
#include "tests/isa/harness.h"

typedef struct check_case {
  const char *name;
  const char *code;
  int kind;            // sim_finding_kind, or CHECK_CLEAN
  const char *remedy;  // part of the remedy or detail; NULL: any
  uint32_t waves;      // 0: one
  uint32_t groups;     // 0: one
  bool unwritten;      // registers hold what nothing has written, but s[0:15] and v0, v1
} check_case;

enum { CHECK_CLEAN = -1 };

// Every wave begins with: s[4:5] address of 64 KB of memory, s[8:11] a buffer descriptor of it, s12 = wave *
// 1024, s13 = (wave + 1) % waves * 1024, s14 = the work-group's index, v0 = lane * 4, v1 = lane * 16, and
// zeros. Runs each case on the target and compares the kinds found: one kind only, the case's, or none.
void check_run(const char *target, const check_case *cases, size_t count);
// Does the same in a cooperative launch.
void check_run_cooperative(const char *target, const check_case *cases, size_t count);

// Gives the registers of the waves what every case begins with.
void check_prepare(sim_wave *w, uint32_t waves, uint32_t group, void *memory);

// Returns the same findings as the last case gave, in words; for messages.
const char *check_found(void);

#endif
