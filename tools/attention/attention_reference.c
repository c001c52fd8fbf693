// SPDX-License-Identifier: MIT
// Computes attention and its gradients by their definition, query by query.
#include "attention_reference.h"

#include <math.h>
#include <stdlib.h>

#include "tools/core/philox.h"

static const double u = 0x1p-24;

// Says by how many powers of two the maximum may lag behind, before what is summed is scaled to a new one.
static const double slack = 8 * 0.6931471805599453;

attention_rounding attention_rounding_of(wt_type type) {
  // Results are f32 before they are rounded, without subnormals.
  switch (type) {
    case WT_TYPE_F16: return (attention_rounding){0x1p-11, 0x1p-25, 0x1p-11, 0x1p-25};
    case WT_TYPE_F8E4M3: return (attention_rounding){0x1p-4, 0x1p-10 / 16, 0x1p-8, 0x1p-126};
    case WT_TYPE_F8E5M2: return (attention_rounding){0x1p-3, 0x1p-17 / 16, 0x1p-8, 0x1p-126};
    default: return (attention_rounding){0x1p-8, 0x1p-126, 0x1p-8, 0x1p-126};
  }
}

bool attention_sees(const attention_head *head, int query, int key) {
  const int64_t distance = (int64_t)query + head->keys - head->queries - key;
  if (head->causal && distance < 0) return false;
  return !head->window || llabs(distance) < head->window;
}

// Adds in eight sums, which need not wait for each other.
static double dot(const double *a, const double *b, int count) {
  double sums[8] = {0}, sum = 0;
  int i = 0;
  for (; i + 8 <= count; i += 8)
    for (int j = 0; j < 8; ++j) sums[j] += a[i + j] * b[i + j];
  for (; i < count; ++i) sum += a[i] * b[i];
  for (int j = 0; j < 8; ++j) sum += sums[j];
  return sum;
}

double attention_bias(const attention_head *head, int query, int key) {
  return head->slope * (key - ((double)query + head->keys - head->queries));
}

double attention_kept(const attention_head *h, int query, int key) {
  if (h->dropout == 0) return 1;
  const double kept = round(256 * (1 - h->dropout));
  const uint32_t counter[4] = {(uint32_t)key / 4, (uint32_t)query / 4, h->number, 0};
  const uint32_t words[2] = {(uint32_t)h->seed, (uint32_t)(h->seed >> 32)};
  uint32_t block[4];
  philox_block(counter, words, 7, block);
  return (block[query % 4] >> key % 4 * 8 & 255) < kept ? 256 / kept : 0;
}

// Returns the score of a query and a key before ALiBi.
static double capped_score(const attention_head *h, int query, int key) {
  const double *q = h->q + (int64_t)query * h->head_dim, *k = h->k + (int64_t)key * h->head_dim;
  const double scaled = h->scale * dot(q, k, h->head_dim);
  return h->soft_cap > 0 ? h->soft_cap * tanh(scaled / h->soft_cap) : scaled;
}

static double norm(const double *a, int count) { return sqrt(dot(a, a, count)); }

// Returns the norms of rows, which the caller frees.
static double *norms_of(const double *rows, int count, int dim) {
  double *norms = calloc((size_t)count + 1, sizeof *norms);
  for (int i = 0; i < count; ++i) norms[i] = norm(rows + (int64_t)i * dim, dim);
  return norms;
}

static double sum_error(double terms) { return u * fmin(terms, 8 * sqrt(terms)); }

double attention_rounded_bound(const attention_rounding *rounding, double value, double bound) {
  return bound * (1 + rounding->o) + rounding->o * fabs(value) + rounding->o_smallest;
}

// Computes the weights w of one query's keys and bounds of their relative errors, both 0 for keys that it
// does not see, and the sink's share of the error of the sum, from the norms of K. Returns the LSE.
static double weigh(const attention_head *h, const double *k_norms, int query, double *w, double *error,
                    double *count, double *of_sink) {
  const double *q = h->q + (int64_t)query * h->head_dim;
  const double q_norm = norm(q, h->head_dim);
  double most = -INFINITY, least = INFINITY, sum = 0;
  *count = 0, *of_sink = 0;
  if (h->sink) most = least = *h->sink;
  for (int j = 0; j < h->keys; ++j) {
    w[j] = -INFINITY;
    if (!attention_sees(h, query, j)) continue;
    const double bias = attention_bias(h, query, j);
    w[j] = capped_score(h, query, j) + bias;
    error[j] = sum_error(h->head_dim) * h->scale * q_norm * k_norms[j] +
               u * (fabs(w[j]) + 4 * (h->soft_cap + fabs(bias)));
    most = fmax(most, w[j]);
    least = fmin(least, w[j]);
    ++*count;
  }
  const double range = most - least, rescales = 1 + range / slack;
  for (int j = 0; j < h->keys && *count > 0; ++j) {
    if (w[j] == -INFINITY) {
      w[j] = error[j] = 0;
      continue;
    }
    error[j] += u * (most - w[j] + range + 3 * rescales + 10);
    w[j] = exp(w[j] - most);
    sum += w[j];
  }
  if (h->sink) {
    const double weight = exp(*h->sink - most);
    sum += weight;
    *of_sink = weight / sum * u * (fabs(*h->sink) + most - *h->sink + range + 3 * rescales + 10);
  }
  for (int j = 0; j < h->keys && *count > 0; ++j) w[j] /= sum;
  return sum > 0 ? most + log(sum) : -INFINITY;
}

void attention_forward_reference(const attention_head *h, const attention_rounding *rounding, double *o,
                                 double *o_bound, double *lse, double *lse_bound) {
  double *w = calloc((size_t)h->keys, sizeof *w), *error = calloc((size_t)h->keys, sizeof *error);
  double *absolute = calloc((size_t)h->value_dim, sizeof *absolute);
  double *k_norms = norms_of(h->k, h->keys, h->head_dim);
  for (int i = 0; i < h->queries; ++i) {
    double *row = o + (int64_t)i * h->value_dim, *bound = o_bound + (int64_t)i * h->value_dim;
    double count, shared;
    lse[i] = weigh(h, k_norms, i, w, error, &count, &shared);
    for (int d = 0; d < h->value_dim; ++d) row[d] = bound[d] = absolute[d] = 0;
    lse_bound[i] = h->sink ? shared + u * (2 * fabs(lse[i]) + 4) : 0;
    if (count == 0) continue;
    for (int j = 0; j < h->keys; ++j) {
      if (w[j] == 0) continue;
      const double *v = h->v + (int64_t)j * h->value_dim;
      // What is subnormal has an absolute error: the sum that it is divided by is at least exp(lse - max).
      const double rounded = w[j] * rounding->p + fmin(w[j], rounding->p_smallest) + w[j] * error[j];
      shared += w[j] * error[j];
      const double kept = attention_kept(h, i, j), weight = kept * w[j];
      for (int d = 0; d < h->value_dim && kept > 0; ++d) {
        row[d] += weight * v[d];
        absolute[d] += weight * fabs(v[d]);
        bound[d] += (kept * rounded + 2 * u * weight) * fabs(v[d]);
      }
    }
    for (int d = 0; d < h->value_dim; ++d) {
      bound[d] +=
          fabs(row[d]) * shared + sum_error(count) * (absolute[d] + fabs(row[d])) + 8 * u * fabs(row[d]);
      bound[d] = attention_rounded_bound(rounding, row[d], bound[d]);
    }
    lse_bound[i] = shared + sum_error(count) + u * (2 * fabs(lse[i]) + 4);
  }
  free(w);
  free(error);
  free(absolute);
  free(k_norms);
}

// ---- gradients

// What a query's backward pass needs of its forward pass.
typedef struct row {
  double lse, delta, delta_error, lse_error;
  const double *scores, *p;  // scores -infinity, p 0: not seen
} row;

static row forward_row(const attention_head *h, int query, const double *dout, const double *o_error,
                       double *scores, double *p) {
  double most = -INFINITY, sum = 0;
  row r = {.lse = -INFINITY, .scores = scores, .p = p};
  for (int j = 0; j < h->keys; ++j) {
    const bool seen = attention_sees(h, query, j);
    scores[j] = seen ? capped_score(h, query, j) + attention_bias(h, query, j) : -INFINITY;
    most = fmax(most, scores[j]);
  }
  if (most == -INFINITY) return r;
  if (h->sink) {
    most = fmax(most, *h->sink);
    sum = exp(*h->sink - most);
  }
  for (int j = 0; j < h->keys; ++j) sum += p[j] = exp(scores[j] - most);
  r.lse = most + log(sum);
  double *o = calloc((size_t)h->value_dim, sizeof *o);
  for (int j = 0; j < h->keys; ++j) {
    p[j] /= sum;
    const double weight = attention_kept(h, query, j) * p[j];
    for (int d = 0; d < h->value_dim && weight > 0; ++d) o[d] += weight * h->v[(int64_t)j * h->value_dim + d];
  }
  for (int d = 0; d < h->value_dim; ++d) {
    r.delta += dout[d] * o[d];
    r.delta_error += fabs(dout[d]) * (o_error[d] + sum_error(h->value_dim) * fabs(o[d]));
  }
  free(o);
  return r;
}

// Adds factor * x to y, and what goes with it to the bound: `error` of the factor, the rounding of the sum of
// `terms`.
static void add_scaled(double *y, double *bound, const double *x, int count, double factor, double error,
                       double sum) {
  const double each = error + sum * fabs(factor);
  for (int d = 0; d < count; ++d) {
    y[d] += factor * x[d];
    bound[d] += each * fabs(x[d]);
  }
}

static void add_query(const attention_head *h, const attention_rounding *rounding, const double *k_norms,
                      const double *v_norms, int query, const double *dout, const row *r, int64_t terms,
                      attention_gradients *to) {
  const double *q = h->q + (int64_t)query * h->head_dim;
  const double q_norm = norm(q, h->head_dim), dout_norm = norm(dout, h->value_dim);
  double *dq = to->dq + (int64_t)query * h->head_dim, *dq_bound = to->dq_bound + (int64_t)query * h->head_dim;
  for (int j = 0; j < h->keys; ++j) {
    const double s = r->scores[j];
    if (s == -INFINITY) continue;
    const int64_t k_at = (int64_t)j * h->head_dim, v_at = (int64_t)j * h->value_dim;
    const double *k = h->k + k_at, *v = h->v + v_at;
    const double bias = attention_bias(h, query, j);
    const double e = sum_error(h->head_dim) * (h->scale * q_norm * k_norms[j] + fabs(r->lse)) +
                     u * (2 * fabs(s) + 2 * fabs(r->lse) + 4 * (h->soft_cap + fabs(bias)) + 10) +
                     r->lse_error;
    const double share = h->soft_cap > 0 ? capped_score(h, query, j) / h->soft_cap : 0;
    const double slope = 1 - share * share;
    const double slope_error = h->soft_cap > 0 ? 8 * u + 2 * e / h->soft_cap : 0;
    const double p = r->p[j], p_error = p * (rounding->p + e) + fmin(p, rounding->p_smallest);
    const double kept = attention_kept(h, query, j), of_dv = kept * p;
    const double of_dv_error = kept * p_error + 2 * u * of_dv;
    const double difference = kept * dot(dout, v, h->value_dim) - r->delta;
    const double difference_error =
        sum_error(h->value_dim) * (kept * dout_norm * v_norms[j] + fabs(r->delta)) +
        2 * u * (fabs(difference) + fabs(r->delta)) + r->delta_error;
    const double ds = p * slope * difference;
    const double ds_error = p * (((e + 3 * u + rounding->p) * slope + slope_error) * fabs(difference) +
                                 slope * difference_error) +
                            rounding->p_smallest;
    add_scaled(to->dv + v_at, to->dv_bound + v_at, dout, h->value_dim, of_dv, of_dv_error,
               sum_error((double)terms));
    add_scaled(to->dk + k_at, to->dk_bound + k_at, q, h->head_dim, h->scale * ds, h->scale * ds_error,
               sum_error((double)terms));
    add_scaled(dq, dq_bound, k, h->head_dim, h->scale * ds, h->scale * ds_error, sum_error(h->keys));
  }
}

static void add_sink(const attention_head *h, const row *r, attention_gradients *to) {
  const double s = *h->sink, p = exp(s - r->lse);
  // Some hundred threads add up the queries: so a sum has few additions one after the other.
  const double e = u * (2 * fabs(s) + 4 * fabs(r->lse) + 64) + r->lse_error;
  *to->d_sink -= p * r->delta;
  *to->d_sink_bound += p * (e * fabs(r->delta) + r->delta_error);
}

void attention_backward_reference(const attention_head *h, const attention_rounding *rounding,
                                  const double *dout, const double *o_error, const double *lse_error,
                                  int64_t terms, attention_gradients *to) {
  double *scores = calloc(2 * (size_t)h->keys + 1, sizeof *scores);
  double *k_norms = norms_of(h->k, h->keys, h->head_dim), *v_norms = norms_of(h->v, h->keys, h->value_dim);
  for (int i = 0; i < h->queries; ++i) {
    const double *of_query = dout + (int64_t)i * h->value_dim;
    for (int d = 0; d < h->head_dim; ++d)
      to->dq[(int64_t)i * h->head_dim + d] = to->dq_bound[(int64_t)i * h->head_dim + d] = 0;
    row r = forward_row(h, i, of_query, o_error + (int64_t)i * h->value_dim, scores, scores + h->keys);
    r.lse_error = lse_error[i];
    if (r.lse == -INFINITY) continue;
    add_query(h, rounding, k_norms, v_norms, i, of_query, &r, terms, to);
    if (to->d_sink) add_sink(h, &r, to);
  }
  free(scores);
  free(k_norms);
  free(v_norms);
}
