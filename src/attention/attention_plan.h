// SPDX-License-Identifier: MIT
// Describes an attention descriptor after checking: defaults resolved, and what its tensors are.
#ifndef WT_SRC_ATTENTION_PLAN_H
#define WT_SRC_ATTENTION_PLAN_H

#include "core/operand.h"
#include "kernels/attention/attention_args.h"

typedef enum wt_attention_tensor_id {
  WT_ATTENTION_Q,
  WT_ATTENTION_K,
  WT_ATTENTION_V,
  WT_ATTENTION_O,
  WT_ATTENTION_DOUT,  // the gradients: only for the backward pass
  WT_ATTENTION_DQ,
  WT_ATTENTION_DK,
  WT_ATTENTION_DV,
  WT_ATTENTION_TENSORS
} wt_attention_tensor_id;

// These are the axes of a tensor: batch members (1 when packed), rows, heads, elements.
enum { WT_ATTENTION_BATCH_AXIS, WT_ATTENTION_ROW_AXIS, WT_ATTENTION_HEAD_AXIS };

typedef struct wt_attention_plan {
  wt_attention_desc desc;  // sizes and scales without the zeros that stand for a default
  bool packed;
  wt_operand tensors[WT_ATTENTION_TENSORS];  // without pointers; only those of the pass
  int64_t lse_batch, lse_head;               // strides of the log-sum-exps, in elements
  int64_t left, right;                       // as in wt_attention_args
  int64_t slope_span;                        // elements from the first slope of ALiBi past the last
  const char *extra;  // what the descriptor asks for that plain kernels do not have; NULL: nothing
} wt_attention_plan;

typedef enum wt_attention_pass { WT_ATTENTION_FORWARD, WT_ATTENTION_BACKWARD } wt_attention_pass;

// Checks everything that does not depend on memory, in the order of the members of the descriptor.
wt_status wt_attention_plan_make(wt_context *context, const wt_attention_desc *desc, wt_attention_pass pass,
                                 wt_attention_plan *plan);

// Returns a type's name in symbols: "bf16"; NULL when attention does not have it on any target.
const char *wt_attention_type_name(wt_type type);
bool wt_attention_is_f8(wt_type type);

// Returns the log-sum-exps as an operand.
wt_operand wt_attention_lse(const wt_attention_plan *plan, const float *lse);

// Appends the offsets, the sinks and the slopes to a call's operands, when there are any; returns the new
// count.
int wt_attention_add_vectors(const wt_attention_plan *plan, wt_operand *all, int count);

// Returns whether all rows of a tensor are at multiples of 16 bytes, and `tile_rows` of them span less than
// 2^31 bytes.
bool wt_attention_rows_aligned(const wt_attention_plan *plan, wt_attention_tensor_id id, const void *pointer,
                               int tile_rows);

// Returns a tensor of the plan as the kernels get it.
wt_attention_tensor wt_attention_tensor_of(const wt_attention_plan *plan, wt_attention_tensor_id id,
                                           const void *pointer);

// Does the same from a member of the batch on.
void wt_attention_tensor_from(const wt_attention_plan *plan, wt_attention_tensor_id id,
                              wt_attention_tensor *tensor, int64_t batch);

// Returns the arguments of the kernels, but for `order`, which is that of a launch.
wt_attention_args wt_attention_args_of(const wt_attention_plan *plan, const void *q, const void *k,
                                       const void *v, const void *o, const float *lse);

// Returns the same for `count` members of the batch.
wt_attention_args wt_attention_args_from(const wt_attention_plan *plan, const wt_attention_args *whole,
                                         int64_t batch, int64_t count);

#endif
