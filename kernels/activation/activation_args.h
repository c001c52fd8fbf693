// SPDX-License-Identifier: MIT
// Declares the arguments of activation kernels for host (C) and device (HIP C++). Strides are in elements.
#ifndef WT_KERNELS_ACTIVATION_ARGS_H
#define WT_KERNELS_ACTIVATION_ARGS_H

#include "kernels/block_scale/row_blocks_args.h"

// Forward, this is y = f(x), or y = f(gate) * x. Backward, it is dx, and dgate, from dy.
typedef struct wt_activation_args {
  const void *x, *gate, *dy;  // gate: null without one
  void *y, *dx, *dgate;
  long long x_row, gate_row, dy_row, y_row, dx_row, dgate_row;
  const int *row_count;  // how many of the rows count; null: all
  int rows, columns;
  int teams;             // of the launch; team t takes the pieces t, t + teams, ... of all rows
  int activation;        // of wt_activation (wavetile.h)
  wt_row_blocks blocks;  // y, for the kernels that quantise it
} wt_activation_args;

#endif
