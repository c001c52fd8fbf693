// SPDX-License-Identifier: MIT
// Implements `wavetile softmax`: the softmax of rows, and its gradient.
#include <math.h>

#include "exponentials.h"
#include "family.h"

enum { X, Y, DY, DX, TENSORS };

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy",
           "the rows, along the last of 2 to 4 axes: float32, float64, float16 or whole numbers", "x",
           FAMILY_MATRIX, FAMILY_VALUE, false, false, "ldx",
           "elements between the starts of rows of X on the device (default: rows are packed)"},
    [Y] = {"out", "Y.npy", "where the probabilities go", "y", FAMILY_MATRIX, FAMILY_VALUE, true, false, "ldy",
           "elements between the starts of rows of Y (default: packed)"},
    [DY] = {"dy", "DY.npy", "the gradient of Y: runs the backward pass as well", "dy", FAMILY_MATRIX,
            FAMILY_VALUE, false, true, "lddy", "elements between the starts of rows of DY (default: packed)"},
    [DX] = {"dx", "DX.npy", "where the gradient of X goes", "dx", FAMILY_MATRIX, FAMILY_VALUE, true, true,
            "lddx", "elements between the starts of rows of DX (default: packed)"},
};

// The backward pass takes Y from the forward pass.
static int check(family_job *job) {
  if (job->backward) job->tensors[Y].wanted = job->tensors[DX].wanted = true;
  return TOOL_OK;
}

static wt_softmax_desc descriptor(const family_job *job) {
  wt_softmax_desc d = WT_SOFTMAX_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.type = job->type->ocp;
  d.ldx = job->tensors[X].ld, d.ldy = job->tensors[Y].ld;
  d.lddx = job->tensors[DX].ld, d.lddy = job->tensors[DY].ld;
  return d;
}

static int forward(family_job *job) {
  const wt_softmax_desc d = descriptor(job);
  return family_status(job,
                       wt_softmax(job->context, &d, job->tensors[X].device, job->tensors[Y].device, NULL));
}

static int prepare(family_job *job) { return job->backward ? forward(job) : TOOL_OK; }

static int call(family_job *job) {
  if (!job->backward) return forward(job);
  const wt_softmax_desc d = descriptor(job);
  const family_data *t = job->tensors;
  return family_status(job,
                       wt_softmax_backward(job->context, &d, t[Y].device, t[DY].device, t[DX].device, NULL));
}

static void forward_row(family_job *job, int64_t row, double *want, double *bound) {
  const exponentials e = exponentials_of(family_row(job, X, row), job->columns, want, bound);
  for (int64_t j = 0; j < job->columns; ++j)
    bound[j] = family_rounded(job, Y, want[j], want[j] * (bound[j] + e.error + 4 * family_u));
}

// Starts from Y as the device has it, so that this is the gradient of what was stored.
static void backward_row(family_job *job, int64_t row, double *want, double *bound) {
  const float *y = family_row(job, Y, row), *dy = family_row(job, DY, row);
  double sum = 0, magnitudes = 0;
  for (int64_t j = 0; j < job->columns; ++j) {
    sum += (double)y[j] * dy[j];
    magnitudes += fabs((double)y[j] * dy[j]);
  }
  const double sum_error = (family_sum_error(job->columns) + family_u) * magnitudes;
  for (int64_t j = 0; j < job->columns; ++j) {
    want[j] = y[j] * (dy[j] - sum);
    bound[j] = fabs(y[j]) * (sum_error + 3 * family_u * (fabs(dy[j]) + fabs(sum)));
    bound[j] = family_rounded(job, DX, want[j], bound[j]);
  }
}

static void reference_row(family_job *job, int64_t row, double *scratch) {
  double *want = scratch, *bound = scratch + job->columns;
  forward_row(job, row, want, bound);
  family_compare(job, Y, row * job->columns, job->columns, want, bound);
  if (!job->backward) return;
  backward_row(job, row, want, bound);
  family_compare(job, DX, row * job->columns, job->columns, want, bound);
}

int tool_softmax(int argc, char **argv) {
  static const family softmax = {
      .name = "softmax",
      .text =
          "usage: wavetile softmax --x X.npy --out Y.npy [options]\n"
          "       wavetile softmax --x X.npy --dy DY.npy --dx DX.npy [options]\n"
          "       wavetile softmax --rows N --columns N [options]\n\n"
          "Computes Y = exp(X) / sum of exp(X) for each row, or the gradient of X from that of Y.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .has_backward = true,
      .check = check,
      .prepare = prepare,
      .call = call,
      .reference_row = reference_row,
      .scratch = 2,
  };
  return family_main(&softmax, NULL, argc, argv);
}
