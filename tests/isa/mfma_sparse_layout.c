// SPDX-License-Identifier: MIT
// Tests where the operands of SMFMAC stand, as ROCm/hip-fpsan found it by probing an MI350 with single ones:
// for each group q of four k and each of its two stored values s, the lane and item of A, the lane and nibble
// of the index that places it, and for each k the lane and item of B. Other formulas than those of
// sim/exec/mfma, so that a shared misreading of the manual would show.
#include "tests/isa/harness.h"

typedef struct where {
  int lane, item;
} where;

typedef struct sparse_layout {
  const char *code;  // D and C v[64:], A v[0:], B v[8:], index v40
  int m, k, bits;    // k counts the dense depth
  bool gfx942;
  where (*stored)(int row, int q, int s);
  where (*nibble)(int row, int q);
  where (*dense)(int column, int k);
} sparse_layout;

// 16 bits: A and its index are simply in order.
static where stored_16x16x64(int row, int q, int s) { return (where){q / 4 * 16 + row, (2 * q + s) % 8}; }
static where nibble_16x16x64(int row, int q) { return (where){q / 4 * 16 + row, q % 4}; }
static where stored_32x32x32(int row, int q, int s) { return (where){q / 4 * 32 + row, (2 * q + s) % 8}; }
static where nibble_32x32x32(int row, int q) { return (where){q / 4 * 32 + row, q % 4}; }

// 8 bits: bits of the compressed k are permuted.
static where stored_16x16x64_8(int row, int q, int s) {
  int c = 2 * q + s;
  return (where){c % 16 / 4 * 16 + row, 4 * (c / 16) + c % 4};
}
static where nibble_16x16x64_8(int row, int q) { return (where){q % 8 / 2 * 16 + row, 2 * (q / 8) + q % 2}; }
static where stored_32x32x32_8(int row, int q, int s) {
  int c = 2 * q + s;
  return (where){c % 8 / 4 * 32 + row, 4 * (c / 8) + c % 4};
}
static where nibble_32x32x32_8(int row, int q) { return (where){q % 4 / 2 * 32 + row, 2 * (q / 4) + q % 2}; }
static where stored_16x16x128_8(int row, int q, int s) {
  int c = 2 * q + s, group = 2 * (c >> 5 & 1) + (c >> 3 & 1), word = 2 * (c >> 2 & 1) + (c >> 4 & 1);
  return (where){16 * group + row, 4 * word + (c & 3)};
}
static where nibble_16x16x128_8(int row, int q) {
  return (where){16 * (2 * (q / 16) + q / 4 % 2) + row, 2 * (q / 8 % 2) + 4 * (q % 4 / 2) + q % 2};
}
static where stored_32x32x64_8(int row, int q, int s) {
  int c = 2 * q + s, word = 2 * (c >> 2 & 1) + (c >> 3 & 1);
  return (where){32 * (c >> 4 & 1) + row, 4 * word + (c & 3)};
}
static where nibble_32x32x64_8(int row, int q) {
  return (where){32 * (q / 8) + row, q % 2 + 2 * (q / 4 % 2) + 4 * (q / 2 % 2)};
}

// B: eight items of each lane group in turn.
static where dense_16(int column, int k) { return (where){k % 32 / 8 * 16 + column, k / 32 * 8 + k % 8}; }
static where dense_32(int column, int k) { return (where){k % 16 / 8 * 32 + column, k / 16 * 8 + k % 8}; }

static const sparse_layout layouts[] = {
    {"v_smfmac_f32_16x16x64_f16 v[64:67], v[0:3], v[8:15], v40", 16, 64, 16, false, stored_16x16x64,
     nibble_16x16x64, dense_16},
    {"v_smfmac_f32_32x32x32_f16 v[64:79], v[0:3], v[8:15], v40", 32, 32, 16, false, stored_32x32x32,
     nibble_32x32x32, dense_32},
    {"v_smfmac_i32_16x16x64_i8 v[64:67], v[0:1], v[8:11], v40", 16, 64, 8, true, stored_16x16x64_8,
     nibble_16x16x64_8, dense_16},
    {"v_smfmac_i32_32x32x32_i8 v[64:79], v[0:1], v[8:11], v40", 32, 32, 8, true, stored_32x32x32_8,
     nibble_32x32x32_8, dense_32},
    {"v_smfmac_i32_16x16x128_i8 v[64:67], v[0:3], v[8:15], v40", 16, 128, 8, false, stored_16x16x128_8,
     nibble_16x16x128_8, dense_16},
    {"v_smfmac_i32_32x32x64_i8 v[64:79], v[0:3], v[8:15], v40", 32, 64, 8, false, stored_32x32x64_8,
     nibble_32x32x64_8, dense_32},
};
enum { LAYOUTS = sizeof layouts / sizeof layouts[0], A = 0, B = 8, INDEX = 40, D = 64 };

// Returns the code of a small integer, -3 to 3.
static uint32_t code_of(int value, int bits) {
  static const uint16_t halves[] = {0xc200, 0xc000, 0xbc00, 0, 0x3c00, 0x4000, 0x4200};
  return bits == 16 ? halves[value + 3] : (uint32_t)value & 255;
}

static int8_t values[16][SIM_LANES][32];  // [first register][lane][item]

static void fill(sim_wave *w, int first, int registers, int bits, test_rng *rng) {
  int per_word = 32 / bits;
  for (int lane = 0; lane < SIM_LANES; ++lane)
    for (int i = 0; i < registers * per_word; ++i) {
      int value = (int)(test_random(rng) % 7) - 3;
      values[first][lane][i] = (int8_t)value;
      uint32_t *word = &w->v[first + i / per_word][lane];
      if (i % per_word == 0) *word = 0;
      *word |= code_of(value, bits) << (i % per_word * bits);
    }
}

static void check(isa_program *p, size_t snippet, const sparse_layout *f, test_rng *rng) {
  sim_wave *w = isa_begin(p, snippet);
  int slices = SIM_LANES / f->m, per_lane = f->k / slices;
  fill(w, A, per_lane / 2 * f->bits / 32, f->bits, rng);
  fill(w, B, per_lane * f->bits / 32, f->bits, rng);
  for (int lane = 0; lane < SIM_LANES; ++lane) w->v[INDEX][lane] = (uint32_t)test_random(rng);
  CHECK_RUN(p);
  for (int i = 0; i < f->m; ++i)
    for (int j = 0; j < f->m; ++j) {
      int sum = 0;
      for (int q = 0; q < f->k / 4; ++q)
        for (int s = 0; s < 2; ++s) {
          where a = f->stored(i, q, s), n = f->nibble(i, q);
          int position = (int)(w->v[INDEX][n.lane] >> (4 * n.item + 2 * s) & 3);
          where b = f->dense(j, 4 * q + position);
          sum += values[A][a.lane][a.item] * values[B][b.lane][b.item];
        }
      unsigned reg = (unsigned)(f->m == 16 ? i % 4 : 4 * (i / 8) + i % 4);
      unsigned lane = (unsigned)(f->m == 16 ? 16 * (i / 4) + j : 32 * (i / 4 % 2) + j);
      CHECK_V32(p, D + reg, lane, f->bits == 16 ? sim_bits32((float)sum) : (uint32_t)sum);
    }
}

static void run(const char *target, bool gfx942) {
  const char *code[LAYOUTS];
  const sparse_layout *here[LAYOUTS];
  size_t count = 0;
  for (int i = 0; i < LAYOUTS; ++i) {
    if (gfx942 && !layouts[i].gfx942) continue;
    here[count] = &layouts[i];
    code[count++] = layouts[i].code;
  }
  test_rng rng = test_seed(20261123);
  isa_program *p = isa_assemble(target, code, count);
  for (size_t i = 0; i < count; ++i)
    for (int round = 0; round < 4; ++round) check(p, i, here[i], &rng);
  isa_free(p);
}

int main(void) {
  run("gfx942", true);
  run("gfx950", false);
  return test_result();
}
