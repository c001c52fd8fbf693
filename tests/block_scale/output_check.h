// SPDX-License-Identifier: MIT
// Results in block-scaled formats against the definitions of these formats: what is right for a result in
// F32, block by block.
#ifndef WT_TESTS_BLOCK_SCALE_OUTPUT_CHECK_H
#define WT_TESTS_BLOCK_SCALE_OUTPUT_CHECK_H

#include "mx.h"
#include "tests/quantize/fp8_table.h"

enum { OUTPUT_FP8_BLOCK = 128 };

// Elements and scales as a call left them, and how they lie.
typedef struct output_result {
  const wt_block_output *desc;
  const row_matrix *q_matrix, *scale_matrix;
  const unsigned char *q, *scale;
} output_result;

static inline bool output_is_mx(const wt_block_output *o) { return o->scales == WT_BLOCK_SCALES_E8M0; }

static inline const mx_format *output_format(wt_type type) {
  for (int i = 0; i < MX_FORMATS; ++i)
    if (mx_formats[i].type == type) return &mx_formats[i];
  return NULL;
}

static inline int output_block(const wt_block_output *o) {
  return output_is_mx(o) ? MX_BLOCK : OUTPUT_FP8_BLOCK;
}

static inline int output_row_bytes(const wt_block_output *o, int columns) {
  return output_is_mx(o) ? columns / MX_BLOCK * mx_block_bytes(output_format(o->type)) : columns;
}

// Returns the byte of the scales where that of a row and a block begins.
static inline size_t output_scale_place(const output_result *r, int row, int block) {
  const wt_block_output *o = r->desc;
  if (!output_is_mx(o) && o->scale_block > 1) return row_place(r->scale_matrix, block, row);  // transposed
  if (o->layout == WT_SCALES_BY_ROWS) return row_place(r->scale_matrix, row, block);
  return row_place(r->scale_matrix, row / MX_SHUFFLED_ROWS, mx_shuffled_byte(row, block));
}

static inline void output_check_mx(const char *what, const output_result *r, const float *y, int row,
                                   int block) {
  const mx_format *f = output_format(r->desc->type);
  const unsigned char *packed = r->q + row_place(r->q_matrix, row, block * mx_block_bytes(f));
  const int got = r->scale[output_scale_place(r, row, block)];
  double largest = 0;
  bool finite = true;
  for (int i = 0; i < MX_BLOCK; ++i) {
    finite = finite && isfinite(y[i]);
    largest = fmax(largest, fabs((double)y[i]));
  }
  const int want = finite ? mx_scale_of(f, largest, r->desc->rounding) : MX_SCALE_NAN;
  CHECK(got == want, "%s: row %d block %d, largest %g, has scale %d, expected %d", what, row, block, largest,
        got, want);
  for (int i = 0; i < MX_BLOCK; ++i) {
    const unsigned code = mx_code(f, packed, i),
                   expected = finite ? mx_encode(f, (double)y[i] / mx_scale(want)) : 0;
    CHECK(code == expected, "%s: row %d block %d element %d, %.9g at scale %d, is 0x%02x, expected 0x%02x",
          what, row, block, i, (double)y[i], want, code, expected);
  }
}

static inline float output_power_of_two(const fp8_table *t, float largest) {
  int exponent = -126;
  while ((double)largest > ldexp(t->value[t->count - 1], exponent)) ++exponent;
  return largest == 0 ? 1 : (float)ldexp(1, exponent);
}

static inline void output_check_fp8(const char *what, const output_result *r, const float *y, int count,
                                    int row, int block) {
  const fp8_table t = fp8_table_of(r->desc->type);
  const unsigned char *q = r->q + row_place(r->q_matrix, row, block * OUTPUT_FP8_BLOCK);
  float got, largest = 0;
  memcpy(&got, r->scale + output_scale_place(r, row, block), sizeof got);
  for (int i = 0; i < count; ++i)
    if (isfinite(y[i])) largest = fmaxf(largest, fabsf(y[i]));
  const float want =
      r->desc->scales == WT_BLOCK_SCALES_F32 ? fp8_scale_of(&t, largest) : output_power_of_two(&t, largest);
  CHECK(got == want, "%s: row %d block %d, largest %g, has scale %.9g, expected %.9g", what, row, block,
        (double)largest, (double)got, (double)want);
  for (int i = 0; i < count; ++i) {
    uint8_t code;
    CHECK(fp8_is_right(&t, y[i], want, q[i], &code),
          "%s: row %d block %d element %d, %.9g at scale %.9g, is 0x%02x, expected 0x%02x", what, row, block,
          i, (double)y[i], (double)want, q[i], code);
  }
}

// Checks a row of a result against y, that row in F32.
static inline void output_check_row(const char *what, const output_result *r, const float *y, int columns,
                                    int row) {
  const int size = output_block(r->desc);
  for (int first = 0; first < columns; first += size) {
    const int count = columns - first < size ? columns - first : size;
    if (output_is_mx(r->desc))
      output_check_mx(what, r, y + first, row, first / size);
    else
      output_check_fp8(what, r, y + first, count, row, first / size);
  }
}

#endif
