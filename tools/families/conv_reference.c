// SPDX-License-Identifier: MIT
// Implements the reference of `wavetile conv`.
#include <math.h>
#include <stdlib.h>

#include "conv.h"

// Returns what all taps of filter k give at one output pixel.
static dot_sum taps_dot(const family_job *job, int64_t row, int64_t k) {
  dot_sum all = {0, 0};
  const conv_own *own = job->own;
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  const int64_t q_count = job->tensors[Y].values.shape[2], p_count = job->tensors[Y].values.shape[1];
  const int64_t n = row / (p_count * q_count), p = row / q_count % p_count, q = row % q_count;
  for (int64_t r = 0; r < filter[1]; ++r)
    for (int64_t s = 0; s < filter[2]; ++s) {
      const int64_t h = p * own->stride[ROWS] - own->before[ROWS] + r * own->dilation[ROWS];
      const int64_t w = q * own->stride[COLUMNS] - own->before[COLUMNS] + s * own->dilation[COLUMNS];
      if (h < 0 || h >= image[1] || w < 0 || w >= image[2]) continue;
      const dot_sum tap = dot(family_row(job, X, (n * image[1] + h) * image[2] + w),
                              family_row(job, W, (k * filter[1] + r) * filter[2] + s), image[3]);
      all.sum += tap.sum, all.size += tap.size;
    }
  return all;
}

void conv_reference_row(family_job *job, int64_t row, double *scratch) {
  const conv_own *own = job->own;
  const float *scale = family_row(job, SCALE, 0), *bias = family_row(job, BIAS, 0);
  double *want = scratch, *bound = scratch + job->columns;
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  const int64_t terms = filter[1] * filter[2] * filter[3];
  for (int64_t k = 0; k < job->columns; ++k) {
    const dot_sum taps = taps_dot(job, row, k);
    double slack;
    const double factor = (double)(float)own->alpha * (scale ? (double)scale[k] : 1);
    const double added = bias ? (double)bias[k] : 0;
    want[k] = family_activated(own->activation, taps.sum * factor + added, &slack);
    const double error =
        (family_sum_error(terms) + 6 * family_u) * taps.size * fabs(factor) + 2 * family_u * fabs(added);
    bound[k] = family_rounded(job, Y, want[k], (own->activation ? 1.2 * error : error) + slack);
  }
  family_compare(job, Y, row * job->columns, job->columns, want, bound);
}

// Returns where tap number `tap` of the filters lies at output pixel `row`: the pixel's number among those of
// the images; -1 outside them.
static int64_t pixel_below(const family_job *job, int64_t row, int64_t tap) {
  const conv_own *own = job->own;
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  const int64_t *y = job->tensors[DY].values.shape;
  const int64_t n = row / (y[1] * y[2]), p = row / y[2] % y[1], q = row % y[2];
  const int64_t h = p * own->stride[ROWS] - own->before[ROWS] + tap / filter[2] * own->dilation[ROWS];
  const int64_t w =
      q * own->stride[COLUMNS] - own->before[COLUMNS] + tap % filter[2] * own->dilation[COLUMNS];
  const bool inside = h >= 0 && h < image[1] && w >= 0 && w < image[2];
  return inside ? (n * image[1] + h) * image[2] + w : -1;
}

// Adds `factor` times `count` numbers, and the magnitudes.
static void add_scaled(double factor, const float *numbers, int64_t count, double *sums, double *sizes) {
  for (int64_t i = 0; i < count; ++i) {
    const double product = factor * (double)numbers[i];
    sums[i] += product, sizes[i] += fabs(product);
  }
}

// Adds what output pixel `row` gives to the pixels below the filters. This is the definition from dY's side.
static void add_to_images(const family_job *job, int64_t row, int64_t tap, int64_t pixel, double *sums,
                          double *sizes) {
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  const float *dy = family_row(job, DY, row);
  for (int64_t k = 0; k < filter[0]; ++k)
    add_scaled((double)dy[k], family_row(job, W, k * filter[1] * filter[2] + tap), image[3],
               sums + pixel * image[3], sizes + pixel * image[3]);
}

// Adds what it gives to the filters.
static void add_to_filters(const family_job *job, int64_t row, int64_t tap, int64_t pixel, double *sums,
                           double *sizes) {
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  const float *dy = family_row(job, DY, row);
  for (int64_t k = 0; k < filter[0]; ++k) {
    const int64_t first = (k * filter[1] * filter[2] + tap) * image[3];
    add_scaled((double)dy[k], family_row(job, X, pixel), image[3], sums + first, sizes + first);
  }
}

// Describes a gradient: what it is of, what each element sums, and how a meeting of an output pixel and a tap
// adds to it.
typedef struct gradient {
  int tensor;
  int64_t terms;
  void (*add)(const family_job *job, int64_t row, int64_t tap, int64_t pixel, double *sums, double *sizes);
} gradient;

static void compare_gradient(family_job *job, gradient of) {
  if (!job->tensors[of.tensor].wanted) return;
  const double alpha = (double)(float)((const conv_own *)job->own)->alpha;
  const double error = family_sum_error(of.terms) + 6 * family_u;
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  const int64_t count = npy_count(&job->tensors[of.tensor].values);
  double *want = calloc((size_t)count, sizeof *want), *bound = calloc((size_t)count, sizeof *bound);
  for (int64_t row = 0; want && bound && row < job->rows; ++row)
    for (int64_t tap = 0; tap < filter[1] * filter[2]; ++tap) {
      const int64_t pixel = pixel_below(job, row, tap);
      if (pixel >= 0) of.add(job, row, tap, pixel, want, bound);
    }
  for (int64_t i = 0; want && bound && i < count; ++i) {
    want[i] *= alpha;
    bound[i] = family_rounded(job, of.tensor, want[i], error * bound[i] * fabs(alpha));
  }
  if (want && bound) family_compare(job, of.tensor, 0, count, want, bound);
  free(want), free(bound);
}

void conv_reference_end(family_job *job) {
  if (!job->backward) return;
  int64_t image[4], filter[4];
  conv_input_sizes(job, image, filter);
  compare_gradient(job, (gradient){DX, filter[0] * filter[1] * filter[2], add_to_images});
  compare_gradient(job, (gradient){DW, job->rows, add_to_filters});
}
