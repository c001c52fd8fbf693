// SPDX-License-Identifier: MIT
// Tests what the compiler made of the kernels of the norms: each chunk of 16 bytes of a row is one load, or
// one store, in a single pass where the row is held; no access is flat or to scratch. Nor is one of the
// rotary embedding's.
//
//   norm_code DIRECTORY: of the code objects, <stem>.<target>.co
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "kernels/code_loops.h"

static unsigned count(const code_kernel *k, const char *start) {
  unsigned n = 0;
  for (uint32_t i = k->first; i <= k->last; ++i)
    n += strncmp(sim_op_text(k->program, &k->program->ops[i]), start, strlen(start)) == 0;
  return n;
}

static void check_ways(const code_kernel *k, void *context) {
  (void)context;
  CHECK(count(k, "flat_") == 0 && count(k, "scratch_") == 0 && count(k, "global_load_dwordx3 ") == 0,
        "%s for %s has accesses that are flat, to scratch, or of 12 bytes", k->kernel->name, k->target);
}

// Names are norm_<pass>_<kind>_<type>_<weight's type>_<shape>. A shape is threads of a team x values of a
// thread; "any" is 16 values and reads the row twice, "weight" 16 values of dy and sum alone.
static void check_kernel(const code_kernel *k, void *context) {
  char pass[16], kind[8], type[8], weight_type[8], shape[16];
  const int fields = sscanf(k->kernel->name, "norm_%15[a-z]_%7[a-z]_%7[a-z0-9]_%7[a-z0-9]_%15s", pass, kind,
                            type, weight_type, shape);
  CHECK(fields == 5, "%s is no name of a kernel", k->kernel->name);
  if (fields != 5) return;
  const bool forward = strcmp(pass, "forward") == 0, any = strcmp(shape, "any") == 0;
  const char *values_text = strchr(shape, 'x');
  const unsigned values = values_text ? (unsigned)atoi(values_text + 1) : 16;
  const unsigned row = values * (strcmp(type, "f32") == 0 ? 4 : 2) / 16;  // 16 bytes of them, per thread
  const unsigned weight = values * (strcmp(weight_type, "f32") == 0 ? 4 : 2) / 16, part = values * 4 / 16;
  // Forward: x and residual, weight and bias; sum and y. Backward: sum, dy, dsum and weight; dresidual and
  // dx, and the parts of dweight and dbias.
  unsigned loads = forward ? 2 * row + 2 * weight : 3 * row + weight,
           stores = 2 * row + (forward ? 0 : 2 * part);
  if (any) loads += forward ? 2 * row : 2 * row + weight, stores = 2 * row;
  if (strcmp(shape, "weight") == 0) loads = 2 * row, stores = 2 * part;
  CHECK(count(k, "global_load_dwordx4 ") == loads, "%s for %s has %u loads of 16 bytes, expected %u",
        k->kernel->name, k->target, count(k, "global_load_dwordx4 "), loads);
  CHECK(count(k, "global_store_dwordx4 ") == stores, "%s for %s has %u stores of 16 bytes, expected %u",
        k->kernel->name, k->target, count(k, "global_store_dwordx4 "), stores);
  check_ways(k, context);
}

int main(int argc, char **argv) {
  static const struct {
    const char *stem;
    size_t kernels;
    void (*check)(const code_kernel *kernel, void *context);
  } objects[] = {{"norm_forward", 50, check_kernel},  // 2 kinds, 5 pairs of types, 5 shapes
                 {"norm_quantize", 25, check_ways},   // 5 pairs of types, 5 shapes
                 {"norm_backward", 60, check_kernel},
                 {"norm_reduce", 3, check_ways},
                 {"rotary", 6, check_ways}};
  if (argc != 2) return fprintf(stderr, "usage: norm_code DIRECTORY\n"), 2;
  for (size_t i = 0; i < 2 * sizeof objects / sizeof *objects; ++i) {
    const char *target = i % 2 ? "gfx950" : "gfx942";
    const size_t found = code_each_kernel(argv[1], objects[i / 2].stem, target, objects[i / 2].check, NULL);
    CHECK(found == objects[i / 2].kernels, "%s for %s has %zu kernels, expected %zu", objects[i / 2].stem,
          target, found, objects[i / 2].kernels);
  }
  return test_result();
}
