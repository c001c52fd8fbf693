// SPDX-License-Identifier: MIT
// This is the reference of conversions to FP8: a format's numbers in order, the middle between neighbours,
// and scales from the largest magnitude.
#ifndef WT_TESTS_QUANTIZE_FP8_TABLE_H
#define WT_TESTS_QUANTIZE_FP8_TABLE_H

#include "tests/row_matrix.h"

typedef struct fp8_table {
  wt_type type;
  bool fnuz, has_infinity;
  double value[128];  // of the codes 0 to count - 1, the finite magnitudes
  int count;
} fp8_table;

static inline fp8_table fp8_table_of(wt_type type) {
  fp8_table t = {.type = type,
                 .fnuz = type == WT_TYPE_F8E4M3_FNUZ || type == WT_TYPE_F8E5M2_FNUZ,
                 .has_infinity = type == WT_TYPE_F8E5M2};
  while (t.count < 128 && isfinite(fp8_value(type, (uint8_t)t.count))) {
    t.value[t.count] = fp8_value(type, (uint8_t)t.count);
    ++t.count;
  }
  return t;
}

// Returns the code of a number that is not NaN: the nearest, of two the even one; beyond the last, the last.
static inline uint8_t fp8_table_encode(const fp8_table *t, double value) {
  const double magnitude = fabs(value);
  int low = 0, high = t->count - 1;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (t->value[middle] <= magnitude)
      low = middle;
    else
      high = middle;
  }
  const double below = magnitude - t->value[low], above = t->value[high] - magnitude;
  const int code = below < above || (below == above && low % 2 == 0) ? low : high;
  return (uint8_t)(code | (signbit(value) && (code || !t->fnuz) ? 0x80 : 0));
}

// Checks what becomes of x: of an infinity the format's own, or NaN where it has none.
static inline bool fp8_is_right(const fp8_table *t, float x, float scale, uint8_t got, uint8_t *want) {
  const float inverse = 1.0f / scale;
  *want = 0;
  if (isnan(x) || (isinf(x) && !t->has_infinity)) return isnan(fp8_value(t->type, got));
  if (isinf(x)) return fp8_value(t->type, got) == (double)x;
  *want = fp8_table_encode(t, (double)(x * inverse));
  return got == *want;
}

static inline float fp8_scale_of(const fp8_table *t, float largest) {
  if (largest == 0) return 1;
  const float scale = largest / (float)t->value[t->count - 1];
  return scale < 0x1p-126f ? 0x1p-126f : scale;
}

#endif
