// SPDX-License-Identifier: MIT
// Norms and their gradients from the definition (wavetile/norm.h), with bounds of what rounding may do.
//
// With u = 2^-24, sums s of n columns and the relative error S of a sum of n terms (family_sum_error):
//   sum:   2 u (|dropout(x)| + |s|)
//   d = s - mean:  e = 3 u (|s| + |mean|) + S mean of |s|
//   rstd:  relative r = (S v + 2 sqrt(v) E + E^2) / (2 (v + epsilon)) + 4 u, with the mean square v of d, and
//          the root mean square E of e (Cauchy-Schwarz)
//   y:     |w| (e rstd + |d| rstd (r + 3 u)) + 2 u (|y| + |bias|)
// The backward pass goes on from the sum as the device stored it, with the mean and rstd of the exact one.
#include "norm_reference.h"

#include <math.h>
#include <stdlib.h>

#include "core/philox.h"

enum { KEPT_MEAN, KEPT_MEAN_ERROR, KEPT_RSTD, KEPT_RSTD_ERROR };

static const double u = 0x1p-24;

typedef struct statistics {
  double mean, mean_error, rstd, rstd_error;  // the error of rstd is relative
} statistics;

static statistics kept_of(const family_job *job, int64_t row) {
  const double *kept = job->kept + row * NORM_KEPT;
  return (statistics){kept[KEPT_MEAN], kept[KEPT_MEAN_ERROR], kept[KEPT_RSTD], kept[KEPT_RSTD_ERROR]};
}

// Returns the factor by which the dropout multiplies an element of X.
static double factor_of(const family_job *job, int64_t row, int64_t column) {
  const norm_own *own = job->own;
  const double dropped = fmin(rint((double)(float)own->dropout * 65536), 65535);  // of 65536
  if (dropped == 0) return 1;
  const bool kept = philox_half(job->run_options.seed, (uint64_t)row, (uint32_t)column) >= dropped;
  return kept ? 1 / (1 - dropped / 65536) : 0;
}

static double at(const float *row, int64_t column, double otherwise) { return row ? row[column] : otherwise; }

// Computes the sums of a row and their bounds.
static void add_up(family_job *job, int64_t row, double *sum, double *bound) {
  const float *x = family_row(job, NORM_X, row), *residual = family_row(job, NORM_RESIDUAL, row);
  for (int64_t j = 0; j < job->columns; ++j) {
    const double dropped = x[j] * factor_of(job, row, j);
    sum[j] = dropped + at(residual, j, 0);
    bound[j] = 2 * u * (fabs(dropped) + fabs(sum[j]));
  }
}

static double distance_error(const statistics *s, double sum) {
  return 3 * u * (fabs(sum) + fabs(s->mean)) + s->mean_error;
}

static statistics measure(const family_job *job, const double *sum) {
  const norm_own *own = job->own;
  const double n = (double)job->columns, sums = family_sum_error(job->columns);
  statistics s = {.mean = 0};
  double magnitudes = 0, squares = 0, error_squares = 0;
  for (int64_t j = 0; j < job->columns && !own->rms; ++j)
    s.mean += sum[j] / n, magnitudes += fabs(sum[j]) / n;
  s.mean_error = own->rms ? 0 : (sums + 2 * u) * magnitudes;
  for (int64_t j = 0; j < job->columns; ++j) {
    const double d = sum[j] - s.mean, e = distance_error(&s, sum[j]);
    squares += d * d / n, error_squares += e * e / n;
  }
  const double total = squares + (double)(float)own->epsilon;
  s.rstd = 1 / sqrt(total);
  s.rstd_error =
      ((sums + 2 * u) * squares + 2 * sqrt(squares * error_squares) + error_squares) / (2 * total) + 4 * u;
  return s;
}

static void compare_number(family_job *job, int tensor, int64_t index, double want, double bound) {
  bound = family_rounded(job, tensor, want, bound);
  family_compare(job, tensor, index, 1, &want, &bound);
}

static void compare_y(family_job *job, int64_t row, const statistics *s, const double *sum, double *want,
                      double *bound) {
  const norm_own *own = job->own;
  const float *weight = family_row(job, NORM_WEIGHT, 0), *bias = family_row(job, NORM_BIAS, 0);
  for (int64_t j = 0; j < job->columns; ++j) {
    const double d = sum[j] - s->mean, w = at(weight, j, 1), b = at(bias, j, 0);
    want[j] = d * s->rstd * w + b;
    bound[j] = fabs(w) * s->rstd * (distance_error(s, sum[j]) + fabs(d) * (s->rstd_error + 3 * u)) +
               2 * u * (fabs(want[j]) + fabs(b));
  }
  block_result_compare(job, &own->blocks, row, want, bound);
}

// The normalised element that the backward pass sees, and its error.
static double normal_of(const statistics *s, double stored, double *error) {
  const double d = stored - s->mean;
  *error = s->rstd * (distance_error(s, stored) + fabs(d) * (s->rstd_error + 3 * u));
  return d * s->rstd;
}

// Computes the gradient of a row's sum without dsum: (g - normal * mean(g normal) - mean(g)) rstd, g = dy
// weight.
static void differentiate(family_job *job, int64_t row, const statistics *s, double *want, double *bound) {
  const norm_own *own = job->own;
  const float *dy = family_row(job, NORM_DY, row), *weight = family_row(job, NORM_WEIGHT, 0);
  const float *stored = family_row(job, NORM_SUM, row);
  const double n = (double)job->columns, sums = family_sum_error(job->columns) + 4 * u;
  double along = 0, along_error = 0, mean = 0, mean_error = 0, error;
  for (int64_t j = 0; j < job->columns; ++j) {
    const double g = dy[j] * at(weight, j, 1), normal = normal_of(s, stored[j], &error);
    along += g * normal / n, mean += own->rms ? 0 : g / n;
    along_error += fabs(g) * (error + sums * fabs(normal)) / n;
    mean_error += own->rms ? 0 : sums * fabs(g) / n;
  }
  for (int64_t j = 0; j < job->columns; ++j) {
    const double g = dy[j] * at(weight, j, 1), normal = normal_of(s, stored[j], &error);
    const double inner = g - normal * along - mean;
    const double inner_error = fabs(normal) * along_error + error * fabs(along) + mean_error +
                               4 * u * (fabs(g) + fabs(normal * along) + fabs(mean));
    want[j] = inner * s->rstd;
    bound[j] = inner_error * s->rstd + fabs(want[j]) * (s->rstd_error + 2 * u);
  }
}

static void compare_gradients(family_job *job, int64_t row, const statistics *s, double *scratch) {
  const float *dsum = family_row(job, NORM_DSUM, row);
  double *want = scratch, *bound = scratch + job->columns, *rounded = scratch + 2 * job->columns;
  differentiate(job, row, s, want, bound);
  for (int64_t j = 0; j < job->columns; ++j) {
    const double other = at(dsum, j, 0);
    bound[j] += 2 * u * (fabs(want[j]) + fabs(other));
    want[j] += other;
    rounded[j] = family_rounded(job, NORM_DRESIDUAL, want[j], bound[j]);
  }
  family_compare(job, NORM_DRESIDUAL, row * job->columns, job->columns, want, rounded);
  for (int64_t j = 0; j < job->columns; ++j) {
    const double factor = factor_of(job, row, j);
    want[j] *= factor;
    rounded[j] = family_rounded(job, NORM_DX, want[j], factor * bound[j] + 2 * u * fabs(want[j]));
    if (factor == 0) rounded[j] = 0;
  }
  family_compare(job, NORM_DX, row * job->columns, job->columns, want, rounded);
}

void norm_reference_row(family_job *job, int64_t row, double *scratch) {
  double *sum = scratch, *sum_bound = scratch + job->columns, *rest = scratch + 2 * job->columns;
  add_up(job, row, sum, sum_bound);
  const statistics s = measure(job, sum);
  double *kept = job->kept + row * NORM_KEPT;
  kept[KEPT_MEAN] = s.mean, kept[KEPT_MEAN_ERROR] = s.mean_error;
  kept[KEPT_RSTD] = s.rstd, kept[KEPT_RSTD_ERROR] = s.rstd_error;
  for (int64_t j = 0; j < job->columns; ++j) rest[j] = family_rounded(job, NORM_SUM, sum[j], sum_bound[j]);
  family_compare(job, NORM_SUM, row * job->columns, job->columns, sum, rest);
  if (job->tensors[NORM_MEAN].wanted)
    compare_number(job, NORM_MEAN, row, s.mean, s.mean_error + u * fabs(s.mean));
  if (job->tensors[NORM_RSTD].wanted) compare_number(job, NORM_RSTD, row, s.rstd, s.rstd_error * s.rstd);
  compare_y(job, row, &s, sum, rest, rest + job->columns);
  if (job->backward) compare_gradients(job, row, &s, rest);
}

void norm_reference_column(family_job *job, int64_t column) {
  if (!job->backward) return;
  const double sums = family_sum_error(job->rows) + 4 * u;
  double dweight = 0, dweight_bound = 0, dbias = 0, dbias_bound = 0, error;
  for (int64_t row = 0; row < job->rows; ++row) {
    const statistics s = kept_of(job, row);
    const double dy = family_row(job, NORM_DY, row)[column];
    const double normal = normal_of(&s, family_row(job, NORM_SUM, row)[column], &error);
    dweight += dy * normal, dbias += dy;
    dweight_bound += fabs(dy) * (error + sums * fabs(normal)), dbias_bound += sums * fabs(dy);
  }
  if (job->tensors[NORM_DWEIGHT].wanted) compare_number(job, NORM_DWEIGHT, column, dweight, dweight_bound);
  if (job->tensors[NORM_DBIAS].wanted) compare_number(job, NORM_DBIAS, column, dbias, dbias_bound);
}
