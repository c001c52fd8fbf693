// SPDX-License-Identifier: MIT
// Computes the mean cross-entropy of rows of logits, and its gradient in the place of the logits, against the
// definition in double.
// Build: cc -D__HIP_PLATFORM_AMD__ -Iinclude examples/cross_entropy/cross_entropy.c -Lbuild/lib -lwavetile -lamdhip64 -lm -o cross_entropy
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <wavetile.h>

enum { ROWS = 5, CLASSES = 4001, IGNORED = 2, LOSS_SCALE = 4096 };

static void check(wt_context *context, wt_status status) {
  if (status == WT_SUCCESS) return;
  fprintf(stderr, "%s\n", wt_last_error(context));
  exit(1);
}

// Returns memory that host and device share.
static void *memory(size_t bytes) {
  void *pointer = NULL;
  if (hipHostMalloc(&pointer, bytes, 0) != hipSuccess) exit(1);
  return pointer;
}

// Returns the loss of a row. Its gradient takes the place of the logits in `row`, and is that of `share`
// times the loss.
static double definition(double *row, int label, double share) {
  double sum = 0;
  for (int j = 0; j < CLASSES; ++j) sum += exp(row[j]);
  const double loss = log(sum) - row[label];
  for (int j = 0; j < CLASSES; ++j) row[j] = share * (exp(row[j]) / sum - (j == label));
  return loss;
}

int main(void) {
  wt_context *context;
  check(NULL, wt_context_create(0, &context));
  _Float16 *logits = memory(ROWS * CLASSES * sizeof *logits);
  int32_t *labels = memory(ROWS * sizeof *labels);
  float *losses = memory(ROWS * sizeof *losses), *mean = memory(sizeof *mean);
  static double expected[ROWS][CLASSES];
  unsigned state = 1;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < CLASSES; ++j) {
      state = state * 1664525 + 1013904223;
      expected[i][j] = (int)(state >> 24) / 16.0 - 8;
      logits[i * CLASSES + j] = (_Float16)expected[i][j];
    }
    labels[i] = i == IGNORED ? -100 : 777 * i;
  }

  wt_cross_entropy_desc desc = WT_CROSS_ENTROPY_DESC_INIT;
  desc.rows = ROWS, desc.columns = CLASSES;
  desc.type = WT_TYPE_F16;
  desc.reduction = WT_REDUCTION_MEAN;
  desc.total = mean;
  desc.grad_scale = LOSS_SCALE;  // small probabilities would vanish in F16
  check(context, wt_cross_entropy(context, &desc, logits, labels, losses, logits, NULL));
  if (hipDeviceSynchronize() != hipSuccess) return 1;

  const double share = 1.0 / (ROWS - 1);
  double expected_mean = 0, worst = 0;
  for (int i = 0; i < ROWS; ++i) {
    if (i != IGNORED) expected_mean += share * definition(expected[i], labels[i], share * LOSS_SCALE);
    for (int j = 0; j < CLASSES; ++j) {
      const double wanted = i == IGNORED ? 0 : expected[i][j], size = fmax(fabs(wanted), 0x1p-14);
      worst = fmax(worst, fabs((double)logits[i * CLASSES + j] - wanted) / size);
    }
  }
  printf("the mean loss is %.6f, by definition %.6f; gradients are off by at most %.1e of themselves\n",
         (double)*mean, expected_mean, worst);
  wt_context_destroy(context);
  // Rounding to F16 is 2^-11 of a number, and of 2^-14 below it; exp in f32 adds a few 2^-20.
  return worst < 0x1.1p-11 && fabs((double)*mean - expected_mean) < 1e-5 * expected_mean ? 0 : 1;
}
