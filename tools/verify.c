// SPDX-License-Identifier: MIT
// Verification of a GEMM in float64. A check passes only if its error is within the bound, so NaN fails.
#include "verify.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "parallel.h"

double verify_element_bound(const verify_problem *p, double c, double c0, double abs_sum) {
  const double u = 0x1p-24, smallest_normal = 0x1p-126;
  double steps = fmin((double)p->k, 8.0 * sqrt((double)p->k)) + 4.0;
  return p->output_roundoff * fabs(c) + u * (steps * fabs(p->alpha) * abs_sum + 2.0 * fabs(p->beta * c0)) +
         smallest_normal;
}

// At most 1 for an error within its bound. What cannot be compared (NaN, or a bound made infinite by an
// infinite element) counts as infinite.
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
    double sum = 0, abs_sum = 0;
    for (int64_t k = 0; k < p->k; ++k) {
      double product = (double)p->a[row * p->k + k] * p->b[col * p->k + k];
      sum += product;
      abs_sum += fabs(product);
    }
    double c = p->c[row * p->n + col], c0 = original(p, row, col);
    double exact = p->alpha * sum + p->beta * c0;
    double error = fabs(c - exact), bound = verify_element_bound(p, exact, c0, abs_sum);
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
};  // groups and rows multiplied together: their sums stay in the first-level cache

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
      double sign = sign_at(work, col);
      for (int64_t k = 0; k < p->k; ++k) out[k * BLOCK] += sign * row[k];
      work->b_norms[group] += norm(row, p->k);
    }
  }
}

static verify_worst check_group(const group_work *work, int64_t row, int64_t group, double product,
                                double a_norm) {
  const verify_problem *p = work->problem;
  double sum = 0, expected = p->alpha * product, bound = 0;
  for (int64_t col = group * VERIFY_GROUP; col < (group + 1) * VERIFY_GROUP && col < p->n; ++col) {
    double sign = sign_at(work, col), c = p->c[row * p->n + col], c0 = original(p, row, col);
    sum += sign * c;
    expected += p->beta * sign * c0;
    // |c| as stored may be half an ulp below |exact|: hence the factor.
    bound += verify_element_bound(p, c * (1.0 + 2.0 * p->output_roundoff), c0, 0.0);
  }
  const verify_problem without_output = {.k = p->k, .alpha = p->alpha};
  bound += verify_element_bound(&without_output, 0.0, 0.0, a_norm * work->b_norms[group]);
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

bool verify_gemm(const verify_problem *p, verify_result *out) {
  memset(out, 0, sizeof *out);
  out->sample.ratio = out->group.ratio = -1.0;
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
    sample_work samples = {.problem = p, .result = out};
    out->samples = p->m * p->n < VERIFY_SAMPLES ? p->m * p->n : VERIFY_SAMPLES;
    pthread_mutex_init(&samples.mutex, NULL);
    parallel_for(out->samples, check_samples, &samples);
    pthread_mutex_destroy(&samples.mutex);
    out->passed = out->group.ratio <= 1.0 && out->sample.ratio <= 1.0;
  }
  free(work.projected);
  free(work.b_norms);
  return ready;
}
