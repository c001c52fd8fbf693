// SPDX-License-Identifier: MIT
// Declares the exponentials of a row in float64: what softmax and cross-entropy share.
#ifndef WT_TOOLS_EXPONENTIALS_H
#define WT_TOOLS_EXPONENTIALS_H

#include <stdint.h>

typedef struct exponentials {
  double most;   // the largest entry
  double lse;    // the logarithm of the sum of exponentials
  double error;  // the most that the sum, of terms with the errors below, is off by, relative to it
} exponentials;

// Sets probability[j] = exp(x[j]) / sum, and error[j] to the most that an exponential relative to the largest
// entry may be off by in f32, relative to itself: u (2 |x| + 2 |most| + 2 |x - most| + 10), for the rounding
// of the arguments and of exp2.
exponentials exponentials_of(const float *x, int64_t count, double *probability, double *error);

#endif
