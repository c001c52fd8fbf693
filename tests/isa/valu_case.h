// SPDX-License-Identifier: MIT
// Runs directed cases of the vector ALU: one instruction, up to 64 cases in its lanes. Sources stand in
// v[2:3], v[4:5] and v[6:7], the destination is v[0:1] and holds 0xa5a5c3c3 before.
#ifndef WT_TESTS_ISA_VALU_CASE_H
#define WT_TESTS_ISA_VALU_CASE_H

#include "tests/isa/harness.h"

enum { VALU_OLD = 0xa5a5c3c3u, VALU_MODE = 0x3f0, VALU_PLAIN_MODE = 0x0f0 };

typedef struct valu_case {
  uint64_t a, b, c, want;
} valu_case;

typedef struct valu_group {
  const char *code;
  uint32_t mode;  // 0: the compilers' default
  int dwords;     // of the result; 0: the result is VCC
  int count;
  const valu_case *cases;
} valu_group;

#define CASES(...) \
  sizeof((valu_case[]){__VA_ARGS__}) / sizeof(valu_case), (const valu_case[]) { __VA_ARGS__ }

static inline void valu_run_groups(const char *target, const valu_group *groups, size_t count) {
  const char **code = calloc(count, sizeof *code);
  for (size_t g = 0; g < count; ++g) code[g] = groups[g].code;
  isa_program *p = isa_assemble(target, code, count);
  for (size_t g = 0; g < count; ++g) {
    const valu_group *group = &groups[g];
    sim_wave *w = isa_begin(p, g);
    w->mode = group->mode ? group->mode : VALU_MODE;
    for (int l = 0; l < SIM_LANES; ++l) w->v[0][l] = w->v[1][l] = VALU_OLD;
    for (int i = 0; i < group->count; ++i) {
      isa_set_v64(w, 2, (unsigned)i, group->cases[i].a);
      isa_set_v64(w, 4, (unsigned)i, group->cases[i].b);
      isa_set_v64(w, 6, (unsigned)i, group->cases[i].c);
    }
    CHECK_RUN(p);
    for (int i = 0; i < group->count; ++i) {
      uint64_t got = w->v[0][i] | (uint64_t)w->v[1][i] << 32;
      if (group->dwords == 0) got = sim_s64(w, SIM_VCC) >> i & 1;
      if (group->dwords == 1) got = (uint32_t)got;
      CHECK(got == group->cases[i].want,
            "%s %s mode 0x%x case %d (a=%llx b=%llx c=%llx): got %llx, expected %llx", target, group->code,
            w->mode, i, (unsigned long long)group->cases[i].a, (unsigned long long)group->cases[i].b,
            (unsigned long long)group->cases[i].c, (unsigned long long)got,
            (unsigned long long)group->cases[i].want);
    }
  }
  isa_free(p);
  free(code);
}

#endif
