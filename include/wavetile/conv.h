// SPDX-License-Identifier: MIT
// These are convolutions of images with filters. This header is part of wavetile.h and serves C11 and C++.
#ifndef WAVETILE_CONV_H
#define WAVETILE_CONV_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Describes, for image n, output pixel (p, q) and filter k,
//   y[n][p][q][k] = activation(filter_scale[k] * alpha * sum + beta * y[n][p][q][k] + bias[k]),
//   sum = sum over r, s, c of x[n][p * stride_h - pad_top + r * dilation_h]
//                              [q * stride_w - pad_left + s * dilation_w][c] * w[k][r][s][c]
// where x is zero outside the image. Sums are accumulated in f32 and rounded once, to nearest even. As in all
// networks' libraries the filter is not rotated: this is a correlation.
//
//   x and w                                     y
//   both one WT_TYPE_F8* as the device has it   F32, BF16, F16
//   both BF16, or both F16                      F32, BF16, F16
//
// All arrays lie without gaps, in the order of the formula's indices: x is n x h x w x c (NHWC), w is k x r x
// s x c (KRSC), y is n x p x q x k, with
//   p = (h + pad_top + pad_bottom - (r - 1) * dilation_h - 1) / stride_h + 1
// rounded down, and q likewise. Start from WT_CONV_DESC_INIT, which sets what the comments call the default,
// and fill in the sizes and the types.
typedef struct wt_conv_desc {
  size_t struct_size;              // sizeof(wt_conv_desc)
  int64_t n, h, w, c;              // images, and their rows, columns and channels
  int64_t k, r, s;                 // filters, and their rows and columns
  int64_t stride_h, stride_w;      // pixels of x from an output pixel to the next; default 1
  int64_t pad_top, pad_bottom,     // rows of zeros above and below each image, and
      pad_left, pad_right;         // columns of zeros beside it; default 0
  int64_t dilation_h, dilation_w;  // pixels of x from a tap of the filter to the next; default 1
  wt_type type_x, type_w, type_y;  // types of x, w and y, as in the table
  float alpha, beta;               // factors, default 1 and 0; with beta 0, y is never read
  const float *filter_scale;       // memory of the device, k factors; NULL (default) means none
  const float *bias;               // the same, k summands
  wt_activation activation;        // function of the result
  const char *kernel;      // name from wt_conv_chosen or wt_conv_filters_chosen, or NULL (default) for the
                           // fastest that can run this
  void *workspace;         // memory of the device for gradients, aligned to 16 bytes; NULL (default) means
                           // none. Two calls that may run at the same time need two
  size_t workspace_bytes;  // bytes of the workspace; wt_conv_workspace_size says how many are needed
} wt_conv_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_CONV_DESC_INIT (wt_conv_desc_init())
inline wt_conv_desc wt_conv_desc_init() {
  wt_conv_desc desc = wt_conv_desc();
  desc.struct_size = sizeof desc;
  desc.stride_h = desc.stride_w = desc.dilation_h = desc.dilation_w = 1;
  desc.alpha = 1.0f;
  return desc;
}
#else
#define WT_CONV_DESC_INIT                              \
  ((wt_conv_desc){.struct_size = sizeof(wt_conv_desc), \
                  .stride_h = 1,                       \
                  .stride_w = 1,                       \
                  .dilation_h = 1,                     \
                  .dilation_w = 1,                     \
                  .alpha = 1.0f})
#endif

// Says how many rows (*p) and columns (*q) an image of y has for this descriptor, which the call checks as
// wt_conv_forward does. Both are 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_conv_output_size(wt_context *context, const wt_conv_desc *desc, int64_t *p,
                                                   int64_t *q);

// Says which kernel wt_conv_forward would run for this descriptor, which it checks likewise. *name lives as
// long as the library, and is NULL on failure.
WT_API WT_MUST_CHECK wt_status wt_conv_chosen(wt_context *context, const wt_conv_desc *desc,
                                              const char **name);

// Enqueues the convolution on `stream` (a hipStream_t; NULL is the default stream) and returns without
// waiting for it. x, w and y are memory of the context's device (or host memory it can access) from a HIP
// allocator, aligned to their element, and so are the descriptor's vectors; y must not overlap anything else.
// The descriptor may be reused at once, the memory when the stream has passed.
//
// The fast kernels need channels of whole 16 bytes, x and w at multiples of 16 bytes, less than 2 GB of
// images for each tile of output pixels, and images of less than 2^16 rows and columns with their padding. A
// kernel that is slower takes everything else.
WT_API WT_MUST_CHECK wt_status wt_conv_forward(wt_context *context, const wt_conv_desc *desc, const void *x,
                                               const void *w, void *y, struct ihipStream_t *stream);

// Says how many bytes of workspace wt_conv_backward_images needs for this descriptor, which the call checks
// likewise; desc's workspace is not looked at. *bytes is 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_conv_workspace_size(wt_context *context, const wt_conv_desc *desc,
                                                      size_t *bytes);

// Enqueues the gradient of the images. Where dy is the gradient of y in the convolution that the descriptor
// describes, it is
//   dx[n][h][w][c] = alpha * sum over p, q, k, r, s of dy[n][p][q][k] * w[k][r][s][c] + beta * dx[n][h][w][c]
//   for all that meet at the pixel: p * stride_h - pad_top + r * dilation_h is h, and likewise w.
// Types change places: dy (type_y) and w are both of one FP8 type, BF16 or F16, and dx (type_x) is F32, BF16
// or F16. filter_scale, bias and activation must be at their defaults; what they do to gradients is for the
// caller to apply to dy.
//
// It is a convolution of dy with w rotated by 180 degrees, which a first launch writes to the workspace; with
// strides, it is one for each remainder of rows and columns modulo the strides. The fast kernels need what
// wt_conv_forward says, of dy and k instead of x and c.
WT_API WT_MUST_CHECK wt_status wt_conv_backward_images(wt_context *context, const wt_conv_desc *desc,
                                                       const void *dy, const void *w, void *dx,
                                                       struct ihipStream_t *stream);

// Enqueues the gradient of the filters. Where dy is the gradient of y in the convolution that the descriptor
// describes, it is
//   dw[k][r][s][c] = alpha * sum over n, p, q of dy[n][p][q][k] * x[n][h][w][c] + beta * dw[k][r][s][c]
//   with h = p * stride_h - pad_top + r * dilation_h, and likewise w, and with x zero outside the image.
// Here dy (type_y) and x (type_x) have one type, BF16, F16 or FP8 of the device, and dw (type_w) is F32, BF16
// or F16.
// filter_scale, bias and activation must be at their defaults.
//
// The output pixels are split among work-groups where there are few tiles of dw; their sums in f32 are then
// added in one order, so that the same call gives the same bits. The sums go to the workspace, of which as
// much is used as helps; without one, to memory of the context (wt_context_set_workspace_limit). A call with
// less workspace takes longer, and may round differently.
//
// The fast kernels need channels and filters of whole 16 bytes, x and dy at multiples of 16 bytes and of less
// than 2 GB each, and images of less than 2^15 rows and columns with their padding. A kernel that is slower
// takes everything else.
WT_API WT_MUST_CHECK wt_status wt_conv_backward_filters(wt_context *context, const wt_conv_desc *desc,
                                                        const void *dy, const void *x, void *dw,
                                                        struct ihipStream_t *stream);

// Says how many bytes of workspace wt_conv_backward_filters would use for this descriptor, which the call
// checks likewise, if it had as many as it likes. *bytes is 0 on failure, and where none helps.
WT_API WT_MUST_CHECK wt_status wt_conv_filters_workspace_size(wt_context *context, const wt_conv_desc *desc,
                                                              size_t *bytes);

// Says which kernel wt_conv_backward_filters would run for this descriptor, which the call checks likewise.
// *name lives as long as the library, and is NULL on failure.
WT_API WT_MUST_CHECK wt_status wt_conv_filters_chosen(wt_context *context, const wt_conv_desc *desc,
                                                      const char **name);

#ifdef __cplusplus
}
#endif

#endif
