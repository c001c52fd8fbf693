// SPDX-License-Identifier: MIT
// Implements the reference of layers of experts, in float64. Experts whose values are closer than f32 can
// tell may come in either order; the networks are those of the experts that the device chose, with its
// weights.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "experts.h"

enum { MOST_EXPERTS = 512, MOST_SLOTS = 64 };  // of include/wavetile/experts.h

// ---- routing

typedef struct routing {
  const family_job *job;
  const float *logits, *bias;
  int experts, group_size, groups, top_k_groups;
  bool by_logit;      // values are logits, and exact
  double resolution;  // values that differ by no more may be in either order
  double score[MOST_EXPERTS], value[MOST_EXPERTS];
  bool possible[MOST_EXPERTS];  // whether the expert's group may be chosen
  bool sure[MOST_EXPERTS];      // whether it must be
  bool taken[MOST_EXPERTS];
} routing;

static void score_experts(routing *r) {
  const experts_own *own = r->job->own;
  double max = -INFINITY, sum = 0;
  for (int e = 0; e < r->experts; ++e) max = fmax(max, (double)r->logits[e]);
  for (int e = 0; e < r->experts; ++e) sum += exp((double)r->logits[e] - max);
  for (int e = 0; e < r->experts; ++e) {
    const double logit = (double)r->logits[e], bias = r->bias ? (double)r->bias[e] : 0;
    r->score[e] = own->scoring == WT_EXPERTS_SOFTMAX ? exp(logit - max) / sum : 1 / (1 + exp(-logit));
    r->value[e] = r->by_logit ? logit : r->score[e] + bias;
    r->resolution = fmax(r->resolution, r->by_logit ? 0 : 1e-5 * (1 + fabs(r->value[e])));
  }
}

// Returns the greatest value of a group, or the sum of its two greatest.
static double group_value(const routing *r, int group) {
  const experts_own *own = r->job->own;
  double first = -INFINITY, second = -INFINITY;
  for (int e = group * r->group_size; e < (group + 1) * r->group_size; ++e) {
    const double value = r->value[e];
    second = fmax(second, fmin(first, value));
    first = fmax(first, value);
  }
  return own->scoring == WT_EXPERTS_SIGMOID && r->group_size > 1 ? first + second : first;
}

static int falling(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x < y) - (x > y);
}

static void choose_groups(routing *r) {
  double values[MOST_EXPERTS], sorted[MOST_EXPERTS + 1];
  for (int g = 0; g < r->groups; ++g) values[g] = sorted[g] = group_value(r, g);
  qsort(sorted, (size_t)r->groups, sizeof *sorted, falling);
  sorted[r->groups] = -INFINITY;
  const double last = sorted[r->top_k_groups - 1], next = sorted[r->top_k_groups];
  for (int e = 0; e < r->experts; ++e) {
    const double value = values[e / r->group_size];
    r->possible[e] = value >= last - 2 * r->resolution;
    r->sure[e] = value > next + 2 * r->resolution;
  }
}

static routing route(const family_job *job, int64_t row) {
  const experts_own *own = job->own;
  const int experts = (int)experts_sizes_of(job).experts, groups = (int)own->groups;
  const int chosen = own->top_k_groups ? (int)own->top_k_groups : groups;
  const bool pairs = own->scoring == WT_EXPERTS_SIGMOID && chosen < groups;
  routing r = {.job = job,
               .logits = family_row(job, LOGITS, row),
               .bias = family_row(job, BIAS, 0),
               .experts = experts,
               .group_size = experts / groups,
               .groups = groups,
               .top_k_groups = chosen};
  r.by_logit = !r.bias && !pairs;
  score_experts(&r);
  choose_groups(&r);
  return r;
}

// Returns whether expert e must come before expert d.
static bool before(const routing *r, int e, int d) {
  const bool same = r->logits[e] == r->logits[d] && (!r->bias || r->bias[e] == r->bias[d]);
  return same ? e < d : r->value[e] > r->value[d] + r->resolution;
}

// Returns the expert that comes next: the device's choice if nothing speaks against it, else the best.
static int next_expert(routing *r, int got) {
  int best = -1;
  bool good = got >= 0 && got < r->experts && r->possible[got] && !r->taken[got];
  for (int e = 0; e < r->experts; ++e) {
    if (r->taken[e] || !r->sure[e]) continue;
    if (best < 0 || before(r, e, best)) best = e;
    if (good && before(r, e, got)) good = false;
  }
  const int next = good || best < 0 ? got : best;
  if (next >= 0 && next < r->experts) r->taken[next] = true;
  return next;
}

// Whether the device's experts are of no more groups than a token chooses.
static bool few_groups(const routing *r) {
  int groups = 0;
  for (int g = 0; g < r->groups; ++g) {
    bool used = false;
    for (int e = g * r->group_size; e < (g + 1) * r->group_size; ++e) used = used || r->taken[e];
    groups += used;
  }
  return groups <= r->top_k_groups;
}

static void check_routing(family_job *job, int64_t row) {
  const experts_own *own = job->own;
  const int slots = (int)own->top_k;
  const float *got = family_row(job, IDS, row);
  routing r = route(job, row);
  double ids[MOST_SLOTS], exactly[MOST_SLOTS] = {0}, weights[MOST_SLOTS], bounds[MOST_SLOTS], sum = 0;
  for (int s = 0; s < slots; ++s) {
    const int next = next_expert(&r, (int)got[s]);
    ids[s] = next;
    weights[s] = next >= 0 && next < r.experts ? r.score[next] : NAN;
    sum += weights[s];
  }
  if (!few_groups(&r)) ids[0] = -1;
  for (int s = 0; s < slots; ++s) {
    weights[s] *= (own->renormalise ? 1 / sum : 1) * own->scale;
    bounds[s] = family_rounded(job, WEIGHTS, weights[s], 0x1p-18 * fabs(weights[s]));
  }
  family_compare(job, IDS, row * slots, slots, ids, exactly);
  family_compare(job, WEIGHTS, row * slots, slots, weights, bounds);
}

// ---- networks

// Holds a number, and how far the device's may be from it.
typedef struct bounded {
  double value, error;
} bounded;

static bounded rounded(const family_job *job, bounded x) {
  return (bounded){x.value, family_rounded(job, Y, x.value, x.error)};
}

// Holds the numbers of a token on its way: the row of a matrix, what a network takes, gates times ups and
// their errors.
typedef struct scratch_rows {
  double *w, *x, *gated, *errors;
} scratch_rows;

static bounded product_of(const family_job *job, const double *x, const double *errors, const double *w,
                          int64_t count) {
  double sum = 0, size = 0, error = 0;
  for (int64_t i = 0; i < count; ++i) {
    const double term = x[i] * w[i];
    sum += term, size += fabs(term), error += errors ? errors[i] * fabs(w[i]) : 0;
  }
  return rounded(job, (bounded){sum, error + (family_sum_error(count) + 8 * family_u) * (size + error)});
}

// Returns activation(gate) * up in f32.
static bounded gated_of(const family_job *job, bounded gate, bounded up) {
  const experts_own *own = job->own;
  double slack;
  const double active = family_activated(own->activation, gate.value, &slack);
  const double error = 1.2 * gate.error + slack, value = active * up.value;
  return (bounded){
      value, error * (fabs(up.value) + up.error) + fabs(active) * up.error + 2 * family_u * fabs(value)};
}

// Describes a network: matrix `matrix` of two tensors.
typedef struct network {
  int gate_up, down;
  int64_t matrix, inner;
} network;

// Rounds what enters a network's second product to the type, or quantises it.
static void finish_gated(const family_job *job, const scratch_rows *rows, int64_t inner) {
  const experts_own *own = job->own;
  const bool quantizes = experts_format_quantizes(&own->format);
  for (int64_t j = 0; j < inner && !quantizes; ++j)
    rows->errors[j] = rounded(job, (bounded){rows->gated[j], rows->errors[j]}).error;
  if (quantizes) experts_quantize_row(job, &own->format, rows->gated, rows->errors, inner);
}

// Adds weight * network(x) to what is wanted of a token.
static void add_network(const family_job *job, const network *net, const scratch_rows *rows, double weight,
                        double *want, double *bound) {
  const experts_own *own = job->own;
  const int64_t hidden = job->columns, inner = net->inner;
  const int terms = (int)own->top_k + 2;
  for (int64_t j = 0; j < inner; ++j) {
    bounded both[2];
    for (int up = 0; up < 2; ++up) {
      experts_weight_row(job, &own->format, net->gate_up, net->matrix, 2 * inner, j + up * inner, hidden,
                         rows->w);
      both[up] = product_of(job, rows->x, NULL, rows->w, hidden);
    }
    const bounded gated = gated_of(job, both[0], both[1]);
    rows->gated[j] = gated.value, rows->errors[j] = gated.error;
  }
  finish_gated(job, rows, inner);
  for (int64_t i = 0; i < hidden; ++i) {
    experts_weight_row(job, &own->format, net->down, net->matrix, hidden, i, inner, rows->w);
    const bounded result = product_of(job, rows->gated, rows->errors, rows->w, inner);
    want[i] += weight * result.value;
    bound[i] += fabs(weight) * (result.error + terms * family_u * (fabs(result.value) + result.error));
  }
}

// Fills in x as the networks take it, which is known exactly.
static void take_token(const family_job *job, int64_t row, const scratch_rows *rows) {
  const experts_own *own = job->own;
  const float *x = family_row(job, X, row);
  for (int64_t i = 0; i < job->columns; ++i) rows->x[i] = (double)x[i], rows->w[i] = 0;
  if (experts_format_quantizes(&own->format))
    experts_quantize_row(job, &own->format, rows->x, rows->w, job->columns);
}

// Returns the sum of a token, or nothing when there is no memory for it.
static bool want_token(const family_job *job, int64_t row, double *want, double *bound) {
  const experts_own *own = job->own;
  const experts_sizes s = experts_sizes_of(job);
  const float *ids = family_row(job, IDS, row), *weights = family_row(job, WEIGHTS, row);
  const size_t inner = (size_t)(s.inner > s.shared_inner ? s.inner : s.shared_inner),
               hidden = (size_t)s.hidden;
  double *memory = malloc((2 * inner + hidden + (inner > hidden ? inner : hidden)) * sizeof *memory);
  if (!memory) return false;
  const scratch_rows rows = {memory + 2 * inner + hidden, memory + 2 * inner, memory, memory + inner};
  take_token(job, row, &rows);
  const network shared = {SHARED_GATE_UP, SHARED_DOWN, 0, s.shared_inner};
  if (s.shared_inner) add_network(job, &shared, &rows, 1, want, bound);
  for (int64_t slot = 0; slot < own->top_k; ++slot) {
    const int64_t id = (int64_t)ids[slot];
    if (id < 0 || id >= s.experts) continue;
    const network expert = {W_GATE_UP, W_DOWN, id, s.inner};
    add_network(job, &expert, &rows, (double)weights[slot], want, bound);
  }
  free(memory);
  return true;
}

void experts_reference_row(family_job *job, int64_t row, double *scratch) {
  double *want = scratch, *bound = scratch + job->columns;
  memset(scratch, 0, 2 * (size_t)job->columns * sizeof *scratch);
  check_routing(job, row);
  const bool known = want_token(job, row, want, bound);
  for (int64_t i = 0; i < job->columns; ++i) {
    bound[i] = family_rounded(job, Y, want[i], bound[i]);
    if (!known) want[i] = NAN, bound[i] = 0;  // which nothing agrees with
  }
  family_compare(job, Y, row * job->columns, job->columns, want, bound);
}
