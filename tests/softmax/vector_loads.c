// SPDX-License-Identifier: MIT
// Tests what the compiler made of the kernels of softmax, cross-entropy and quantisation: each chunk of 16
// bytes of a row is one load, or one store, and there is no other wide access, none to scratch, and none that
// is flat.
//
//   vector_loads DIRECTORY: of the code objects, <stem>.<target>.co
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "kernels/code_loops.h"

// Says how often a kernel accesses, 16 bytes at a time, a chunk of a row that it holds.
typedef struct row_kernel {
  const char *stem;
  unsigned loads, stores;
} row_kernel;

static const row_kernel kernels[] = {
    {"softmax_forward", 1, 1}, {"softmax_backward", 2, 1},  // y and dy
    {"cross_entropy", 1, 2},                                // the gradient, or zeros
    {"quantize_rows", 1, 0},   {"quantize", 1, 0},          // FP8 is narrower
    {"dequantize", 0, 1},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static unsigned count(const code_kernel *k, const char *start) {
  unsigned n = 0;
  for (uint32_t i = k->first; i <= k->last; ++i)
    n += strncmp(sim_op_text(k->program, &k->program->ops[i]), start, strlen(start)) == 0;
  return n;
}

// Names end with the shape: threads of a team x values of a thread; "any" is 16 values, and takes two passes
// over the row, of which the second stores.
static void check_kernel(const code_kernel *k, void *context) {
  const row_kernel *row = context;
  const char *name = k->kernel->name, *shape = strrchr(name, '_') + 1;
  const bool any = strcmp(shape, "any") == 0;
  const unsigned values = any ? 16 : (unsigned)atoi(strchr(shape, 'x') + 1);
  const unsigned chunks = values * (strstr(name, "_f32_") ? 4 : 2) / 16;
  const unsigned loads = row->loads * chunks * (any ? 2 : 1);
  const unsigned stores = strstr(name, "largest") ? 0 : row->stores * chunks;
  CHECK(count(k, "global_load_dwordx4 ") == loads, "%s for %s has %u loads of 16 bytes, expected %u", name,
        k->target, count(k, "global_load_dwordx4 "), loads);
  CHECK(count(k, "global_store_dwordx4 ") == stores, "%s for %s has %u stores of 16 bytes, expected %u", name,
        k->target, count(k, "global_store_dwordx4 "), stores);
  CHECK(count(k, "flat_") == 0 && count(k, "scratch_") == 0 && count(k, "global_load_dwordx3 ") == 0,
        "%s for %s has accesses that are flat, to scratch, or of 12 bytes", name, k->target);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: vector_loads DIRECTORY\n"), 2;
  for (int i = 0; i < 2 * KERNELS; ++i) {
    row_kernel row = kernels[i / 2];
    const char *target = i % 2 ? "gfx950" : "gfx942";
    const size_t found = code_each_kernel(argv[1], row.stem, target, check_kernel, &row);
    CHECK(found >= 12, "%s for %s has %zu kernels only", row.stem, target, found);
    printf("%s for %s: %zu kernels\n", row.stem, target, found);
  }
  return test_result();
}
