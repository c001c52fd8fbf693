// SPDX-License-Identifier: MIT
// The arguments of the convolution kernels, shared by host (C) and device (HIP C++).
//
// A convolution is a product of matrices, A * B^T, whose A is never stored (implicit GEMM): a row of A is an
// output pixel (image, row, column), and its columns are what the filter covers there, tap by tap, (filter
// row, filter column, channel). B is the filters, stored K x R x S x C, and C the result, N x P x Q x K.
#ifndef WT_KERNELS_CONV_ARGS_H
#define WT_KERNELS_CONV_ARGS_H

#include "kernels/gemm/gemm_args.h"

// The images, stored N x H x W x C without gaps, and how output pixels lie on them. Output pixel (p, q) and
// tap (r, s) meet at row p * stride_h - pad_top + r * dilation_h, and likewise at a column, of the image;
// outside it they meet zeros.
typedef struct wt_conv_image {
  wt_divisor out_pixels, out_width;  // P * Q, Q
  wt_divisor tap_row, tap;           // bytes of a row of taps and of a tap: S * C and C elements
  int images, height, width;         // N, H, W
  int stride_h, stride_w;
  int pad_top, pad_left;
  int dilation_h, dilation_w;
  // Pixels of the images lie so far apart, with zeros between them: 1, but for gradients of convolutions with
  // a stride. Heights and widths count pixels, all else places.
  wt_divisor spread_h, spread_w;
} wt_conv_image;

// In `product`, m is N * P * Q, n the number of filters and k is R * S * C; `a` is the images, and its
// strides are not used. There is no batch.
typedef struct wt_conv_args {
  wt_gemm_args product;
  wt_conv_image image;
} wt_conv_args;

// The arguments of conv_rotate_filters: filters K x R x S x C become C x R x S x K, with their taps rotated
// by 180 degrees. Grid: x = elements of a filter of the result; y = filters of the result, of which a
// work-group takes every groups-th.
enum { WT_CONV_ROTATE_THREADS = 256 };
typedef struct wt_conv_rotate_args {
  const void *filters;
  void *rotated;
  wt_divisor k;  // filters
  int taps;      // R * S
  int channels;  // C
  int groups;    // work-groups in y
} wt_conv_rotate_args;

#endif
