// SPDX-License-Identifier: MIT
// Moves between lanes and registers: readfirstlane, readlane, writelane under partial EXEC, and the row swaps
// of gfx950.
#include "tests/isa/harness.h"

static uint32_t pattern(unsigned row, unsigned lane) { return row * 1000 + lane; }

static void fill(sim_wave *w) {
  for (unsigned row = 0; row < 4; ++row)
    for (unsigned lane = 0; lane < SIM_LANES; ++lane) w->v[row][lane] = pattern(row, lane);
}

static void reads_and_writes(const char *target) {
  static const char *const code[] = {
      "v_readfirstlane_b32 s0, v1",     "v_readlane_b32 s0, v1, s2",  "v_readlane_b32 s0, v1, 5",
      "v_readlane_b32 s0, v1, m0",      "v_writelane_b32 v2, s2, m0", "v_writelane_b32 v2, 7, 3",
      "v_readfirstlane_b32 vcc_hi, v3",
  };
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  static const struct {
    uint64_t exec;
    unsigned lane;
  } first[] = {{~0ull, 0}, {0xff00, 8}, {1ull << 63, 63}, {0, 0}};  // no lane active: lane 0
  for (int i = 0; i < 4; ++i) {
    sim_wave *w = isa_begin(p, 0);
    fill(w);
    sim_set_s64(w, SIM_EXEC, first[i].exec);
    CHECK_RUN(p);
    CHECK_S32(p, 0, pattern(1, first[i].lane));
  }
  static const struct {
    uint32_t select;
    unsigned lane;
  } selects[] = {{0, 0}, {63, 63}, {64, 0}, {0xffffffff, 63}};  // six bits count
  for (int i = 0; i < 4; ++i) {
    for (int all = 0; all < 2; ++all) {  // EXEC does not matter
      sim_wave *w = isa_begin(p, 1);
      fill(w);
      w->s[2] = selects[i].select;
      sim_set_s64(w, SIM_EXEC, all ? ~0ull : 0);
      CHECK_RUN(p);
      CHECK_S32(p, 0, pattern(1, selects[i].lane));
      w = isa_begin(p, 3);
      fill(w);
      w->s[SIM_M0] = selects[i].select;
      CHECK_RUN(p);
      CHECK_S32(p, 0, pattern(1, selects[i].lane));
      w = isa_begin(p, 4);
      fill(w);
      w->s[2] = 0xabcd;
      w->s[SIM_M0] = selects[i].select;
      sim_set_s64(w, SIM_EXEC, all ? ~0ull : 0);
      CHECK_RUN(p);
      for (unsigned lane = 0; lane < SIM_LANES; ++lane)
        CHECK_V32(p, 2, lane, lane == selects[i].lane ? 0xabcd : pattern(2, lane));
    }
  }
  fill(isa_begin(p, 2));
  CHECK_RUN(p);
  CHECK_S32(p, 0, pattern(1, 5));
  fill(isa_begin(p, 5));
  CHECK_RUN(p);
  CHECK_V32(p, 2, 3, 7);
  CHECK_V32(p, 2, 4, pattern(2, 4));
  fill(isa_begin(p, 6));
  CHECK_RUN(p);
  CHECK_S32(p, SIM_VCC + 1, pattern(3, 0));
  isa_free(p);
}

// s_set_gpr_idx shifts the VGPR that is read by SRC0 and the one that is written by DST; lane numbers, values
// and scalar destinations stay.
static void indexed_moves(const char *target) {
  enum { SRC0 = 1, SRC1 = 2, SRC2 = 4, DST = 8 };
  static const char *const code[] = {
      "v_writelane_b32 v11, s20, 9",
      "v_readlane_b32 s22, v11, s21",
      "v_readfirstlane_b32 s22, v11",
  };
  static const char set[] = "s_set_gpr_idx_on s2, 0\n s_set_gpr_idx_idx s2\n s_mov_b32 m0, s3\n";
  char text[3][256];
  const char *snippets[3];
  for (size_t i = 0; i < 3; ++i) {
    snprintf(text[i], sizeof text[i], "%s%s\n s_set_gpr_idx_off\n %s", set, code[i],
             i ? "" : "v_writelane_b32 v12, s20, 9");
    snippets[i] = text[i];
  }
  isa_program *p = isa_assemble(target, snippets, 3);
  static const uint32_t indices[] = {0, 1, 7, 244, 245, 255};
  for (size_t i = 0; i < 3; ++i)
    for (uint32_t mode = 0; mode < 16; ++mode)
      for (size_t k = 0; k < sizeof indices / sizeof *indices; ++k) {
        const bool shifts = mode & (i ? SRC0 : DST);
        const uint32_t reg = 11 + (shifts ? indices[k] : 0), lane = i == 2 ? 0 : 9;
        sim_wave *w = isa_begin(p, i);
        for (unsigned row = 0; row < 256; ++row) w->v[row][lane] = pattern(row, lane);
        w->s[3] = mode << 12 | indices[k];
        w->s[20] = 0xabcd;
        w->s[21] = 9;
        w->s[22] = 1;
        if (reg > 255) {
          CHECK_FAULT(p, SIM_FAULT_PROGRAM, "past the last VGPR");
          continue;
        }
        CHECK_RUN(p);
        if (i) CHECK_S32(p, 22, pattern(reg, lane));
        for (unsigned row = 0; row < 256; ++row)
          CHECK_V32(p, row, lane, !i && (row == reg || row == 12) ? 0xabcd : pattern(row, lane));
      }
  isa_free(p);
}

static void indexed_swaps_are_refused(void) {
  static const char *const code[] = {"s_set_gpr_idx_on s2, gpr_idx(DST)\n v_permlane32_swap_b32 v1, v2"};
  isa_program *p = isa_assemble("gfx950", code, 1);
  isa_begin(p, 0);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "s_set_gpr_idx");
  isa_free(p);
}

static void swaps(void) {
  static const struct {
    const char *code;
    unsigned half;
    bool fetch, zero;
  } cases[] = {
      {"v_permlane16_swap_b32 v1, v2", 16, false, false},
      {"v_permlane32_swap_b32 v1, v2", 32, false, false},
      {"v_permlane16_swap_b32_e64 v1, v2 fi:1", 16, true, false},
      {"v_permlane32_swap_b32_e64 v1, v2 bound_ctrl:1", 32, false, true},
      {"v_permlane32_swap_b32_e64 v1, v2 bound_ctrl:1 fi:1", 32, true, true},
  };
  enum { COUNT = sizeof cases / sizeof cases[0] };
  static const uint64_t masks[] = {~0ull, 0xffffffffull, 0xffff0000ffff0000ull, 0x0000000000010001ull, 0};
  const char *code[COUNT];
  for (int i = 0; i < COUNT; ++i) code[i] = cases[i].code;
  isa_program *p = isa_assemble("gfx950", code, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    for (size_t m = 0; m < sizeof masks / sizeof masks[0]; ++m) {
      sim_wave *w = isa_begin(p, (size_t)i);
      fill(w);
      sim_set_s64(w, SIM_EXEC, masks[m]);
      uint32_t v1[SIM_LANES], v2[SIM_LANES];
      for (unsigned lane = 0; lane < SIM_LANES; ++lane) {
        // Upper halves of v1 pair with lower halves of v2.
        bool upper = lane & cases[i].half;
        unsigned partner = upper ? lane - cases[i].half : lane + cases[i].half;
        bool partner_on = masks[m] >> partner & 1;
        bool exchanged = masks[m] >> lane & 1 && (partner_on || cases[i].fetch || cases[i].zero);
        bool empty = !partner_on && !cases[i].fetch;
        v1[lane] = exchanged && upper ? (empty ? 0 : pattern(2, partner)) : pattern(1, lane);
        v2[lane] = exchanged && !upper ? (empty ? 0 : pattern(1, partner)) : pattern(2, lane);
      }
      CHECK_RUN(p);
      CHECK_ROW(p, 1, v1);
      CHECK_ROW(p, 2, v2);
    }
  }
  isa_free(p);
}

int main(void) {
  reads_and_writes("gfx942");
  reads_and_writes("gfx950");
  indexed_moves("gfx942");
  indexed_moves("gfx950");
  swaps();
  indexed_swaps_are_refused();
  return test_result();
}
