// SPDX-License-Identifier: MIT
// Multiplying by a divisor's factor divides, for every divisor and dividend that it is for.
#include "sched/divisor.h"

#include <limits.h>

#include "check.h"

static void divides(unsigned n, unsigned d) {
  const unsigned quotient = wt_divide(n, wt_divisor_of(d));
  CHECK(quotient == n / d, "%u / %u gives %u", n, d, quotient);
}

static void small_numbers_are_divided(void) {
  for (unsigned d = 1; d < 600; ++d)
    for (unsigned n = 0; n < 6000; ++n) divides(n, d);
}

// Quotients change at multiples of the divisor, and the error of the factor grows with the dividend.
static void multiples_are_not_missed(unsigned d, unsigned k) {
  const unsigned n = k * d;
  divides(n, d);
  if (n) divides(n - 1, d);
  if (n < INT_MAX) divides(n + 1, d);
}

static void large_numbers_are_divided(test_rng *rng) {
  for (int i = 0; i < 400000; ++i) {
    const unsigned d = 1 + (unsigned)(test_random(rng) % (INT_MAX >> test_random(rng) % 31));
    multiples_are_not_missed(d, INT_MAX / d);
    multiples_are_not_missed(d, (unsigned)(test_random(rng) % (INT_MAX / d + 1)));
    divides(INT_MAX, d);
  }
  for (unsigned shift = 0; shift < 31; ++shift)
    for (unsigned about = 0; about < 3; ++about) {
      const unsigned d = (1u << shift) + about - 1;
      if (d >= 1 && d <= INT_MAX) multiples_are_not_missed(d, INT_MAX / d);
    }
}

int main(void) {
  test_rng rng = test_seed(2026);
  small_numbers_are_divided();
  large_numbers_are_divided(&rng);
  return test_result();
}
