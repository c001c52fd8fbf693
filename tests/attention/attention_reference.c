// SPDX-License-Identifier: MIT
// The definition of attention, query by query.
#include "attention_reference.h"

#include <math.h>
#include <stdlib.h>

static const double u = 0x1p-24;

// By how many powers of two the maximum may lag behind, before what is summed is scaled to a new one.
static const double slack = 8 * 0.6931471805599453;

bool attention_sees(const attention_head *head, int query, int key) {
  const int64_t distance = (int64_t)query + head->keys - head->queries - key;
  if (head->causal && distance < 0) return false;
  return !head->window || llabs(distance) < head->window;
}

static double dot(const double *a, const double *b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

static double sum_error(double terms) { return u * fmin(terms, 8 * sqrt(terms)); }

// Of one query: the weights w of its keys and what their relative errors are at most, both 0 for keys that it
// does not see. Returns the LSE.
static double weigh(const attention_head *h, int query, double *w, double *error, double *count) {
  const double *q = h->q + (int64_t)query * h->head_dim;
  const double q_norm = sqrt(dot(q, q, h->head_dim));
  double most = -INFINITY, least = INFINITY, sum = 0;
  *count = 0;
  for (int j = 0; j < h->keys; ++j) {
    const double *k = h->k + (int64_t)j * h->head_dim;
    w[j] = -INFINITY;
    if (!attention_sees(h, query, j)) continue;
    w[j] = h->scale * dot(q, k, h->head_dim);
    error[j] = sum_error(h->head_dim) * h->scale * q_norm * sqrt(dot(k, k, h->head_dim)) + u * fabs(w[j]);
    most = fmax(most, w[j]);
    least = fmin(least, w[j]);
    ++*count;
  }
  const double range = most - least, rescales = 1 + range / slack;
  for (int j = 0; j<h->keys && * count> 0; ++j) {
    if (w[j] == -INFINITY) {
      w[j] = error[j] = 0;
      continue;
    }
    error[j] += u * (most - w[j] + range + 3 * rescales + 10);
    w[j] = exp(w[j] - most);
    sum += w[j];
  }
  for (int j = 0; j<h->keys && * count> 0; ++j) w[j] /= sum;
  return *count > 0 ? most + log(sum) : -INFINITY;
}

void attention_forward_reference(const attention_head *h, const attention_rounding *rounding, double *o,
                                 double *o_bound, double *lse, double *lse_bound) {
  double *w = calloc((size_t)h->keys, sizeof *w), *error = calloc((size_t)h->keys, sizeof *error);
  double *absolute = calloc((size_t)h->value_dim, sizeof *absolute);
  for (int i = 0; i < h->queries; ++i) {
    double *row = o + (int64_t)i * h->value_dim, *bound = o_bound + (int64_t)i * h->value_dim;
    double count, shared = 0;
    lse[i] = weigh(h, i, w, error, &count);
    for (int d = 0; d < h->value_dim; ++d) row[d] = bound[d] = absolute[d] = 0;
    lse_bound[i] = 0;
    if (count == 0) continue;
    for (int j = 0; j < h->keys; ++j) {
      if (w[j] == 0) continue;
      const double *v = h->v + (int64_t)j * h->value_dim;
      // What is subnormal has an absolute error: the sum that it is divided by is at least exp(lse - max).
      const double rounded = w[j] * rounding->p + fmin(w[j], rounding->p_smallest) + w[j] * error[j];
      shared += w[j] * error[j];
      for (int d = 0; d < h->value_dim; ++d) {
        row[d] += w[j] * v[d];
        absolute[d] += w[j] * fabs(v[d]);
        bound[d] += rounded * fabs(v[d]);
      }
    }
    for (int d = 0; d < h->value_dim; ++d) {
      bound[d] +=
          fabs(row[d]) * shared + sum_error(count) * (absolute[d] + fabs(row[d])) + 8 * u * fabs(row[d]);
      bound[d] = bound[d] * (1 + rounding->o) + rounding->o * fabs(row[d]) + rounding->o_smallest;
    }
    lse_bound[i] = shared + sum_error(count) + u * (2 * fabs(lse[i]) + 4);
  }
  free(w);
  free(error);
  free(absolute);
}
