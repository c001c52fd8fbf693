// SPDX-License-Identifier: MIT
// Makes the tensors and the descriptor of a case of attention.
#include "attention_problem.h"

#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "tests/row_matrix.h"

void attention_wrong(attention_problem *p, const char *format, ...) {
  if (!p->verdict->correct) return;
  p->verdict->correct = false;
  va_list args;
  va_start(args, format);
  vsnprintf(p->verdict->message, sizeof p->verdict->message, format, args);
  va_end(args);
}

void attention_compare(attention_problem *p, double got, double want, double bound, double *most,
                       const char *what, int sequence, int head, int row, int element) {
  const double ratio = got == want ? 0 : isfinite(want) ? fabs(got - want) / bound : INFINITY;
  if (isnan(ratio) || ratio > *most) *most = ratio;
  if (!(ratio <= 1))
    attention_wrong(p, "%s of sequence %d, head %d, row %d, element %d is %.9g, expected %.9g within %g",
                    what, sequence, head, row, element, got, want, bound);
}

void attention_upload(const attention_memory *memory) {
  if (memory->bytes) (void)hipMemcpy(memory->device, memory->host, memory->bytes, hipMemcpyHostToDevice);
}

void attention_download(const attention_memory *memory) {
  if (memory->bytes) (void)hipMemcpy(memory->host, memory->device, memory->bytes, hipMemcpyDeviceToHost);
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

static void place(attention_problem *p, attention_array *x) {
  p->memories[p->memory_count] = memory_of(x);
  x->memory = &p->memories[p->memory_count++];
}

// Places three tensors, as columns of one matrix or apart.
static void place_three(attention_problem *p, attention_array *const *x) {
  if (p->c->layout != ATTENTION_QKV) {
    for (int i = 0; i < 3; ++i) place(p, x[i]);
    return;
  }
  const int64_t row = x[0]->strides.row + x[1]->strides.row + x[2]->strides.row;
  int64_t first = p->c->shift;
  for (int i = 0; i < 3; ++i) {
    x[i]->first = first;
    first += x[i]->strides.row;
    x[i]->strides.row = row;
    x[i]->strides.batch = row * x[i]->rows;
  }
  place(p, x[2]);
  x[0]->memory = x[1]->memory = x[2]->memory;
}

static void make_arrays(attention_problem *p, bool backward) {
  const attention_case *c = p->c;
  p->q = p->dq = array_of(c, c->type, false, c->head_dim);
  p->k = p->dk = array_of(c, c->type, true, c->head_dim);
  p->v = p->dv = array_of(c, c->type, true, c->value_dim);
  p->o = array_of(c, attention_element(c->type) == 1 ? WT_TYPE_BF16 : c->type, false, c->value_dim);
  p->dout = p->o;
  place_three(p, (attention_array *const[]){&p->q, &p->k, &p->v});
  place(p, &p->o);
  if (backward) {
    place(p, &p->dout);
    place_three(p, (attention_array *const[]){&p->dq, &p->dk, &p->dv});
  }
  p->lse = attention_memory_create((size_t)p->q.batch * (size_t)c->heads * (size_t)p->q.rows * sizeof(float));
}

static void fill(const attention_array *x, test_rng *rng, double spread, double drift) {
  for (int batch = 0; batch < x->batch; ++batch)
    for (int row = 0; row < x->rows; ++row) {
      const double size = spread * (1 + drift * row / x->rows);
      for (int head = 0; head < x->heads; ++head)
        for (int d = 0; d < x->dim; ++d) attention_set(x, batch, row, head, d, size * row_normal(rng));
    }
}

static void fill_inputs(attention_problem *p, bool backward) {
  test_rng rng = {p->c->seed};
  fill(&p->q, &rng, p->c->spread, 0);
  fill(&p->k, &rng, 1, p->c->drift);
  fill(&p->v, &rng, 1, 0);
  if (backward) fill(&p->dout, &rng, 1, 0);
  for (int i = 0; i < p->memory_count; ++i) attention_upload(&p->memories[i]);
}

static void make_offsets(attention_problem *p) {
  const attention_case *c = p->c;
  p->offsets = attention_memory_create(2 * ((size_t)c->batch + 1) * sizeof(int32_t));
  int32_t *offsets = (int32_t *)p->offsets.host;
  for (int of_keys = 0; of_keys < 2; ++of_keys)
    for (int i = 0; i <= c->batch; ++i)
      *offsets++ = i < c->batch ? attention_rows_of(c, i, of_keys).first : attention_total_rows(c, of_keys);
  attention_upload(&p->offsets);
}

// Makes sinks from scores that matter little to one that takes most of the sum.
static void make_sinks(attention_problem *p) {
  const size_t heads = (size_t)p->c->heads;
  test_rng rng = {p->c->seed + 1};
  p->sinks = attention_memory_create(heads * sizeof(float));
  p->d_sinks = attention_memory_create(heads * sizeof(float));
  p->sink = calloc(3 * heads, sizeof *p->sink);
  p->d_sink = p->sink + heads, p->d_sink_bound = p->d_sink + heads;
  for (size_t h = 0; h < heads; ++h) {
    const float value = (float)(3 * row_normal(&rng));
    ((float *)(void *)p->sinks.host)[h] = value;
    p->sink[h] = (double)value;
  }
  attention_upload(&p->sinks);
}

// Slopes are those of the paper, 2^-1 to 2^-8, of either sign; each set has a gap behind it.
enum { SLOPE_GAP = 3 };
static int64_t slope_at(const attention_case *c, int sequence, int head) {
  return (c->alibi_batch ? sequence * (c->heads + SLOPE_GAP) : 0) + head;
}
static void make_slopes(attention_problem *p) {
  const attention_case *c = p->c;
  test_rng rng = {c->seed + 2};
  p->slopes = attention_memory_create((size_t)(slope_at(c, c->batch - 1, c->heads - 1) + 1) * sizeof(float));
  for (int sequence = 0; sequence < (c->alibi_batch ? c->batch : 1); ++sequence)
    for (int h = 0; h < c->heads; ++h)
      ((float *)(void *)p->slopes.host)[slope_at(c, sequence, h)] =
          ldexpf(row_between(&rng, 1, 4) == 1 ? -1 : 1, -row_between(&rng, 1, 8));
  attention_upload(&p->slopes);
}

// ---- the descriptor

static int longest(const int *lengths, int count) {
  int most = 1;
  for (int i = 0; i < count; ++i) most = lengths[i] > most ? lengths[i] : most;
  return most;
}

static void make_descriptor(attention_problem *p) {
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
  d->soft_cap = (float)c->soft_cap;
  d->dropout = (float)c->dropout, d->seed = c->seed;
  if (c->scale_q != 0) d->scale_q = (float)c->scale_q;
  if (c->scale_k != 0) d->scale_k = (float)c->scale_k;
  if (c->scale_v != 0) d->scale_v = (float)c->scale_v;
  if (c->padding || c->layout != ATTENTION_BSHD) {  // else packed, the default
    d->strides_q = p->q.strides, d->strides_k = p->k.strides;
    d->strides_v = p->v.strides, d->strides_o = p->o.strides;
    d->strides_dq = p->dq.strides, d->strides_dk = p->dk.strides;
    d->strides_dv = p->dv.strides, d->strides_dout = p->dout.strides;
  }
  if (c->alibi) d->alibi_slopes = (const float *)p->slopes.device;
  if (c->alibi_batch) d->alibi_batch_stride = c->heads + SLOPE_GAP;
  if (c->sinks) d->sinks = (const float *)p->sinks.device, d->d_sinks = (float *)p->d_sinks.device;
  if (!c->packed) return;
  d->q_offsets = (const int32_t *)p->offsets.device;
  d->k_offsets = d->q_offsets + c->batch + 1;
  d->total_queries = p->q.rows, d->total_keys = p->k.rows;
}

void attention_problem_create(attention_problem *p, const attention_case *c, bool backward,
                              attention_verdict *verdict) {
  *p = (attention_problem){.c = c, .verdict = verdict};
  make_arrays(p, backward);
  fill_inputs(p, backward);
  if (c->packed) make_offsets(p);
  if (c->sinks) make_sinks(p);
  if (c->alibi) make_slopes(p);
  make_descriptor(p);
}

void attention_problem_free(attention_problem *p) {
  for (int i = 0; i < p->memory_count; ++i) attention_memory_free(&p->memories[i]);
  attention_memory_free(&p->lse);
  if (p->c->packed) attention_memory_free(&p->offsets);
  if (p->c->alibi) attention_memory_free(&p->slopes);
  if (!p->c->sinks) return;
  attention_memory_free(&p->sinks);
  attention_memory_free(&p->d_sinks);
  free(p->sink);
}

// ---- heads

int attention_kv_head(const attention_case *c, int head) { return head / (c->heads / c->kv_heads); }

attention_head attention_head_of(const attention_problem *p, int sequence, int head) {
  const attention_case *c = p->c;
  const wt_attention_desc *d = &p->desc;
  const attention_rows q_rows = attention_rows_of(c, sequence, false);
  const attention_rows k_rows = attention_rows_of(c, sequence, true);
  return (attention_head){
      .queries = q_rows.count,
      .keys = k_rows.count,
      .head_dim = c->head_dim,
      .value_dim = c->value_dim,
      .q = attention_gather(&p->q, q_rows, head, d->scale_q),
      .k = attention_gather(&p->k, k_rows, attention_kv_head(c, head), d->scale_k),
      .v = attention_gather(&p->v, k_rows, attention_kv_head(c, head), d->scale_v),
      .scale = d->softmax_scale == 0 ? 1 / sqrt(c->head_dim) : (double)d->softmax_scale,
      .soft_cap = (double)d->soft_cap,
      .slope =
          c->alibi ? (double)((const float *)(const void *)p->slopes.host)[slope_at(c, sequence, head)] : 0,
      .causal = c->causal,
      .window = c->window,
      .sink = c->sinks ? &p->sink[head] : NULL,
      .dropout = (double)d->dropout,
      .seed = d->seed,
      .number = (uint32_t)(sequence * c->heads + head)};
}

void attention_head_free(attention_head *head) {
  free((void *)head->q);
  free((void *)head->k);
  free((void *)head->v);
}

float *attention_lse_at(const attention_problem *p, int sequence, int head, int row) {
  const attention_rows rows = attention_rows_of(p->c, sequence, false);
  return (float *)p->lse.host + ((int64_t)rows.batch * p->c->heads + head) * p->q.rows + rows.first + row;
}
