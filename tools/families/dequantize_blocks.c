// SPDX-License-Identifier: MIT
// `wavetile dequantize-blocks`: packed elements of an MX format and their scales to numbers.
#include "mx_blocks.h"

enum { Q, SCALE, X, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [Q] = {"q", "Q.npy", "the packed elements, as bytes (uint8), with rows along the last of 2 to 4 axes",
           "q", FAMILY_BLOCKS, FAMILY_CODE, false, false, "ldq",
           "bytes between the starts of rows of Q on the device (default: rows are packed)"},
    [SCALE] = {"scale", "S.npy", "their scales, as E8M0 bytes (uint8): byte e stands for 2^(e - 127)",
               "scale", FAMILY_BLOCKS, FAMILY_CODE, false, false, "lds",
               "bytes between the starts of rows of scales (default: packed)"},
    [X] = {"out", "X.npy", "where scale * Q goes", "x", FAMILY_MATRIX, FAMILY_VALUE, true, false, "ldx",
           "elements between the starts of rows of X (default: packed)"},
};

static int check(family_job *job) {
  const int code = mx_check_type(job);
  if (code) return code;
  if (job->files && !job->tensors[SCALE].path)
    return tool_error(TOOL_USAGE, "--scale is missing; pass the scales that quantize-blocks wrote");
  job->tensors[SCALE].wanted = true;
  return TOOL_OK;
}

static int64_t width(const family_job *job, int tensor) {
  const mx_options *own = job->own;
  return tensor == Q ? mx_row_bytes(own->type, job->columns) : mx_row_blocks(job->columns);
}

// The rows of Q are of whole blocks.
static int take_shape(family_job *job) {
  const mx_options *own = job->own;
  const int block = MX_BLOCK * own->type->bits / 8;
  const int64_t bytes = job->shape[job->rank - 1];
  if (bytes % block)
    return tool_error(TOOL_USAGE,
                      "--q %s has rows of %lld bytes, but a block of %s has %d; pass whole blocks",
                      job->tensors[Q].path, (long long)bytes, own->type_name, block);
  job->columns = job->shape[job->rank - 1] = bytes / block * MX_BLOCK;
  job->rows = 1;
  for (int i = 0; i + 1 < job->rank; ++i) job->rows *= job->shape[i];
  job->positions = job->rows;
  return TOOL_OK;
}

static int call(family_job *job) {
  const family_data *t = job->tensors;
  wt_block_scale_desc d = mx_descriptor(job);
  d.ldx = t[X].ld, d.q_row_bytes = t[Q].ld, d.scale_row_bytes = t[SCALE].ld;
  return family_status(
      job, wt_dequantize_blocks(job->context, &d, t[Q].device, t[SCALE].device, t[X].device, NULL));
}

static void reference_row(family_job *job, int64_t row, double *scratch) {
  const mx_options *own = job->own;
  const float *codes = family_row(job, Q, row), *scales = family_row(job, SCALE, row);
  double *want = scratch, *bound = scratch + job->columns;
  for (int64_t j = 0; j < job->columns; ++j) {
    const double number = (double)mx_element(own->type, codes, j) * mx_scale((int)scales[j / MX_BLOCK]);
    family_want_exactly(job, (float)number, &want[j], &bound[j]);
  }
  family_compare(job, X, row * job->columns, job->columns, want, bound);
}

int tool_dequantize_blocks(int argc, char **argv) {
  static const family dequantize_blocks = {
      .name = "dequantize-blocks",
      .text =
          "usage: wavetile dequantize-blocks --q Q.npy --scale S.npy --out X.npy [options]\n"
          "       wavetile dequantize-blocks --rows N --columns N [options]\n\n"
          "Computes X = scale * Q for the packed elements Q of an MX format, as wavetile quantize-blocks "
          "writes "
          "them (gfx950).\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = Q,
      .options = mx_option_rows,
      .check = check,
      .width = width,
      .take_shape = take_shape,
      .complete = mx_check_columns,
      .call = call,
      .reference_row = reference_row,
      .scratch = 2,
      .describe = mx_describe,
  };
  mx_options own = MX_OPTIONS_INIT;
  return family_main(&dequantize_blocks, &own, argc, argv);
}
