// SPDX-License-Identifier: MIT
// `wavetile dequantize`: FP8 numbers and scales to numbers.
#include <string.h>

#include "fp8_options.h"

enum { Q, SCALE, X, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [Q] = {"q", "Q.npy", "the FP8 numbers, as bytes (uint8), with rows along the last of 2 to 4 axes", "q",
           FAMILY_MATRIX, FAMILY_CODE, false, false, "ldq",
           "elements between the starts of rows of Q on the device (default: rows are packed)"},
    [SCALE] = {"scale", "S.npy",
               "what one unit of Q stands for: one number, or with --by-row one for each row", "scale",
               FAMILY_ROWS, FAMILY_F32, false, false, NULL, NULL},
    [X] = {"out", "X.npy", "where scale * Q goes", "x", FAMILY_MATRIX, FAMILY_VALUE, true, false, "ldx",
           "elements between the starts of rows of X (default: packed)"},
};

static int check(family_job *job) {
  fp8_options *own = job->own;
  const int code = fp8_check(job);
  if (code) return code;
  if (job->files && !job->tensors[SCALE].path)
    return tool_error(TOOL_USAGE, "--scale is missing; pass what one unit of Q stands for");
  if (!own->by_row) job->tensors[SCALE].shape = FAMILY_ONE;
  job->tensors[SCALE].wanted = true;
  return TOOL_OK;
}

static int call(family_job *job) {
  const family_data *t = job->tensors;
  wt_quantize_desc d = fp8_descriptor(job);
  d.ldx = t[X].ld, d.ldq = t[Q].ld;
  return family_status(job, wt_dequantize(job->context, &d, t[Q].device, t[SCALE].device, t[X].device, NULL));
}

static void reference_row(family_job *job, int64_t row, double *scratch) {
  const fp8_options *own = job->own;
  const fp8_format *format = element_format_on(own->type, job->target);
  const float *codes = family_row(job, Q, row);
  const float scale = job->tensors[SCALE].values.data[own->by_row ? row : 0];
  double *want = scratch, *bound = scratch + job->columns;
  for (int64_t j = 0; j < job->columns; ++j) {
    const float product = scale * fp8_decode(format, (uint8_t)codes[j]);
    family_want_exactly(job, product, &want[j], &bound[j]);
  }
  family_compare(job, X, row * job->columns, job->columns, want, bound);
}

int tool_dequantize(int argc, char **argv) {
  static const family dequantize = {
      .name = "dequantize",
      .text =
          "usage: wavetile dequantize --q Q.npy --scale S.npy --out X.npy [options]\n"
          "       wavetile dequantize --rows N --columns N [options]\n\n"
          "Computes X = scale * Q for numbers Q in FP8, as wavetile quantize writes them.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = Q,
      .options = fp8_option_rows,
      .check = check,
      .call = call,
      .reference_row = reference_row,
      .scratch = 2,
      .describe = fp8_describe,
  };
  fp8_options own = FP8_OPTIONS_INIT;
  return family_main(&dequantize, &own, argc, argv);
}
