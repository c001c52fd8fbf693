// SPDX-License-Identifier: MIT
// Declares the arguments of the convolution kernels, shared by host (C) and device (HIP C++).
//
// A convolution is a product of matrices, A * B^T, whose A is never stored (implicit GEMM): a row of A is an
// output pixel (image, row, column), and its columns are what the filter covers there, tap by tap, (filter
// row, filter column, channel). B is the filters, stored K x R x S x C, and C the result, N x P x Q x K.
#ifndef WT_KERNELS_CONV_ARGS_H
#define WT_KERNELS_CONV_ARGS_H

#include "kernels/gemm/gemm_args.h"

// Describes the images, stored N x H x W x C without gaps, and how output pixels lie on them. Output pixel
// (p, q) and tap (r, s) meet at row p * stride_h - pad_top + r * dilation_h, and likewise at a column, of the
// image; outside it they meet zeros.
typedef struct wt_conv_image {
  wt_divisor out_pixels, out_width;     // P * Q, Q
  wt_divisor tap_row_bytes, tap_bytes;  // of a row of taps and of a tap: S * C and C elements
  int images, height, width;            // N, H, W
  int stride_h, stride_w;
  int pad_top, pad_left;
  int dilation_h, dilation_w;
} wt_conv_image;

// In `product`, m is N * P * Q, n the number of filters and k is R * S * C; `a` is the images, and its
// strides are not used. There is no batch.
typedef struct wt_conv_args {
  wt_gemm_args product;
  wt_conv_image image;
} wt_conv_args;

// The gradient of the images of a convolution with strides is a convolution of dY for each phase: a phase is
// the pixels of dX whose rows are equal modulo stride_h, and their columns modulo stride_w. The same taps,
// every period-th of the filter along each direction, reach all of its pixels, and no other taps do.
typedef struct wt_conv_phase {
  wt_divisor out_pixels, out_width, tap_row_bytes;  // as those of wt_conv_image, for the phase
  int pad_top, pad_left;
  int first_h, first_w;  // its first pixel in dX
  int k;                 // of the product
  long long filters;     // elements from the first phase's filters to this one's
} wt_conv_phase;

// In `all`, C is dX, m is the number of its pixels, and the members that a phase has are not used. `grid` is
// of the largest phase. Grid: z = phase.
enum { WT_CONV_MOST_PHASES = 16 };
typedef struct wt_conv_phases_args {
  wt_conv_args all;
  int height, width;       // of dX
  int stride_h, stride_w;  // pixels of dX from one of a phase to the next
  wt_conv_phase phases[WT_CONV_MOST_PHASES];
} wt_conv_phases_args;

// Holds the taps of a filter in one direction. Taps of a phase lie `period` apart; without phases it is 1.
typedef struct wt_conv_taps {
  unsigned count;
  wt_divisor period;
} wt_conv_taps;

// Describes the arguments of conv_rotate_filters: filters K x R x S x C become, phase by phase, C x R x S x K
// of the phase, with their taps rotated by 180 degrees. A tile has WT_CONV_ROTATE_SIDE filters and as many
// channels. Grid: x = taps, and for each of them tiles of filters; y = tiles of channels, of which a
// work-group takes every groups-th.
enum { WT_CONV_ROTATE_THREADS = 256, WT_CONV_ROTATE_SIDE = 64 };
typedef struct wt_conv_rotate_args {
  const void *filters;
  void *rotated;
  wt_divisor tiles;         // of filters
  wt_divisor columns;       // S
  wt_conv_taps in_h, in_w;  // R and S
  int filter_count;         // K
  int channels;             // C
  int groups;               // work-groups in y
} wt_conv_rotate_args;

// Describes the arguments of conv_untouched: pixels of dX that no tap reaches become beta times what they
// are, in place. Pixel (h, w) is reached when u = h + pad is a multiple of `common` along both directions,
// and u / common * inverse modulo the period of its taps is less than their number. Grid: x = groups.
enum { WT_CONV_UNTOUCHED_THREADS = 256 };
typedef struct wt_conv_reach {
  wt_divisor size;    // pixels of dX in this direction
  wt_divisor common;  // of stride and dilation: their greatest common divisor
  wt_conv_taps taps;
  unsigned inverse;  // of dilation / common, modulo the period
  int pad;           // before the first pixel
} wt_conv_reach;
typedef struct wt_conv_untouched_args {
  void *dx;
  unsigned pixels;
  int channels;
  wt_conv_reach in_h, in_w;
  float beta;
  int type;    // WT_KERNEL_* type of dX
  int groups;  // work-groups, whose waves take the pixels in turn
} wt_conv_untouched_args;

#endif
