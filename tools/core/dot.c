// SPDX-License-Identifier: MIT
#include "dot.h"

#include <math.h>

// Adds in strands that the compiler can keep in vector registers.
dot_sum dot(const float *a, const float *b, int64_t count) {
  enum { STRANDS = 8 };
  double sums[STRANDS] = {0}, sizes[STRANDS] = {0};
  int64_t k = 0;
  for (; k + STRANDS <= count; k += STRANDS)
    for (int s = 0; s < STRANDS; ++s) {
      const double product = (double)a[k + s] * (double)b[k + s];
      sums[s] += product, sizes[s] += fabs(product);
    }
  for (int s = 0; k + s < count; ++s) {
    const double product = (double)a[k + s] * (double)b[k + s];
    sums[s] += product, sizes[s] += fabs(product);
  }
  dot_sum all = {0, 0};
  for (int s = 0; s < STRANDS; ++s) all.sum += sums[s], all.size += sizes[s];
  return all;
}
