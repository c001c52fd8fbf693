// SPDX-License-Identifier: MIT
// Describes the memory that a call reads and writes, and the checks of it that every family makes before a
// launch.
#ifndef WT_SRC_OPERAND_H
#define WT_SRC_OPERAND_H

#include "context.h"

enum { WT_AXES = 4 };

// `count` places that are `stride` elements apart; both zero: there is no such axis.
typedef struct wt_axis {
  int64_t count, stride;
} wt_axis;

// Describes an array of up to four axes, in any order, at `pointer`.
typedef struct wt_operand {
  const char *name;  // "a", "desc->bias": for sentences
  const void *pointer;
  size_t element;    // bytes of one element
  size_t alignment;  // of the pointer, in bytes
  wt_axis axes[WT_AXES];
  uint64_t bytes;  // from the first to past the last element, set by wt_operand_span
  bool written;
} wt_operand;

// Returns an operand of `count` elements without gaps.
wt_operand wt_operand_vector(const char *name, const void *pointer, size_t element, size_t alignment,
                             int64_t count);

// Sets `bytes` from the axes. Returns false when the span is more than 2^63 - 1 bytes.
bool wt_operand_span(wt_operand *operand);

// Adds an axis of `batch` members, desc->`stride_name` elements apart: `stride`, or 0 where an input is the
// same for all. Outputs must not overlap.
wt_status wt_operand_batch(wt_context *context, wt_operand *operand, int64_t batch, const char *stride_name,
                           int64_t stride);

// Returns whether each axis steps at least over what those with shorter strides span, so that no two elements
// share memory. The span must be known to fit.
bool wt_operand_is_injective(const wt_operand *operand);

// Checks a call's operands: none is NULL, each is aligned, each lies in a HIP allocation that the context's
// device can access and is long enough, and each that is written is apart from all others (their elements,
// not just their spans: columns of one matrix may be different operands). The call names the first of these
// that is not so: an operand that is too short and overlaps another is said to be too short. The device must
// be current.
wt_status wt_operands_check(wt_context *context, const wt_operand *all, int count);

#endif
