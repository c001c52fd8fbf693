// SPDX-License-Identifier: MIT
// Declares, for the host side of the tests of maps, what all of them share. A map of floats computes in f32
// and rounds to the tile's type; a map of i32 stays in i32.
#ifndef WT_TESTS_KERNELS_OPS_MAPS_H
#define WT_TESTS_KERNELS_OPS_MAPS_H

#include "host.h"

enum { OPS_RESULTS = 16 };  // tiles that a kernel writes, at most

typedef struct ops_map {
  ops_type type;
  bool gfx950;
  unsigned char *in[3], *out;
  ops_element list[OPS_SIZE];
} ops_map;

static inline ops_map *ops_new_map(ops_type type) {
  static ops_map map;
  map.type = type;
  for (int i = 0; i < 3; ++i) map.in[i] = isa_memory(OPS_SIZE * 4);
  map.out = isa_memory(OPS_RESULTS * OPS_SIZE * 4);
  return &map;
}

// Element k of argument i, and of the kernel's result i.
static inline double ops_argument(const ops_map *m, int i, int k) {
  return ops_decode(m->type, m->gfx950, m->in[i] + k * ops_bytes[m->type]);
}
static inline double ops_result(const ops_map *m, int i, int k) {
  return ops_decode(m->type, m->gfx950, m->out + (i * OPS_SIZE + k) * ops_bytes[m->type]);
}
static inline void ops_set(const ops_map *m, int i, int k, double value) {
  ops_encode(m->type, m->gfx950, value, m->in[i] + k * ops_bytes[m->type]);
}

// Returns a float of either sign, of 2^low up to 2^high.
static inline double ops_random(test_rng *rng, int low, int high) {
  const double magnitude =
      ldexp(1 + (double)(test_random(rng) >> 11) * 0x1p-53, ops_between(rng, low, high - 1));
  return test_random(rng) % 2 ? magnitude : -magnitude;
}

// Returns the value as the tile's type holds it.
static inline double ops_rounded(const ops_map *m, double value) {
  unsigned char bits[4];
  ops_encode(m->type, m->gfx950, m->type == OPS_i32 ? value : (double)(float)value, bits);
  return ops_decode(m->type, m->gfx950, bits);
}

// Holds a number as the kernel's argument, of the type that the tile is computed in.
typedef union ops_number {
  float f32;
  int i32;
} ops_number;
static inline ops_number ops_number_of(const ops_map *m, double value) {
  return m->type == OPS_i32 ? (ops_number){.i32 = (int)value} : (ops_number){.f32 = (float)value};
}

// Runs KERNEL_TYPE_LAYOUT in every layout.
static inline void ops_each_layout(ops_map *m, hipModule_t module, const char *kernel, void **arguments,
                                   void (*check)(const char *name, void *context), void *context) {
  for (ops_layout layout = 0; layout < OPS_LAYOUT_COUNT; ++layout) {
    char name[64];
    snprintf(name, sizeof name, "%s_%s_%s", kernel, ops_type_names[m->type], ops_layout_names[layout]);
    ops_elements(layout, m->type, m->gfx950, OPS_ROWS, OPS_COLUMNS, m->list);
    ops_each_schedule(module, name, arguments, m->out, OPS_RESULTS * OPS_SIZE * 4, check, context);
  }
}

#endif
