// SPDX-License-Identifier: MIT
// Declares the arguments of the softmax and cross-entropy kernels, shared by host (C) and device (HIP C++).
// All strides are in elements. A launch takes the rows from `first` on, one per team of threads.
#ifndef WT_KERNELS_SOFTMAX_ARGS_H
#define WT_KERNELS_SOFTMAX_ARGS_H

// Forward, this is out = softmax(in), and `gradient` is not used. Backward, it is out = in * (gradient - sum
// of in * gradient).
typedef struct wt_softmax_args {
  const void *in, *gradient;
  void *out;
  long long in_row, gradient_row, out_row;
  int first, rows, columns;
} wt_softmax_args;

typedef struct wt_cross_entropy_args {
  const void *x;
  const int *labels;
  float *loss, *lse;   // lse: null when it is not wanted
  void *dx;            // null when it is not wanted
  const float *share;  // of a row in the mean, which dx is multiplied by; null when it is 1
  long long x_row, dx_row;
  int first, rows, columns;
  int ignore_index;
  float label_smoothing, grad_scale;
} wt_cross_entropy_args;

// Describes the losses' total, in two steps around the rows: a row's share in the mean, from the labels, is
// written where the total will be; then the losses are summed and multiplied by it.
typedef struct wt_total_args {
  const int *labels;  // for the share
  const float *loss;  // for the total
  float *total;
  long long rows;
  int ignore_index;
  int mean;  // 0: the total is the sum, and there is no share
} wt_total_args;

#endif
