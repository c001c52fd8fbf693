// SPDX-License-Identifier: MIT
// Tests hardware registers and indexed registers: what s_getreg shows, what s_setreg may change,
// s_set_gpr_idx, s_movrels and s_movreld.
#include "tests/isa/harness.h"

static void mode_fields(const char *target) {
  static const char *const code[] = {
      "s_getreg_b32 s0, hwreg(HW_REG_MODE)",
      "s_getreg_b32 s0, hwreg(HW_REG_MODE, 4, 4)",
      "s_setreg_b32 hwreg(HW_REG_MODE, 0, 4), s2",
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 4), 0x35",
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1",
      "s_setreg_b32 hwreg(HW_REG_MODE), s2",
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 12, 7), 1",
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 18, 1), 1",
      "s_setreg_imm32_b32 hwreg(HW_REG_STATUS, 0, 1), 1",
      "s_setreg_imm32_b32 hwreg(HW_REG_TRAPSTS, 0, 9), 0",
      "s_getreg_b32 s0, hwreg(HW_REG_TBA_LO)",
      "s_getreg_b32 s0, hwreg(33)",
      "s_getreg_b32 s0, hwreg(14)",
      "s_mov_b32 m0, 0xffff9f34\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 27, 1), 1",
      "s_getreg_b32 s0, hwreg(HW_REG_GPR_ALLOC, 8, 6)",
  };
  enum { DEFAULT = 0x3f0 };
  static const struct {
    uint32_t s2, s0, mode;
  } wanted[] = {{0, DEFAULT, DEFAULT}, {0, 0xf, DEFAULT}, {0xfffffff5, 0, 0x3f5},
                {0, 0, 0x350},         {0, 0, 0x8003f0},  {0x08000300, 0, 0x08000300}};
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; ++i) {
    sim_wave *w = isa_begin(p, i);
    w->s[2] = wanted[i].s2;
    CHECK_RUN(p);
    CHECK_S32(p, 0, wanted[i].s0);
    CHECK(w->mode == wanted[i].mode, "%s: MODE is %#x, expected %#x", code[i], w->mode, wanted[i].mode);
  }
  isa_begin(p, 6);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "EXCP_EN");
  isa_begin(p, 7);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "EXCP_EN");
  isa_begin(p, 8);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "cannot write");
  isa_begin(p, 9);
  CHECK_RUN(p);
  isa_begin(p, 10);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "no hardware register 16");
  isa_begin(p, 11);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "no hardware register 33");
  isa_begin(p, 12);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "no hardware register 14");
  sim_wave *w = isa_begin(p, 13);
  CHECK_RUN(p);
  CHECK((w->s[SIM_M0] & 0xf0ff) == 0x9034, "m0 is %#x", w->s[SIM_M0]);
  isa_begin(p, 14);
  isa_kernel(p)->rsrc1 = 0xfffc0 | 37;
  CHECK_RUN(p);
  CHECK_S32(p, 0, 37);
  isa_free(p);
}

static void place_registers(const char *target) {
  static const char *const code[] = {
      "s_getreg_b32 s0, hwreg(HW_REG_XCC_ID)\n s_getreg_b32 s1, hwreg(HW_REG_HW_ID)\n"
      " s_getreg_b32 s2, hwreg(HW_REG_HW_ID, 4, 2)\n s_getreg_b32 s3, hwreg(HW_REG_HW_ID, 13, 3)\n"
      " s_getreg_b32 s4, hwreg(HW_REG_SH_MEM_BASES, 16, 16)\n s_getreg_b32 s5, hwreg(HW_REG_SH_MEM_BASES, 0, "
      "16)\n"
      " s_getreg_b32 s6, hwreg(HW_REG_LDS_ALLOC, 12, 9)\n s_getreg_b32 s7, hwreg(HW_REG_TRAPSTS)\n"
      " s_getreg_b32 s8, hwreg(HW_REG_HW_ID, 8, 4)",
      "s_setprio 2\n s_cmp_eq_u32 s2, 0\n s_getreg_b32 s0, hwreg(HW_REG_STATUS)",
  };
  isa_program *p = isa_assemble(target, code, 2);
  for (uint32_t group = 0; group < 300; group += 7) {
    sim_wave *w = isa_begin_waves(p, 0, 8);
    isa_group(p)->index = group;
    isa_group(p)->lds_bytes = 1000;
    CHECK_RUN(p);
    for (uint32_t i = 0; i < 8; ++i) {
      // Work-group i goes to XCD i mod 8, those of an XCD rotate over four engines, waves i and i + 4 share a
      // SIMD.
      CHECK(w[i].s[0] == group % 8, "workgroup %u is on XCD %u", group, w[i].s[0]);
      CHECK(w[i].s[2] == i % 4, "wave %u is on SIMD %u", i, w[i].s[2]);
      CHECK(w[i].s[3] == group / 8 % 4, "workgroup %u is on engine %u", group, w[i].s[3]);
      CHECK((w[i].s[1] & 15) == i / 4, "wave %u has slot %u", i, w[i].s[1] & 15);
      CHECK(w[i].s[8] < 16, "compute unit %u", w[i].s[8]);
    }
    CHECK_S32(p, 4, 1);  // upper half of the shared aperture's high dword
    CHECK_S32(p, 5, 2);
    CHECK_S32(p, 6, 4);  // 1000 bytes are four blocks of 64 dwords
    CHECK_S32(p, 7, 0);
  }
  // STATUS: SCC 0, USER_PRIO 4:3, EXECZ 9, VCCZ 10, IN_TG 11, VALID 16.
  isa_begin(p, 1);
  CHECK_RUN(p);
  CHECK_S32(p, 0, 1 | 2 << 3 | 1 << 10 | 1 << 16);
  sim_wave *w = isa_begin_waves(p, 1, 2);
  w->s[2] = 1;
  sim_set_s64(w, SIM_EXEC, 0);
  sim_set_s64(w, SIM_VCC, 1);
  CHECK_RUN(p);
  CHECK_S32(p, 0, 2 << 3 | 1 << 9 | 1 << 11 | 1 << 16);
  isa_free(p);
}

// Work-groups of one XCD and engine go to different compute units in turn.
static void compute_units(const char *target) {
  static const char *const code[] = {"s_getreg_b32 s0, hwreg(HW_REG_HW_ID, 8, 4)"};
  isa_program *p = isa_assemble(target, code, 1);
  for (uint32_t turn = 0; turn < 20; ++turn) {
    isa_begin(p, 0);
    const sim_machine *m = isa_group(p)->launch->machine;
    isa_group(p)->index = turn * m->xcds * 4 + 5;
    CHECK_RUN(p);
    CHECK_S32(p, 0, turn % (m->cus / m->xcds / 4));
  }
  isa_free(p);
}

static void indexed_registers(const char *target) {
  static const char *const code[] = {
      "s_mov_b32 m0, 0xffffffff\n s_set_gpr_idx_on s2, gpr_idx(SRC0,DST)",
      "s_set_gpr_idx_on s2, gpr_idx(SRC1)\n s_set_gpr_idx_idx s3\n s_set_gpr_idx_mode gpr_idx(SRC2)",
      "s_set_gpr_idx_on s2, gpr_idx(SRC0)\n s_set_gpr_idx_off",
      "s_mov_b32 m0, 3\n s_movrels_b32 s0, s20",
      "s_mov_b32 m0, 4\n s_movrels_b64 s[0:1], s[20:21]",
      "s_mov_b32 m0, 5\n s_movreld_b32 s20, s2",
      "s_mov_b32 m0, 6\n s_movreld_b64 s[20:21], s[2:3]",
      "s_mov_b32 m0, 100\n s_movrels_b32 s0, s20",
      "s_mov_b32 m0, -1\n s_movreld_b64 s[20:21], s[2:3]",
  };
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  sim_wave *w = isa_begin(p, 0);
  w->s[2] = 0x1234;
  CHECK_RUN(p);
  CHECK_S32(p, SIM_M0, 0xffff9f34);  // index 7:0, enables SRC0 and DST in 15:12, the rest kept
  CHECK(w->mode >> 27 & 1, "index mode is off");
  w = isa_begin(p, 1);
  w->s[2] = 1;
  w->s[3] = 0x7f;
  CHECK_RUN(p);
  CHECK_S32(p, SIM_M0, 0x407f);
  w = isa_begin(p, 2);
  CHECK_RUN(p);
  CHECK(!(w->mode >> 27 & 1), "index mode is on");

  for (size_t i = 3; i < sizeof code / sizeof code[0]; ++i) {
    // Every byte of a value counts, and the registers beside the indexed ones stay as they are.
    enum { FIRST = 20, STEP = 0x01030507 };
    const uint32_t low = 0x8badf00d, high = 0xfeedface;
    w = isa_begin(p, i);
    w->s[2] = low;
    w->s[3] = high;
    for (uint32_t r = 0; r < 10; ++r) w->s[FIRST + r] = 0x90a0b0c0u + r * STEP;
    if (i >= 7) {
      CHECK_FAULT(p, SIM_FAULT_PROGRAM, "past the last SGPR");
      continue;
    }
    CHECK_RUN(p);
    const bool reads = i < 5, wide = i % 2 == 0;
    const uint32_t index = (uint32_t)i;
    if (reads) CHECK_S32(p, 0, 0x90a0b0c0u + index * STEP);
    if (reads) CHECK_S32(p, 1, wide ? 0x90a0b0c0u + (index + 1) * STEP : 0);
    for (uint32_t r = 0; r < 10; ++r) {
      const uint32_t before = 0x90a0b0c0u + r * STEP;
      CHECK_S32(p, FIRST + r, !reads && r == index ? low : !reads && wide && r == index + 1 ? high : before);
    }
  }
  isa_free(p);
}

// The last SGPR that indexing reaches is vcc_hi, 107.
static void index_limits(const char *target) {
  static const char *const code[] = {"s_movreld_b32 s20, s2", "s_movreld_b64 s[20:21], s[2:3]"};
  static const struct {
    int code;
    uint32_t m0;
    bool fits;
  } cases[] = {{0, 87, true}, {0, 88, false}, {1, 86, true}, {1, 87, false}, {0, 0xfffffff0, false}};
  isa_program *p = isa_assemble(target, code, 2);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    sim_wave *w = isa_begin(p, (size_t)cases[i].code);
    w->s[SIM_M0] = cases[i].m0;
    w->s[2] = w->s[3] = 5;
    if (cases[i].fits) {
      CHECK_RUN(p);
      CHECK_S32(p, 107, 5);
    } else {
      CHECK_FAULT(p, SIM_FAULT_PROGRAM, "past the last SGPR");
    }
  }
  isa_free(p);
}

int main(void) {
  mode_fields("gfx942");
  mode_fields("gfx950");
  place_registers("gfx942");
  place_registers("gfx950");
  compute_units("gfx942");
  compute_units("gfx950");
  indexed_registers("gfx942");
  indexed_registers("gfx950");
  index_limits("gfx942");
  index_limits("gfx950");
  return test_result();
}
