// SPDX-License-Identifier: MIT
// Implements `wavetile dequantize-blocks`: it turns packed elements of a block-scaled format and their scales
// into numbers.
#include "block_options.h"

enum { Q, SCALE, X, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [Q] = {"q", "Q.npy", "the packed elements, as bytes (uint8), with rows along the last of 2 to 4 axes",
           "q", FAMILY_BLOCKS, FAMILY_CODE, false, false, "ldq",
           "bytes between the starts of rows of Q on the device (default: rows are packed)"},
    [SCALE] = {"scale", "S.npy",
               "their scales: E8M0 bytes (uint8), where byte e stands for 2^(e - 127), or numbers", "scale",
               FAMILY_BLOCKS, FAMILY_CODE, false, false, "lds",
               "scales between the starts of rows of them (default: packed)"},
    [X] = {"out", "X.npy", "where scale * Q goes", "x", FAMILY_MATRIX, FAMILY_VALUE, true, false, "ldx",
           "elements between the starts of rows of X (default: packed)"},
};

static int check(family_job *job) {
  const int code = block_options_check(job);
  if (code) return code;
  if (job->files && !job->tensors[SCALE].path)
    return tool_error(TOOL_USAGE, "--scale is missing; pass the scales that quantize-blocks wrote");
  job->tensors[SCALE].wanted = true;
  if (!block_is_mx(job->own)) job->tensors[SCALE].element = FAMILY_F32;
  return TOOL_OK;
}

static bool has_scale_of_squares(const block_options *own) {
  return !block_is_mx(own) && own->shape == WT_BLOCKS_OF_SQUARES;
}

static int64_t height(const family_job *job, int tensor) {
  const block_options *own = job->own;
  return tensor == SCALE && has_scale_of_squares(own) ? block_scale_rows(own, job->rows) : 0;
}

static int64_t width(const family_job *job, int tensor) {
  const block_options *own = job->own;
  return tensor == Q ? block_row_bytes(own, job->columns) : block_count(own, job->columns);
}

// The rows of Q are of whole blocks in an MX format.
static int take_shape(family_job *job) {
  const block_options *own = job->own;
  const int block = MX_BLOCK * own->type->bits / 8;
  const int64_t bytes = job->shape[job->rank - 1];
  if (block_is_mx(own) && bytes % block)
    return tool_error(TOOL_USAGE,
                      "--q %s has rows of %lld bytes, but a block of %s has %d; pass whole blocks",
                      job->tensors[Q].path, (long long)bytes, own->type->name, block);
  job->columns = job->shape[job->rank - 1] = block_is_mx(own) ? bytes / block * MX_BLOCK : bytes;
  job->rows = 1;
  for (int i = 0; i + 1 < job->rank; ++i) job->rows *= job->shape[i];
  job->positions = job->rows;
  return TOOL_OK;
}

static int lay_out(family_job *job) {
  const block_options *own = job->own;
  if (has_scale_of_squares(own) && job->rank != 2)
    return tool_error(TOOL_USAGE, "--q %s has %d axes; with --shape %s pass a matrix", job->tensors[Q].path,
                      job->rank, own->shape_name);
  return block_options_check_length(job, job->columns);
}

static int call(family_job *job) {
  const block_options *own = job->own;
  const family_data *t = job->tensors;
  wt_block_scale_desc d = block_descriptor(job);
  d.ldx = t[X].ld, d.q_row_bytes = t[Q].ld, d.scale_row = t[SCALE].ld;
  d.scale_block = t[SCALE].ld && !block_is_mx(own);
  return family_status(
      job, wt_dequantize_blocks(job->context, &d, t[Q].device, t[SCALE].device, t[X].device, NULL));
}

static void reference_row(family_job *job, int64_t row, double *scratch) {
  const block_options *own = job->own;
  const float *codes = family_row(job, Q, row);
  const float *scales = family_row(job, SCALE, has_scale_of_squares(own) ? row / block_size(own) : row);
  double *want = scratch, *bound = scratch + job->columns;
  for (int64_t j = 0; j < job->columns; ++j) {
    const float scale = scales[j / block_size(own)];
    const double number = block_is_mx(own)
                              ? (double)mx_element(own->type, codes, j) * mx_scale((int)scale)
                              : (double)(fp8_decode(block_numbers(job), (uint8_t)codes[j]) * scale);
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
          "Computes X = scale * Q for packed elements Q of an MX format (gfx950) or of FP8, as wavetile "
          "quantize-blocks writes them.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = Q,
      .options = block_option_rows,
      .check = check,
      .height = height,
      .width = width,
      .take_shape = take_shape,
      .lay_out = lay_out,
      .call = call,
      .reference_row = reference_row,
      .scratch = 2,
      .describe = block_options_describe,
  };
  block_options own = {0};
  return family_main(&dequantize_blocks, &own, argc, argv);
}
