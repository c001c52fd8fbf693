// SPDX-License-Identifier: MIT
// Multiplies and adds up, for references in float64.
#ifndef WT_TOOLS_DOT_H
#define WT_TOOLS_DOT_H

#include <stdint.h>

// Holds a sum of products, and the sum of their magnitudes, from which bounds of errors follow.
typedef struct dot_sum {
  double sum, size;
} dot_sum;

// Multiplies `count` pairs of numbers. The products are exact in float64.
dot_sum dot(const float *a, const float *b, int64_t count);

#endif
