// SPDX-License-Identifier: MIT
// Every matrix instruction through its wrapper, against sums of integer products: the data are small
// integers, so the result must be exact. Elements are placed by the general layout rules of CDNA4 ISA 7.1.4
// and encoded from the definitions of the formats.
#include "formats.h"
#include "mfma_cases.h"
#include "mfma_places.h"
#include "run.h"

enum { LANES = 64, MOST_K = 128, MOST = 32, BLOCKS = 16 };

typedef struct test_case {
  const char *name;
  bool scaled;
  type a, b;
  int m, n, k, blocks;
  bool here[2];  // on gfx942, on gfx950
} test_case;

#define PLAIN(A, B, M, N, K, BL, ON942, ON950) \
  {#A "_" #B "_" #M "x" #N "x" #K "_" #BL, false, A, B, M, N, K, BL, {ON942, ON950}},
#define SCALED(A, B, M, N, K, BL, ON942, ON950) \
  {"scaled_" #A "_" #B "_" #M "x" #N "x" #K, true, A, B, M, N, K, BL, {ON942, ON950}},
static const test_case cases[] = {ISA_MFMA_CASES(PLAIN) ISA_MFMA_SCALED_CASES(SCALED)};

static void put_bits(uint32_t *registers, int item, int bits, uint64_t value) {
  for (int i = 0; i < bits; ++i) {
    const int at = item * bits + i;
    registers[at / 32] |= (uint32_t)(value >> i & 1) << (at % 32);
  }
}

static isa_place place_operand(const test_case *t, type element, int rows, int block, int row, int k) {
  const bool two_runs = t->k >= 64 && formats[element].bits == 8 && element != i8;
  return isa_place_operand(rows, t->k, t->blocks, two_runs, block, row, k);
}

static isa_place place_result(const test_case *t, int block, int row, int column) {
  return isa_place_result(t->m, t->n, t->a == f64 ? 1 : 4, block, row, column);
}

static uint32_t *a, *b, *c, *d, *scales;

static void check_case(hipModule_t module, const test_case *t, bool gfx950, test_rng *rng) {
  static int a_values[BLOCKS][MOST][MOST_K], b_values[BLOCKS][MOST][MOST_K], c_values[BLOCKS][MOST][MOST];
  static int a_scale[MOST][4], b_scale[MOST][4];
  const type sum = t->a == f64 ? f64 : t->a == i8 ? i8 : f32;
  const int sum_words = sum == f64 ? 2 : 1, results = t->m * t->n * t->blocks / LANES * sum_words;
  const int a_words = t->m * t->k * t->blocks / LANES * formats[t->a].bits / 32;
  const int b_words = t->n * t->k * t->blocks / LANES * formats[t->b].bits / 32;
  memset(a, 0, LANES * 8 * 4), memset(b, 0, LANES * 8 * 4), memset(d, 0xff, LANES * 32 * 4);
  for (int block = 0; block < t->blocks; ++block) {
    for (int row = 0; row < t->m; ++row) {
      for (int k = 0; k < t->k; ++k) {
        const int value = a_values[block][row][k] = (int)(test_random(rng) % 9) - 4;
        const isa_place at = place_operand(t, t->a, t->m, block, row, k);
        put_bits(a + at.lane * a_words, at.item, formats[t->a].bits, encode(t->a, gfx950, value));
      }
      for (int column = 0; column < t->n; ++column) {
        const int value = c_values[block][row][column] = (int)(test_random(rng) % 2001) - 1000;
        const isa_place at = place_result(t, block, row, column);
        const uint64_t code = sum == i8 ? (uint32_t)value : encode(sum, gfx950, value);
        memcpy(c + at.lane * results + at.item * sum_words, &code, 4 * (size_t)sum_words);
      }
    }
    for (int column = 0; column < t->n; ++column) {
      for (int k = 0; k < t->k; ++k) {
        const int value = b_values[block][column][k] = (int)(test_random(rng) % 9) - 4;
        const isa_place at = place_operand(t, t->b, t->n, block, column, k);
        put_bits(b + at.lane * b_words, at.item, formats[t->b].bits, encode(t->b, gfx950, value));
      }
    }
  }
  // Takes powers of two from 1/4 to 4; the other three bytes of the registers hold something else.
  for (int l = 0; l < LANES; ++l) {
    a_scale[l % t->m][l / t->m % 4] = (int)(test_random(rng) % 5) - 2;
    b_scale[l % t->n][l / t->n % 4] = (int)(test_random(rng) % 5) - 2;
    for (int byte = 0; byte < 4; ++byte) {
      ((uint8_t *)&scales[l])[byte] = (uint8_t)(127 + a_scale[l % t->m][l / t->m % 4] +
                                                (byte == ISA_MFMA_SCALE_BYTE_A(t->m) ? 0 : 3 + byte));
      ((uint8_t *)&scales[LANES + l])[byte] = (uint8_t)(127 + b_scale[l % t->n][l / t->n % 4] +
                                                        (byte == ISA_MFMA_SCALE_BYTE_B(t->m) ? 0 : 3 + byte));
    }
  }
  void *arguments[] = {&a, &b, &c, &d, &scales};
  if (!isa_run(module, t->name, LANES, arguments)) return;
  for (int block = 0; block < t->blocks; ++block) {
    for (int row = 0; row < t->m; ++row) {
      for (int column = 0; column < t->n; ++column) {
        double want = c_values[block][row][column];
        for (int k = 0; k < t->k; ++k) {
          const int exponent = t->scaled ? a_scale[row][k / 32] + b_scale[column][k / 32] + 4 : 4;
          want += a_values[block][row][k] * b_values[block][column][k] * (double)(1 << exponent) / 16;
        }
        const isa_place at = place_result(t, block, row, column);
        const uint32_t *bits = d + at.lane * results + at.item * sum_words;
        double got = *(const int32_t *)bits;
        if (sum == f32) got = (double)*(const float *)bits;
        if (sum == f64) memcpy(&got, bits, sizeof got);
        CHECK(got == want, "%s on %s: block %d row %d column %d is %g, expected %g", t->name,
              gfx950 ? "gfx950" : "gfx942", block, row, column, got, want);
      }
    }
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(71);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
    const test_case *t = &cases[i];
    hipFunction_t function;
    if (t->here[gfx950]) {
      for (int round = 0; round < 3; ++round) check_case(module, t, gfx950, &rng);
    } else {
      CHECK(hipModuleGetFunction(&function, module, t->name) == hipErrorNotFound, "%s exists", t->name);
    }
  }
}

int main(int argc, char **argv) {
  a = isa_memory(LANES * 8 * 4), b = isa_memory(LANES * 8 * 4);
  c = isa_memory(LANES * 32 * 4), d = isa_memory(LANES * 32 * 4), scales = isa_memory(2 * LANES * 4);
  return isa_main(argc, argv, check_device);
}
