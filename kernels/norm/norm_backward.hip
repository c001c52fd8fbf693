// SPDX-License-Identifier: MIT
// The norm's backward pass over rows of every length. src/norm/norm_backward.c knows the shapes.
#include "norm_backward.h"

NORM_BACKWARD(16x8, 16, 8, backward)
NORM_BACKWARD(64x16, 64, 16, backward)
NORM_BACKWARD(256x16, 256, 16, backward)
NORM_BACKWARD(512x16, 512, 16, backward)
NORM_BACKWARD(any, 512, 16, backward_long)
NORM_BACKWARD(weight, 256, 16, backward_weight)
