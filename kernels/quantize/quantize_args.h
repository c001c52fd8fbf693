// SPDX-License-Identifier: MIT
// Declares the arguments of quantisation kernels for host (C) and device (HIP C++). Strides are in elements.
#ifndef WT_KERNELS_QUANTIZE_ARGS_H
#define WT_KERNELS_QUANTIZE_ARGS_H

typedef struct wt_quantize_args {
  void *x, *q;   // what is read of the two is not written
  float *scale;  // of the matrix, or one per row
  long long x_row, q_row;
  int first, rows, columns;  // quantize_rows: a launch takes the rows from `first` on, one per team
  // In the other kernels, team t of a launch takes the pieces t, t + teams, t + 2 * teams, ... of all rows.
  int teams;
  int per_row;        // scales
  float *largest;     // magnitudes, one for each of a launch's work-groups that looked for them; null when
  int largest_count;  // the scale is given
} wt_quantize_args;

#endif
