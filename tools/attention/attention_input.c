// SPDX-License-Identifier: MIT
// Makes the tensors of `wavetile attention`: from files or random, and their rounding to the types of the
// device.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "core/host_memory.h"
#include "core/input_file.h"
#include "core/parallel.h"
#include "core/random_normal.h"

npy_array attention_shape(const attention_job *job, int64_t rows, int64_t heads, int64_t dim) {
  const int64_t whole[] = {job->batch, rows, heads, dim};
  switch (job->rank) {
    case 2: return (npy_array){.rank = 2, .shape = {rows, dim}};
    case 3: return (npy_array){.rank = 3, .shape = {rows, heads, dim}};
    default: return (npy_array){.rank = 4, .shape = {whole[0], whole[1], whole[2], whole[3]}};
  }
}

static int make_random(const attention_job *job, attention_tensor *tensor, uint64_t stream) {
  int64_t count = 1;
  for (int i = 0; i < tensor->values.rank; ++i)
    if (__builtin_mul_overflow(count, tensor->values.shape[i], &count)) count = INT64_MAX;
  tensor->values.data = host_memory(count, sizeof(float));
  if (!tensor->values.data)
    return tool_error(TOOL_FAILED, "out of host memory for %s; choose a smaller shape", tensor->name);
  random_normal(tensor->values.data, count, random_at(job->options.run.seed, stream));
  return TOOL_OK;
}

// Describes a tensor as [batch][row][head][element]: batch and head are 1 where it has fewer dimensions.
typedef struct extent {
  int64_t batch, rows, heads, dim;
} extent;

static extent extent_of(const npy_array *x) {
  const int64_t *s = x->shape;
  switch (x->rank) {
    case 2: return (extent){1, s[0], 1, s[1]};
    case 3: return (extent){1, s[0], s[1], s[2]};
    default: return (extent){s[0], s[1], s[2], s[3]};
  }
}

// Checks one axis of two tensors that must agree.
static int check_same(const char *axis, const char *first, int64_t a, const char *second, int64_t b) {
  if (a == b) return TOOL_OK;
  return tool_error(TOOL_USAGE, "%s has %lld %s, but %s has %lld; pass as many", first, (long long)a, axis,
                    second, (long long)b);
}

// The tensors of a packed batch have the rows that the offsets speak of.
static int check_packed_rows(const attention_job *job, const extent *q, const extent *k) {
  const attention_options *o = &job->options;
  if (job->q.values.rank == 4)
    return tool_error(TOOL_USAGE,
                      "%s has 4 dimensions, but a packed batch has [row][head][element], or one head's; pass "
                      "3 or 2",
                      o->q);
  const char *const k_offsets = o->k_offsets ? o->k_offsets : o->q_offsets;
  if (q->rows != job->q_rows)
    return tool_error(TOOL_USAGE, "%s ends at row %lld, but %s has %lld rows; pass as many", o->q_offsets,
                      (long long)job->q_rows, o->q, (long long)q->rows);
  if (k->rows != job->k_rows)
    return tool_error(TOOL_USAGE, "%s ends at row %lld, but %s has %lld rows; pass as many", k_offsets,
                      (long long)job->k_rows, o->k, (long long)k->rows);
  return TOOL_OK;
}

static int check_shapes(const attention_job *job) {
  const attention_options *o = &job->options;
  const attention_tensor *tensors[] = {&job->q, &job->k, &job->v, &job->dout};
  const char *const paths[] = {o->q, o->k, o->v, o->dout};
  extent e[4];
  const int count = o->dout ? 4 : 3;
  for (int i = 0; i < count; ++i) {
    const int code = check_same("dimensions", o->q, job->q.values.rank, paths[i], tensors[i]->values.rank);
    if (code) return code;
    e[i] = extent_of(&tensors[i]->values);
  }
  int code = check_same("elements per row", o->q, e[0].dim, o->k, e[1].dim);
  if (!code) code = check_same("keys", o->k, e[1].rows, o->v, e[2].rows);
  if (!code) code = check_same("heads", o->k, e[1].heads, o->v, e[2].heads);
  for (int i = 1; i < count && !code; ++i)
    code = check_same("batch members", o->q, e[0].batch, paths[i], e[i].batch);
  if (!code && e[0].heads % e[1].heads)
    return tool_error(TOOL_USAGE, "%s has %lld heads, which do not divide the %lld of %s; pass a divisor",
                      o->k, (long long)e[1].heads, (long long)e[0].heads, o->q);
  if (!code && job->packed) code = check_packed_rows(job, &e[0], &e[1]);
  if (count == 3 || code) return code;
  code = check_same("queries", o->q, e[0].rows, o->dout, e[3].rows);
  if (!code) code = check_same("heads", o->q, e[0].heads, o->dout, e[3].heads);
  if (!code) code = check_same("elements per row", o->v, e[2].dim, o->dout, e[3].dim);
  return code;
}

static int read_inputs(attention_job *job) {
  const attention_options *o = &job->options;
  int code = tool_read_array("q", o->q, 2, NPY_ARRAY_RANK, &job->q.values);
  if (!code) code = tool_read_array("k", o->k, 2, NPY_ARRAY_RANK, &job->k.values);
  if (!code) code = tool_read_array("v", o->v, 2, NPY_ARRAY_RANK, &job->v.values);
  if (!code && o->dout) code = tool_read_array("dout", o->dout, 2, NPY_ARRAY_RANK, &job->dout.values);
  if (!code) code = check_shapes(job);
  if (code) return code;
  const extent q = extent_of(&job->q.values), k = extent_of(&job->k.values);
  job->rank = job->q.values.rank;
  job->backward = o->dout != NULL;
  job->heads = q.heads, job->head_dim = q.dim;
  job->kv_heads = k.heads, job->value_dim = extent_of(&job->v.values).dim;
  job->q_rows = q.rows, job->k_rows = k.rows;
  if (!job->packed) job->batch = q.batch, job->queries = q.rows, job->keys = k.rows;
  return TOOL_OK;
}

static int make_shapes(attention_job *job) {
  const attention_options *o = &job->options;
  job->rank = job->packed ? 3 : 4;
  job->backward = o->backward;
  job->heads = o->heads.now ? o->heads.now : 1;
  job->kv_heads = o->kv_heads.now ? o->kv_heads.now : job->heads;
  if (!job->packed) {
    job->batch = o->batch.now ? o->batch.now : 1;
    job->q_rows = job->queries = o->queries.now;
    job->k_rows = job->keys = o->keys.now ? o->keys.now : o->queries.now;
  }
  job->head_dim = o->head_dim.now ? o->head_dim.now : 128;
  job->value_dim = o->value_dim.now ? o->value_dim.now : job->head_dim;
  if (job->heads % job->kv_heads)
    return tool_error(TOOL_USAGE, "--kv-heads is %lld, which does not divide --heads, %lld; pass a divisor",
                      (long long)job->kv_heads, (long long)job->heads);
  job->q.values = attention_shape(job, job->q_rows, job->heads, job->head_dim);
  job->k.values = attention_shape(job, job->k_rows, job->kv_heads, job->head_dim);
  job->v.values = attention_shape(job, job->k_rows, job->kv_heads, job->value_dim);
  if (job->backward) job->dout.values = attention_shape(job, job->q_rows, job->heads, job->value_dim);
  return TOOL_OK;
}

static int make_numbers(attention_job *job) {
  attention_tensor *const tensors[] = {&job->q, &job->k, &job->v, &job->dout};
  int code = TOOL_OK;
  for (int i = 0; i < 3 + job->backward && !code; ++i) code = make_random(job, tensors[i], (uint64_t)i);
  return code;
}

// Describes one tensor's --ldq and --stride-q, or those of K, V or O.
typedef struct layout_options {
  const char *letter;
  long long ld, stride;
  int64_t rows, columns;  // of a batch member
  matrix_layout *layout;
} layout_options;

static int make_layout(const attention_job *job, const layout_options *o) {
  const int64_t members = job->packed ? 1 : job->batch, ld = o->ld > o->columns ? o->ld : o->columns;
  matrix_layout layout = {.members = 1, .rows = o->rows, .cols = o->columns, .ld = ld};
  const int64_t member = matrix_layout_span(&layout);
  if (o->ld && o->ld < o->columns)
    return tool_error(TOOL_USAGE,
                      "--ld%s is %lld, but a row of all heads has %lld elements; pass at least that",
                      o->letter, o->ld, (long long)o->columns);
  if (o->stride && job->packed)
    return tool_error(
        TOOL_USAGE,
        "--stride-%s is %lld, but the sequences of a packed batch follow each other; leave it out", o->letter,
        o->stride);
  if (o->stride && o->stride < member)
    return tool_error(TOOL_USAGE,
                      "--stride-%s is %lld, but a batch member takes %lld elements; pass at least that",
                      o->letter, o->stride, (long long)member);
  layout.members = members;
  if (__builtin_mul_overflow(o->rows, ld, &layout.stride)) layout.stride = INT64_MAX;
  if (o->stride) layout.stride = o->stride;
  *o->layout = layout;
  return TOOL_OK;
}

static int make_layouts(attention_job *job) {
  const attention_options *o = &job->options;
  const int64_t q = job->heads * job->head_dim, k = job->kv_heads * job->head_dim;
  const int64_t v = job->kv_heads * job->value_dim, out = job->heads * job->value_dim;
  const layout_options tensors[] = {{"q", o->ldq, o->stride_q, job->q_rows, q, &job->q.layout},
                                    {"k", o->ldk, o->stride_k, job->k_rows, k, &job->k.layout},
                                    {"v", o->ldv, o->stride_v, job->k_rows, v, &job->v.layout},
                                    {"o", o->ldo, o->stride_o, job->q_rows, out, &job->dout.layout}};
  int code = TOOL_OK;
  for (int i = 0; i < 4 && !code; ++i) code = make_layout(job, &tensors[i]);
  return code;
}

static int read_sinks(attention_job *job) {
  const char *path = job->options.sinks;
  const int code = path ? tool_read_array("sinks", path, 1, 1, &job->sinks) : TOOL_OK;
  if (code || !path || job->sinks.shape[0] == job->heads) return code;
  return tool_error(TOOL_USAGE, "--sinks %s has %lld numbers, but Q has %lld heads; pass one for each", path,
                    (long long)job->sinks.shape[0], (long long)job->heads);
}

static int read_slopes(attention_job *job) {
  const char *path = job->options.alibi_slopes;
  const int code = path ? tool_read_array("alibi-slopes", path, 1, 2, &job->slopes) : TOOL_OK;
  if (code || !path) return code;
  const npy_array *x = &job->slopes;
  const int64_t *shape = x->shape;
  if (shape[x->rank - 1] == job->heads && (x->rank == 1 || shape[0] == job->batch)) return TOOL_OK;
  return tool_error(
      TOOL_USAGE,
      "--alibi-slopes %s has %lld numbers in %d dimension%s, but Q has %lld heads and the batch "
      "%lld members; pass one number for each head, or for each member and head",
      path, (long long)npy_count(x), x->rank, x->rank == 1 ? "" : "s", (long long)job->heads,
      (long long)job->batch);
}

float attention_slope(const attention_job *job, int64_t batch, int64_t head) {
  if (!job->slopes.data) return 0;
  return job->slopes.data[(job->slopes.rank == 2 ? batch * job->heads : 0) + head];
}

int attention_make_inputs(attention_job *job) {
  job->q.name = "Q", job->k.name = "K", job->v.name = "V", job->dout.name = "dO";
  int code = attention_read_packing(job);
  if (!code) code = job->options.q ? read_inputs(job) : make_shapes(job);
  if (!code) code = make_layouts(job);
  if (!code) code = read_sinks(job);
  if (!code) code = read_slopes(job);
  job->softmax_scale =
      (float)(!isnan(job->options.scale) ? job->options.scale : 1 / sqrt((double)job->head_dim));
  job->soft_cap = isnan(job->options.soft_cap) ? 0 : (float)job->options.soft_cap;
  if (!code && !job->options.run.explain) code = attention_check_call(job);
  return code || job->options.q || job->options.run.explain ? code : make_numbers(job);
}

typedef struct quantise_work {
  const element_type *type;
  const fp8_format *format;
  attention_tensor *tensor;
} quantise_work;

static void quantise_range(void *pointer, int64_t begin, int64_t end) {
  const quantise_work *work = pointer;
  attention_tensor *tensor = work->tensor;
  for (int64_t i = begin; i < end; ++i) {
    uint8_t *code = tensor->codes + (size_t)matrix_layout_place(&tensor->layout, i) * work->type->size;
    element_encode(work->type, work->format, tensor->values.data[i] / tensor->scale, code);
    tensor->values.data[i] = element_decode(work->type, work->format, code);
  }
}

int attention_quantise(const attention_job *job, attention_tensor *tensor) {
  const fp8_format *format = element_format_on(job->type, job->target);
  const int64_t count = npy_count(&tensor->values);
  tensor->amax = 0;
  for (int64_t i = 0; i < count; ++i) tensor->amax = fmaxf(tensor->amax, fabsf(tensor->values.data[i]));
  if (element_overflows(job->type, tensor->amax))
    return tool_error(TOOL_USAGE, "%s has an element of magnitude %g, beyond %s; pass --dtype %s",
                      tensor->name, (double)tensor->amax, job->type->title,
                      job->type->ocp == WT_TYPE_F16 ? "bf16" : "f8e4m3, which is scaled");
  tensor->scale = format && tensor->amax > 0 ? fmaxf(tensor->amax / format->max, FLT_MIN) : 1.0f;
  const int64_t span = matrix_layout_span(&tensor->layout);
  tensor->codes = host_memory(span, job->type->size);
  if (!tensor->codes)
    return tool_error(TOOL_FAILED, "out of host memory for %lld elements of %s", (long long)span,
                      tensor->name);
  memset(tensor->codes, MATRIX_GAP, (size_t)span * job->type->size);
  quantise_work work = {job->type, format, tensor};
  parallel_for(count, quantise_range, &work);
  return TOOL_OK;
}
