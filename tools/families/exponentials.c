// SPDX-License-Identifier: MIT
// Computes exponentials from the definition.
#include "exponentials.h"

#include <math.h>

#include "family.h"

exponentials exponentials_of(const float *x, int64_t count, double *probability, double *error) {
  exponentials e = {.most = -INFINITY, .error = family_sum_error(count)};
  double sum = 0;
  for (int64_t j = 0; j < count; ++j) e.most = fmax(e.most, x[j]);
  for (int64_t j = 0; j < count; ++j) {
    probability[j] = exp(x[j] - e.most);
    error[j] = family_u * (2 * fabs(x[j]) + 2 * fabs(e.most) + 2 * (e.most - x[j]) + 10);
    sum += probability[j];
  }
  for (int64_t j = 0; j < count; ++j) {
    probability[j] /= sum;
    e.error += probability[j] * error[j];
  }
  e.lse = e.most + log(sum);
  return e;
}
