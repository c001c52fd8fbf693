// SPDX-License-Identifier: MIT
// `wavetile quantize-blocks`: to an MX format, with a power of two as the scale of every 32 elements of a
// row.
#include <string.h>

#include "mx_blocks.h"

enum { X, Q, SCALE, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy", "the numbers, with rows of a multiple of 32 along the last of 2 to 4 axes", "x",
           FAMILY_MATRIX, FAMILY_VALUE, false, false, "ldx",
           "elements between the starts of rows of X on the device (default: rows are packed)"},
    [Q] = {"out", "Q.npy", "where the packed elements go, as bytes (uint8): 32, 24 or 16 for each block", "q",
           FAMILY_BLOCKS, FAMILY_CODE, true, false, "ldq",
           "bytes between the starts of rows of Q (default: packed)"},
    [SCALE] = {"scale", "S.npy", "where the scales go, as E8M0 bytes (uint8): byte e stands for 2^(e - 127)",
               "scale", FAMILY_BLOCKS, FAMILY_CODE, true, false, "lds",
               "bytes between the starts of rows of scales (default: packed)"},
};

static int options(family_job *job, tool_option *table) {
  mx_options *own = job->own;
  const int count = mx_option_rows(job, table);
  table[count] = (tool_option){"rounding", TOOL_STRING, &own->rounding_name, "HOW",
                               "the scale follows from the largest magnitude: up (default: no element is too "
                               "large), down (the OCP specification's text), even or ceil"};
  return count + 1;
}

static int check(family_job *job) {
  const int code = mx_check_type(job);
  job->tensors[Q].wanted = job->tensors[SCALE].wanted = true;
  return code ? code : mx_check_rounding(job);
}

static int64_t width(const family_job *job, int tensor) {
  const mx_options *own = job->own;
  return tensor == Q ? mx_row_bytes(own->type, job->columns) : mx_row_blocks(job->columns);
}

static int call(family_job *job) {
  const family_data *t = job->tensors;
  wt_block_scale_desc d = mx_descriptor(job);
  d.ldx = t[X].ld, d.q_row_bytes = t[Q].ld, d.scale_row_bytes = t[SCALE].ld;
  return family_status(job,
                       wt_quantize_blocks(job->context, &d, t[X].device, t[Q].device, t[SCALE].device, NULL));
}

// Everything is defined to the bit: every bound is 0.
static void reference_row(family_job *job, int64_t row, double *scratch) {
  const mx_options *own = job->own;
  const float *x = family_row(job, X, row);
  const int64_t blocks = mx_row_blocks(job->columns), bytes = mx_row_bytes(own->type, job->columns);
  double *packed = scratch, *scale = scratch + job->columns, *bound = scratch + 2 * job->columns;
  memset(bound, 0, (size_t)job->columns * sizeof *bound);
  for (int64_t b = 0; b < blocks; ++b)
    mx_encode(own->type, own->rounding, x + MX_BLOCK * b, packed + b * bytes / blocks, scale + b);
  family_compare(job, Q, row * bytes, bytes, packed, bound);
  family_compare(job, SCALE, row * blocks, blocks, scale, bound);
}

static void describe(const family_job *job, record *r) {
  const mx_options *own = job->own;
  mx_describe(job, r);
  record_text(r, "rounding", own->rounding_name), record_brief(r);
}

int tool_quantize_blocks(int argc, char **argv) {
  static const family quantize_blocks = {
      .name = "quantize-blocks",
      .text =
          "usage: wavetile quantize-blocks --x X.npy --out Q.npy --scale S.npy [options]\n"
          "       wavetile quantize-blocks --rows N --columns N [options]\n\n"
          "Finds a power of two as the scale of every 32 elements of a row, and rounds the elements, divided "
          "by "
          "it, to an MX format (gfx950). The inverse is wavetile dequantize-blocks.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .options = options,
      .check = check,
      .width = width,
      .complete = mx_check_columns,
      .call = call,
      .reference_row = reference_row,
      .scratch = 3,
      .describe = describe,
  };
  mx_options own = MX_OPTIONS_INIT;
  return family_main(&quantize_blocks, &own, argc, argv);
}
