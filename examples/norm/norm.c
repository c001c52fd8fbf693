// SPDX-License-Identifier: MIT
// Computes the step between two layers of a transformer, forward and backward: dropout, residual sum and RMS
// norm; and checks one gradient by a difference.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/norm/norm.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o norm
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { ROWS = 6, COLUMNS = 1000, ROW = 4, COLUMN = 321 };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share, with numbers from -1 to 1.
static float *numbers(size_t count) {
  static unsigned state = 1;
  float *x = NULL;
  if (hipHostMalloc((void **)&x, count * sizeof *x, 0) != hipSuccess) exit(1);
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525 + 1013904223;
    x[i] = (float)(int)(state >> 16) / 32768 - 1;
  }
  return x;
}

// Returns the sum of dy * y over the row, which is the loss that dy is the gradient of.
static double loss(wt_context *context, const wt_norm_desc *desc, const float *x, float *y, const float *dy) {
  check(context, wt_norm(context, desc, x, y, NULL));
  if (hipDeviceSynchronize() != hipSuccess) exit(1);
  double sum = 0;
  for (int i = ROW * COLUMNS; i < (ROW + 1) * COLUMNS; ++i) sum += (double)dy[i] * (double)y[i];
  return sum;
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  enum { COUNT = ROWS * COLUMNS };
  float *x = numbers(COUNT), *residual = numbers(COUNT), *weight = numbers(COLUMNS), *dy = numbers(COUNT);
  float *y = numbers(COUNT), *sum = numbers(COUNT), *dx = numbers(COUNT), *dweight = numbers(COLUMNS);
  float *rstd = numbers(ROWS);

  wt_norm_desc desc = WT_NORM_DESC_INIT;
  desc.kind = WT_NORM_RMS, desc.type = WT_TYPE_F32;
  desc.rows = ROWS, desc.columns = COLUMNS;
  desc.residual = residual, desc.weight = weight;
  desc.dropout = 0.1f, desc.seed = 2026;
  desc.sum = sum, desc.rstd = rstd;
  check(context, wt_norm(context, &desc, x, y, NULL));

  // No mask was kept: the seed says again which elements were dropped.
  wt_norm_backward_desc back = WT_NORM_BACKWARD_DESC_INIT;
  back.kind = WT_NORM_RMS, back.type = WT_TYPE_F32;
  back.rows = ROWS, back.columns = COLUMNS;
  back.weight = weight, back.rstd = rstd, back.dweight = dweight;
  back.dropout = desc.dropout, back.seed = desc.seed;
  check(context, wt_norm_backward_workspace_size(context, &back, &back.workspace_bytes));
  back.workspace = numbers(back.workspace_bytes / sizeof(float));
  check(context, wt_norm_backward(context, &back, dy, sum, dx, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  const int at = ROW * COLUMNS + COLUMN;
  const float before = x[at], step = 0.125f;
  x[at] = before + step;
  const double above = loss(context, &desc, x, y, dy);
  x[at] = before - step;
  const double difference = (above - loss(context, &desc, x, y, dy)) / (2 * (double)step);
  printf("d loss / d x[%d][%d] is %.5f, and by a difference %.5f\n", ROW, COLUMN, (double)dx[at], difference);
  wt_context_destroy(context);
  // The difference is off by about step^2 / 6 times the third derivative, here below 1e-4, and its rounding.
  return dx[at] != 0 && fabs((double)dx[at] - difference) < 2e-4 ? 0 : 1;
}
