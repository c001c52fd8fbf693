// SPDX-License-Identifier: MIT
// This is the host side of the tests of ops/: where each layout keeps each element, and element types as
// numbers, both written from the specifications (CDNA4 ISA 7.1.4; float_formats.h).
#ifndef WT_TESTS_KERNELS_OPS_HOST_H
#define WT_TESTS_KERNELS_OPS_HOST_H

#include "cases.h"
#include "tests/kernels/ops/isa/float_formats.h"
#include "tests/kernels/ops/isa/run.h"

static const char *const ops_schedules[] = {"late", "random:1"};
enum { OPS_SCHEDULES = sizeof ops_schedules / sizeof *ops_schedules };

// ---- types
typedef enum ops_type {
  OPS_f32,
  OPS_f16,
  OPS_bf16,
  OPS_i32,
  OPS_i8,
  OPS_fp8e4m3,
  OPS_fp8e5m2,
  OPS_TYPE_COUNT
} ops_type;
static const char *const ops_type_names[] = {"f32", "f16", "bf16", "i32", "i8", "fp8e4m3", "fp8e5m2"};
static const int ops_bytes[] = {4, 2, 2, 4, 1, 1, 1};

// Returns the format of a floating-point type of 16 or 8 bits.
static inline const format *ops_format(ops_type type, bool gfx950) {
  return type == OPS_f16       ? &half
         : type == OPS_bf16    ? &brain
         : type == OPS_fp8e4m3 ? &e4m3[gfx950]
                               : &e5m2[gfx950];
}

static inline double ops_decode(ops_type type, bool gfx950, const void *from) {
  uint32_t bits = 0;
  memcpy(&bits, from, (size_t)ops_bytes[type]);
  float value;
  switch (type) {
    case OPS_f32: memcpy(&value, &bits, 4); return (double)value;
    case OPS_i32: return (int32_t)bits;
    case OPS_i8: return (int8_t)bits;
    default: return decode(ops_format(type, gfx950), bits);
  }
}

// Rounds to the nearest number, ties to even; f16 and bf16 beyond their largest become infinity, 8-bit types
// saturate.
static inline void ops_encode(ops_type type, bool gfx950, double value, void *to) {
  uint32_t bits;
  switch (type) {
    case OPS_f32: {
      const float narrow = (float)value;
      memcpy(&bits, &narrow, 4);
      break;
    }
    case OPS_i32: bits = (uint32_t)(int32_t)nearbyint(value); break;
    case OPS_i8: bits = (uint32_t)(int)nearbyint(fmin(fmax(value, -128), 127)); break;
    default: {
      const format *f = ops_format(type, gfx950);
      double number = nearest(f, value, false);
      if (isinf(number) && isfinite(value) && ops_bytes[type] == 1) number = copysign(f->largest, value);
      bits = encode(f, isinf(number) && !f->infinity ? NAN : number);
    }
  }
  memcpy(to, &bits, (size_t)ops_bytes[type]);
}

// Returns the type that the first argument of the program names; the others move up.
static inline ops_type ops_type_argument(int *argc, char ***argv) {
  ops_type type = 0;
  while (type < OPS_TYPE_COUNT && (*argc < 2 || strcmp((*argv)[1], ops_type_names[type]) != 0)) ++type;
  if (type == OPS_TYPE_COUNT) {
    fprintf(stderr, "the first argument names an element type, as f32\n");
    exit(1);
  }
  --*argc, ++*argv;
  return type;
}

// Has numbers that floats treat in their own way; the same place always holds the same kind.
enum { OPS_SPECIALS = 14 };
static inline double ops_special(ops_type type, bool gfx950, int place) {
  const format single = {"f32", 8, 23, 127, 0x1.fffffep127, false, true};
  const format *f = type == OPS_f32 ? &single : ops_format(type, gfx950);
  const double normal = ldexp(1, 1 - f->bias), denormal = ldexp(normal, -f->mantissa);  // the smallest
  const double all[OPS_SPECIALS] = {0, -0.0, INFINITY,   -INFINITY, NAN,    denormal,          -f->largest,
                                    1, -1,   f->largest, -denormal, normal, normal - denormal, -normal};
  return all[place];
}

// ---- layouts
typedef enum ops_layout {
  OPS_a16,
  OPS_at16,
  OPS_a32,
  OPS_at32,
  OPS_c16,
  OPS_ct16,
  OPS_c32,
  OPS_ct32,
  OPS_LAYOUT_COUNT
} ops_layout;
static const char *const ops_layout_names[] = {"a16", "at16", "a32", "at32", "c16", "ct16", "c32", "ct32"};

typedef struct ops_fragment {
  int rows, columns, elements;  // elements: of a lane
} ops_fragment;

// Returns where element e of a lane lies in its fragment. They are elements of `bytes`.
static inline ops_fragment ops_place(ops_layout layout, int bytes, bool fp8, bool gfx950, int lane, int e,
                                     int *row, int *column) {
  const bool transposed = layout & 1, accumulator = layout >= OPS_c16;
  const int size = layout / 2 % 2 ? 32 : 16, groups = OPS_LANES / size;
  ops_fragment fragment = {size, size, size * size / OPS_LANES};
  if (accumulator) {  // four rows of a column, then those of the next step of all groups
    *row = e / 4 * 4 * groups + lane / size * 4 + e % 4;
    *column = lane % size;
  } else {  // 16 bytes of a row; 8-bit floats of gfx950 have two such runs
    const int run = 16 / bytes;
    fragment.elements = fp8 && gfx950 ? 2 * run : run;
    fragment.columns = fragment.elements * groups;
    *row = lane % size;
    *column = e / run * run * groups + lane / size * run + e % run;
  }
  if (transposed) {
    const int r = *row, rows = fragment.rows;
    *row = *column, *column = r;
    fragment.rows = fragment.columns, fragment.columns = rows;
  }
  return fragment;
}

// Describes an element of a tile as ops_device.h takes and gives it: its places in memory and in the matrix,
// its lane.
typedef struct ops_element {
  int index, row, column, lane;
} ops_element;

// Lists the elements of a tile in the order of memory; `list` has rows * columns places.
static inline void ops_elements(ops_layout layout, ops_type type, bool gfx950, int rows, int columns,
                                ops_element *list) {
  const bool fp8 = type == OPS_fp8e4m3 || type == OPS_fp8e5m2;
  const int bytes = ops_bytes[type];
  int row, column, index = 0;
  const ops_fragment f = ops_place(layout, bytes, fp8, gfx950, 0, 0, &row, &column);
  for (int i = 0; i < rows / f.rows; ++i) {
    for (int j = 0; j < columns / f.columns; ++j) {
      for (int lane = 0; lane < OPS_LANES; ++lane) {
        for (int e = 0; e < f.elements; ++e, ++index) {
          ops_place(layout, bytes, fp8, gfx950, lane, e, &row, &column);
          list[index] = (ops_element){index, i * f.rows + row, j * f.columns + column, lane};
        }
      }
    }
  }
}

static inline int ops_between(test_rng *rng, int low, int high) {
  return low + (int)(test_random(rng) % (uint64_t)(high - low + 1));
}

// Runs a kernel of one wave under every schedule, and `check` after each.
static inline void ops_each_schedule(hipModule_t module, const char *name, void **arguments, void *out,
                                     size_t bytes, void (*check)(const char *name, void *context),
                                     void *context) {
  for (int s = 0; s < OPS_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", ops_schedules[s], 1);
    memset(out, 0xff, bytes);
    if (isa_run(module, name, OPS_LANES, arguments)) check(name, context);
  }
}

#endif
