// SPDX-License-Identifier: MIT
// The headers' maps against the simulated instructions: operands gathered by the map of rt_a and rt_b,
// multiplied, and the sums scattered by the map of rt_c or rt_ct, are A * B^T of matrices whose rows and k
// are all unlike. Wrong rows or columns would show, and any k in which A and B do not meet.
#include "tests/kernels/ops/isa/formats.h"
#include "tests/kernels/ops/isa/run.h"

enum { ROWS = 32, DEPTH = 128 };

static const struct {
  const char *name;
  type type;
} types[] = {{"f32", f32},         {"f16", f16},         {"bf16", bf16},      {"i8", i8},
             {"fp8e4m3", fp8e4m3}, {"fp8e5m2", fp8e5m2}, {"fp4e2m1", fp4e2m1}};

static uint32_t *a, *b, *c;

// Returns K of the fragment: 16 bytes of a row per lane, 32 for 8-bit floats on gfx950.
static int depth_of(type t, int rows, bool gfx950) {
  const bool twice = gfx950 && (t == fp8e4m3 || t == fp8e5m2);
  return 128 / formats[t].bits * (64 / rows) * (twice ? 2 : 1);
}

static void check_kernel(hipModule_t module, const char *name, type t, int rows, bool gfx950, test_rng *rng) {
  static int x[ROWS][DEPTH], y[ROWS][DEPTH];
  static const int values[] = {-4, -3, -2, -1, 1, 2, 3, 4};  // all formats have them
  const int depth = depth_of(t, rows, gfx950);
  for (int row = 0; row < rows; ++row) {
    for (int k = 0; k < depth; ++k) {
      a[row * depth + k] = (uint32_t)encode(t, gfx950, x[row][k] = values[test_random(rng) % 8]);
      b[row * depth + k] = (uint32_t)encode(t, gfx950, y[row][k] = values[test_random(rng) % 8]);
    }
  }
  memset(c, 0xff, ROWS * ROWS * sizeof *c);
  void *arguments[] = {&a, &b, &c};
  if (!isa_run(module, name, 64, arguments)) return;
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < rows; ++j) {
      int want = 0;
      for (int k = 0; k < depth; ++k) want += x[i][k] * y[j][k];
      float real;
      memcpy(&real, &c[i * rows + j], sizeof real);
      const double got = t == i8 ? (double)(int32_t)c[i * rows + j] : (double)real;
      CHECK(got == want, "%s on %s: (%d, %d) is %g, expected %d", name, gfx950 ? "gfx950" : "gfx942", i, j,
            got, want);
    }
  }
}

static void check_device(hipModule_t module, bool gfx950) {
  test_rng rng = test_seed(23);
  for (size_t i = 0; i < sizeof types / sizeof *types; ++i) {
    if (types[i].type == fp4e2m1 && !gfx950) continue;
    for (int rows = 16; rows <= ROWS; rows *= 2) {
      for (int transposed = 0; transposed < 2; ++transposed) {
        char name[64];
        snprintf(name, sizeof name, "%s_%d%s", types[i].name, rows, transposed ? "_transposed" : "");
        check_kernel(module, name, types[i].type, rows, gfx950, &rng);
      }
    }
  }
}

int main(int argc, char **argv) {
  a = isa_memory(ROWS * DEPTH * sizeof *a), b = isa_memory(ROWS * DEPTH * sizeof *b);
  c = isa_memory(ROWS * ROWS * sizeof *c);
  return isa_main(argc, argv, check_device);
}
