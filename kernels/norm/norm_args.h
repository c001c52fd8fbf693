// SPDX-License-Identifier: MIT
// Declares the arguments of the norms' kernels, shared by host (C) and device (HIP C++). Strides are in
// elements. What is null is left out: a residual is then 0, a weight 1, a bias 0, an output is not written.
#ifndef WT_KERNELS_NORM_ARGS_H
#define WT_KERNELS_NORM_ARGS_H

#include "kernels/block_scale/row_blocks_args.h"

// An element is dropped when its random half (wavetile/norm.h), shifted to the upper half of a word, is below
// `threshold`, a multiple of 2^16; else it is multiplied by `scale`. Threshold 0: no dropout.
typedef struct wt_norm_dropout {
  unsigned long long seed;
  unsigned threshold;
  float scale;
} wt_norm_dropout;

// The results are z = dropout(x) + residual and y = (z - mean) * rstd * weight + bias. Teams take the rows
// from row `first` on.
typedef struct wt_norm_forward_args {
  const void *x, *residual, *weight, *bias;
  void *sum, *y;        // sum: z
  float *mean, *rstd;   // per row
  unsigned char *mask;  // 1: kept, 0: dropped
  long long x_row, residual_row, sum_row, y_row, mask_row;
  int rows, columns, first;
  float epsilon;
  wt_norm_dropout dropout;
  // These are for the kernels that quantise y: where it goes, and whether the norm subtracts the mean.
  wt_row_blocks blocks;
  int subtracts_mean;
} wt_norm_forward_args;

// Describes the gradients: dz = that of y through the norm + dsum; dresidual = dz; dx = dz through the
// dropout. mean is null for the RMS norm.
//
// Grid: y = `groups` work-groups; team t of n in the launch takes the rows t, t + n, t + 2n, ...; x = 1, or
// for the kernels named "weight" slices of 4096 columns. Work-group y's sums for weight and bias are row y of
// the parts, which are packed. For the kernels named "any", x counts rows, from row `first` on.
typedef struct wt_norm_backward_args {
  const void *dy, *dsum, *z, *weight;
  const float *mean, *rstd;
  void *dx, *dresidual;
  float *dweight_parts, *dbias_parts;
  long long dy_row, dsum_row, z_row, dx_row, dresidual_row;
  int rows, columns, groups, first;
  wt_norm_dropout dropout;
} wt_norm_backward_args;

// to[column] becomes the sum of the parts, in order. Grid: x = groups of 256 columns; y = 0: weight, 1: bias.
typedef struct wt_norm_reduce_args {
  const float *parts[2];
  void *to[2];
  int columns, count;
} wt_norm_reduce_args;

#endif
