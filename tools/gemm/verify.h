// SPDX-License-Identifier: MIT
// Verifies C = activation(row_scale * column_scale * alpha * A * B^T + beta * C0 + bias) in float64, for all
// elements at once and for many one by one; integers are verified exactly.
//
// An activation leaves no sums to compare: then every element is recomputed.
//
// All elements go through Freivalds' check. The columns of C are taken in groups of 16; for a vector x of
// random signs, the sum of x_j * C_ij over each group is compared with alpha * A * (B^T x), which costs a
// sixteenth of the product. An error in one element is found unless it is below the bound of its group;
// several vectors keep errors from cancelling.
//
// The bound of one element follows from the types and K: |error| <= u_out |c| + u ((min(K, 8 sqrt K) + 6) |f|
// S + 3 |beta c0| + 2 |bias|), S = sum over k of |a_ik b_jk|, f = alpha times the scales of the row and
// column, u = 2^-24, u_out the unit roundoff of the output type. An activation multiplies the error by at
// most its slope, 1.2, and adds that of its own evaluation (include/ops/functions.h).
// Rounding errors of a sum of K terms grow as sqrt K when they are independent; 8 sqrt K is exceeded with
// negligible probability (Higham and Mary, A New Approach to Probabilistic Rounding Error Analysis, 2019).
// The group's bound uses S <= |a_i| |b_j| (Cauchy-Schwarz).
#ifndef WT_TOOLS_VERIFY_H
#define WT_TOOLS_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

enum { VERIFY_GROUP = 16, VERIFY_VECTORS = 3, VERIFY_SAMPLES = 4096 };

typedef struct verify_problem {
  int64_t m, n, k;
  const float *a, *b;  // m x k and n x k, packed, the values the device multiplied
  const float *c;      // m x n, packed: the device's result
  const float *c0;     // m x n: C before the call, or NULL when beta is 0
  double alpha, beta;
  const float *row_scale, *column_scale, *bias;  // m, n and n elements, or NULL
  int activation;                                // a wt_activation
  double output_roundoff;  // unit roundoff of the type the device stored C in: 2^-8 for bf16, 2^-11 f16,
                           // 2^-24 f32
  uint64_t seed;
} verify_problem;

// Describes the check that used up most of its bound.
typedef struct verify_worst {
  double ratio, error, bound;  // error / bound, infinite when they cannot be compared
  int64_t row, col;            // the element, or the first of the group
} verify_worst;

typedef struct verify_result {
  bool passed;
  int64_t samples;             // elements recomputed
  double largest_error;        // of those
  verify_worst sample, group;  // group.ratio is below 0 when no groups were compared
} verify_result;

// Returns false when there is no memory for it.
bool verify_gemm(const verify_problem *problem, verify_result *out);

// Verifies whole numbers, with `c` as C: exact modulo 2^32, by Freivalds' check with 32-bit weights.
bool verify_integers(const verify_problem *problem, const int32_t *c, verify_result *out);

#endif
