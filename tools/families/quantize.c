// SPDX-License-Identifier: MIT
// Implements `wavetile quantize`: it converts to FP8 with a scale for the matrix or one for each row.
#include <math.h>
#include <string.h>

#include "fp8_options.h"

enum { X, GIVEN, Q, SCALE, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy", "the numbers, with rows along the last of 2 to 4 axes", "x", FAMILY_MATRIX,
           FAMILY_VALUE, false, false, "ldx",
           "elements between the starts of rows of X on the device (default: rows are packed)"},
    [GIVEN] = {"given", "S.npy", "the scale, or with --by-row one for each row: instead of computed ones",
               "given", FAMILY_ROWS, FAMILY_F32, false, false, NULL, NULL},
    [Q] = {"out", "Q.npy", "where the FP8 numbers go, as bytes (uint8)", "q", FAMILY_MATRIX, FAMILY_CODE,
           true, false, "ldq", "elements between the starts of rows of Q (default: packed)"},
    [SCALE] = {"scale", "S.npy", "where the scales go: one, or one for each row", "scale", FAMILY_ROWS,
               FAMILY_F32, true, false, NULL, NULL},
};

static int check(family_job *job) {
  fp8_options *own = job->own;
  const int code = fp8_check(job);
  if (code) return code;
  if (job->tensors[GIVEN].path && job->tensors[SCALE].path)
    return tool_error(TOOL_USAGE, "--given and --scale are both given; pass one of them");
  if (!own->by_row) job->tensors[GIVEN].shape = job->tensors[SCALE].shape = FAMILY_ONE;
  job->tensors[Q].wanted = true;
  job->tensors[SCALE].wanted = !job->tensors[GIVEN].path;
  return TOOL_OK;
}

static float largest_of(const float *x, int64_t count) {
  float largest = 0;
  for (int64_t j = 0; j < count; ++j) largest = fmaxf(largest, fabsf(x[j]));
  return largest;
}

// Scales that are given must be positive, as computed ones are.
static int complete(family_job *job) {
  fp8_options *own = job->own;
  unsigned char code[sizeof(float)];
  const npy_array *x = &job->tensors[X].values;
  element_encode(job->type, NULL, largest_of(x->data, npy_count(x)), code);
  own->largest = element_decode(job->type, NULL, code);  // rounding keeps the order
  const npy_array *given = &job->tensors[GIVEN].values;
  for (int64_t i = 0; given->data && i < npy_count(given); ++i)
    if (!(given->data[i] >= 0x1p-126f))
      return tool_error(TOOL_USAGE, "--given %s: element [%lld] is %g; pass scales of at least 2^-126",
                        job->tensors[GIVEN].path, (long long)i, (double)given->data[i]);
  return TOOL_OK;
}

static int call(family_job *job) {
  const family_data *t = job->tensors;
  const int code = family_workspace(job, WT_QUANTIZE_WORKSPACE_BYTES);
  if (code) return code;
  wt_quantize_desc d = fp8_descriptor(job);
  d.ldx = t[X].ld, d.ldq = t[Q].ld, d.given = t[GIVEN].wanted;
  d.workspace = job->workspace, d.workspace_bytes = WT_QUANTIZE_WORKSPACE_BYTES;
  void *scale = t[GIVEN].wanted ? t[GIVEN].device : t[SCALE].device;
  return family_status(job, wt_quantize(job->context, &d, t[X].device, t[Q].device, scale, NULL));
}

// Everything is defined to the bit: every bound is 0. Q is compared as codes.
static void reference_row(family_job *job, int64_t row, double *scratch) {
  const fp8_options *own = job->own;
  const fp8_format *format = element_format_on(own->type, job->target);
  const family_data *t = job->tensors;
  const float *x = family_row(job, X, row);
  double *want = scratch, *bound = scratch + job->columns;
  float scale = fp8_scale_of(format, own->by_row ? largest_of(x, job->columns) : own->largest);
  if (t[GIVEN].wanted) scale = t[GIVEN].values.data[own->by_row ? row : 0];
  for (int64_t j = 0; j < job->columns; ++j) {
    want[j] = fp8_encode(format, x[j] * (1 / scale));
    bound[j] = 0;
  }
  family_compare(job, Q, row * job->columns, job->columns, want, bound);
  const double exact = scale;
  if (t[SCALE].wanted && (own->by_row || row == 0)) family_compare(job, SCALE, row, 1, &exact, bound);
}

static void describe(const family_job *job, record *r) {
  const fp8_options *own = job->own;
  const family_data *scale = &job->tensors[SCALE];
  fp8_describe(job, r);
  record_number(r, "scale", !own->by_row && scale->values.data ? scale->values.data[0] : NAN);
}

int tool_quantize(int argc, char **argv) {
  static const family quantize = {
      .name = "quantize",
      .text =
          "usage: wavetile quantize --x X.npy --out Q.npy --scale S.npy [options]\n"
          "       wavetile quantize --rows N --columns N [options]\n\n"
          "Computes scales, the largest magnitude divided by the largest FP8 number, and Q = X / scale "
          "rounded to FP8. The inverse is wavetile dequantize.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .options = fp8_option_rows,
      .check = check,
      .complete = complete,
      .call = call,
      .reference_row = reference_row,
      .scratch = 2,
      .describe = describe,
  };
  fp8_options own = FP8_OPTIONS_INIT;
  return family_main(&quantize, &own, argc, argv);
}
