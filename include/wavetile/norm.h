// SPDX-License-Identifier: MIT
// These are layer norm and RMS norm over the rows of a matrix, fused with the dropout and the residual sum
// before it, forward and backward. This header is part of wavetile.h and serves C11 and C++.
//
// Matrices are row-major, at any alignment of their elements and any stride between rows. All arithmetic is
// in f32, and each result is rounded once. The order of a row's sums depends on the columns and the types
// alone: without dropout a row has the same bits of every result however many rows there are, wherever it
// stands among them, and in every run. The gradients of weight and bias are sums over the rows, whose order
// depends on their number, too. The variance is that of the distances from the mean, never a difference of
// large sums. A row is read once when it fits into the registers of a work-group (16384 elements; 8192 in the
// backward pass), else twice.
#ifndef WAVETILE_NORM_H
#define WAVETILE_NORM_H

#include "base.h"
#include "block_output.h"

#ifdef __cplusplus
extern "C" {
#endif

// These are the norms.
typedef enum wt_norm_kind {
  WT_NORM_LAYER = 0,  // mean and variance
  WT_NORM_RMS = 1     // mean square; `mean` is then 0 in the formulas below
} wt_norm_kind;

// Describes, for each row,
//   sum = dropout(x) + residual
//   y = (sum - mean) * rstd * weight + bias,  rstd = 1 / sqrt(mean of (sum - mean)^2 + epsilon)
// computed from the exact sum, before it is rounded.
//
// Dropout: an element is 0 with probability p, which is `dropout` rounded to a multiple of 2^-16 below 1,
// else divided by 1 - p. Which elements are dropped is a function of the seed and of their row and column
// alone: element (row, column) is dropped when half < p * 2^16, for half column % 8 of the 16-bit halves, the
// lower one of each word first, of Philox4x32-10 (Salmon et al. 2011) with the counter (column / 8, row, 0,
// 0) and the key (seed, seed >> 32). So the backward pass needs the seed, and no mask.
//
// Start from WT_NORM_DESC_INIT and fill in rows, columns and the type. All pointers are memory of the device.
typedef struct wt_norm_desc {
  size_t struct_size;    // sizeof(wt_norm_desc)
  int64_t rows;          // rows of all matrices, from 1 to 2^31 - 1
  int64_t columns;       // elements of a row, from 1 to 2^30
  wt_norm_kind kind;     // default WT_NORM_LAYER
  wt_type type;          // type of x, residual, sum and y: F32, BF16 or F16
  wt_type type_weight;   // type of weight and bias: F32 (default) or `type`
  float epsilon;         // added to the variance, at least 0; default 1e-5
  float dropout;         // probability of dropping an element, from 0 (default) to below 1 (see above)
  uint64_t seed;         // seed of the dropout
  const void *residual;  // rows x columns; NULL (default) means 0
  const void *weight;    // one per column; NULL (default) means 1
  const void *bias;      // one per column; NULL (default) means 0
  void *sum;             // output, rows x columns; NULL (default) means not wanted, as for all outputs here
  float *mean, *rstd;    // outputs, one number per row, which the backward pass needs
  uint8_t *mask;         // output, rows x columns: 1 where an element is kept, 0 where it is dropped
  int64_t ldx, ldy;      // elements between the starts of rows; default 0: rows are packed
  int64_t ldresidual, ldsum, ldmask;  // the same

  // A struct that ends here is taken as one with the following at zero, their default.
  wt_block_output output;  // y in a block-scaled format: its type is then that of y's elements, columns are a
                           // multiple of 32, and ldy is 0. `sum` remains a matrix of `type`
} wt_norm_desc;

// Describes the gradients of wt_norm, given dy, the gradient of y, and dsum, the gradient that reaches `sum`
// from its other uses:
//   dresidual = dsum + the gradient of dy through the norm
//   dx = dresidual where an element is kept, divided by 1 - dropout; 0 where it is dropped
//   dweight = sum over rows of dy * (sum - mean) * rstd,  dbias = sum over rows of dy
// The last two are added up by work-groups and then over them, for each number of rows always in the same
// order.
//
// Start from WT_NORM_BACKWARD_DESC_INIT and fill in rows, columns, the type, and rstd (for the layer norm
// also mean). The outputs that are NULL, their default, are not wanted.
typedef struct wt_norm_backward_desc {
  size_t struct_size;  // sizeof(wt_norm_backward_desc)
  int64_t rows;        // this and what follows to the seed are as in wt_norm_desc
  int64_t columns;
  wt_norm_kind kind;
  wt_type type;         // type of dy, sum, dsum, dx and dresidual
  wt_type type_weight;  // type of weight, dweight and dbias
  float dropout;
  uint64_t seed;
  const void *weight;  // one per column; NULL (default) means 1
  const float *mean;   // one number per row, from wt_norm; not read for WT_NORM_RMS
  const float *rstd;   // one number per row, from wt_norm
  const void *dsum;    // rows x columns; NULL (default) means 0
  void *dresidual;     // output, rows x columns
  void *dweight;       // output, one per column
  void *dbias;         // output, one per column
  void *workspace;     // for dweight and dbias, aligned to 4 bytes. Two calls that may run at the same time
                       // need two
  size_t workspace_bytes;       // bytes of the workspace; see wt_norm_backward_workspace_size
  int64_t lddy, ldsum, lddx;    // elements between the starts of rows; default 0: rows are packed
  int64_t lddsum, lddresidual;  // the same
} wt_norm_backward_desc;

// Each is a descriptor of its kind with every field at its default.
#ifdef __cplusplus
#define WT_NORM_DESC_INIT (wt_norm_desc_init())
inline wt_norm_desc wt_norm_desc_init() {
  wt_norm_desc desc = wt_norm_desc();
  desc.struct_size = sizeof desc;
  desc.type_weight = WT_TYPE_F32;
  desc.epsilon = 1e-5f;
  return desc;
}
#define WT_NORM_BACKWARD_DESC_INIT (wt_norm_backward_desc_init())
inline wt_norm_backward_desc wt_norm_backward_desc_init() {
  wt_norm_backward_desc desc = wt_norm_backward_desc();
  desc.struct_size = sizeof desc;
  desc.type_weight = WT_TYPE_F32;
  return desc;
}
#else
#define WT_NORM_DESC_INIT \
  ((wt_norm_desc){.struct_size = sizeof(wt_norm_desc), .type_weight = WT_TYPE_F32, .epsilon = 1e-5f})
#define WT_NORM_BACKWARD_DESC_INIT \
  ((wt_norm_backward_desc){.struct_size = sizeof(wt_norm_backward_desc), .type_weight = WT_TYPE_F32})
#endif

// Enqueues the norm on `stream` (a hipStream_t; NULL is the default stream). x and y are memory of the
// context's device (or host memory it can access) from a HIP allocator. y and desc->sum may each be written
// over x or the residual, element by element (the same pointer and stride); otherwise outputs overlap
// nothing. A y in a block-scaled format (desc->output) overlaps nothing; mean, rstd and sum have the same
// bits as without it.
WT_API WT_MUST_CHECK wt_status wt_norm(wt_context *context, const wt_norm_desc *desc, const void *x, void *y,
                                       struct ihipStream_t *stream);

// Enqueues the backward pass. sum is the `sum` of wt_norm, or its x where there was neither dropout nor
// residual. dx may be NULL when it is not wanted. dx and desc->dresidual may each be written over dy, sum or
// dsum.
WT_API WT_MUST_CHECK wt_status wt_norm_backward(wt_context *context, const wt_norm_backward_desc *desc,
                                                const void *dy, const void *sum, void *dx,
                                                struct ihipStream_t *stream);

// Says how many bytes of workspace wt_norm_backward takes: 0 unless dweight or dbias is wanted. *bytes is 0
// on failure.
WT_API WT_MUST_CHECK wt_status wt_norm_backward_workspace_size(wt_context *context,
                                                               const wt_norm_backward_desc *desc,
                                                               size_t *bytes);

#ifdef __cplusplus
}
#endif

#endif
