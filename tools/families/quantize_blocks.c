// SPDX-License-Identifier: MIT
// Implements `wavetile quantize-blocks`: it converts to a block-scaled format, with a scale for 32 or 128
// elements of a row or column, or for a square.
#include <math.h>
#include <string.h>

#include "block_options.h"

enum { X, Q, SCALE, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy", "the numbers, with rows along the last of 2 to 4 axes", "x", FAMILY_MATRIX,
           FAMILY_VALUE, false, false, "ldx",
           "elements between the starts of rows of X on the device (default: rows are packed)"},
    [Q] = {"out", "Q.npy", "where the packed elements go, as bytes (uint8): 32, 24 or 16 for 32 of them", "q",
           FAMILY_BLOCKS, FAMILY_CODE, true, false, "ldq",
           "bytes between the starts of rows of Q (default: packed)"},
    [SCALE] = {"scale", "S.npy",
               "where the scales go: E8M0 bytes (uint8), where byte e stands for 2^(e - 127), or numbers",
               "scale", FAMILY_BLOCKS, FAMILY_CODE, true, false, "lds",
               "scales between the starts of rows of them (default: packed)"},
};

static bool along_columns(const family_job *job) {
  const block_options *own = job->own;
  return own->along == WT_BLOCKS_ALONG_COLUMNS;
}

// Return the rows of Q, and the elements of one.
static int64_t lines(const family_job *job) { return along_columns(job) ? job->columns : job->rows; }
static int64_t length(const family_job *job) { return along_columns(job) ? job->rows : job->columns; }

static int options(family_job *job, tool_option *table) {
  block_options *own = job->own;
  const int count = block_option_rows(job, table);
  const tool_option rows[] = {
      {"along", TOOL_STRING, &own->along_name, "AXIS",
       "along which blocks lie: rows (default), or columns of X, and Q and the scales are then transposed"},
      {"rounding", TOOL_STRING, &own->rounding_name, "HOW",
       "an E8M0 scale follows from the largest magnitude: up (default: no element is too large), down (the "
       "OCP "
       "specification's text), even or ceil"},
      {"element-rounding", TOOL_STRING, &own->element_rounding_name, "HOW",
       "of elements: nearest (default: of two the even one), or, with E8M0 scales, stochastic: up with the "
       "probability of how far a number is on its way there, with the random bits of --seed"},
  };
  memcpy(table + count, rows, sizeof rows);
  return count + (int)(sizeof rows / sizeof *rows);
}

static int check(family_job *job) {
  const int code = block_options_check(job);
  job->tensors[Q].wanted = job->tensors[SCALE].wanted = true;
  if (!code && !block_is_mx(job->own)) job->tensors[SCALE].element = FAMILY_F32;
  return code;
}

static int lay_out(family_job *job) {
  const block_options *own = job->own;
  const bool matrix = along_columns(job) || own->shape == WT_BLOCKS_OF_SQUARES;
  if (matrix && job->rank != 2)
    return tool_error(TOOL_USAGE, "--x %s has %d axes; with --%s %s pass a matrix", job->tensors[X].path,
                      job->rank, along_columns(job) ? "along" : "shape",
                      along_columns(job) ? own->along_name : own->shape_name);
  return block_options_check_length(job, length(job));
}

static int64_t height(const family_job *job, int tensor) {
  const block_options *own = job->own;
  if (!along_columns(job) && own->shape == WT_BLOCKS_OF_LINES) return 0;
  return tensor == Q ? lines(job) : block_scale_rows(own, lines(job));
}

static int64_t width(const family_job *job, int tensor) {
  const block_options *own = job->own;
  return tensor == Q ? block_row_bytes(own, length(job)) : block_count(own, length(job));
}

static int call(family_job *job) {
  const family_data *t = job->tensors;
  wt_block_scale_desc d = block_descriptor(job);
  d.ldx = t[X].ld, d.q_row_bytes = t[Q].ld, d.scale_row = t[SCALE].ld, d.scale_block = t[SCALE].ld != 0;
  if (block_is_mx(job->own)) d.scale_block = 0;
  return family_status(job,
                       wt_quantize_blocks(job->context, &d, t[X].device, t[Q].device, t[SCALE].device, NULL));
}

// ---- verification: everything is defined to the bit, so that every bound is 0

// Takes the numbers of a block of a line of Q; those beyond the end are 0.
static void take_block(const family_job *job, int64_t line, int64_t block, float *values) {
  const int size = block_size(job->own);
  for (int i = 0; i < size; ++i) {
    const int64_t at = block * size + i;
    values[i] = at >= length(job)    ? 0
                : along_columns(job) ? family_row(job, X, at)[line]
                                     : family_row(job, X, line)[at];
  }
}

static float f32_scale(const block_options *own, const fp8_format *numbers, float largest) {
  if (own->scales == WT_BLOCK_SCALES_F32) return fp8_scale_of(numbers, largest);
  int exponent;
  const float mantissa = frexpf(largest / numbers->max, &exponent);
  return largest > 0 ? fmaxf(ldexpf(1, mantissa > 0.5f ? exponent : exponent - 1), 0x1p-126f) : 1;
}

// Returns the scale of the blocks of `count` lines: a byte, or a number.
static double scale_of(const family_job *job, const float *values, int64_t count) {
  const block_options *own = job->own;
  double largest;
  const bool finite = mx_is_finite(values, count * block_size(own), &largest);
  if (!block_is_mx(own)) return (double)f32_scale(own, block_numbers(job), (float)largest);
  return finite ? mx_scale_of(own->type, own->rounding, largest) : MX_SCALE_NAN;
}

// An infinity becomes that of the format, or NaN, and not its largest number.
static uint8_t fp8_code(const fp8_format *numbers, float value, float inverse) {
  if (!isinf(value)) return fp8_encode(numbers, value * inverse);
  if (!numbers->infinity_code) return numbers->nan_code;
  return (uint8_t)(numbers->infinity_code | (value < 0 ? 0x80 : 0));
}

static void encode(const family_job *job, int64_t line, int64_t block, double scale, const float *values,
                   double *bytes) {
  const block_options *own = job->own;
  if (own->element_rounding == WT_ELEMENT_STOCHASTIC) {
    const mx_place place = {job->run_options.seed, line, block};
    mx_encode_stochastic(own->type, (int)scale, values, place, bytes);
    return;
  }
  if (block_is_mx(own)) {
    mx_encode_scaled(own->type, (int)scale, values, bytes);
    return;
  }
  const float inverse = 1 / (float)scale;
  for (int i = 0; i < block_size(own); ++i) bytes[i] = fp8_code(block_numbers(job), values[i], inverse);
}

// Compares `count` lines of Q, whose blocks share their scales: F32 scales in one row of them.
static void compare_lines(family_job *job, int64_t first, int64_t count, int64_t scale_row) {
  const block_options *own = job->own;
  const int size = block_size(own);
  const int64_t blocks = block_count(own, length(job)), row_bytes = block_row_bytes(own, length(job));
  static const double nothing[WT_F32_BLOCK_ELEMENTS];
  float values[WT_F32_BLOCK_ELEMENTS * WT_F32_BLOCK_ELEMENTS];
  double bytes[WT_F32_BLOCK_ELEMENTS];
  for (int64_t b = 0; b < blocks; ++b) {
    for (int64_t l = 0; l < count; ++l) take_block(job, first + l, b, values + l * size);
    const double scale = scale_of(job, values, count);
    const int64_t begin = block_row_bytes(own, b * size), end = block_row_bytes(own, (b + 1) * size);
    for (int64_t l = 0; l < count; ++l) {
      encode(job, first + l, b, scale, values + l * size, bytes);
      family_compare(job, Q, (first + l) * row_bytes + begin, (end < row_bytes ? end : row_bytes) - begin,
                     bytes, nothing);
      if (block_is_mx(own)) family_compare(job, SCALE, (first + l) * blocks + b, 1, &scale, nothing);
    }
    if (!block_is_mx(own)) family_compare(job, SCALE, scale_row * blocks + b, 1, &scale, nothing);
  }
}

// Compares the lines that share scales with a line, once for all of them.
static void compare_from(family_job *job, int64_t line) {
  const block_options *own = job->own;
  const int64_t together = own->shape == WT_BLOCKS_OF_SQUARES ? block_size(own) : 1;
  if (line % together) return;
  const int64_t left = lines(job) - line;
  compare_lines(job, line, left < together ? left : together, line / together);
}

static void reference_row(family_job *job, int64_t row, double *scratch) {
  (void)scratch;
  if (!along_columns(job)) compare_from(job, row);
}

static void reference_column(family_job *job, int64_t column) {
  if (along_columns(job)) compare_from(job, column);
}

static void describe(const family_job *job, record *r) {
  const block_options *own = job->own;
  block_options_describe(job, r);
  record_text(r, "element_rounding",
              own->element_rounding == WT_ELEMENT_STOCHASTIC ? "stochastic" : "nearest");
}

int tool_quantize_blocks(int argc, char **argv) {
  static const family quantize_blocks = {
      .name = "quantize-blocks",
      .text =
          "usage: wavetile quantize-blocks --x X.npy --out Q.npy --scale S.npy [options]\n"
          "       wavetile quantize-blocks --rows N --columns N [options]\n\n"
          "Finds a scale for every 32 or 128 elements of a row or column, or for every square of them, and "
          "rounds "
          "the elements, divided by it, to an MX format (gfx950) or to FP8. The inverse is wavetile "
          "dequantize-blocks.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .options = options,
      .check = check,
      .height = height,
      .width = width,
      .lay_out = lay_out,
      .call = call,
      .reference_row = reference_row,
      .reference_column = reference_column,
      .describe = describe,
  };
  block_options own = {0};
  return family_main(&quantize_blocks, &own, argc, argv);
}
