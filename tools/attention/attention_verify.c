// SPDX-License-Identifier: MIT
// Compares all results of `wavetile attention` with float64, a head of K and V at a time, on all cores.
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "attention.h"
#include "attention_reference.h"
#include "core/parallel.h"

const char *const attention_result_names[ATTENTION_RESULTS] = {"O", "LSE", "dQ", "dK", "dV", "dsinks"};

typedef struct verification {
  attention_job *job;
  pthread_mutex_t mutex;
  atomic_bool no_memory;
  double *dsinks, *dsinks_bound;  // of each head, over the batch; NULL: not wanted
} verification;

// Describes one head of one sequence of a tensor [row][head][element], whose batch members are one after the
// other.
typedef struct slice {
  const npy_array *array;
  int64_t first, rows, heads, head, dim;
} slice;

static double element_of(const slice *s, int64_t row, int64_t e) {
  return (double)s->array->data[((s->first + row) * s->heads + s->head) * s->dim + e];
}

static double *gather(const slice *s, double scale) {
  double *values = malloc((size_t)(s->rows * s->dim + 1) * sizeof *values);
  for (int64_t row = 0; values && row < s->rows; ++row)
    for (int64_t e = 0; e < s->dim; ++e) values[row * s->dim + e] = scale * element_of(s, row, e);
  return values;
}

static void keep(verification *v, int which, double got, double want, double bound, int64_t batch,
                 int64_t head, int64_t row, int64_t element) {
  attention_result *worst = &v->job->results[which];
  const double error = got == want ? 0 : fabs(got - want);
  const double ratio = error == 0 ? 0 : isfinite(want) && error / bound >= 0 ? error / bound : INFINITY;
  if (error > worst->largest_error) worst->largest_error = error;
  if (ratio > worst->ratio)
    *worst = (attention_result){ratio, worst->largest_error, batch, row, head, element};
}

static void compare(verification *v, int which, const slice *got, int64_t batch, int64_t head,
                    const double *want, const double *bound) {
  pthread_mutex_lock(&v->mutex);
  for (int64_t row = 0; row < got->rows; ++row)
    for (int64_t e = 0; e < got->dim; ++e) {
      const int64_t i = row * got->dim + e;
      keep(v, which, element_of(got, row, e), want[i], bound[i], batch, head, row, e);
    }
  pthread_mutex_unlock(&v->mutex);
}

// Holds what belongs to one head of Q, and, as sums over heads, to one of K and V.
typedef struct numbers {
  double *q, *dout, *o, *o_bound, *lse, *lse_bound;
  double *k, *v;
  attention_gradients gradients;
} numbers;

static double *zeros(int64_t count, bool *good) {
  double *values = calloc((size_t)count + 1, sizeof *values);
  if (!values) *good = false;
  return values;
}

static void numbers_free(numbers *n) {
  double *const all[] = {n->o,
                         n->o_bound,
                         n->lse,
                         n->lse_bound,
                         n->k,
                         n->v,
                         n->gradients.dq,
                         n->gradients.dk,
                         n->gradients.dv,
                         n->gradients.dq_bound,
                         n->gradients.dk_bound,
                         n->gradients.dv_bound};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) free(all[i]);
}

static bool numbers_make(const attention_job *job, const attention_sequence *s, int64_t kv_head, numbers *n) {
  bool good = true;
  const slice k = {&job->k.values, s->k_first, s->keys, job->kv_heads, kv_head, job->head_dim};
  const slice v = {&job->v.values, s->k_first, s->keys, job->kv_heads, kv_head, job->value_dim};
  const int64_t of_q = s->queries * job->head_dim, of_o = s->queries * job->value_dim;
  *n = (numbers){.k = gather(&k, job->k.scale), .v = gather(&v, job->v.scale)};
  n->o = zeros(of_o, &good), n->o_bound = zeros(of_o, &good);
  n->lse = zeros(s->queries, &good), n->lse_bound = zeros(s->queries, &good);
  attention_gradients *g = &n->gradients;
  if (job->backward) {
    g->dq = zeros(of_q, &good), g->dq_bound = zeros(of_q, &good);
    g->dk = zeros(s->keys * job->head_dim, &good), g->dk_bound = zeros(s->keys * job->head_dim, &good);
    g->dv = zeros(s->keys * job->value_dim, &good), g->dv_bound = zeros(s->keys * job->value_dim, &good);
  }
  return good && n->k && n->v;
}

static void round_bounds(const attention_rounding *rounding, const double *values, double *bounds,
                         int64_t count) {
  for (int64_t i = 0; i < count; ++i) bounds[i] = attention_rounded_bound(rounding, values[i], bounds[i]);
}

static void add_sink(verification *v, int64_t head, double gradient, double bound) {
  if (!v->dsinks) return;
  pthread_mutex_lock(&v->mutex);
  v->dsinks[head] += gradient, v->dsinks_bound[head] += bound;
  pthread_mutex_unlock(&v->mutex);
}

static void compare_sinks(verification *v) {
  const attention_job *job = v->job;
  for (int64_t head = 0; v->dsinks && head < job->heads; ++head)
    keep(v, ATTENTION_DSINKS, (double)job->dsinks.data[head], v->dsinks[head],
         v->dsinks_bound[head] + 0x1p-24 * fabs(v->dsinks[head]), 0, head, 0, 0);
}

static void check_head(verification *v, const attention_rounding *rounding, numbers *n, int64_t batch,
                       int64_t head) {
  const attention_job *job = v->job;
  const attention_sequence s = attention_sequence_of(job, batch);
  const int64_t lse_first =
      job->packed ? head * job->q_rows + s.q_first : (batch * job->heads + head) * job->queries;
  const slice q = {&job->q.values, s.q_first, s.queries, job->heads, head, job->head_dim};
  const slice o = {&job->o, s.q_first, s.queries, job->heads, head, job->value_dim};
  const slice lse = {&job->lse, lse_first, s.queries, 1, 0, 1};
  const slice dout = {&job->dout.values, s.q_first, s.queries, job->heads, head, job->value_dim};
  const double sink = job->sinks.data ? (double)job->sinks.data[head] : 0;
  double d_sink = 0, d_sink_bound = 0;
  const attention_head h = {.queries = (int)s.queries,
                            .keys = (int)s.keys,
                            .head_dim = (int)job->head_dim,
                            .value_dim = (int)job->value_dim,
                            .q = gather(&q, job->q.scale),
                            .k = n->k,
                            .v = n->v,
                            .scale = (double)job->softmax_scale,
                            .soft_cap = (double)job->soft_cap,
                            .slope = (double)attention_slope(job, batch, head),
                            .causal = job->options.causal,
                            .window = job->options.window,
                            .sink = job->sinks.data ? &sink : NULL,
                            .dropout = (double)(float)job->options.dropout,
                            .seed = job->options.run.seed,
                            .number = (uint32_t)(batch * job->heads + head)};
  double *gradient = job->backward ? gather(&dout, 1) : NULL;
  if (h.q && (gradient || !job->backward)) {
    attention_forward_reference(&h, rounding, n->o, n->o_bound, n->lse, n->lse_bound);
    compare(v, ATTENTION_O, &o, batch, head, n->o, n->o_bound);
    if (job->lse.data) compare(v, ATTENTION_LSE, &lse, batch, head, n->lse, n->lse_bound);
  } else {
    v->no_memory = true;
  }
  if (h.q && gradient) {
    const slice dq = {&job->dq, s.q_first, s.queries, job->heads, head, job->head_dim};
    if (v->dsinks) n->gradients.d_sink = &d_sink, n->gradients.d_sink_bound = &d_sink_bound;
    attention_backward_reference(&h, rounding, gradient, n->o_bound, n->lse_bound,
                                 s.queries * (job->heads / job->kv_heads), &n->gradients);
    round_bounds(rounding, n->gradients.dq, n->gradients.dq_bound, s.queries * job->head_dim);
    compare(v, ATTENTION_DQ, &dq, batch, head, n->gradients.dq, n->gradients.dq_bound);
    add_sink(v, head, d_sink, d_sink_bound);
  }
  free((void *)h.q);
  free(gradient);
}

static void check_group(verification *v, int64_t batch, int64_t kv_head) {
  const attention_job *job = v->job;
  const attention_rounding rounding = attention_rounding_of(element_type_on(job->type, job->target));
  const attention_sequence s = attention_sequence_of(job, batch);
  numbers n;
  if (!numbers_make(job, &s, kv_head, &n)) {
    v->no_memory = true;
    numbers_free(&n);
    return;
  }
  const int64_t group = job->heads / job->kv_heads;
  for (int64_t head = kv_head * group; head < (kv_head + 1) * group; ++head)
    check_head(v, &rounding, &n, batch, head);
  if (job->backward) {
    const slice dk = {&job->dk, s.k_first, s.keys, job->kv_heads, kv_head, job->head_dim};
    const slice dv = {&job->dv, s.k_first, s.keys, job->kv_heads, kv_head, job->value_dim};
    round_bounds(&rounding, n.gradients.dk, n.gradients.dk_bound, s.keys * job->head_dim);
    round_bounds(&rounding, n.gradients.dv, n.gradients.dv_bound, s.keys * job->value_dim);
    compare(v, ATTENTION_DK, &dk, batch, kv_head, n.gradients.dk, n.gradients.dk_bound);
    compare(v, ATTENTION_DV, &dv, batch, kv_head, n.gradients.dv, n.gradients.dv_bound);
  }
  numbers_free(&n);
}

static void check_range(void *pointer, int64_t begin, int64_t end) {
  verification *v = pointer;
  for (int64_t i = begin; i < end && !v->no_memory; ++i)
    check_group(v, i / v->job->kv_heads, i % v->job->kv_heads);
}

int attention_verify(attention_job *job) {
  verification v = {.job = job, .mutex = PTHREAD_MUTEX_INITIALIZER};
  for (int i = 0; i < ATTENTION_RESULTS; ++i) job->results[i] = (attention_result){.ratio = 0};
  if (job->dsinks.data) {
    v.dsinks = calloc(2 * (size_t)job->heads, sizeof *v.dsinks);
    v.dsinks_bound = v.dsinks ? v.dsinks + job->heads : NULL;
    v.no_memory = !v.dsinks;
  }
  parallel_for(job->batch * job->kv_heads, check_range, &v);
  if (!v.no_memory) compare_sinks(&v);
  free(v.dsinks);
  if (v.no_memory)
    return tool_error(TOOL_FAILED,
                      "out of host memory for the verification; pass --no-verify or a smaller shape");
  job->verified = true;
  return TOOL_OK;
}

bool attention_passed(const attention_job *job) {
  if (!job->gaps_kept) return false;
  for (int i = 0; i < ATTENTION_RESULTS; ++i)
    if (!(job->results[i].ratio <= 1)) return false;
  return true;
}
