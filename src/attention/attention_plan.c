// SPDX-License-Identifier: MIT
// Checks an attention descriptor member by member and resolves its defaults.
#include "attention_plan.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/desc.h"
#include "core/launch.h"
#include "core/types.h"

static const size_t older[] = {offsetof(wt_attention_desc, sinks), offsetof(wt_attention_desc, soft_cap),
                               offsetof(wt_attention_desc, dropout), 0};
static const wt_desc_layout layout = {.type = "wt_attention_desc",
                                      .init = "WT_ATTENTION_DESC_INIT",
                                      .size = sizeof(wt_attention_desc),
                                      .older = older};

enum { MOST_LENGTH = 1 << 29 };           // of a sequence: sums of a few positions fit into 32 bits
static const double least_scale = 1e-30;  // with ALiBi: slopes are divided by it, in f32
enum { MOST_SOFT_CAP = 1024 };            // the error of a score is at most 2^-22 of it

static const struct {
  const char *name;
  size_t strides;  // offset of the member of the descriptor
  bool of_keys, of_values;
  bool output;
} tensor_table[WT_ATTENTION_TENSORS] = {
    [WT_ATTENTION_Q] = {"q", offsetof(wt_attention_desc, strides_q), false, false, false},
    [WT_ATTENTION_K] = {"k", offsetof(wt_attention_desc, strides_k), true, false, false},
    [WT_ATTENTION_V] = {"v", offsetof(wt_attention_desc, strides_v), true, true, false},
    [WT_ATTENTION_O] = {"o", offsetof(wt_attention_desc, strides_o), false, true, true},
    [WT_ATTENTION_DOUT] = {"dout", offsetof(wt_attention_desc, strides_dout), false, true, false},
    [WT_ATTENTION_DQ] = {"dq", offsetof(wt_attention_desc, strides_dq), false, false, true},
    [WT_ATTENTION_DK] = {"dk", offsetof(wt_attention_desc, strides_dk), true, false, true},
    [WT_ATTENTION_DV] = {"dv", offsetof(wt_attention_desc, strides_dv), true, true, true},
};

bool wt_attention_is_f8(wt_type type) { return type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E5M2; }

const char *wt_attention_type_name(wt_type type) {
  switch (type) {
    case WT_TYPE_BF16: return "bf16";
    case WT_TYPE_F16: return "f16";
    case WT_TYPE_F8E4M3: return "f8e4m3";
    case WT_TYPE_F8E5M2: return "f8e5m2";
    default: return NULL;
  }
}

static wt_status check_type(wt_context *context, const wt_attention_desc *d, wt_attention_pass pass) {
  const bool f8 = context->target->ocp && pass == WT_ATTENTION_FORWARD;
  if (wt_attention_type_name(d->type) && (f8 || !wt_attention_is_f8(d->type))) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_UNSUPPORTED_TYPE,
                 "desc->type is %s (%d), but attention %s on %s takes WT_TYPE_BF16%s WT_TYPE_F16%s",
                 wt_type_name(d->type), (int)d->type, pass == WT_ATTENTION_FORWARD ? "forward" : "backward",
                 context->target->name, f8 ? "," : " or", f8 ? ", WT_TYPE_F8E4M3 or WT_TYPE_F8E5M2" : "");
}

static wt_status check_sizes(wt_context *context, wt_attention_desc *d) {
  if (d->keys == 0) d->keys = d->queries;
  if (d->kv_heads == 0) d->kv_heads = d->heads;
  if (d->value_dim == 0) d->value_dim = d->head_dim;
  const struct {
    const char *name;
    int64_t value;
  } sizes[] = {{"head_dim", d->head_dim}, {"value_dim", d->value_dim}, {"batch", d->batch},
               {"heads", d->heads},       {"kv_heads", d->kv_heads},   {"queries", d->queries},
               {"keys", d->keys}};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
    const wt_status status = wt_check_size(context, sizes[i].name, sizes[i].value);
    if (status) return status;
  }
  if (d->queries > MOST_LENGTH || d->keys > MOST_LENGTH)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->%s is %" PRId64 ", but sequences have at most %d rows; pass fewer",
                   d->queries > MOST_LENGTH ? "queries" : "keys",
                   d->queries > MOST_LENGTH ? d->queries : d->keys, MOST_LENGTH);
  if (d->heads % d->kv_heads)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->kv_heads is %" PRId64 ", which does not divide heads, %" PRId64
                   "; pass a divisor, or 0 for as many",
                   d->kv_heads, d->heads);
  const int multiple = 16 / (int)wt_type_size(d->type);
  if (d->head_dim % multiple == 0 && d->value_dim % multiple == 0) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_UNSUPPORTED_SIZE,
                 "desc->head_dim is %d and value_dim is %d, but for %s they are multiples of %d; pad with "
                 "zeros",
                 d->head_dim, d->value_dim, wt_type_name(d->type), multiple);
}

static wt_status check_mask(wt_context *context, const wt_attention_desc *d) {
  wt_status status = wt_check_flag(context, "causal", d->causal);
  if (!status && d->window < 0)
    return wt_fail(context, WT_ERROR_VALUE,
                   "desc->window is %" PRId64 "; pass a number of positions, or 0 for no window", d->window);
  return status;
}

static wt_status check_scales(wt_context *context, wt_attention_desc *d, wt_attention_pass pass) {
  if (d->softmax_scale == 0) d->softmax_scale = (float)(1 / sqrt((double)d->head_dim));
  const struct {
    const char *name;
    float value;
  } scales[] = {{"softmax_scale", d->softmax_scale},
                {"scale_q", d->scale_q},
                {"scale_k", d->scale_k},
                {"scale_v", d->scale_v},
                {"softmax_scale * scale_q * scale_k", d->softmax_scale * d->scale_q * d->scale_k}};
  for (size_t i = 0; i < sizeof scales / sizeof *scales; ++i) {
    const wt_status status = wt_check_finite(context, scales[i].name, scales[i].value);
    if (status) return status;
    if (!(scales[i].value > 0))
      return wt_fail(context, WT_ERROR_VALUE, "desc: %s is %g; pass positive numbers%s", scales[i].name,
                     (double)scales[i].value, i == 0 ? ", or 0 for 1 / sqrt(head_dim)" : "");
    if (pass == WT_ATTENTION_BACKWARD && (i >= 1 && i <= 3) && scales[i].value != 1)
      return wt_fail(context, WT_ERROR_VALUE, "desc->%s is %g, but the backward pass has no FP8; pass 1",
                     scales[i].name, (double)scales[i].value);
  }
  return WT_SUCCESS;
}

static double score_scale(const wt_attention_desc *d) {
  return (double)d->softmax_scale * d->scale_q * d->scale_k;
}

// Checks what becomes of the scores between the scale and the mask.
static wt_status check_scores(wt_context *context, wt_attention_plan *plan) {
  const wt_attention_desc *d = &plan->desc;
  const wt_status status = wt_check_finite(context, "soft_cap", d->soft_cap);
  if (status) return status;
  if (d->soft_cap < 0 || d->soft_cap > MOST_SOFT_CAP)
    return wt_fail(context, WT_ERROR_VALUE, "desc->soft_cap is %g; pass a number up to %d, or 0 for no cap",
                   (double)d->soft_cap, MOST_SOFT_CAP);
  if (d->alibi_batch_stride < 0)
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->alibi_batch_stride is %" PRId64
                   "; pass a number of elements, or 0 for one set of "
                   "slopes",
                   d->alibi_batch_stride);
  if (d->alibi_slopes && score_scale(d) < least_scale)
    return wt_fail(
        context, WT_ERROR_VALUE,
        "desc: softmax_scale * scale_q * scale_k is %g, but alibi_slopes are divided by it; pass at "
        "least %g",
        score_scale(d), least_scale);
  if (__builtin_mul_overflow(d->alibi_batch_stride, d->batch - 1, &plan->slope_span) ||
      __builtin_add_overflow(plan->slope_span, d->heads, &plan->slope_span) ||
      plan->slope_span > INT64_MAX / 4)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->alibi_batch_stride is %" PRId64 ", with which %" PRId64
                   " sets of slopes span more than 2^63 bytes; pass a smaller one",
                   d->alibi_batch_stride, d->batch);
  if (d->soft_cap == 0) return WT_SUCCESS;
  const double cap = d->soft_cap / score_scale(d);
  if (cap <= FLT_MAX && 1 / cap <= FLT_MAX / 4) return WT_SUCCESS;
  return wt_fail(
      context, WT_ERROR_VALUE,
      "desc->soft_cap is %g, divided by softmax_scale * scale_q * scale_k %g, beyond float32; pass "
      "numbers nearer to each other",
      (double)d->soft_cap, cap);
}

// Returns how many of WT_ATTENTION_KEPT_ALL weights are kept.
static int kept_of(const wt_attention_desc *d) {
  return (int)lround(WT_ATTENTION_KEPT_ALL * (1 - (double)d->dropout));
}

static wt_status check_dropout(wt_context *context, const wt_attention_desc *d) {
  if (!(d->dropout >= 0 && d->dropout < 1))
    return wt_fail(context, WT_ERROR_VALUE, "desc->dropout is %g; pass a probability from 0 to below 1",
                   (double)d->dropout);
  if (d->dropout == 0) return WT_SUCCESS;
  if (kept_of(d) == 0 || kept_of(d) == WT_ATTENTION_KEPT_ALL)
    return wt_fail(
        context, WT_ERROR_VALUE,
        "desc->dropout is %g, which is rounded to a multiple of 1/256, here %d; pass more than 1/512 "
        "and up to 511/512, or 0 for none",
        (double)d->dropout, kept_of(d) == 0);
  if (wt_attention_is_f8(d->type))
    return wt_fail(
        context, WT_ERROR_UNSUPPORTED_TYPE,
        "desc->dropout is %g, but the type is %s, which has no backward pass; pass WT_TYPE_BF16 or "
        "WT_TYPE_F16, or no dropout",
        (double)d->dropout, wt_type_name(d->type));
  return WT_SUCCESS;
}

// What the descriptor asks for that plain kernels do not have.
static const char *extra_of(const wt_attention_desc *d) {
  static const char *const texts[2][2][2] = {
      {{NULL, "dropout"}, {"ALiBi", "ALiBi and dropout"}},
      {{"a soft cap", "a soft cap and dropout"}, {"a soft cap and ALiBi", "a soft cap, ALiBi and dropout"}}};
  return texts[d->soft_cap > 0][d->alibi_slopes != NULL][d->dropout > 0];
}

static wt_status check_packing(wt_context *context, wt_attention_plan *plan) {
  const wt_attention_desc *d = &plan->desc;
  if (!d->q_offsets != !d->k_offsets)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT, "desc->%c_offsets is NULL, but %c_offsets is not; %s",
                   d->q_offsets ? 'k' : 'q', d->q_offsets ? 'q' : 'k', "pass both, or neither");
  plan->packed = d->q_offsets != NULL;
  if (!plan->packed) return WT_SUCCESS;
  wt_status status = wt_check_size(context, "total_queries", d->total_queries);
  if (!status) status = wt_check_size(context, "total_keys", d->total_keys);
  if (status) return status;
  const bool queries = d->queries > d->total_queries;
  if (queries || d->keys > d->total_keys)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->%s, the largest length, is %" PRId64 ", but total_%s is %" PRId64
                   "; pass the rows of all sequences together",
                   queries ? "queries" : "keys", queries ? d->queries : d->keys, queries ? "queries" : "keys",
                   queries ? d->total_queries : d->total_keys);
  return WT_SUCCESS;
}

static wt_status check_strides(wt_context *context, wt_operand *x, bool output) {
  const struct {
    const char *name;
    int64_t stride;
  } axes[] = {{"batch", x->axes[WT_ATTENTION_BATCH_AXIS].stride},
              {"row", x->axes[WT_ATTENTION_ROW_AXIS].stride},
              {"head", x->axes[WT_ATTENTION_HEAD_AXIS].stride}};
  for (size_t i = 0; i < sizeof axes / sizeof *axes; ++i)
    if (axes[i].stride < 0)
      return wt_fail(context, WT_ERROR_STRIDE,
                     "desc->strides_%s.%s is %" PRId64
                     "; pass a positive number of elements, or 0 for packed",
                     x->name, axes[i].name, axes[i].stride);
  if (!wt_operand_span(x))
    return wt_fail(context, WT_ERROR_SIZE,
                   "%s with strides %" PRId64 ", %" PRId64 " and %" PRId64
                   " of batch, row and head spans more than 2^63 bytes; pass smaller ones",
                   x->name, axes[0].stride, axes[1].stride, axes[2].stride);
  if (output && !wt_operand_is_injective(x))
    return wt_fail(context, WT_ERROR_STRIDE,
                   "desc->strides_%s of batch, row and head are %" PRId64 ", %" PRId64 " and %" PRId64
                   " where 0 is replaced, so rows overlap; pass strides beyond what they step over",
                   x->name, axes[0].stride, axes[1].stride, axes[2].stride);
  return WT_SUCCESS;
}

// Describes element (b, row, h, d), with packed strides where none are given.
static wt_status make_tensor(wt_context *context, wt_attention_plan *plan, wt_attention_tensor_id id,
                             bool output) {
  const wt_attention_desc *d = &plan->desc;
  const bool of_keys = tensor_table[id].of_keys;
  const int64_t dim = tensor_table[id].of_values ? d->value_dim : d->head_dim;
  const int64_t heads = of_keys ? d->kv_heads : d->heads;
  const int64_t rows =
      plan->packed ? (of_keys ? d->total_keys : d->total_queries) : (of_keys ? d->keys : d->queries);
  const wt_attention_strides *s = (const wt_attention_strides *)((const char *)d + tensor_table[id].strides);
  int64_t whole_row, whole;
  if (__builtin_mul_overflow(heads, dim, &whole_row) || __builtin_mul_overflow(rows, whole_row, &whole))
    return wt_fail(context, WT_ERROR_SIZE, "%s has more than 2^63 elements; pass smaller sizes",
                   tensor_table[id].name);
  const size_t element_bytes =
      id == WT_ATTENTION_O && wt_attention_is_f8(d->type) ? 2 : wt_type_size(d->type);
  wt_operand *x = &plan->tensors[id];
  *x = (wt_operand){.name = tensor_table[id].name,
                    .element_bytes = element_bytes,
                    .alignment = element_bytes,
                    .axes = {[WT_ATTENTION_BATCH_AXIS] = {d->batch, s->batch ? s->batch : whole},
                             [WT_ATTENTION_ROW_AXIS] = {rows, s->row ? s->row : whole_row},
                             [WT_ATTENTION_HEAD_AXIS] = {heads, s->head ? s->head : dim},
                             {dim, 1}}};
  if (plan->packed) x->axes[WT_ATTENTION_BATCH_AXIS] = (wt_axis){1, 0};
  return check_strides(context, x, output);
}

// Checks what only the backward pass has.
static wt_status check_backward(wt_context *context, const wt_attention_desc *d) {
  const wt_status status = wt_check_flag(context, "deterministic", d->deterministic);
  if (status) return status;
  if (d->waves != 0 && d->waves != 4 && d->waves != 8)
    return wt_fail(context, WT_ERROR_VALUE, "desc->waves is %d; pass 4 or 8, or 0 to have it chosen",
                   d->waves);
  if (d->d_sinks && !d->sinks)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->sinks is NULL, but d_sinks is not; pass both, or no d_sinks");
  return WT_SUCCESS;
}

wt_status wt_attention_plan_make(wt_context *context, const wt_attention_desc *desc, wt_attention_pass pass,
                                 wt_attention_plan *plan) {
  memset(plan, 0, sizeof *plan);
  wt_attention_desc *d = &plan->desc;
  const bool backward = pass == WT_ATTENTION_BACKWARD;
  wt_status status = wt_desc_copy(context, &layout, desc, d);
  if (!status) status = check_type(context, d, pass);
  if (!status) status = check_sizes(context, d);
  if (!status) status = check_mask(context, d);
  if (!status) status = check_scales(context, d, pass);
  if (!status) status = check_scores(context, plan);
  if (!status) status = check_dropout(context, &plan->desc);
  plan->extra = extra_of(&plan->desc);
  if (!status) status = check_packing(context, plan);
  for (int id = 0; id < (backward ? WT_ATTENTION_TENSORS : WT_ATTENTION_DOUT) && !status; ++id)
    status =
        make_tensor(context, plan, (wt_attention_tensor_id)id,
                    backward ? tensor_table[id].output && id != WT_ATTENTION_O : tensor_table[id].output);
  if (!status && backward) status = check_backward(context, d);
  plan->lse_head = plan->packed ? d->total_queries : d->queries;
  plan->lse_batch = plan->packed ? 0 : d->heads * d->queries;
  // No query is further from a key than this, which keeps sums of positions small.
  plan->left = d->window ? wt_at_most(d->window - 1, d->keys) : d->keys;
  plan->right = d->causal ? 0 : d->window ? wt_at_most(d->window - 1, d->queries) : d->queries;
  return status;
}

wt_operand wt_attention_lse(const wt_attention_plan *plan, const float *lse) {
  const wt_attention_desc *d = &plan->desc;
  return wt_operand_vector("lse", lse, 4, 4, (plan->packed ? 1 : d->batch) * d->heads * plan->lse_head);
}

int wt_attention_add_vectors(const wt_attention_plan *plan, wt_operand *all, int count) {
  const wt_attention_desc *d = &plan->desc;
  if (d->sinks) all[count++] = wt_operand_vector("desc->sinks", d->sinks, 4, 4, d->heads);
  if (d->alibi_slopes)
    all[count++] = wt_operand_vector("desc->alibi_slopes", d->alibi_slopes, 4, 4, plan->slope_span);
  if (!plan->packed) return count;
  all[count++] = wt_operand_vector("desc->q_offsets", d->q_offsets, 4, 4, d->batch + 1);
  all[count++] = wt_operand_vector("desc->k_offsets", d->k_offsets, 4, 4, d->batch + 1);
  return count;
}

bool wt_attention_rows_aligned(const wt_attention_plan *plan, wt_attention_tensor_id id, const void *pointer,
                               int tile_rows) {
  const wt_operand *x = &plan->tensors[id];
  uintptr_t bits = (uintptr_t)pointer;
  for (int i = WT_ATTENTION_BATCH_AXIS; i <= WT_ATTENTION_HEAD_AXIS; ++i)
    if (x->axes[i].count > 1) bits |= (uintptr_t)x->axes[i].stride * x->element_bytes;
  const int64_t row_bytes = x->axes[WT_ATTENTION_ROW_AXIS].stride * (int64_t)x->element_bytes;
  return bits % 16 == 0 && row_bytes < INT32_MAX / tile_rows;
}

wt_attention_tensor wt_attention_tensor_of(const wt_attention_plan *plan, wt_attention_tensor_id id,
                                           const void *pointer) {
  const wt_axis *axes = plan->tensors[id].axes;
  return (wt_attention_tensor){.data = (void *)(uintptr_t)pointer,
                               .batch = axes[WT_ATTENTION_BATCH_AXIS].stride,
                               .row = axes[WT_ATTENTION_ROW_AXIS].stride,
                               .head = axes[WT_ATTENTION_HEAD_AXIS].stride};
}

void wt_attention_tensor_from(const wt_attention_plan *plan, wt_attention_tensor_id id,
                              wt_attention_tensor *tensor, int64_t batch) {
  tensor->data = (char *)tensor->data + batch * tensor->batch * (int64_t)plan->tensors[id].element_bytes;
}

wt_attention_args wt_attention_args_of(const wt_attention_plan *plan, const void *q, const void *k,
                                       const void *v, const void *o, const float *lse) {
  const wt_attention_desc *d = &plan->desc;
  const double log2_e = 1.4426950408889634, cap = d->soft_cap / score_scale(d);
  return (wt_attention_args){
      .q = wt_attention_tensor_of(plan, WT_ATTENTION_Q, q),
      .k = wt_attention_tensor_of(plan, WT_ATTENTION_K, k),
      .v = wt_attention_tensor_of(plan, WT_ATTENTION_V, v),
      .o = wt_attention_tensor_of(plan, WT_ATTENTION_O, o),
      .lse = (float *)(uintptr_t)lse,
      .lse_batch = plan->lse_batch,
      .lse_head = plan->lse_head,
      .batch = (int)d->batch,
      .heads = (int)d->heads,
      .group = wt_divisor_of((unsigned)(d->heads / d->kv_heads)),
      .queries = (int)d->queries,
      .keys = (int)d->keys,
      .q_starts = d->q_offsets,
      .k_starts = d->k_offsets,
      .left = (int)plan->left,
      .right = (int)plan->right,
      .scale = (float)(score_scale(d) * log2_e),
      .o_scale = (float)((double)d->scale_v * WT_ATTENTION_KEPT_ALL / kept_of(d)),
      .sinks = d->sinks,
      .head_dim = d->head_dim,
      .value_dim = d->value_dim,
      .cap = (float)cap,
      .to_cap = cap > 0 ? (float)(2 * log2_e / cap) : 0,
      .slopes = d->alibi_slopes,
      .slopes_batch = d->alibi_batch_stride,
      .slope_scale = (float)(1 / score_scale(d)),
      .kept = kept_of(d),
      .kept_scale = (float)WT_ATTENTION_KEPT_ALL / (float)kept_of(d),
      .seed = d->seed,
  };
}

wt_attention_args wt_attention_args_from(const wt_attention_plan *plan, const wt_attention_args *whole,
                                         int64_t batch, int64_t count) {
  wt_attention_args args = *whole;
  args.batch = (int)count;
  wt_attention_tensor_from(plan, WT_ATTENTION_Q, &args.q, batch);
  wt_attention_tensor_from(plan, WT_ATTENTION_K, &args.k, batch);
  wt_attention_tensor_from(plan, WT_ATTENTION_V, &args.v, batch);
  wt_attention_tensor_from(plan, WT_ATTENTION_O, &args.o, batch);
  if (args.lse) args.lse += batch * args.lse_batch;
  if (args.slopes) args.slopes += batch * args.slopes_batch;
  args.first_head = batch * args.heads;
  if (plan->packed) args.q_starts += batch, args.k_starts += batch;
  return args;
}
