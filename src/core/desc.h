// SPDX-License-Identifier: MIT
// Descriptors: copies of those of any version of the header, and the checks of single members that families
// share. Each check refuses with one sentence.
#ifndef WT_SRC_DESC_H
#define WT_SRC_DESC_H

#include "context.h"

// A descriptor begins with size_t struct_size.
typedef struct wt_desc_layout {
  const char *type, *init;  // "wt_gemm_desc", "WT_GEMM_DESC_INIT"
  size_t size;              // bytes in this version
  const size_t *older;  // bytes in the versions before members were added at the end, then a 0; NULL: none
} wt_desc_layout;

// Copies a caller's descriptor to `out`, of layout->size bytes. One of an older version lacks the newer
// members, which are then zero, their default. One of a newer header is taken as long as what this version
// does not know is zero. Refuses a context or descriptor that is NULL.
wt_status wt_desc_copy(wt_context *context, const wt_desc_layout *layout, const void *desc, void *out);

// Checks that desc->`name` is from 1 to 2^31 - 1.
wt_status wt_check_size(wt_context *context, const char *name, int64_t value);

// Checks that desc->`name` is 0 or 1.
wt_status wt_check_flag(wt_context *context, const char *name, int32_t value);

// Checks that `name`, a member or an expression of members, is neither infinite nor NaN.
wt_status wt_check_finite(wt_context *context, const char *name, float value);

// Checks that desc->activation is one.
wt_status wt_check_activation(wt_context *context, wt_activation value);

// Checks that desc->`name` is F32, BF16 or F16.
wt_status wt_check_float_type(wt_context *context, const char *name, wt_type type);

// Checks that desc->`name` is an FP8 type in the encoding of the context's device.
wt_status wt_check_fp8_type(wt_context *context, const char *name, wt_type type);

// Checks that desc->`name` is a way to choose a scale.
wt_status wt_check_scale_rounding(wt_context *context, const char *name, wt_scale_rounding value);

#endif
