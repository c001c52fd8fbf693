// SPDX-License-Identifier: MIT
// This header divides by numbers that a launch knows and the compiler does not, by a multiplication and a
// shift. The compute units have no integer division; the compiler's takes some 25 dependent instructions.
#ifndef WT_SCHED_DIVISOR_H
#define WT_SCHED_DIVISOR_H

#include "../tiles/target.h"

// This is a divisor, made ready on the host and handed to a kernel as it is.
typedef struct wt_divisor {
  unsigned divisor;
  unsigned factor, shift;  // n / divisor is 2 n * factor / 2^32 / 2^shift, rounded down
} wt_divisor;

// Returns the constants of a divisor from 1 to 2^31 - 1.
WT_ANYWHERE wt_divisor wt_divisor_of(unsigned divisor) {
  // With 2^shift the next power of two, factor = 2^(31 + shift) / divisor, rounded up, is short of 2^32 and
  // too large by e / divisor with e < divisor <= 2^shift: quotients of n < 2^31 are too large by n e /
  // divisor / 2^(31 + shift) < 1 / divisor, which never reaches the next integer (Granlund, Montgomery:
  // Division by Invariant Integers using Multiplication, PLDI 1994).
  unsigned shift = 0;
  while (1u << shift < divisor) ++shift;
  const unsigned long long power = 1ull << (31 + shift);
  const wt_divisor result = {divisor, (unsigned)((power + divisor - 1) / divisor), shift};
  return result;
}

// Returns n / by, rounded down, for n < 2^31.
WT_ANYWHERE unsigned wt_divide(unsigned n, wt_divisor by) {
  return (unsigned)((unsigned long long)(2 * n) * by.factor >> 32) >> by.shift;
}

#endif
