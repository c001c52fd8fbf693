// SPDX-License-Identifier: MIT
// Verifies a GEMM in float64. A check passes only if its error is within the bound, so NaN fails.
#include "verify.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/dot.h"
#include "core/parallel.h"

static const double u = 0x1p-24;

// Returns a bound of the rounding errors of the sum, of the epilogue and of the last rounding, to C.
static double bound_of(const verify_problem *p, double factor, double abs_sum, double c0, double bias) {
  const double steps = fmin((double)p->k, 8.0 * sqrt((double)p->k)) + 6.0;
  return u * (steps * fabs(factor) * abs_sum + 3.0 * fabs(p->beta * c0) + 2.0 * fabs(bias));
}

static double rounding_of(const verify_problem *p, double c) {
  const double smallest = p->output_roundoff == 0x1p-11 ? 0x1p-25 : 0x1p-126;  // f16 has coarse subnormals
  return p->output_roundoff * fabs(c) + smallest;
}

// Returns the activation of x; *slack is the error of its evaluation in f32. GELU and SiLU are x *
// sigmoid(t): a few ulp, the rounding of t, which exp() multiplies by |t|, and sigmoids below 2^-126, which
// are flushed.
static double activated(int activation, double x, double *slack) {
  enum { NONE, RELU, GELU };
  *slack = 0;
  if (activation == NONE) return x;
  if (activation == RELU) return x > 0 ? x : 0;
  const double t = activation == GELU ? 1.5957691216057308 * (x + 0.044715 * x * x * x) : x;
  const double y = x / (1.0 + exp(-t));
  *slack = u * fabs(y) * (16 + 8 * fabs(t)) + fabs(x) * 0x1p-126;
  return y;
}

static double element_of(const float *vector, int64_t index, double otherwise) {
  return vector ? vector[index] : otherwise;
}

// Returns at most 1 for an error within its bound. What cannot be compared (NaN, or a bound made infinite by
// an infinite element) counts as infinite.
static double ratio_of(double error, double bound) {
  double ratio = error / bound;
  return isfinite(bound) && ratio >= 0 ? ratio : INFINITY;
}

static void keep_worst(verify_worst *worst, verify_worst other) {
  bool first = other.row < worst->row || (other.row == worst->row && other.col < worst->col);
  if (other.ratio > worst->ratio || (other.ratio == worst->ratio && first)) *worst = other;
}

static double original(const verify_problem *p, int64_t row, int64_t col) {
  return p->c0 ? p->c0[row * p->n + col] : 0.0;
}

// ---- single elements

typedef struct sample_work {
  const verify_problem *problem;
  verify_result *result;
  pthread_mutex_t mutex;
} sample_work;

static void sample_position(const verify_problem *p, int64_t index, bool all, int64_t *row, int64_t *col) {
  if (all) {
    *row = index / p->n;
    *col = index % p->n;
  } else if (index < 4) {  // the corners, where edge handling goes wrong first
    *row = index & 1 ? p->m - 1 : 0;
    *col = index & 2 ? p->n - 1 : 0;
  } else {
    *row = (int64_t)(random_at(p->seed ^ 0x53414d50u, 2 * (uint64_t)index) % (uint64_t)p->m);
    *col = (int64_t)(random_at(p->seed ^ 0x53414d50u, 2 * (uint64_t)index + 1) % (uint64_t)p->n);
  }
}

static void check_samples(void *pointer, int64_t begin, int64_t end) {
  sample_work *work = pointer;
  const verify_problem *p = work->problem;
  bool all = work->result->samples == p->m * p->n;
  verify_worst worst = {.ratio = -1.0};
  double largest = 0;
  for (int64_t index = begin; index < end; ++index) {
    int64_t row, col;
    sample_position(p, index, all, &row, &col);
    const dot_sum products = dot(p->a + row * p->k, p->b + col * p->k, p->k);
    double c = p->c[row * p->n + col], c0 = original(p, row, col), bias = element_of(p->bias, col, 0), slack;
    double factor = p->alpha * element_of(p->row_scale, row, 1) * element_of(p->column_scale, col, 1);
    double exact = activated(p->activation, factor * products.sum + p->beta * c0 + bias, &slack);
    double bound = bound_of(p, factor, products.size, c0, bias), error = fabs(c - exact);
    if (p->activation) bound = 1.2 * bound + slack;
    bound += rounding_of(p, fabs(exact) + bound);
    if (!(error <= largest)) largest = error;
    keep_worst(&worst, (verify_worst){ratio_of(error, bound), error, bound, row, col});
  }
  pthread_mutex_lock(&work->mutex);
  if (!(largest <= work->result->largest_error)) work->result->largest_error = largest;
  keep_worst(&work->result->sample, worst);
  pthread_mutex_unlock(&work->mutex);
}

// ---- all elements, in groups of columns

enum {
  BLOCK = 32,
  ROWS = 4
};  // groups and rows multiplied together: their sums fit into the first-level cache

typedef struct group_work {
  const verify_problem *problem;
  verify_result *result;
  pthread_mutex_t mutex;
  int64_t groups, padded_groups;  // padded to whole blocks
  double *projected;              // block by block, k rows of BLOCK: B^T x restricted to the group
  double *b_norms;                // per group, sum of the norms of its rows of B
  uint64_t seed;                  // of this vector of signs
} group_work;

static double sign_at(const group_work *work, int64_t col) {
  return random_at(work->seed, (uint64_t)col) >> 63 ? -1.0 : 1.0;
}

static double norm(const float *row, int64_t count) {
  double sum = 0;
  for (int64_t k = 0; k < count; ++k) sum += (double)row[k] * row[k];
  return sqrt(sum);
}

static void project_groups(void *pointer, int64_t begin, int64_t end) {
  group_work *work = pointer;
  const verify_problem *p = work->problem;
  for (int64_t group = begin; group < end; ++group) {
    double *out = work->projected + group / BLOCK * BLOCK * p->k + group % BLOCK;
    work->b_norms[group] = 0;
    for (int64_t col = group * VERIFY_GROUP; col < (group + 1) * VERIFY_GROUP && col < p->n; ++col) {
      const float *row = p->b + col * p->k;
      double scale = element_of(p->column_scale, col, 1), weight = sign_at(work, col) * scale;
      for (int64_t k = 0; k < p->k; ++k) out[k * BLOCK] += weight * row[k];
      work->b_norms[group] += fabs(scale) * norm(row, p->k);
    }
  }
}

static verify_worst check_group(const group_work *work, int64_t row, int64_t group, double product,
                                double a_norm) {
  const verify_problem *p = work->problem;
  double factor = p->alpha * element_of(p->row_scale, row, 1);
  double sum = 0, expected = factor * product;
  double bound = bound_of(p, factor, a_norm * work->b_norms[group], 0, 0);
  for (int64_t col = group * VERIFY_GROUP; col < (group + 1) * VERIFY_GROUP && col < p->n; ++col) {
    double sign = sign_at(work, col), c = p->c[row * p->n + col], c0 = original(p, row, col);
    sum += sign * c;
    double bias = element_of(p->bias, col, 0);
    expected += sign * (p->beta * c0 + bias);
    // The stored |c| may be half an ulp below |exact|: hence the factor.
    bound += bound_of(p, 0, 0, c0, bias) + rounding_of(p, c * (1.0 + 2.0 * p->output_roundoff));
  }
  double error = fabs(sum - expected);
  return (verify_worst){ratio_of(error, bound), error, bound, row, group * VERIFY_GROUP};
}

static void check_rows(void *pointer, int64_t begin, int64_t end) {
  group_work *work = pointer;
  const verify_problem *p = work->problem;
  verify_worst worst = {.ratio = -1.0};
  for (int64_t row = begin; row < end; row += ROWS) {
    int rows = end - row < ROWS ? (int)(end - row) : ROWS;
    double a_norm[ROWS];
    for (int r = 0; r < rows; ++r) a_norm[r] = norm(p->a + (row + r) * p->k, p->k);
    for (int64_t first = 0; first < work->groups; first += BLOCK) {
      double sums[ROWS][BLOCK] = {{0}};
      const double *block = work->projected + first * p->k;
      for (int64_t k = 0; k < p->k; ++k)
        for (int r = 0; r < rows; ++r) {
          double a = p->a[(row + r) * p->k + k];
          for (int g = 0; g < BLOCK; ++g) sums[r][g] += a * block[k * BLOCK + g];
        }
      for (int r = 0; r < rows; ++r)
        for (int g = 0; g < BLOCK && first + g < work->groups; ++g)
          keep_worst(&worst, check_group(work, row + r, first + g, sums[r][g], a_norm[r]));
    }
  }
  pthread_mutex_lock(&work->mutex);
  keep_worst(&work->result->group, worst);
  pthread_mutex_unlock(&work->mutex);
}

// Makes Freivalds' check; false when there is no memory for it.
static bool verify_groups(const verify_problem *p, verify_result *out) {
  int64_t groups = (p->n + VERIFY_GROUP - 1) / VERIFY_GROUP;
  group_work work = {.problem = p, .result = out, .groups = groups};
  work.padded_groups = (groups + BLOCK - 1) / BLOCK * BLOCK;
  size_t projected_size = (size_t)work.padded_groups * (size_t)p->k * sizeof(double);
  work.projected = malloc(projected_size);
  work.b_norms = malloc((size_t)groups * sizeof(double));
  bool ready = work.projected && work.b_norms;
  if (ready) {
    pthread_mutex_init(&work.mutex, NULL);
    for (int vector = 0; vector < VERIFY_VECTORS; ++vector) {
      work.seed = random_at(p->seed ^ 0x56454354u, (uint64_t)vector);
      memset(work.projected, 0, projected_size);
      parallel_for(groups, project_groups, &work);
      parallel_for(p->m, check_rows, &work);
    }
    pthread_mutex_destroy(&work.mutex);
  }
  free(work.projected);
  free(work.b_norms);
  return ready;
}

bool verify_gemm(const verify_problem *p, verify_result *out) {
  memset(out, 0, sizeof *out);
  out->sample.ratio = out->group.ratio = -1.0;
  if (!p->activation && !verify_groups(p, out)) return false;
  sample_work samples = {.problem = p, .result = out};
  out->samples = p->activation || p->m * p->n < VERIFY_SAMPLES ? p->m * p->n : VERIFY_SAMPLES;
  pthread_mutex_init(&samples.mutex, NULL);
  parallel_for(out->samples, check_samples, &samples);
  pthread_mutex_destroy(&samples.mutex);
  out->passed = out->group.ratio <= 1.0 && out->sample.ratio <= 1.0;
  return true;
}
