// SPDX-License-Identifier: MIT
// Tests operations that combine a mask with EXEC: what they save, what EXEC becomes, and SCC.
#include "tests/isa/harness.h"

typedef uint64_t combine_fn(uint64_t source, uint64_t exec);

static uint64_t f_and(uint64_t s, uint64_t e) { return s & e; }
static uint64_t f_or(uint64_t s, uint64_t e) { return s | e; }
static uint64_t f_xor(uint64_t s, uint64_t e) { return s ^ e; }
static uint64_t f_andn2(uint64_t s, uint64_t e) { return s & ~e; }
static uint64_t f_orn2(uint64_t s, uint64_t e) { return s | ~e; }
static uint64_t f_nand(uint64_t s, uint64_t e) { return ~(s & e); }
static uint64_t f_nor(uint64_t s, uint64_t e) { return ~(s | e); }
static uint64_t f_xnor(uint64_t s, uint64_t e) { return ~(s ^ e); }
static uint64_t f_andn1(uint64_t s, uint64_t e) { return ~s & e; }
static uint64_t f_orn1(uint64_t s, uint64_t e) { return ~s | e; }

static const struct {
  const char *code;
  combine_fn *combine;
  bool saves;  // the destination gets the old EXEC, else the new one
} cases[] = {
    {"s_and_saveexec_b64 s[0:1], s[2:3]", f_and, true},
    {"s_or_saveexec_b64 s[0:1], s[2:3]", f_or, true},
    {"s_xor_saveexec_b64 s[0:1], s[2:3]", f_xor, true},
    {"s_andn2_saveexec_b64 s[0:1], s[2:3]", f_andn2, true},
    {"s_orn2_saveexec_b64 s[0:1], s[2:3]", f_orn2, true},
    {"s_nand_saveexec_b64 s[0:1], s[2:3]", f_nand, true},
    {"s_nor_saveexec_b64 s[0:1], s[2:3]", f_nor, true},
    {"s_xnor_saveexec_b64 s[0:1], s[2:3]", f_xnor, true},
    {"s_andn1_saveexec_b64 s[0:1], s[2:3]", f_andn1, true},
    {"s_orn1_saveexec_b64 s[0:1], s[2:3]", f_orn1, true},
    {"s_andn1_wrexec_b64 s[0:1], s[2:3]", f_andn1, false},
    {"s_andn2_wrexec_b64 s[0:1], s[2:3]", f_andn2, false},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void masks_combine(const char *target) {
  static const uint64_t masks[] = {0, ~0ull, 0x5555555555555555ull, 1, 1ull << 63, 0x00000000ffffffffull};
  enum { MASKS = sizeof masks / sizeof masks[0] };
  const char *code[CASES];
  for (int i = 0; i < CASES; ++i) code[i] = cases[i].code;
  isa_program *p = isa_assemble(target, code, CASES);
  for (int i = 0; i < CASES; ++i) {
    for (int s = 0; s < MASKS; ++s) {
      for (int e = 0; e < MASKS; ++e) {
        sim_wave *w = isa_begin(p, (size_t)i);
        sim_set_s64(w, 2, masks[s]);
        sim_set_s64(w, SIM_EXEC, masks[e]);
        uint64_t combined = cases[i].combine(masks[s], masks[e]);
        w->scc = combined == 0;
        CHECK_RUN(p);
        CHECK_S64(p, SIM_EXEC, combined);
        CHECK_S64(p, 0, cases[i].saves ? masks[e] : combined);
        CHECK_SCC(p, combined != 0);
      }
    }
  }
  // The destination may be the source: the mask is read first, the old EXEC written last.
  isa_free(p);
  static const char *const same[] = {"s_and_saveexec_b64 s[2:3], s[2:3]"};
  p = isa_assemble(target, same, 1);
  sim_wave *w = isa_begin(p, 0);
  sim_set_s64(w, 2, 0xf0);
  sim_set_s64(w, SIM_EXEC, 0x3c);
  CHECK_RUN(p);
  CHECK_S64(p, 2, 0x3c);
  CHECK_S64(p, SIM_EXEC, 0x30);
  isa_free(p);
}

int main(void) {
  masks_combine("gfx942");
  masks_combine("gfx950");
  return test_result();
}
