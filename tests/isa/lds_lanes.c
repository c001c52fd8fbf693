// SPDX-License-Identifier: MIT
// Cross-lane LDS instructions: swizzle in all modes, permutes, transpose reads, against the manual's
// formulas.
#include "tests/isa/harness.h"

static void value_row(uint32_t row[64]) {
  for (unsigned l = 0; l < 64; ++l) row[l] = 0x100 + l;
}

// ---- ds_swizzle_b32

// The two FFT tables the manual prints, counted from 1.
static const uint8_t fft_00[32] = {0x01, 0x11, 0x09, 0x19, 0x05, 0x15, 0x0d, 0x1d, 0x03, 0x13, 0x0b,
                                   0x1b, 0x07, 0x17, 0x0f, 0x1f, 0x02, 0x12, 0x0a, 0x1a, 0x06, 0x16,
                                   0x0e, 0x1e, 0x04, 0x14, 0x0c, 0x1c, 0x08, 0x18, 0x10, 0x20};
static const uint8_t fft_10[32] = {0x01, 0x09, 0x05, 0x0d, 0x03, 0x0b, 0x07, 0x0f, 0x02, 0x0a, 0x06,
                                   0x0e, 0x04, 0x0c, 0x08, 0x10, 0x11, 0x19, 0x15, 0x1d, 0x13, 0x1b,
                                   0x17, 0x1f, 0x12, 0x1a, 0x16, 0x1e, 0x14, 0x1c, 0x18, 0x20};

static unsigned swap16(unsigned l) { return l ^ 16; }
static unsigned reverse_in_8(unsigned l) { return l ^ 7; }
static unsigned broadcast_3_of_8(unsigned l) { return (l & ~7u) | 3; }
static unsigned mirror_quads(unsigned l) { return (l & ~3u) | (3 - (l & 3)); }
static unsigned quad_0(unsigned l) { return l & ~3u; }
static unsigned fft0(unsigned l) { return (l & 32) | (fft_00[l & 31] - 1u); }
static unsigned fft16(unsigned l) { return (l & 32) | (fft_10[l & 31] - 1u); }
static unsigned same(unsigned l) { return l; }
// "ROTATE, direction, size": direction 0 moves data towards lower lanes (LLVM AMDGPUModifierSyntax).
static unsigned rotate_left_3(unsigned l) { return (l & 32) | ((l + 3) & 31); }
static unsigned rotate_right_5(unsigned l) { return (l & 32) | ((l - 5) & 31); }
static unsigned rotate_1_in_4(unsigned l) { return (l & ~3u) | ((l + 1) & 3); }
static unsigned low_or_xor(unsigned l) { return (l & 32) | ((((l & 31) & 0x15) | 0x02) ^ 0x09); }

static const struct {
  const char *code;
  unsigned (*source)(unsigned);
} swizzles[] = {
    {"ds_swizzle_b32 v1, v2 offset:swizzle(SWAP,16)", swap16},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(REVERSE,8)", reverse_in_8},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(BROADCAST,8,3)", broadcast_3_of_8},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(QUAD_PERM,3,2,1,0)", mirror_quads},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(QUAD_PERM,0,0,0,0)", quad_0},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(FFT,0)", fft0},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(FFT,16)", fft16},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(FFT,31)", same},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(ROTATE,0,3)", rotate_left_3},
    {"ds_swizzle_b32 v1, v2 offset:swizzle(ROTATE,1,5)", rotate_right_5},
    {"ds_swizzle_b32 v1, v2 offset:0xc03c", rotate_1_in_4},  // mask 0x1c keeps the lane's group of four
    {"ds_swizzle_b32 v1, v2 offset:0x2455", low_or_xor},
};
enum { SWIZZLES = sizeof swizzles / sizeof swizzles[0] };

static void swizzle_modes(const char *target) {
  const char *code[SWIZZLES];
  for (size_t i = 0; i < SWIZZLES; ++i) code[i] = swizzles[i].code;
  isa_program *p = isa_assemble(target, code, SWIZZLES);
  const uint64_t execs[] = {~0ull, 0xf0f0fffffffffffe};
  for (size_t i = 0; i < SWIZZLES; ++i)
    for (int e = 0; e < 2; ++e) {
      sim_wave *w = isa_begin(p, i);
      sim_set_s64(w, SIM_EXEC, execs[e]);
      value_row(w->v[2]);
      for (unsigned l = 0; l < 64; ++l) w->v[1][l] = 7;
      CHECK_RUN(p);
      for (unsigned l = 0; l < 64; ++l) {
        unsigned from = swizzles[i].source(l);
        uint32_t expected = execs[e] >> from & 1 ? 0x100 + from : 0;  // an inactive source reads 0
        CHECK_V32(p, 1, l, execs[e] >> l & 1 ? expected : 7);
      }
    }
  isa_free(p);
}

// ---- permutes

static void permutes(const char *target) {
  static const char *const code[] = {"ds_bpermute_b32 v1, v3, v2", "ds_bpermute_b32 v1, v3, v2 offset:8",
                                     "ds_permute_b32 v1, v3, v2", "ds_permute_b32 v1, v3, v2 offset:252"};
  isa_program *p = isa_assemble(target, code, 4);
  uint64_t exec = 0x7ffffffffffffffd;  // lanes 1 and 63 off
  for (size_t i = 0; i < 4; ++i) {
    sim_wave *w = isa_begin(p, i);
    unsigned offset = i == 1 ? 2 : i == 3 ? 63 : 0;
    uint32_t expected[64] = {0};
    sim_set_s64(w, SIM_EXEC, exec);
    value_row(w->v[2]);
    for (unsigned l = 0; l < 64; ++l) {
      // Every third lane points beyond 64 lanes and carries low bits, which do not count; lanes 10 and 11
      // collide.
      unsigned lane = l == 11 ? 10 * 7 % 64 : l * 7 % 64;
      w->v[3][l] = lane * 4 + l % 4 + (l % 3 == 0 ? 0x1000 : 0);
    }
    for (unsigned l = 0; l < 64; ++l) {
      unsigned lane = ((l == 11 ? 10 * 7 % 64 : l * 7 % 64) + offset) % 64;
      if (i < 2)
        expected[l] = exec >> lane & 1 ? 0x100 + lane : 0;
      else if (exec >> l & 1)
        expected[lane] = 0x100 + l;  // ascending: the highest source wins
    }
    expected[1] = expected[63] = 0;
    CHECK_RUN(p);
    CHECK_ROW(p, 1, expected);
  }
  isa_free(p);
}

// ---- when results land

// They behave as loads of LDS do: under `early` an instruction that follows without a wait reads the result,
// under `late` what was there before.
static void results_land_as_the_schedule_says(const char *target, size_t count) {
  static const char *const code[] = {
      "ds_swizzle_b32 v4, v2 offset:swizzle(SWAP,16)\n ds_swizzle_b32 v6, v4 offset:swizzle(SWAP,16)",
      "ds_permute_b32 v4, v0, v2\n ds_swizzle_b32 v6, v4 offset:swizzle(SWAP,16)",
      "ds_bpermute_b32 v4, v0, v2\n ds_swizzle_b32 v6, v4 offset:swizzle(SWAP,16)",
      "ds_read_b64_tr_b16 v[4:5], v0\n ds_swizzle_b32 v6, v4 offset:swizzle(SWAP,16)"};
  enum { BEFORE = 7, AFTER = 0x5a5a5a5a };
  isa_program *p = isa_assemble(target, code, count);
  for (size_t i = 0; i < count; ++i)
    for (int schedule = SIM_LATE; schedule <= SIM_EARLY; ++schedule) {
      sim_wave *w = isa_begin(p, i);
      isa_group(p)->schedule = (sim_schedule)schedule;
      memset(isa_group(p)->lds, AFTER & 0xff, 64 * 8);
      for (unsigned l = 0; l < 64; ++l) w->v[0][l] = 8 * l, w->v[2][l] = AFTER, w->v[4][l] = BEFORE;
      CHECK_RUN(p);
      CHECK_V32(p, 4, 0, AFTER);
      CHECK_V32(p, 6, 16, schedule == SIM_LATE ? BEFORE : AFTER);
    }
  isa_free(p);
}

// ---- transpose reads: CDNA4 ISA 11.4, restated per width

static uint32_t bits_at(const uint8_t *p, unsigned bit, unsigned width) {
  uint32_t value = 0;
  for (unsigned i = 0; i < width; ++i) value |= (uint32_t)(p[(bit + i) / 8] >> ((bit + i) % 8) & 1) << i;
  return value;
}

static const struct {
  const char *code;
  unsigned width, elements, bytes, rows_apart;  // lanes between the sources of elements r and r + 1
} transposes[] = {
    {"ds_read_b64_tr_b16 v[4:5], v0 offset:64", 16, 4, 8, 4},
    {"ds_read_b64_tr_b8 v[4:5], v0 offset:64", 8, 8, 8, 2},
    {"ds_read_b64_tr_b4 v[4:5], v0 offset:64", 4, 16, 8, 1},
    {"ds_read_b96_tr_b6 v[4:6], v0 offset:64", 6, 16, 12, 1},
};

static void transpose_reads(void) {
  const char *code[4];
  for (size_t i = 0; i < 4; ++i) code[i] = transposes[i].code;
  isa_program *p = isa_assemble("gfx950", code, 4);
  for (size_t i = 0; i < 4; ++i) {
    sim_wave *w = isa_begin(p, i);
    uint8_t *lds = isa_group(p)->lds;
    for (unsigned k = 0; k < 8192; ++k) lds[k] = (uint8_t)(k * 89 + (k >> 7) * 31 + 3);
    for (unsigned l = 0; l < 64; ++l) w->v[0][l] = (l * 29 % 64) * 16;
    uint8_t expected[64][12] = {{0}};
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned r = 0; r < transposes[i].elements; ++r) {
        unsigned j = l % 16, width = transposes[i].width, per_lane = transposes[i].elements;
        unsigned source = l - j + transposes[i].rows_apart * r + j / per_lane;
        uint32_t value = bits_at(lds + w->v[0][source] + 64, j % per_lane * width, width);
        for (unsigned b = 0; b < width; ++b)
          expected[l][(r * width + b) / 8] |= (uint8_t)((value >> b & 1) << ((r * width + b) % 8));
      }
    CHECK_RUN(p);
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned d = 0; d < transposes[i].bytes / 4; ++d) {
        uint32_t value;
        memcpy(&value, expected[l] + 4 * d, 4);
        CHECK_V32(p, 4 + d, l, value);
      }
  }
  // This is what harsh-nod/fe2o3 measured on an MI350X: b4 is a transpose of 16 x 16 nibbles within each 16
  // lanes.
  sim_wave *four = isa_begin(p, 2);
  uint8_t *lds = isa_group(p)->lds;
  for (unsigned k = 0; k < 512; ++k) lds[64 + k] = (uint8_t)(k * 89 + (k >> 5) * 31);
  for (unsigned l = 0; l < 64; ++l) four->v[0][l] = 8 * l;
  CHECK_RUN(p);
  for (unsigned l = 0; l < 64; ++l) {
    uint64_t column = 0;
    for (unsigned row = 0; row < 16; ++row)
      column |= (uint64_t)bits_at(lds + 64 + 8 * (l / 16 * 16 + row), 4 * (l % 16), 4) << 4 * row;
    CHECK_V64(p, 4, l, column);
  }

  // Reads linear b16 data, as vendor kernels rely on: lane 0 gets elements 0, 16, 32, 48, lane 16 gets 64,
  // 80, 96, 112.
  sim_wave *w = isa_begin(p, 0);
  for (unsigned k = 0; k < 1024; ++k) {
    uint16_t element = (uint16_t)k;
    memcpy(isa_group(p)->lds + 64 + 2 * k, &element, 2);
  }
  for (unsigned l = 0; l < 64; ++l) w->v[0][l] = 8 * l;
  CHECK_RUN(p);
  CHECK_V32(p, 4, 0, 16u << 16);
  CHECK_V32(p, 5, 0, 48u << 16 | 32);
  CHECK_V32(p, 4, 16, 80u << 16 | 64);
  CHECK_V32(p, 5, 16, 112u << 16 | 96);

  w = isa_begin(p, 1);
  w->v[0][20] = 4;
  CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "lane 20");
  w = isa_begin(p, 3);
  w->v[0][2] = 12;
  CHECK_FAULT(p, SIM_FAULT_ALIGNMENT, "multiple of 16");
  w = isa_begin(p, 2);
  sim_set_s64(w, SIM_EXEC, ~1ull);
  CHECK_FAULT(p, SIM_FAULT_PROGRAM, "all lanes active");
  w = isa_begin(p, 2);
  w->v[0][63] = ISA_LDS_BYTES - 64;
  CHECK_FAULT(p, SIM_FAULT_LDS_RANGE, "lane 63");
  isa_free(p);
}

int main(void) {
  swizzle_modes("gfx942");
  swizzle_modes("gfx950");
  permutes("gfx942");
  permutes("gfx950");
  results_land_as_the_schedule_says("gfx942", 3);
  results_land_as_the_schedule_says("gfx950", 4);
  transpose_reads();
  return test_result();
}
