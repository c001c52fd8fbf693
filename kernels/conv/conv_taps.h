// SPDX-License-Identifier: MIT
// Defines the operands of the gradient of the filters, dW = dY^T * A, for a gemm_frame: A is the matrix of a
// convolution (conv_pixels.h), with a row for each output pixel, and so is dY. K of this product are the
// output pixels, and rows are contiguous in both: those of dY are filters, those of A channels of taps.
#ifndef WT_KERNELS_CONV_TAPS_H
#define WT_KERNELS_CONV_TAPS_H

#include "conv_pixels.h"
#include "conv_taps_copier.h"
#include "kernels/gemm/gemm_transposed.h"

// Describes the transpose of the part of A that begins at a channel of a tap and an output pixel.
template <class T>
struct conv_taps {
  conv_pixels<T> by_pixel;

  WT_DEVICE conv_taps from(int row, int k) const { return {by_pixel.from(k, row)}; }
  // Copies find zeros past the last tap.
  WT_DEVICE static bool overreaches(int) { return false; }
};

// Returns a descriptor of the images that all of its pixels touch. The host has made sure that these are less
// than 2 GB.
template <class T>
WT_DEVICE wt::buffer memory_of(const conv_taps<T> &operand, int) {
  return memory_of(operand.by_pixel, operand.by_pixel.rows);
}

template <int Threads, class Half, class T>
WT_DEVICE void load_masked(gemm_halves<Half> &to, const conv_taps<T> &from) {
#pragma unroll 1
  for (int i = 0; i < 2; ++i) load_masked<Threads>(to.half[i], from.from(i * Half::kColumns, 0).by_pixel);
}

// Describes dY, as A of the product.
template <class T>
struct conv_filter_rows : gemm_rows<T, gemm_order::rows_contiguous> {
  using base = gemm_rows<T, gemm_order::rows_contiguous>;
  static constexpr bool kLeavesScalars = false;  // sizes, strides and divisors of the images take them
  using args = wt_conv_args;

  WT_DEVICE static const wt_gemm_args &product(const args &all) { return all.product; }
  WT_DEVICE static typename base::operand of(const args &all, int batch, int columns) {
    return base::of(all.product, batch, columns);
  }
};

// Describes the images, as B of the product.
template <class T>
struct conv_tap_rows {
  static constexpr gemm_order kOrder = gemm_order::rows_contiguous;
  using operand = conv_taps<T>;
  template <class Copier>
  using copier = conv_taps_copier<Copier>;

  WT_DEVICE static operand of_b(const wt_conv_args &all, int, int columns) {
    return {{&all.image, static_cast<const char *>(all.product.b), all.image.images, 0, columns, 0,
             all.product.n}};
  }
};

#endif
