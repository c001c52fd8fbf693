// SPDX-License-Identifier: MIT
// Tests which programs have atomics whose order shows in memory: two operations of different kinds or sizes,
// and no other instruction counts.
#include "sim/isa/program.h"
#include "tests/isa/harness.h"

static void programs_mix_atomics_of_different_kinds_and_sizes(void) {
  static const struct {
    const char *code;
    bool mixes;
  } cases[] = {
      {"s_nop 0", false},
      {"global_atomic_add v[2:3], v4, off", false},
      {"global_atomic_add v[2:3], v4, off\n global_atomic_sub v[2:3], v4, off", false},
      {"global_atomic_add v[2:3], v4, off\n global_atomic_add_x2 v[2:3], v[4:5], off", true},
      {"global_atomic_add v[2:3], v4, off\n global_atomic_or v[2:3], v4, off", true},
      {"global_atomic_add v[2:3], v4, off\n global_atomic_add v5, v[2:3], v4, off sc0", true},
      {"global_atomic_umax v[2:3], v4, off\n buffer_atomic_umax v4, off, s[4:7], 0", false},
      {"global_atomic_add v[2:3], v4, off\n s_load_dword s0, s[2:3], 0x0\n global_load_dword v0, v[2:3], off",
       false},
      {"s_load_dword s0, s[2:3], 0x0\n s_store_dword s0, s[2:3], 0x0\n s_dcache_wb", false},
      {"s_atomic_add s0, s[2:3], 0x0\n s_atomic_or s0, s[2:3], 0x0", false},
      {"s_atomic_add s0, s[2:3], 0x0\n global_atomic_add v[2:3], v4, off", true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    isa_program *p = isa_assemble("gfx942", &cases[i].code, 1);
    isa_begin(p, 0);
    CHECK(isa_group(p)->program->ordered_atomics == cases[i].mixes, "%s: they %s", cases[i].code,
          cases[i].mixes ? "do not mix" : "mix");
    isa_free(p);
  }
}

int main(void) {
  programs_mix_atomics_of_different_kinds_and_sizes();
  return test_result();
}
