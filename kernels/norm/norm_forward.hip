// SPDX-License-Identifier: MIT
// Computes the norm's forward pass over rows of every length.
#include "norm_forward.h"

#define NORM_FORWARD(shape, threads, values, body) \
  NORM_KERNELS(norm_forward, wt_norm_forward_args, shape, threads, values, body)
NORM_FORWARD(16x8, 16, 8, forward)
NORM_FORWARD(64x16, 64, 16, forward)
NORM_FORWARD(256x16, 256, 16, forward)
NORM_FORWARD(1024x16, 1024, 16, forward)
NORM_FORWARD(any, 1024, 16, forward_long)
