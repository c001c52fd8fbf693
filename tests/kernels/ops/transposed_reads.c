// SPDX-License-Identifier: MIT
// Transposed reads of 8-, 6- and 4-bit elements give the lanes of an operand what the ISA says that they
// hold, to the bit and without a bank conflict, from every column of the tile that a fragment may begin in.
//
//   transposed_reads CODE_OBJECT
#include "transposed_reads.h"

#include "tests/kernels/ops/isa/run.h"
#include "wavetile_sim.h"

enum { LANES = 64, MOST = 256 * 256 };

typedef struct tile {
  const char *name;
  int bits, rows, depth, tall, wide, columns;
} tile;

// Returns the k of element number e of a lane. Its 6- or 4-bit elements are one run of k; its 8-bit ones are
// two runs of 16, of which the second is half an MFMA further on (CDNA4 ISA 7.1.4).
static int k_of(const tile *t, int lane, int e) {
  const int groups = LANES / t->rows, group = lane / t->rows;
  if (t->bits < 8) return group * t->depth / groups + e;
  return e / 16 * 16 * groups + 16 * group + e % 16;
}

static unsigned code_in(const unsigned *registers, int bits, int lane, int e) {
  unsigned code = 0;
  for (int bit = 0; bit < bits; ++bit) {
    const int at = e * bits + bit;
    code |= (registers[at / 32 * LANES + lane] >> at % 32 & 1) << bit;
  }
  return code;
}

static void check(const tile *t, const unsigned char *matrix, const unsigned *registers, int column) {
  const int elements = t->rows * t->depth / LANES;
  for (int f = 0; f < t->tall * t->wide; ++f)
    for (int lane = 0; lane < LANES; ++lane)
      for (int e = 0; e < elements; ++e) {
        const int k = f % t->wide * t->depth + k_of(t, lane, e);
        const int row = f / t->wide * t->rows + lane % t->rows;
        const unsigned want = matrix[k * t->columns + column + row];
        const unsigned got = code_in(registers + f * elements * t->bits / 32 * LANES, t->bits, lane, e);
        CHECK(got == want, "%s from column %d: fragment %d lane %d element %d is 0x%02x, expected 0x%02x",
              t->name, column, f, lane, e, got, want);
      }
}

static void check_kernel(hipModule_t module, const tile *t, test_rng *rng) {
  static unsigned char *matrix;
  static unsigned *registers;
  if (!matrix) matrix = isa_memory(MOST), registers = isa_memory(MOST);
  for (int i = 0; i < MOST; ++i) matrix[i] = (unsigned char)(test_random(rng) & ((1u << t->bits) - 1));
  unsigned long long accesses = 0, conflicts = 0;
  CHECK(wtSimLdsConflicts(1, NULL, NULL) == 0, "conflicts are not counted");
  for (int column = 0; column < t->columns; column += t->tall * t->rows) {
    transposed_reads_args args = {matrix, registers, column};
    void *arguments[] = {&args};
    memset(registers, 0xaa, MOST);
    if (!isa_run(module, t->name, LANES, arguments)) return;
    check(t, matrix, registers, column);
  }
  CHECK(wtSimLdsConflicts(0, &accesses, &conflicts) == 0 && accesses > 0 && conflicts == 0,
        "%s: %llu LDS instructions lost %llu cycles to bank conflicts", t->name, accesses, conflicts);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: transposed_reads CODE_OBJECT\n"), 2;
  test_rng rng = test_seed(46);
  hipModule_t module = NULL;
  if (!isa_ok(hipModuleLoad(&module, argv[1]), argv[1])) return test_result();
  enum { fp8e4m3 = 8, fp6e2m3 = 6, fp6e3m2 = 6, fp4e2m1 = 4 };  // bits of an element
#define TILE(T, ROWS, DEPTH, TALL, WIDE, COLUMNS) \
  {"read_" #T "_" #ROWS "_" #DEPTH "_from_" #COLUMNS, T, ROWS, DEPTH, TALL, WIDE, COLUMNS},
  static const tile tiles[] = {TRANSPOSED_READS_KERNELS(TILE)};
  for (size_t i = 0; i < sizeof tiles / sizeof *tiles; ++i) check_kernel(module, &tiles[i], &rng);
  isa_ok(hipModuleUnload(module), "hipModuleUnload");
  return test_result();
}
