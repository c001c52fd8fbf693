// SPDX-License-Identifier: MIT
// Tests what surrounds a vector operation: EXEC, carries and masks, DPP, SDWA, halves, s_set_gpr_idx.
// Expectations are written per lane from the manual's text.
#include "tests/isa/harness.h"

static const uint64_t SOME = 0x00ff00ff0f0f3355u;

static void fill(sim_wave *w, unsigned row, uint32_t base) {
  for (unsigned l = 0; l < SIM_LANES; ++l) w->v[row][l] = base + l;
}

// ---- DPP

// Returns the source lane by the manual's wording, independent of the simulator's tables; -1 for none.
static int quad(int l) { return (l / 4) * 4 + (int[]){3, 2, 1, 0}[l % 4]; }
static int shl3(int l) { return l % 16 + 3 <= 15 ? l + 3 : -1; }
static int shr15(int l) { return l % 16 == 15 ? l - 15 : -1; }
static int ror5(int l) { return l / 16 * 16 + (l % 16 + 11) % 16; }
static int wshl(int l) { return l == 63 ? -1 : l + 1; }
static int wrol(int l) { return (l + 1) % 64; }
static int wshr(int l) { return l - 1; }
static int wror(int l) { return (l + 63) % 64; }
static int mirror(int l) { return l / 16 * 16 + 15 - l % 16; }
static int half_mirror(int l) { return l / 8 * 8 + 7 - l % 8; }
static int bcast15(int l) { return l < 16 ? -1 : l / 16 * 16 - 1; }
static int bcast31(int l) { return l < 32 ? -1 : 31; }
static int newbcast7(int l) { return l / 16 * 16 + 7; }

static const struct {
  const char *control;
  int (*from)(int lane);
} controls[] = {{"quad_perm:[3,2,1,0]", quad}, {"row_shl:3", shl3},
                {"row_shr:15", shr15},         {"row_ror:5", ror5},
                {"wave_shl:1", wshl},          {"wave_rol:1", wrol},
                {"wave_shr:1", wshr},          {"wave_ror:1", wror},
                {"row_mirror", mirror},        {"row_half_mirror", half_mirror},
                {"row_bcast:15", bcast15},     {"row_bcast:31", bcast31},
                {"row_newbcast:7", newbcast7}};
enum { CONTROLS = sizeof controls / sizeof controls[0] };

static void dpp(const char *target) {
  static const char *const suffixes[] = {
      "row_mask:0xf bank_mask:0xf", "row_mask:0xf bank_mask:0xf bound_ctrl:1", "row_mask:0xa bank_mask:0x7",
      "row_mask:0x5 bank_mask:0x9 bound_ctrl:1"};
  static char text[CONTROLS * 4][128];
  const char *code[CONTROLS * 4];
  for (int i = 0; i < CONTROLS * 4; ++i) {
    snprintf(text[i], sizeof text[i], "v_add_u32_dpp v0, v2, v4 %s %s", controls[i / 4].control,
             suffixes[i % 4]);
    code[i] = text[i];
  }
  isa_program *p = isa_assemble(target, code, CONTROLS * 4);
  for (size_t i = 0; i < CONTROLS * 4; ++i) {
    for (int partial = 0; partial < 2; ++partial) {
      sim_wave *w = isa_begin(p, i);
      uint64_t exec = partial ? SOME : UINT64_MAX;
      sim_set_s64(w, SIM_EXEC, exec);
      fill(w, 0, 9000), fill(w, 2, 100), fill(w, 4, 100000);
      uint32_t expected[SIM_LANES];
      bool bound = i % 2, masks = i % 4 >= 2;
      unsigned rows = !masks ? 15 : bound ? 5 : 10, banks = !masks ? 15 : bound ? 9 : 7;
      for (int l = 0; l < SIM_LANES; ++l) {
        int from = controls[i / 4].from(l);
        bool valid = from >= 0 && (exec >> from & 1);
        bool written =
            (exec >> l & 1) && (valid || bound) && (rows >> (l / 16) & 1) && (banks >> (l % 16 / 4) & 1);
        expected[l] =
            written ? 100000u + (uint32_t)l + (valid ? 100u + (uint32_t)from : 0) : 9000u + (uint32_t)l;
      }
      CHECK_RUN(p);
      CHECK_ROW(p, 0, expected);
    }
  }
  isa_free(p);
}

static void dpp_forms(const char *target) {
  static const char *const code[] = {
      "v_mov_b64_dpp v[0:1], v[2:3] row_newbcast:3 row_mask:0xf bank_mask:0xf",
      "v_add_f32_dpp v0, -v2, |v4| row_shr:1 row_mask:0xf bank_mask:0xf bound_ctrl:1",
      "v_mov_b32_dpp v0, v0 row_ror:1 row_mask:0xf bank_mask:0xf",
      "v_cmp_lt_u32_sdwa vcc, v2, v4 src0_sel:BYTE_1 src1_sel:DWORD",
      ".long 0x7e0002fa, 0xff016002",  // v_mov_b32_dpp with DPP_CTRL 0x160, which GFX9 does not define
  };
  isa_program *p = isa_assemble(target, code, 5);
  sim_wave *w = isa_begin(p, 0);
  fill(w, 2, 100), fill(w, 3, 1000);
  CHECK_RUN(p);
  for (unsigned l = 0; l < SIM_LANES; ++l)
    CHECK_V64(p, 0, l, (uint64_t)(1000 + l / 16 * 16 + 3) << 32 | (100 + l / 16 * 16 + 3));
  w = isa_begin(p, 1);
  for (unsigned l = 0; l < SIM_LANES; ++l)
    w->v[2][l] = sim_bits32((float)l), w->v[4][l] = sim_bits32(-1000.0f);
  CHECK_RUN(p);
  for (unsigned l = 0; l < SIM_LANES; ++l)
    CHECK_V32(p, 0, l, sim_bits32(1000.0f - (l % 16 ? (float)(l - 1) : 0)));
  w = isa_begin(p, 2);
  fill(w, 0, 0);
  CHECK_RUN(p);
  for (unsigned l = 0; l < SIM_LANES; ++l) CHECK_V32(p, 0, l, l / 16 * 16 + (l + 15) % 16);
  w = isa_begin(p, 3);
  for (unsigned l = 0; l < SIM_LANES; ++l) w->v[2][l] = 0xff00ff | l << 8, w->v[4][l] = 32;
  CHECK_RUN(p);
  CHECK_S64(p, SIM_VCC, 0xffffffffu);
  isa_begin(p, 4);
  CHECK(isa_run(p) == SIM_FAULT_UNSUPPORTED, "an undefined DPP control must fault, not run: %s",
        isa_report(p));
  isa_free(p);
}

// ---- SDWA

static void sdwa(const char *target) {
  static const struct {
    const char *code;
    uint32_t a, b, want;  // v0 holds 0x89abcdef before
  } cases[] = {
      {"v_add_u32_sdwa v0, v2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:WORD_1",
       0x11f23344, 0x56789abc, 0x576a},
      {"v_add_u32_sdwa v0, sext(v2), v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_2 src1_sel:DWORD",
       0x11f23344, 20, 6},
      {"v_mov_b32_sdwa v0, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PAD src0_sel:DWORD", 0x11223384, 0, 0x8400},
      {"v_mov_b32_sdwa v0, v2 dst_sel:BYTE_1 dst_unused:UNUSED_SEXT src0_sel:DWORD", 0x11223384, 0,
       0xffff8400},
      {"v_mov_b32_sdwa v0, v2 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:DWORD", 0x11223384, 0,
       0x89ab84ef},
      {"v_mov_b32_sdwa v0, v2 dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_0", 0x11223384, 0,
       0x3384cdef},
      {"v_mov_b32_sdwa v0, v2 dst_sel:WORD_0 dst_unused:UNUSED_SEXT src0_sel:WORD_0", 0x11223384, 0, 0x3384},
      {"v_mov_b32_sdwa v0, v2 dst_sel:BYTE_3 dst_unused:UNUSED_PAD src0_sel:BYTE_3", 0x11223384, 0,
       0x11000000},
      {"v_add_f16_sdwa v0, -v2, |v4| dst_sel:WORD_1 dst_unused:UNUSED_PRESERVE src0_sel:WORD_1 "
       "src1_sel:WORD_0",
       0x3c000000, 0x0000c000, 0x3c00cdef},
      {"v_add_f16_sdwa v0, v2, v4 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1 src1_sel:WORD_1",
       0x3c000000, 0x3c000000, 0x4000},
      {"v_cvt_f32_f16_sdwa v0, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", 0xc0001234, 0,
       0xc0000000},
      {"v_cvt_f32_ubyte0_sdwa v0, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:BYTE_3", 0x40123456, 0,
       0x42800000},
      {"v_mul_u32_u24_sdwa v0, v2, v4 dst_sel:WORD_1 dst_unused:UNUSED_PAD src0_sel:BYTE_0 src1_sel:BYTE_1",
       0x12, 0x3400, 0x03a80000},
  };
  enum { COUNT = sizeof cases / sizeof cases[0] };
  const char *code[COUNT];
  for (int i = 0; i < COUNT; ++i) code[i] = cases[i].code;
  isa_program *p = isa_assemble(target, code, COUNT);
  for (size_t i = 0; i < COUNT; ++i) {
    sim_wave *w = isa_begin(p, i);
    sim_set_s64(w, SIM_EXEC, SOME);
    for (unsigned l = 0; l < SIM_LANES; ++l)
      w->v[0][l] = 0x89abcdef, w->v[2][l] = cases[i].a, w->v[4][l] = cases[i].b;
    CHECK_RUN(p);
    for (unsigned l = 0; l < SIM_LANES; ++l) CHECK_V32(p, 0, l, SOME >> l & 1 ? cases[i].want : 0x89abcdef);
  }
  isa_free(p);
}

// ---- EXEC, masks, carries

static void masks(const char *target) {
  static const char *const code[] = {
      "v_add_u32_e32 v0, v2, v4",
      "v_cmp_lt_u32_e32 vcc, v2, v4",
      "v_cmpx_lt_u32_e32 vcc, v2, v4",
      "v_cmp_lt_u32_e64 s[10:11], v2, v4",
      "v_cndmask_b32_e64 v0, v2, v4, s[10:11]",
      "v_add_co_u32_e32 v0, vcc, v2, v4\n v_addc_co_u32_e32 v1, vcc, v3, v5, vcc",
      "v_sub_co_u32_e64 v0, s[10:11], v2, v4\n v_subb_co_u32_e64 v1, s[12:13], v3, v5, s[10:11]",
      "v_subrev_co_u32_e32 v0, vcc, v2, v4\n v_subbrev_co_u32_e32 v1, vcc, v3, v5, vcc",
      "v_add_co_u32_e64 v0, s[10:11], v2, v4 clamp",
      "v_sub_co_u32_e64 v0, s[10:11], v2, v4 clamp",
      "v_swap_b32 v2, v4",
      "v_addc_co_u32_e64 v0, s[10:11], v2, 0, s[12:13]",
  };
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  for (size_t i = 0; i < sizeof code / sizeof code[0]; ++i) {
    test_rng rng = {77 + i};
    sim_wave *w = isa_begin(p, i);
    sim_set_s64(w, SIM_EXEC, SOME);
    sim_set_s64(w, 10, 0x5555aaaa3333ccccu);
    sim_set_s64(w, 12, 0x0123456789abcdefu);
    uint64_t a[SIM_LANES], b[SIM_LANES];
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      a[l] = test_random(&rng), b[l] = test_random(&rng);
      if (l % 3 == 0) b[l] = (b[l] & 0xffffffff00000000u) | (uint32_t)~a[l];
      if (l % 5 == 0) b[l] = a[l];
      isa_set_v64(w, 2, l, a[l]), isa_set_v64(w, 4, l, b[l]), isa_set_v64(w, 0, l, 7);
    }
    CHECK_RUN(p);
    uint64_t less = 0, carry = 0, borrow = 0, reverse = 0, carry32 = 0, borrow32 = 0, carry_in = 0;
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      uint64_t bit = SOME & 1ull << l;
      uint32_t x = (uint32_t)a[l], y = (uint32_t)b[l];
      if (x < y) less |= bit;
      if (a[l] + b[l] < a[l]) carry |= bit;
      if (a[l] < b[l]) borrow |= bit;
      if (b[l] < a[l]) reverse |= bit;
      if (x + y < x) carry32 |= bit;
      if (x < y) borrow32 |= bit;
      if (x == UINT32_MAX && (0x0123456789abcdefu >> l & 1)) carry_in |= bit;
    }
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      bool on = SOME >> l & 1;
      uint32_t x = (uint32_t)a[l], y = (uint32_t)b[l];
      if (i == 0) CHECK_V32(p, 0, l, on ? x + y : 7);
      if (i == 4) CHECK_V32(p, 0, l, on ? (0x5555aaaa3333ccccu >> l & 1 ? y : x) : 7);
      if (i == 5) CHECK_V64(p, 0, l, on ? a[l] + b[l] : 7);
      if (i == 6) CHECK_V64(p, 0, l, on ? a[l] - b[l] : 7);
      if (i == 7) CHECK_V64(p, 0, l, on ? b[l] - a[l] : 7);
      if (i == 8) CHECK_V32(p, 0, l, !on ? 7 : x + y < x ? UINT32_MAX : x + y);
      if (i == 9) CHECK_V32(p, 0, l, !on ? 7 : x < y ? 0 : x - y);
      if (i == 10) CHECK_V32(p, 2, l, on ? y : x);
      if (i == 10) CHECK_V32(p, 4, l, on ? x : y);
      if (i == 11) CHECK_V32(p, 0, l, on ? x + (uint32_t)(0x0123456789abcdefu >> l & 1) : 7);
    }
    if (i == 1 || i == 2) CHECK_S64(p, SIM_VCC, less);
    CHECK_S64(p, SIM_EXEC, i == 2 ? less : SOME);
    if (i == 3) CHECK_S64(p, 10, less);
    if (i == 5) CHECK_S64(p, SIM_VCC, carry);
    if (i == 6) CHECK_S64(p, 12, borrow);
    if (i == 7) CHECK_S64(p, SIM_VCC, reverse);
    if (i == 8) CHECK_S64(p, 10, carry32);
    if (i == 9) CHECK_S64(p, 10, borrow32);
    if (i == 11) CHECK_S64(p, 10, carry_in);
  }
  isa_free(p);
}

// ---- overlapping registers, VGPR indexing, AGPRs

static void registers(const char *target) {
  static const char *const code[] = {
      "v_lshlrev_b64 v[2:3], 4, v[2:3]",
      "v_mad_u64_u32 v[2:3], s[4:5], v2, v3, v[2:3]",
      "s_mov_b32 m0, 0\n s_set_gpr_idx_on s2, gpr_idx(SRC0)\n v_mov_b32 v0, v2\n s_set_gpr_idx_off",
      "s_set_gpr_idx_on s2, gpr_idx(DST)\n v_add_u32_e32 v0, v2, v3\n s_set_gpr_idx_off",
      ("v_accvgpr_write_b32 a5, v2\n v_accvgpr_mov_b32 a6, a5\n v_accvgpr_read_b32 v0, a6\n"
       "v_accvgpr_write_b32 a7, 1.0"),
      "v_pk_mul_f32 v[2:3], v[2:3], v[2:3] op_sel:[1,1] op_sel_hi:[0,0]",
      "v_pk_add_f16 v2, v2, v2 op_sel:[1,1] op_sel_hi:[0,0]",
      "s_set_gpr_idx_on s2, gpr_idx(SRC0)\n s_mov_b32 m0, 0x1001\n v_mov_b32 v0, v2\n s_set_gpr_idx_off",
  };
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  for (size_t i = 0; i < sizeof code / sizeof code[0]; ++i) {
    sim_wave *w = isa_begin(p, i);
    w->s[2] = 3;
    for (unsigned r = 0; r < 8; ++r) fill(w, r, 0x1000 * r);
    if (i == 5)
      for (unsigned l = 0; l < SIM_LANES; ++l) w->v[2][l] = sim_bits32(3), w->v[3][l] = sim_bits32(5);
    if (i == 6)
      for (unsigned l = 0; l < SIM_LANES; ++l) w->v[2][l] = 0x3c004200;
    CHECK_RUN(p);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      uint64_t pair = (uint64_t)(0x3000 + l) << 32 | (0x2000 + l);
      if (i == 0) CHECK_V64(p, 2, l, pair << 4);
      if (i == 1) CHECK_V64(p, 2, l, pair + (uint64_t)(0x2000 + l) * (0x3000 + l));
      if (i == 2) CHECK_V32(p, 0, l, 0x5000 + l);
      if (i == 3) CHECK_V32(p, 3, l, 0x5000 + 2 * l);
      if (i == 3) CHECK_V32(p, 0, l, l);
      if (i == 4) CHECK_V32(p, 0, l, 0x2000 + l);
      if (i == 4) CHECK_V32(p, SIM_ACC + 7, l, 0x3f800000);
      if (i == 5) CHECK_V64(p, 2, l, (uint64_t)sim_bits32(9) << 32 | sim_bits32(25));
      if (i == 6) CHECK_V32(p, 2, l, 0x46004000);
      if (i == 7) CHECK_V32(p, 0, l, 0x3000 + l);
    }
  }
  isa_free(p);
}

// Which bit of M0 shifts an operand where the encoding has it in an unusual place (CDNA4 ISA 6.6.2): the old
// destination goes with the destination, and the addend of v_fmamk is source 2.
static void indexed_roles(const char *target) {
  enum { SRC0 = 1, SRC1 = 2, SRC2 = 4, DST = 8, INDEX = 16 };
  static const char *const code[] = {
      "v_fmac_f32 v10, v11, v12",
      "v_fmamk_f32 v10, v11, 0x40000000, v12",
      "v_fmaak_f32 v10, v11, v12, 0x40000000",
      "v_lshlrev_b32 v10, v11, v12",
      "v_cvt_pkaccum_u8_f32 v10, v11, v12",
      "v_mov_b32_sdwa v10, v11 dst_sel:BYTE_1 dst_unused:UNUSED_PRESERVE src0_sel:BYTE_0",
  };
  enum { CODES = sizeof code / sizeof *code };
  char text[CODES][160];
  const char *snippets[CODES];
  for (size_t i = 0; i < CODES; ++i) {
    snprintf(text[i], sizeof text[i], "s_set_gpr_idx_on s2, 0\n s_mov_b32 m0, s3\n %s\n s_set_gpr_idx_off",
             code[i]);
    snippets[i] = text[i];
  }
  isa_program *p = isa_assemble(target, snippets, CODES);
  for (size_t i = 0; i < CODES; ++i)
    for (uint32_t mode = 0; mode < 16; ++mode) {
      sim_wave *w = isa_begin(p, i);
      uint32_t row[64];
      for (unsigned r = 0; r < 64; ++r)
        for (unsigned l = 0; l < SIM_LANES; ++l)
          w->v[r][l] = row[r] = i == 3   ? r % 7 * 0x101
                                : i == 5 ? r * 0x01010101
                                         : sim_bits32((float)(r % 5 + r / 8));
      w->s[3] = mode << 12 | INDEX;
      const unsigned d = 10 + (mode & DST ? INDEX : 0), a = 11 + (mode & SRC0 ? INDEX : 0);
      const unsigned b = 12 + (mode & (i == 1 ? SRC2 : SRC1) ? INDEX : 0);
      const float x = sim_f32(row[a]), y = sim_f32(row[b]), old = sim_f32(row[d]);
      const unsigned byte = 8 * (row[b] & 3);
      const uint32_t wanted[CODES] = {
          sim_bits32(x * y + old),
          sim_bits32(x * 2 + y),
          sim_bits32(x * y + 2),
          row[b] << (row[a] & 31),
          (row[d] & ~(0xffu << byte)) | (uint32_t)x << byte,
          (row[d] & 0xffff00ff) | (row[a] & 0xff) << 8,
      };
      CHECK_RUN(p);
      for (unsigned r = 0; r < 64; ++r) CHECK_V32(p, r, 7, r == d ? wanted[i] : row[r]);
    }
  isa_free(p);
}

static void faults(const char *target) {
  static const char *const code[] = {
      "v_screen_partition_4se_b32 v0, v1",
      "s_set_gpr_idx_on s2, gpr_idx(SRC0)\n v_mov_b32 v0, v9",
      "s_set_gpr_idx_on s2, gpr_idx(DST)\n v_lshlrev_b64 v[6:7], 4, v[2:3]",
      "s_set_gpr_idx_on s2, gpr_idx(DST)\n v_lshlrev_b64 v[4:5], 4, v[2:3]",
  };
  isa_program *p = isa_assemble(target, code, sizeof code / sizeof code[0]);
  for (size_t i = 1; i < 3; ++i) {
    isa_begin(p, i)->s[2] = 250;
    CHECK_FAULT(p, SIM_FAULT_PROGRAM, "past the last VGPR");
  }
  isa_begin(p, 3)->s[2] = 250;
  CHECK_RUN(p);
  isa_begin(p, 0);
  CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, "v_screen_partition_4se_b32");
  isa_free(p);
}

int main(void) {
  dpp("gfx942");
  dpp("gfx950");
  dpp_forms("gfx942");
  dpp_forms("gfx950");
  sdwa("gfx942");
  sdwa("gfx950");
  masks("gfx942");
  masks("gfx950");
  registers("gfx942");
  registers("gfx950");
  indexed_roles("gfx942");
  indexed_roles("gfx950");
  faults("gfx942");
  faults("gfx950");
  return test_result();
}
