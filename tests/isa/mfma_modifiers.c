// SPDX-License-Identifier: MIT
// Tests modifiers of matrix instructions: A broadcast, B lane patterns, negation of f64, MODE bits, scale
// constants; and what is reserved is refused by name.
#include "mfma_ops.h"

enum { MAX_CASES = 256 };
static mfma_case cases[MAX_CASES];
static size_t case_count;

static mfma_case *new_case(const char *name) {
  if (case_count == MAX_CASES) abort();
  mfma_case *c = &cases[case_count++];
  *c = (mfma_case){.ref = {.d = SIM_ACC + 16, .a = 10, .b = 40, .c = SIM_ACC + 16, .scale = {100, 101}}};
  ref_parse(name, &c->ref.shape);
  return c;
}

static void broadcasts(void) {
  static const struct {
    const char *name;
    int max_cbsz;
  } ops[] = {{"v_mfma_f32_32x32x1_2b_f32", 1},
             {"v_mfma_f32_16x16x4_4b_f16", 2},
             {"v_mfma_f32_4x4x4_16b_bf16", 4},
             {"v_mfma_i32_4x4x4_16b_i8", 4}};
  for (size_t n = 0; n < sizeof ops / sizeof ops[0]; ++n)
    for (int cbsz = 0; cbsz <= ops[n].max_cbsz; ++cbsz)
      for (int abid = 0; abid < 1 << cbsz; ++abid) {
        mfma_case *c = new_case(ops[n].name);
        c->ref.cbsz = cbsz;
        c->ref.abid = abid;
        c->ref.blgp = (cbsz + abid) % 8;
        mfma_write(c, ops[n].name, NULL);
      }
}

static void lane_patterns(void) {
  static const char *const ops[] = {"v_mfma_f32_32x32x2_f32", "v_mfma_f32_16x16x16_f16",
                                    "v_mfma_i32_16x16x32_i8", "v_mfma_f32_32x32x16_fp8_bf8",
                                    "v_mfma_f64_16x16x4_f64", "v_mfma_f64_4x4x4_4b_f64"};
  for (size_t n = 0; n < sizeof ops / sizeof ops[0]; ++n)
    for (int blgp = 0; blgp < 8; ++blgp) {
      mfma_case *c = new_case(ops[n]);
      c->ref.blgp = blgp;
      mfma_write(c, ops[n], NULL);
    }
}

static void negated_constant(void) {
  mfma_case *c = new_case("v_mfma_f64_16x16x4_f64");
  c->ref.blgp = 4;
  c->ref.c_constant = true;
  c->ref.c_value = 0x3ff0000000000000u;
  mfma_write(c, "v_mfma_f64_16x16x4_f64", "1.0");
}

// MODE: denormals of f32 in bits 5:4 (1 allows inputs, 2 allows results), FP16_OVFL bit 23.
static void modes(bool gfx950) {
  static const char *const names[] = {"v_mfma_f32_16x16x4_f32",     "v_mfma_f32_32x32x1_2b_f32",
                                      "v_mfma_f32_4x4x1_16b_f32",   "v_mfma_f32_16x16x16_bf16",
                                      "v_mfma_f32_4x4x4_16b_bf16",  "v_mfma_f32_16x16x16_f16",
                                      "v_mfma_i32_16x16x32_i8",     "v_mfma_f32_16x16x32_bf8_bf8",
                                      "v_smfmac_f32_16x16x32_bf16", "v_mfma_scale_f32_16x16x128_f8f6f4"};
  for (size_t n = 0; n < sizeof names / sizeof names[0]; ++n)
    for (uint32_t mode = 0; mode < 8; ++mode) {
      if (!gfx950 && strstr(names[n], "scale")) continue;
      mfma_case *c = new_case(names[n]);
      bool f32 = c->ref.shape.a == REF_F32;  // the only type that follows the denormal mode
      c->ref.flush_in = f32 && !(mode & 1);
      c->ref.flush_out = f32 && !(mode & 2);
      c->ref.saturate = mode & 4;
      if (c->ref.shape.sparse) c->ref.c = 60;
      c->mode_clear = 3u << 4 | 1u << 23 | 15;
      c->mode_set = (mode & 3) << 4 | (mode & 4) << 21 | (3u << 2 * (mode & 1));  // rounding is ignored too
      mfma_write(c, names[n], NULL);
    }
}

// The assembler takes only VGPRs as scales; the encoding has inline constants too, of which the exponent
// counts.
static void check_scale_constants(test_rng *rng) {
  static const char *const code[] = {
      // v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], v24, v25 with byte 0 of each
      "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23], v24, v25 op_sel_hi:[0,0,0]"};
  isa_program *p = isa_assemble("gfx950", code, 1);
  sim_wave *w = isa_begin(p, 0);
  static uint32_t before[32][SIM_LANES], want[4][SIM_LANES];
  for (int row = 0; row < 24; ++row)
    for (int lane = 0; lane < SIM_LANES; ++lane)
      before[row][lane] = row < 20 ? (uint32_t)test_random(rng) & 0x3f3f3f3f : 0x3f800000u;
  for (int variant = 0; variant < SIM_HOST_COUNT; ++variant) {
    sim_op op;
    if (!mfma_op(p, 0, (sim_host)variant, &op)) continue;
    // The factors are 2^1 and 2^-1 from scale registers, then from the constants 2.0 (source code 244) and
    // 0.5 (240).
    memcpy(w->v, before, sizeof before);
    for (int lane = 0; lane < SIM_LANES; ++lane) {
      w->v[24][lane] = 128;
      w->v[25][lane] = 126;
    }
    op.run(w, &op);
    memcpy(want, w->v, sizeof want);
    memcpy(w->v, before, sizeof before);
    op.raw[1] = (op.raw[1] & ~0x3ffffu) | 244 | 240 << 9;
    op.run(w, &op);
    CHECK(memcmp(want, w->v, sizeof want) == 0, "%s: constants 2.0 and 0.5 as scales",
          mfma_variant_names[variant]);
    // ABID[0] = 0: scales are 1.0 whatever the operands say.
    memcpy(w->v, before, sizeof before);
    op.raw[1] = (op.raw[1] & ~0x3ffffu) | 247 | 247 << 9;
    op.raw[2] &= ~0x800u;
    op.run(w, &op);
    CHECK(memcmp(want, w->v, sizeof want) == 0, "%s: scales without ABID[0]", mfma_variant_names[variant]);
    CHECK(isa_group(p)->fault == SIM_FAULT_NONE, "%s", isa_group(p)->report);
  }
  isa_free(p);
}

static void check_refused(void) {
  static const struct {
    const char *code, *text;
  } refused[] = {
      {"v_mfma_f32_16x16x4_4b_f16 a[0:15], v[0:1], v[2:3], a[0:15] cbsz:3", "cbsz 3 abid 0"},
      {"v_mfma_f32_16x16x4_4b_f16 a[0:15], v[0:1], v[2:3], a[0:15] cbsz:1 abid:2", "cbsz 1 abid 2"},
      {"v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3] cbsz:1",
       "2^cbsz must not exceed the 1 blocks"},
      {"v_mfma_f64_16x16x4_f64 a[0:7], v[0:1], v[2:3], a[0:7] cbsz:1", "broadcasts do not exist for f64"},
  };
  enum { COUNT = sizeof refused / sizeof refused[0] };
  const char *lines[COUNT];
  for (int i = 0; i < COUNT; ++i) lines[i] = refused[i].code;
  isa_program *p = isa_assemble("gfx950", lines, COUNT);
  for (int i = 0; i < COUNT; ++i) {
    isa_begin(p, (size_t)i);
    CHECK_FAULT(p, SIM_FAULT_UNSUPPORTED, refused[i].text);
  }
  isa_free(p);
}

// A scale pair whose MFMA ignores it disassembles as two instructions; the first one changes nothing.
static void check_lone_scale(void) {
  static const char *const code[] = {
      ".long 0xd3ac1000, 0x00023318\n .long 0xd3ad0000, 0x04521904",
      "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[4:11], v[12:19], v[20:23]",
  };
  isa_program *p = isa_assemble("gfx950", code, 2);
  uint32_t result[2];
  for (size_t n = 0; n < 2; ++n) {
    sim_wave *w = isa_begin(p, n);
    for (int row = 4; row < 26; ++row)
      for (int lane = 0; lane < SIM_LANES; ++lane) w->v[row][lane] = 0x38383838u;  // 1.0 in E4M3
    CHECK_RUN(p);
    result[n] = w->v[2][17];
  }
  CHECK(result[0] == result[1], "%08x and %08x", result[0], result[1]);
  isa_free(p);
}

int main(void) {
  test_rng rng = test_seed(20260102);
  for (int gfx950 = 0; gfx950 < 2; ++gfx950) {
    case_count = 0;
    broadcasts();
    lane_patterns();
    negated_constant();
    modes(gfx950);
    mfma_check_all(gfx950 ? "gfx950" : "gfx942", cases, case_count, &rng);
  }
  check_scale_constants(&rng);
  check_refused();
  check_lone_scale();
  return test_result() | mfma_test_result();
}
