// SPDX-License-Identifier: MIT
// Counts floating-point operations of instructions, by their names. What counts is what rocprofiler-compute's
// documentation counts: add, multiply and transcendental 1, fused multiply-add 2 per lane.
#include <stdio.h>
#include <string.h>

#include "prof.h"
#include "sim/isa/op.h"

enum { LANES = 64 };

// "v_mfma_f32_32x32x4_2b_f16": rows, columns, depth and number of blocks.
static double matrix_flops(const char *name) {
  unsigned m = 0, n = 0, k = 0, blocks = 1;
  for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_')) {
    int used = 0;
    if (sscanf(at, "_%ux%ux%u%n", &m, &n, &k, &used) != 3) continue;
    char b = 0;
    if (sscanf(at + used, "_%u%c", &blocks, &b) != 2 || b != 'b') blocks = 1;
    return 2.0 * m * n * k * blocks;
  }
  return 0;
}

static bool begins(const char *name, const char *prefix) {
  return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_float(const char *name) {
  return strstr(name, "_f16") || strstr(name, "_f32") || strstr(name, "_f64") || strstr(name, "_bf16");
}

static double vector_flops(const char *name) {
  static const struct {
    const char *prefix;
    double flops;
  } table[] = {{"fma", 2}, {"mad", 2}, {"mac", 2}, {"dot2", 4}, {"add", 1}, {"sub", 1}, {"mul", 1}};
  if (!begins(name, "v_") || !is_float(name)) return 0;
  name += 2;
  double lanes = LANES;
  if (begins(name, "pk_")) {
    name += 3;
    lanes *= 2;
  }
  for (size_t i = 0; i < sizeof table / sizeof *table; ++i)
    if (begins(name, table[i].prefix)) return table[i].flops * lanes;
  return 0;
}

double prof_flops(const char *text, uint32_t klass) {
  char name[64];
  if (sscanf(text, "%63s", name) != 1) return 0;
  if (klass == SIM_CLASS_MFMA) return matrix_flops(name);
  if (klass == SIM_CLASS_TRANS) return LANES;
  return klass == SIM_CLASS_VALU ? vector_flops(name) : 0;
}
