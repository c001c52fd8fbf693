// SPDX-License-Identifier: MIT
// Runs a case of attention forward through the C API and compares it with the reference.
#include "attention_case.h"

#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "attention_reference.h"
#include "attention_tensors.h"
#include "tests/row_matrix.h"

// Of the simulated runtime: instructions and work-groups executed so far in this process.
int wtSimTotals(unsigned long long *instructions, unsigned long long *workgroups);

typedef struct problem {
  const attention_case *c;
  attention_memory inputs[3], out, lse, offsets;
  attention_array q, k, v, o;
  wt_attention_desc desc;
  attention_verdict *verdict;
} problem;

__attribute__((format(printf, 2, 3))) static void wrong(problem *p, const char *format, ...) {
  if (!p->verdict->correct) return;  // the first is told
  p->verdict->correct = false;
  va_list args;
  va_start(args, format);
  vsnprintf(p->verdict->message, sizeof p->verdict->message, format, args);
  va_end(args);
}

// ---- tensors

static attention_array array_of(const attention_case *c, wt_type type, bool of_keys, int dim) {
  attention_array x = {.type = type,
                       .batch = c->packed ? 1 : c->batch,
                       .rows = attention_total_rows(c, of_keys),
                       .heads = of_keys ? c->kv_heads : c->heads,
                       .dim = dim,
                       .first = c->shift};
  const int64_t padding = c->padding;
  if (c->layout == ATTENTION_BHSD) {
    x.strides.row = dim + padding;
    x.strides.head = x.rows * x.strides.row + padding;
    x.strides.batch = x.heads * x.strides.head + padding;
  } else {
    x.strides.head = dim;
    x.strides.row = x.heads * dim + padding;
    x.strides.batch = x.rows * x.strides.row + padding;
  }
  return x;
}

static attention_memory memory_of(const attention_array *x) {
  const int64_t last = (x->batch - 1) * x->strides.batch + (x->rows - 1) * x->strides.row +
                       (x->heads - 1) * x->strides.head + x->dim;
  return attention_memory_create((size_t)(x->first + last) * attention_element(x->type));
}

static void make_arrays(problem *p) {
  const attention_case *c = p->c;
  p->q = array_of(c, c->type, false, c->head_dim);
  p->k = array_of(c, c->type, true, c->head_dim);
  p->v = array_of(c, c->type, true, c->value_dim);
  p->o = array_of(c, attention_element(c->type) == 1 ? WT_TYPE_BF16 : c->type, false, c->value_dim);
  if (c->layout == ATTENTION_QKV) {
    attention_array *const columns[] = {&p->q, &p->k, &p->v};
    const int64_t row = p->q.strides.row + p->k.strides.row + p->v.strides.row;
    int64_t first = c->shift;
    for (int i = 0; i < 3; ++i) {
      columns[i]->first = first;
      first += columns[i]->strides.row;
      columns[i]->strides.row = row;
      columns[i]->strides.batch = row * columns[i]->rows;
    }
    p->inputs[0] = memory_of(&p->v);
    p->q.memory = p->k.memory = p->v.memory = &p->inputs[0];
  } else {
    p->inputs[0] = memory_of(&p->q), p->q.memory = &p->inputs[0];
    p->inputs[1] = memory_of(&p->k), p->k.memory = &p->inputs[1];
    p->inputs[2] = memory_of(&p->v), p->v.memory = &p->inputs[2];
  }
  p->out = memory_of(&p->o), p->o.memory = &p->out;
}

static void fill(const attention_array *x, test_rng *rng, double spread, double drift) {
  for (int batch = 0; batch < x->batch; ++batch)
    for (int row = 0; row < x->rows; ++row) {
      const double size = spread * (1 + drift * row / x->rows);
      for (int head = 0; head < x->heads; ++head)
        for (int d = 0; d < x->dim; ++d) attention_set(x, batch, row, head, d, size * row_normal(rng));
    }
}

static void fill_inputs(problem *p) {
  const attention_case *c = p->c;
  test_rng rng = {c->seed};
  fill(&p->q, &rng, c->spread, 0);
  fill(&p->k, &rng, 1, c->drift);
  fill(&p->v, &rng, 1, 0);
  for (int i = 0; i < 3; ++i)
    if (p->inputs[i].bytes)
      (void)hipMemcpy(p->inputs[i].device, p->inputs[i].host, p->inputs[i].bytes, hipMemcpyHostToDevice);
  if (!c->packed) return;
  p->offsets = attention_memory_create(2 * ((size_t)c->batch + 1) * sizeof(int32_t));
  int32_t *offsets = (int32_t *)p->offsets.host;
  for (int of_keys = 0; of_keys < 2; ++of_keys)
    for (int i = 0; i <= c->batch; ++i)
      *offsets++ = i < c->batch ? attention_rows_of(c, i, of_keys).first : attention_total_rows(c, of_keys);
  (void)hipMemcpy(p->offsets.device, p->offsets.host, p->offsets.bytes, hipMemcpyHostToDevice);
}

static int longest(const int *lengths, int count) {
  int most = 1;
  for (int i = 0; i < count; ++i) most = lengths[i] > most ? lengths[i] : most;
  return most;
}

static void make_descriptor(problem *p) {
  const attention_case *c = p->c;
  wt_attention_desc *d = &p->desc;
  *d = WT_ATTENTION_DESC_INIT;
  d->type = c->type;
  d->head_dim = c->head_dim, d->value_dim = c->value_dim;
  d->batch = c->batch, d->heads = c->heads, d->kv_heads = c->kv_heads;
  d->queries = c->packed ? longest(c->q_lengths, c->batch) : c->queries;
  d->keys = c->packed ? longest(c->k_lengths, c->batch) : c->keys;
  d->causal = c->causal, d->window = c->window;
  d->softmax_scale = (float)c->scale;
  if (c->scale_q != 0) d->scale_q = (float)c->scale_q;
  if (c->scale_k != 0) d->scale_k = (float)c->scale_k;
  if (c->scale_v != 0) d->scale_v = (float)c->scale_v;
  if (c->padding || c->layout != ATTENTION_BSHD) {  // else packed, the default
    d->strides_q = p->q.strides, d->strides_k = p->k.strides;
    d->strides_v = p->v.strides, d->strides_o = p->o.strides;
  }
  if (!c->packed) return;
  d->q_offsets = (const int32_t *)p->offsets.device;
  d->k_offsets = d->q_offsets + c->batch + 1;
  d->total_queries = p->q.rows, d->total_keys = p->k.rows;
}

// ---- the check

// The larger of the two; NaN wins.
static double worse(double a, double b) { return isnan(a) || a > b ? a : b; }

// Error over bound. Minus infinity must be met exactly.
static double ratio_of(double got, double want, double bound) {
  return got == want ? 0 : isfinite(want) ? fabs(got - want) / bound : INFINITY;
}

static double lse_at(const problem *p, int sequence, int head, int row) {
  const attention_rows rows = attention_rows_of(p->c, sequence, false);
  const float *lse = (const float *)p->lse.host;
  return (double)lse[((int64_t)rows.batch * p->c->heads + head) * p->q.rows + rows.first + row];
}

// Of P, which is at least 1 where a query's score is the largest, and 16 in FP8.
static double p_roundoff(wt_type type) {
  return type == WT_TYPE_F8E4M3 ? 0x1p-4 : type == WT_TYPE_F8E5M2 ? 0x1p-3 : row_roundoff(type);
}
static double p_smallest(wt_type type) {
  return type == WT_TYPE_F8E4M3   ? 0x1p-10 / 16
         : type == WT_TYPE_F8E5M2 ? 0x1p-17 / 16
                                  : fmax(row_smallest(type), 0x1p-126);  // f32 before: no subnormals
}

static void check_head(problem *p, int sequence, int head) {
  const attention_case *c = p->c;
  const attention_rows q_rows = attention_rows_of(c, sequence, false);
  const attention_rows k_rows = attention_rows_of(c, sequence, true);
  const int kv_head = head / (c->heads / c->kv_heads);
  const wt_attention_desc *d = &p->desc;
  const double scale = d->softmax_scale == 0 ? 1 / sqrt(c->head_dim) : (double)d->softmax_scale;
  double *q = attention_gather(&p->q, q_rows, head, d->scale_q);
  double *k = attention_gather(&p->k, k_rows, kv_head, d->scale_k);
  double *v = attention_gather(&p->v, k_rows, kv_head, d->scale_v);
  const attention_head one = {q_rows.count, k_rows.count, c->head_dim, c->value_dim, q, k, v,
                              scale,        c->causal,    c->window};
  const attention_rounding rounding = {.p = p_roundoff(c->type),
                                       .p_smallest = p_smallest(c->type),
                                       .o = row_roundoff(p->o.type),
                                       .o_smallest = fmax(row_smallest(p->o.type), 0x1p-126)};
  const size_t elements = (size_t)q_rows.count * (size_t)c->value_dim + 1;
  double *o = malloc(elements * sizeof *o), *o_bound = malloc(elements * sizeof *o);
  double *lse = malloc(((size_t)q_rows.count + 1) * sizeof *o);
  double *lse_bound = malloc(((size_t)q_rows.count + 1) * sizeof *o);
  attention_forward_reference(&one, &rounding, o, o_bound, lse, lse_bound);
  for (int i = 0; i < q_rows.count; ++i) {
    for (int e = 0; e < c->value_dim; ++e) {
      const int64_t at = (int64_t)i * c->value_dim + e;
      const double got = attention_get(&p->o, q_rows.batch, q_rows.first + i, head, e);
      const double ratio = ratio_of(got, o[at], o_bound[at]);
      p->verdict->o_ratio = worse(ratio, p->verdict->o_ratio);
      if (!(ratio <= 1))
        wrong(p, "O of sequence %d, head %d, query %d, element %d is %g, expected %g within %g", sequence,
              head, i, e, got, o[at], o_bound[at]);
    }
    if (!c->lse) continue;
    const double got = lse_at(p, sequence, head, i), ratio = ratio_of(got, lse[i], lse_bound[i]);
    p->verdict->lse_ratio = worse(ratio, p->verdict->lse_ratio);
    if (!(ratio <= 1))
      wrong(p, "LSE of sequence %d, head %d, query %d is %.9g, expected %.9g within %g", sequence, head, i,
            got, lse[i], lse_bound[i]);
  }
  free(q), free(k), free(v);
  free(o), free(o_bound), free(lse), free(lse_bound);
}

static void check_results(problem *p) {
  for (int sequence = 0; sequence < p->c->batch; ++sequence)
    for (int head = 0; head < p->c->heads; ++head) check_head(p, sequence, head);
  const size_t stray = attention_stray_bytes(&p->o);
  if (stray) wrong(p, "%zu bytes between the rows of O were written", stray);
}

// ---- running

static bool run_once(wt_context *context, problem *p, const char *schedule) {
  setenv("WT_SIM_SCHEDULE", schedule, 1);
  (void)hipMemset(p->out.device, ATTENTION_POISON, p->out.bytes);
  (void)hipMemset(p->lse.device, ATTENTION_POISON, p->lse.bytes);
  unsigned long long instructions = 0, workgroups = 0;
  wtSimTotals(&instructions, &workgroups);
  const wt_status status = wt_attention_forward(
      context, &p->desc, attention_device(&p->q), attention_device(&p->k), attention_device(&p->v),
      attention_device(&p->o), p->c->lse ? (float *)p->lse.device : NULL, NULL);
  if (status != WT_SUCCESS) return wrong(p, "%s", wt_last_error(context)), false;
  const hipError_t error = hipDeviceSynchronize();
  if (error != hipSuccess) return wrong(p, "%s under %s", hipGetErrorString(error), schedule), false;
  wtSimTotals(&p->verdict->instructions, &p->verdict->workgroups);
  p->verdict->instructions -= instructions, p->verdict->workgroups -= workgroups;
  return true;
}

// Copies the results to `host`; O, then the log-sum-exps.
static void results(const problem *p, unsigned char *host) {
  (void)hipMemcpy(host, p->out.device, p->out.bytes, hipMemcpyDeviceToHost);
  (void)hipMemcpy(host + p->out.bytes, p->lse.device, p->lse.bytes, hipMemcpyDeviceToHost);
}

attention_verdict attention_case_forward(wt_context *context, const attention_case *c,
                                         const char *const *schedules, int schedule_count) {
  attention_verdict verdict = {.correct = true};
  problem p = {.c = c, .verdict = &verdict};
  make_arrays(&p);
  fill_inputs(&p);
  make_descriptor(&p);
  p.lse = attention_memory_create((size_t)p.q.batch * (size_t)c->heads * (size_t)p.q.rows * sizeof(float));
  unsigned char *first = malloc(p.out.bytes + p.lse.bytes), *other = malloc(p.out.bytes + p.lse.bytes);
  for (int s = 0; s < schedule_count && run_once(context, &p, schedules[s]); ++s) {
    results(&p, s == 0 ? first : other);
    if (s > 0) {
      if (memcmp(first, other, p.out.bytes + p.lse.bytes) != 0)
        wrong(&p, "%s gives other bits than %s", schedules[s], schedules[0]);
      continue;
    }
    memcpy(p.out.host, first, p.out.bytes);
    memcpy(p.lse.host, first + p.out.bytes, p.lse.bytes);
    check_results(&p);
  }
  free(first);
  free(other);
  for (int i = 0; i < 3; ++i)
    if (p.inputs[i].bytes) attention_memory_free(&p.inputs[i]);
  attention_memory_free(&p.out);
  attention_memory_free(&p.lse);
  if (c->packed) attention_memory_free(&p.offsets);
  return verdict;
}
