// SPDX-License-Identifier: MIT
// Defines the matrix A of a convolution, whose rows are output pixels, as the source of a gemm_frame.
#ifndef WT_KERNELS_CONV_PIXELS_H
#define WT_KERNELS_CONV_PIXELS_H

#include "conv_args.h"
#include "conv_copier.h"
#include "kernels/fetch_arguments.h"
#include "kernels/gemm/gemm_frame.h"

// Describes the part of A that begins at an output pixel and a column: what gl is for a matrix in memory.
template <class T>
struct conv_pixels {
  const wt_conv_image *image;
  const char *data;  // the image of the first pixel
  int images;        // that one and those after it
  int pixel;         // the first one, counted in its output image
  int rows;          // pixels, the first one and those after it
  int k;             // the first column of A
  int columns;       // that one and those after it

  WT_DEVICE conv_pixels from(int row, int column) const {
    conv_pixels part = *this;
    const int later = row == 0 ? 0 : static_cast<int>(wt_divide(pixel + row, image->out_pixels));
    part.data += later * image_bytes();
    part.images -= later;
    part.pixel += row - later * static_cast<int>(image->out_pixels.divisor);
    part.rows -= row, part.k += column, part.columns -= column;
    return part;
  }

  // Returns the first column in bytes.
  WT_DEVICE int k_bytes() const { return k * static_cast<int>(sizeof(T)); }

  WT_DEVICE long long image_bytes() const {
    return static_cast<long long>(image->height) * image->width * image->tap_bytes.divisor;
  }

  // Returns where the filter lies at a pixel, or at the last one if there are fewer.
  WT_DEVICE conv_place place_of(int row) const {
    const unsigned there = pixel + (row < rows ? row : rows - 1);
    const unsigned of = wt_divide(there, image->out_pixels), in = there - of * image->out_pixels.divisor;
    const unsigned p = wt_divide(in, image->out_width), q = in - p * image->out_width.divisor;
    return {static_cast<int>(of), static_cast<int>(p) * image->stride_h - image->pad_top,
            static_cast<int>(q) * image->stride_w - image->pad_left};
  }
};

// Returns a descriptor of the images that the leading `tall` pixels touch. The host has made sure that these
// are less than 2 GB.
template <class T>
WT_DEVICE wt::buffer memory_of(const conv_pixels<T> &from, int tall) {
  const int last = from.pixel + (tall < from.rows ? tall : from.rows) - 1;
  const int touched = wt_divide(last, from.image->out_pixels) + 1;
  const int images = touched < from.images ? touched : from.images;
  return wt::make_buffer(from.data, static_cast<int>(images * from.image_bytes()));
}

// Returns the Piece of A at a pixel and byte k of K: bytes that lie within one tap. It is zero where the
// filter is outside the image.
template <class Piece, class T>
WT_DEVICE Piece conv_piece(const conv_pixels<T> &from, const conv_place &place, int k) {
  const wt_conv_image &image = *from.image;
  const unsigned r = wt_divide(k, image.tap_row_bytes), in_row = k - r * image.tap_row_bytes.divisor;
  const unsigned s = wt_divide(in_row, image.tap_bytes), channel_bytes = in_row - s * image.tap_bytes.divisor;
  const int h = place.h + static_cast<int>(r) * image.dilation_h;
  const int w = place.w + static_cast<int>(s) * image.dilation_w;
  const bool inside = h >= 0 && h < image.height && w >= 0 && w < image.width;
  const long long pixel = (static_cast<long long>(place.image) * image.height + h) * image.width + w;
  const Piece piece =
      wt::global_load<Piece>(from.data + (inside ? pixel * image.tap_bytes.divisor + channel_bytes : 0));
  return inside ? piece : Piece{};
}

// Names an element of type T as bits.
template <class T>
using conv_bits = wt::detail::piece_of<static_cast<int>(sizeof(T))>::type;

// Returns 16 bytes made of elements: load(i) for those below `count`, and zeros.
template <class T, class Load>
WT_DEVICE wt::u32x4 conv_gather(int count, const Load &load) {
  static constexpr int kPerDword = 4 / static_cast<int>(sizeof(T));
  wt::u32x4 packed = {};
#pragma unroll
  for (int i = 0; i < 4 * kPerDword; ++i) {
    const wt::u32 value = i < count ? load(i) : 0;
    packed[i / kPerDword] |= value << wt::kBits<T> * (i % kPerDword);
  }
  return packed;
}

// Returns 16 bytes of A at a pixel, from column `column` of the part on, with zeros past the last one: at
// once where taps are made of 16 bytes, and else one element at a time, which is slow.
template <class T>
WT_DEVICE wt::u32x4 conv_columns_of(const conv_pixels<T> &from, const conv_place &place, int column) {
  static constexpr int kBytes = static_cast<int>(sizeof(T));
  const int k = from.k_bytes() + column * kBytes;
  if (from.image->tap_bytes.divisor % 16 == 0) return conv_piece<wt::u32x4>(from, place, k);
  return conv_gather<T>(from.columns - column, [&](int i) WT_INLINE {
    return conv_piece<conv_bits<T>>(from, place, k + i * kBytes);
  });
}

// Fills an LDS tile from the leading part of A, with zeros outside it, whatever the number of channels and
// the size of images. A barrier must follow.
template <int Threads, class T, int Rows, int Columns, wt::swizzle S>
WT_DEVICE void load_masked(wt::st<T, Rows, Columns, S> &to, const conv_pixels<T> &from) {
  static constexpr int kEach = 16 / static_cast<int>(sizeof(T)), kPerRow = Columns / kEach;
#pragma unroll 1
  for (int chunk = wt::thread_id(); chunk < Rows * kPerRow; chunk += Threads) {
    const int row = chunk / kPerRow, first = chunk % kPerRow * kEach;
    wt::u32x4 packed = {};
    if (row < from.rows && first < from.columns) packed = conv_columns_of(from, from.place_of(row), first);
    to.template at<wt::u32x4>(wt::swizzled<S>(chunk * 16)) = packed;
  }
}

// Describes the source of A's rows (gemm_frame.h).
template <class T>
struct conv_rows {
  static constexpr gemm_order kOrder = gemm_order::k_contiguous;
  static constexpr bool kLeavesScalars = false;  // sizes, strides and divisors of the images take them
  using args = wt_conv_args;
  using operand = conv_pixels<T>;
  template <class Copier>
  using copier = conv_copier<Copier>;

  WT_DEVICE static const wt_gemm_args &product(const args &all) { return all.product; }
  WT_DEVICE static operand of(const args &all, int, int columns) {
    return {&all.image, static_cast<const char *>(all.product.a), all.image.images, 0, all.product.m, 0,
            columns};
  }
};

// CONV_TYPES(DEFINE, ...) is DEFINE(..., name and type of X, name and type of W) for every type of images and
// filters.
#define CONV_TYPES(DEFINE, ...)                                 \
  DEFINE(__VA_ARGS__, bf16, wt::bf16, bf16, wt::bf16)           \
  DEFINE(__VA_ARGS__, f16, wt::f16, f16, wt::f16)               \
  DEFINE(__VA_ARGS__, f8e4m3, wt::fp8e4m3, f8e4m3, wt::fp8e4m3) \
  DEFINE(__VA_ARGS__, f8e5m2, wt::fp8e5m2, f8e5m2, wt::fp8e5m2)

// Defines the kernels <stem>_<x>_<w>, entry<Loop<X, W, BM, BN, stages>>.
#define CONV_KERNEL(entry, Loop, waves_per_simd, stem, BM, BN, stages, x_name, X, w_name, W) \
  WT_KERNEL_OF_WAVES((Loop<X, W, BM, BN, stages>::kThreads), waves_per_simd)                 \
  stem##_##x_name##_##w_name(wt_conv_args args) {                                            \
    fetch_arguments<sizeof(wt_conv_args)>();                                                 \
    entry<Loop<X, W, BM, BN, stages>>(args);                                                 \
  }
#define CONV_KERNELS(...) CONV_TYPES(CONV_KERNEL, __VA_ARGS__)

#endif
