// SPDX-License-Identifier: MIT
// The host side of the tests of ops/: where each layout keeps each element, and element types as numbers,
// both written from the specifications (CDNA4 ISA 7.1.4; IEEE 754; OCP 8-bit Floating Point
// Specification 1.0).
#ifndef WT_TESTS_KERNELS_OPS_HOST_H
#define WT_TESTS_KERNELS_OPS_HOST_H

#include <math.h>

#include "fp8.h"
#include "isa_run.h"
#include "ops_cases.h"

static const char *const ops_schedules[] = {"late", "random:1"};
enum { OPS_SCHEDULES = sizeof ops_schedules / sizeof *ops_schedules };

// ---- types
typedef enum ops_type { OPS_f32, OPS_f16, OPS_bf16, OPS_i32, OPS_i8, OPS_fp8e4m3, OPS_fp8e5m2 } ops_type;
static const int ops_bytes[] = {4, 2, 2, 4, 1, 1, 1};

static inline wt_type ops_fp8(ops_type type, bool gfx950) {
  if (type == OPS_fp8e4m3) return gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  return gfx950 ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ;
}

static inline double ops_decode(ops_type type, bool gfx950, const void *from) {
  uint32_t bits = 0;
  memcpy(&bits, from, (size_t)ops_bytes[type]);
  float value;
  switch (type) {
    case OPS_f32: memcpy(&value, &bits, 4); return (double)value;
    case OPS_bf16: return (double)bf16_value((uint16_t)bits);
    case OPS_f16: {
      const int exponent = bits >> 10 & 31, fraction = bits & 1023;
      const double magnitude = exponent == 31 ? (fraction ? NAN : INFINITY)
                               : exponent     ? ldexp(1024 + fraction, exponent - 25)
                                              : ldexp(fraction, -24);
      return bits >> 15 ? -magnitude : magnitude;
    }
    case OPS_i32: return (int32_t)bits;
    case OPS_i8: return (int8_t)bits;
    default: return fp8_value(ops_fp8(type, gfx950), (uint8_t)bits);
  }
}

// To the nearest number, ties to even; f16 beyond its largest becomes infinity, 8-bit types saturate.
static inline void ops_encode(ops_type type, bool gfx950, double value, void *to) {
  uint32_t bits;
  switch (type) {
    case OPS_f32: {
      const float narrow = (float)value;
      memcpy(&bits, &narrow, 4);
      break;
    }
    case OPS_bf16: bits = bf16_nearest((float)value); break;
    case OPS_f16: {
      const double magnitude = fabs(value);
      int exponent;
      frexp(magnitude, &exponent);                                      // magnitude < 2^exponent
      if (exponent < -13 || magnitude == 0) exponent = -13;             // subnormal
      const double steps = nearbyint(ldexp(magnitude, 11 - exponent));  // of 2^(exponent - 11)
      bits = (uint32_t)((exponent + 13) * 1024 + (int)steps);
      if (!(magnitude < 65520)) bits = 31 << 10;
      bits |= signbit(value) ? 1u << 15 : 0;
      break;
    }
    case OPS_i32: bits = (uint32_t)(int32_t)nearbyint(value); break;
    case OPS_i8: bits = (uint32_t)(int)nearbyint(fmin(fmax(value, -128), 127)); break;
    default:
      bits = fp8_nearest(ops_fp8(type, gfx950), value);
      // of either zero the one that the number's sign asks for; FNUZ has one only
      if ((bits & 0x7f) == 0) bits = signbit(value) && gfx950 ? 0x80 : 0;
  }
  memcpy(to, &bits, (size_t)ops_bytes[type]);
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
  OPS_ct32
} ops_layout;

typedef struct ops_fragment {
  int rows, columns, elements;  // elements: of a lane
} ops_fragment;

// Where element e of a lane lies in its fragment. Elements of `bytes`.
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

// A tile as ops_device.h takes and gives it: f is called for each element with its place in memory and in the
// matrix.
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
