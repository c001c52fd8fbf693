// SPDX-License-Identifier: MIT
// Computes softmax and cross-entropy in float64, with bounds for arithmetic in f32: u = 2^-24 for each
// rounding, and for the hardware's exp2, log2 and reciprocal 1 ulp, at most 2u (CDNA4 ISA, V_EXP_F32 and its
// neighbours).
#ifndef WT_TESTS_SOFTMAX_REFERENCE_H
#define WT_TESTS_SOFTMAX_REFERENCE_H

#include "row_matrix.h"

static const double kU = 0x1p-24;

typedef struct softmax_row {
  double max, sum;   // sum of exp(x - max); 0 when all entries are minus infinity
  double sum_error;  // relative
  bool nan;          // a NaN or plus infinity is in the row
} softmax_row;

// Returns the relative error of exp2((x - max) * log2(e)): difference, product and constant are off by u, u
// and u / 2, which the exponential multiplies by |x - max|; then its own 2u. Below 2^-126 it may be 0.
static inline double softmax_term_error(double x, double max) {
  return isinf(x) ? 0 : 2.5 * kU * (max - x) + 2 * kU;
}

// Numbers are added, or the sum so far is multiplied by an exponential (3u) before: 4u for each of the
// additions in a chain.
static inline softmax_row softmax_of(const double *x, int count) {
  softmax_row row = {.max = -INFINITY};
  for (int j = 0; j < count; ++j) {
    row.nan |= isnan(x[j]) || x[j] == INFINITY;
    row.max = fmax(row.max, x[j]);
  }
  if (row.nan || row.max == -INFINITY) return row;
  double errors = 0;
  for (int j = 0; j < count; ++j) {
    const double term = exp(x[j] - row.max);
    row.sum += term;
    errors += term * softmax_term_error(x[j], row.max) + 0x1p-126;
  }
  row.sum_error = errors / row.sum + 4 * kU * row_chain(count);
  return row;
}

// Returns a probability, and how far it may be off: term, sum, reciprocal (2u) and product (u).
static inline double softmax_probability(const softmax_row *row, double x, double *error) {
  *error = 0;
  if (row->nan) return NAN;
  if (row->sum == 0) return 0;
  const double p = exp(x - row->max) / row->sum;
  *error = p * (softmax_term_error(x, row->max) + row->sum_error + 3 * kU) * 1.01 + 0x1p-126;
  return p;
}

// Tells whether `got` is `want` within `error`, rounded to its type; NaN and infinities have to be
// themselves.
static inline bool softmax_close(wt_type type, double got, double want, double error) {
  if (isnan(want)) return isnan(got);
  if (isinf(want)) return got == want;
  return fabs(got - want) <= error + (fabs(want) + error) * row_roundoff(type) + row_smallest(type);
}

// ---- cases

// Returns a length that is short, one wave's, around what registers hold, or beyond; or any from the shortest
// on.
static inline int softmax_columns(test_rng *rng, int shortest, int longest) {
  static const int edges[] = {64, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 131072, 163840};
  const int kind = row_between(rng, 0, 9);
  if (shortest > 1) return row_between(rng, shortest, longest);
  if (kind < 2) return row_between(rng, 1, 70);
  if (kind < 5) return row_between(rng, 1, 3000);
  int columns = edges[row_between(rng, 0, 11)] + row_between(rng, -3, 9);
  if (kind == 9) columns = row_between(rng, 1, longest);
  return columns > longest ? longest - row_between(rng, 0, 40) : columns;
}

// Makes rows of numbers, each of a kind of its own: near each other, far apart, with entries of minus
// infinity, all of them so, with a NaN or an infinity, all the same, at both ends of the range.
static inline void softmax_fill(row_matrix *x, test_rng *rng) {
  for (int i = 0; i < x->rows; ++i) {
    const int kind = row_between(rng, 0, 11);
    const double spread = kind == 1 ? 30 : kind == 2 ? 300 : 3, centre = row_normal(rng) * 20;
    for (int j = 0; j < x->columns; ++j) {
      double value = centre + spread * row_normal(rng);
      if (kind == 3 && row_between(rng, 0, 2)) value = -INFINITY;
      if (kind == 4) value = -INFINITY;
      if (kind == 5) value = centre;
      if (kind == 6) value = row_between(rng, 0, 1) ? 60000 : -60000;
      row_put(x, i, j, row_encode(x->type, value));
    }
    const int place = row_between(rng, 0, x->columns - 1);
    if (kind == 7) row_put(x, i, place, row_encode(x->type, NAN));
    if (kind == 8) row_put(x, i, place, row_encode(x->type, INFINITY));
    if (kind == 9 && x->type != WT_TYPE_F16) row_put(x, i, place, row_encode(x->type, -3e38));
  }
}

#endif
