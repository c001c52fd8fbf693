// SPDX-License-Identifier: MIT
// These are activations of the elements of a matrix, with and without a gate, and their gradients. This
// header is part of wavetile.h and serves C11 and C++.
//
// An element, and a block of a block-scaled result, have the same bits whatever else is in the call.
#ifndef WAVETILE_ACTIVATION_H
#define WAVETILE_ACTIVATION_H

#include "base.h"
#include "block_output.h"

#ifdef __cplusplus
extern "C" {
#endif

// Describes y = f(x), or, with a gate, y = f(gate) * x: SwiGLU is WT_ACTIVATION_SILU with a gate, GeGLU is
// WT_ACTIVATION_GELU with one. Everything is computed in f32, within a few units of f32's last place, and
// rounded once to the type, to nearest even.
//
// Start from WT_ACTIVATION_DESC_INIT and fill in rows, columns, the type and the function.
typedef struct wt_activation_desc {
  size_t struct_size;           // sizeof(wt_activation_desc)
  int64_t rows;                 // rows of all matrices, from 1 to 2^31 - 1
  int64_t columns;              // columns of all matrices, from 1 to 2^30
  wt_type type;                 // type of all matrices: F32, BF16 or F16
  wt_activation activation;     // WT_ACTIVATION_NONE with a gate is a plain product
  int64_t ldx, ldgate, ldy;     // elements between the starts of rows; default 0: rows are packed
  int64_t lddy, lddx, lddgate;  // the same for the backward pass

  // A struct that ends here is taken as one with the following at zero, their default.
  const int32_t *row_count;  // memory of the device, one number: how many of the rows count, the first ones;
                             // the others are neither read nor written. NULL (default): all count

  // A struct that ends here is taken as one with the following at zero, too.
  wt_block_output output;  // y in a block-scaled format: its type is then that of y's elements, columns are
                           // a multiple of 32, and ldy is 0. wt_activate_backward takes no type here
} wt_activation_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_ACTIVATION_DESC_INIT (wt_activation_desc_init())
inline wt_activation_desc wt_activation_desc_init() {
  wt_activation_desc desc = wt_activation_desc();
  desc.struct_size = sizeof desc;
  return desc;
}
#else
#define WT_ACTIVATION_DESC_INIT ((wt_activation_desc){.struct_size = sizeof(wt_activation_desc)})
#endif

// Enqueues the activation on `stream` (a hipStream_t; NULL is the default stream). gate is NULL, or a matrix
// like x. All matrices are memory of the context's device (or host memory it can access) from a HIP
// allocator, aligned to their elements. y may be x or gate itself; otherwise nothing overlaps.
//
// With WT_ACTIVATION_NONE and desc->output, x is quantised as it is. Shuffled scales beyond the last row of
// the matrix are written with those of the last row, if it counts.
WT_API WT_MUST_CHECK wt_status wt_activate(wt_context *context, const wt_activation_desc *desc, const void *x,
                                           const void *gate, void *y, struct ihipStream_t *stream);

// Enqueues the backward pass: dx = f'(x) * dy; with a gate, dx = f(gate) * dy and dgate = f'(gate) * x * dy.
// dgate is NULL when gate is. dx and dgate may each be written over one of x, gate and dy; otherwise nothing
// overlaps. The slope of ReLU at 0 is 0. At the infinities GELU and SiLU give NaN (their forms, see
// wt_activation, multiply infinity by 0).
WT_API WT_MUST_CHECK wt_status wt_activate_backward(wt_context *context, const wt_activation_desc *desc,
                                                    const void *x, const void *gate, const void *dy, void *dx,
                                                    void *dgate, struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
