// SPDX-License-Identifier: MIT
// These are softmax and cross-entropy of the rows of a matrix. This header is part of wavetile.h and serves
// C11 and C++.
//
// Matrices are row-major, F32, BF16 or F16, at any alignment of their elements and any stride between rows.
// All arithmetic is in f32, and each result is rounded once. The order of a row's sums depends on the columns
// and the type alone: a row has the same bits of every result however many rows there are, wherever it stands
// among them, and in every run. (The total of the losses, and with WT_REDUCTION_MEAN the gradient, depend on
// the other rows by what they are.) A row is read once when it fits into the registers of a work-group, else
// twice: 65536 elements of F32 fit, 163840 of BF16 and F16; in the backward pass of softmax, 32768 of each.
//
// Numbers need not be finite: an entry of minus infinity has probability 0. A row that has no other entries
// has probabilities 0, as attention has for a query that sees no key, and a log-sum-exp of minus infinity; it
// never becomes NaN. A NaN or plus infinity makes its row NaN.
#ifndef WAVETILE_SOFTMAX_H
#define WAVETILE_SOFTMAX_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Describes a softmax. Start from WT_SOFTMAX_DESC_INIT and fill in rows, columns and the type.
typedef struct wt_softmax_desc {
  size_t struct_size;  // sizeof(wt_softmax_desc)
  int64_t rows;        // rows of all matrices, from 1 to 2^31 - 1
  int64_t columns;     // elements of a row, from 1 to 2^30
  wt_type type;        // type of all matrices: F32, BF16 or F16
  int64_t ldx, ldy;    // elements between the starts of rows of x and of y; default 0: rows are packed
  int64_t lddx, lddy;  // the same for dx and dy of the backward pass
} wt_softmax_desc;

// Says what the rows' losses are added up to, and what the gradient is the gradient of.
typedef enum wt_reduction {
  WT_REDUCTION_NONE = 0,  // nothing; the gradient of each row is that of its own loss
  WT_REDUCTION_SUM = 1,   // the sum of all losses
  WT_REDUCTION_MEAN = 2   // the sum divided by the number of labels that are not ignored; 0 without any
} wt_reduction;

// Describes a cross-entropy. The loss of row i with the label t is, with s = label_smoothing,
//   lse - (1 - s) * x[i][t] - s * mean of x[i],    lse = log of the sum of exp(x[i])
// and its gradient is
//   dx[i][j] = grad_scale * (softmax(x[i])[j] - (1 - s) * (j == t) - s / columns).
// A row whose label is ignore_index has loss, lse and gradient 0, whatever it holds. Any other label outside
// 0 to columns - 1 makes its row's loss and gradient NaN. A label of probability 0 has an infinite loss; with
// label smoothing, so has a row with any entry of minus infinity.
//
// Start from WT_CROSS_ENTROPY_DESC_INIT and fill in rows, columns and the type.
typedef struct wt_cross_entropy_desc {
  size_t struct_size;      // sizeof(wt_cross_entropy_desc)
  int64_t rows;            // rows, from 1 to 2^31 - 1
  int64_t columns;         // the number of classes; from 1 to 2^30
  wt_type type;            // type of x and dx: F32, BF16 or F16
  int64_t ldx, lddx;       // elements between the starts of rows; default 0: rows are packed
  int32_t ignore_index;    // label of rows that are left out; default -100
  float label_smoothing;   // probability given to all classes, from 0 (default) to 1
  wt_reduction reduction;  // what the losses are added up to; default WT_REDUCTION_NONE
  float grad_scale;        // multiplied into dx; default 1
  float *total;  // memory of the device, one number: the losses' sum or mean, which these reductions need
  float *lse;    // memory of the device, the log-sum-exp of each row; NULL (default) means not wanted
} wt_cross_entropy_desc;

// Each is a descriptor of its kind with every field at its default.
#ifdef __cplusplus
#define WT_SOFTMAX_DESC_INIT (wt_softmax_desc_init())
inline wt_softmax_desc wt_softmax_desc_init() {
  wt_softmax_desc desc = wt_softmax_desc();
  desc.struct_size = sizeof desc;
  return desc;
}
#define WT_CROSS_ENTROPY_DESC_INIT (wt_cross_entropy_desc_init())
inline wt_cross_entropy_desc wt_cross_entropy_desc_init() {
  wt_cross_entropy_desc desc = wt_cross_entropy_desc();
  desc.struct_size = sizeof desc;
  desc.ignore_index = -100;
  desc.grad_scale = 1.0f;
  return desc;
}
#else
#define WT_SOFTMAX_DESC_INIT ((wt_softmax_desc){.struct_size = sizeof(wt_softmax_desc)})
#define WT_CROSS_ENTROPY_DESC_INIT \
  ((wt_cross_entropy_desc){        \
      .struct_size = sizeof(wt_cross_entropy_desc), .ignore_index = -100, .grad_scale = 1.0f})
#endif

// Enqueues y[i][j] = exp(x[i][j]) / sum of exp(x[i]) on `stream` (a hipStream_t; NULL is the default stream).
// x and y are memory of the context's device (or host memory it can access) from a HIP allocator. y may be x,
// with the same ld; otherwise they must not overlap.
WT_API WT_MUST_CHECK wt_status wt_softmax(wt_context *context, const wt_softmax_desc *desc, const void *x,
                                          void *y, struct ihipStream_t *stream);

// Enqueues dx[i][j] = y[i][j] * (dy[i][j] - sum of dy[i] * y[i]), for y of wt_softmax and the gradient dy. dx
// may be y or dy, with the same ld. desc->ldx is not looked at.
WT_API WT_MUST_CHECK wt_status wt_softmax_backward(wt_context *context, const wt_softmax_desc *desc,
                                                   const void *y, const void *dy, void *dx,
                                                   struct ihipStream_t *stream);

// Enqueues the loss of each row and, unless dx is NULL, its gradient, in the same pass. labels and loss are
// memory of the device, one i32 and one f32 per row. dx may be x, with the same ld.
WT_API WT_MUST_CHECK wt_status wt_cross_entropy(wt_context *context, const wt_cross_entropy_desc *desc,
                                                const void *x, const int32_t *labels, float *loss, void *dx,
                                                struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
