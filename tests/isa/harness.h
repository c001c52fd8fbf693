// SPDX-License-Identifier: MIT
// Runs snippets of machine code on simulated waves. A test assembles all its snippets at once (llvm-mc and
// ld.lld), then for each case begins a work-group at a snippet, sets registers and memory, runs it to its end
// and looks at what it left.
//
//   static const char *const code[] = {"s_add_u32 s0, s2, s4", "s_mov_b32 s0, 1\n s_mov_b32 s1, 2"};
//   isa_program *p = isa_assemble("gfx950", code, 2);
//   sim_wave *w = isa_begin(p, 0);
//   w->s[2] = 40, w->s[4] = 2;
//   CHECK(isa_run(p) == SIM_FAULT_NONE, "%s", isa_report(p));
//   CHECK_S32(p, 0, 42);
//   isa_free(p);
#ifndef WT_TESTS_ISA_HARNESS_H
#define WT_TESTS_ISA_HARNESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sim/exec/wave.h"
#include "tests/check.h"
#include "tests/isa/record.h"

typedef struct isa_program isa_program;

enum { ISA_LDS_BYTES = 65536, ISA_MAX_WAVES = 16 };

// Assembles `count` snippets for "gfx942" or "gfx950"; s_endpgm is appended to each. Lines are separated by
// '\n' (';' begins a comment); local labels are numeric ("1:", "1b"). An assembly error prints the
// assembler's message with the snippet and ends the process with failure. Free with isa_free.
isa_program *isa_assemble(const char *target, const char *const *snippets, size_t count);
void isa_free(isa_program *p);

// Finds out whether the assembler knows each one-line instruction for the target, in one run for all.
void isa_accepted(const char *target, const char *const *lines, size_t count, bool *accepted);

// Makes a fresh work-group (id 0) with one wave at the snippet: registers, LDS (64 KB) and SCC zero, EXEC all
// ones, MODE as compilers set it (round to nearest even, denormals kept, dx10_clamp, ieee), schedule `late`.
// Set what the case needs in the wave and in isa_group() before isa_run.
sim_wave *isa_begin(isa_program *p, size_t snippet);
// Does the same with several waves; returns the first of an array.
sim_wave *isa_begin_waves(isa_program *p, size_t snippet, uint32_t waves);
sim_group *isa_group(isa_program *p);
// Returns the descriptor of the running snippet; zero after isa_begin but for name, entry and LDS size.
sim_kernel *isa_kernel(isa_program *p);

// Runs the work-group to its end (or its first fault, which isa_report explains). Registers stay readable.
// What was executed counts as tested in docs/isa-coverage.md (record.h).
sim_fault_kind isa_run(isa_program *p);
const char *isa_report(const isa_program *p);
// Return the byte offset in the code image and the host address of a snippet's first instruction.
uint64_t isa_offset(const isa_program *p, size_t snippet);
uint64_t isa_address(const isa_program *p, size_t snippet);

// Returns zeroed device memory of exactly `bytes` bytes: an access beyond is a fault. Lives until isa_free.
void *isa_memory(isa_program *p, size_t bytes);

// Compare results of wave 0 after a run. False prints nothing; isa_why() then holds the sentence: snippet,
// place, got and expected.
bool isa_same_s32(isa_program *p, unsigned reg, uint32_t expected);
bool isa_same_s64(isa_program *p, unsigned reg, uint64_t expected);
bool isa_same_scc(isa_program *p, unsigned expected);
bool isa_same_v32(isa_program *p, unsigned row, unsigned lane, uint32_t expected);
bool isa_same_v64(isa_program *p, unsigned row, unsigned lane, uint64_t expected);
bool isa_same_row(isa_program *p, unsigned row, const uint32_t expected[SIM_LANES]);
const char *isa_why(void);

#define CHECK_S32(p, reg, expected) CHECK(isa_same_s32(p, reg, expected), "%s", isa_why())
#define CHECK_S64(p, reg, expected) CHECK(isa_same_s64(p, reg, expected), "%s", isa_why())
#define CHECK_SCC(p, expected) CHECK(isa_same_scc(p, expected), "%s", isa_why())
#define CHECK_V32(p, row, lane, expected) CHECK(isa_same_v32(p, row, lane, expected), "%s", isa_why())
#define CHECK_V64(p, row, lane, expected) CHECK(isa_same_v64(p, row, lane, expected), "%s", isa_why())
#define CHECK_ROW(p, row, expected) CHECK(isa_same_row(p, row, expected), "%s", isa_why())
#define CHECK_RUN(p) CHECK(isa_run(p) == SIM_FAULT_NONE, "%s", isa_report(p))
// The run must end in this fault and its report must contain the text.
#define CHECK_FAULT(p, kind, text)                                                                 \
  do {                                                                                             \
    sim_fault_kind check_kind = isa_run(p);                                                        \
    CHECK(check_kind == (kind) && strstr(isa_report(p), text),                                     \
          "fault %d, expected %d mentioning '%s'; report: %s", (int)check_kind, (int)(kind), text, \
          isa_report(p));                                                                          \
  } while (0)

// Sets a 64-bit value in the rows `row` and `row + 1` of a lane.
static inline void isa_set_v64(sim_wave *w, unsigned row, unsigned lane, uint64_t value) {
  w->v[row][lane] = (uint32_t)value;
  w->v[row + 1][lane] = (uint32_t)(value >> 32);
}

#endif
