// SPDX-License-Identifier: MIT
// The operands of the gradient of the filters (conv_taps.h) where reads from LDS do not transpose (gfx942):
// they go through registers, which transpose them (ops/transposing_copier.h), to tiles that have k, the
// output pixels, along their rows.
#ifndef WT_KERNELS_CONV_TAPS_TRANSPOSING_H
#define WT_KERNELS_CONV_TAPS_TRANSPOSING_H

#include "conv_taps.h"

// Describes dY as copiers take it: as the transpose of a matrix that has a row for each pixel.
template <class T>
struct conv_transposed {
  wt::gl<const T> by_pixel;
  int columns;  // pixels

  WT_DEVICE operator const wt::gl<const T> &() const { return by_pixel; }
  WT_DEVICE conv_transposed from(int row, int k) const { return {by_pixel.from(k, row), columns - k}; }
};

template <class T>
WT_DEVICE wt::buffer memory_of(const conv_transposed<T> &operand, int) {
  return memory_of(operand.by_pixel, operand.by_pixel.rows);
}

// Returns 16 bytes of pixel k from row `row` of the operand on, with zeros past the last row and the last
// pixel.
template <class T>
WT_DEVICE wt::u32x4 conv_rows_of(const conv_transposed<T> &from, int row, int k) {
  const wt::gl<const T> &by_pixel = from.by_pixel;
  if (row >= by_pixel.columns || k >= by_pixel.rows) return {};
  const T *at = by_pixel.data + k * by_pixel.row_stride + row;
  if (by_pixel.row_bytes() % 16 == 0) return wt::global_load<wt::u32x4>(at);
  return conv_gather<T>(by_pixel.columns - row,
                        [=](int i) WT_INLINE { return wt::global_load<conv_bits<T>>(at + i); });
}
template <class T>
WT_DEVICE wt::u32x4 conv_rows_of(const conv_taps<T> &from, int row, int k) {
  const conv_pixels<T> &by_pixel = from.by_pixel;
  if (row >= by_pixel.columns || k >= by_pixel.rows) return {};
  return conv_columns_of(by_pixel, by_pixel.place_of(k), row);
}

// Fills an LDS tile from the leading part of either operand, with zeros outside it. A barrier must follow.
template <int Threads, class Operand, class T, int Rows, int Columns, wt::swizzle S>
  requires requires(const Operand &from) { conv_rows_of(from, 0, 0); }
WT_DEVICE void load_masked(wt::st<T, Rows, Columns, S> &to, const Operand &from) {
  static constexpr int kEach = 16 / static_cast<int>(sizeof(T)), kPerDword = kEach / 4;
#pragma unroll 1
  for (int i = wt::thread_id(); i < Rows / kEach * Columns; i += Threads) {
    const int row = i / Columns * kEach, k = i % Columns;
    const wt::u32x4 packed = conv_rows_of(from, row, k);
    wt::unrolled<kEach>([&](auto n) WT_INLINE {
      const wt::u32 dword = packed[n / kPerDword] >> n % kPerDword * wt::kBits<T>;
      to.template at<conv_bits<T>>(to.place_of(to.linear(row + n, k))) = static_cast<conv_bits<T>>(dword);
    });
  }
}

// Names what transposes on the way through registers, and fills the same tiles by the same waves as Copier.
template <class Copier>
using conv_transposing_copier =
    wt::transposing_copier<typename Copier::tile, Copier::kWaves * wt::target::kWaveLanes>;

// Fills halves of tiles from images, as conv_taps_copier does. Rows of a block lie within one tap.
template <class Copier>
struct conv_taps_transposing_copier : Copier {
  using Copier::kBlocks, Copier::kColumns, Copier::kCopies;
  using tile = typename Copier::tile;

  conv_pixel_advance advance;
  wt::u32 last;  // packed: the last row and column of an image
  conv_shift tap[kBlocks];
  conv_shift pixel[kBlocks][kColumns];  // of the next K step

  // Copies the half that begins at row first_row of the operand.
  template <class Taps>
  WT_DEVICE conv_taps_transposing_copier(const Taps &operand, int first_row)
      : advance(*operand.by_pixel.image, tile::kColumns), last(conv_last(*operand.by_pixel.image)) {
    const auto &from = operand.by_pixel;
    static constexpr int kBytes = wt::kBits<typename tile::element> / 8;
    wt::unrolled<kBlocks>([&](auto b) WT_INLINE {
      const int row = first_row + Copier::row_of(wt::thread_id(), b);
      const int first = Copier::byte_of(wt::thread_id(), b) / kBytes;
      tap[b] = conv_tap_of_filter(*from.image, from.k_bytes() + row * kBytes,
                                  from.k_bytes() + from.columns * kBytes);
      wt::unrolled<kColumns>([&](auto c) WT_INLINE {
        pixel[b][c] = conv_pixel_advance::pixel_at(*from.image, from.pixel + first + c);
      });
    });
  }

  // K steps are brought one after the other, so that their numbers are not needed.
  WT_DEVICE auto fetches(wt::buffer from, int) {
    return wt::list_of<kCopies>([=, this](auto n) WT_INLINE {
      wt::unrolled<Copier::kLoadsEach>([&](auto i) WT_INLINE {
        static constexpr int kN = n * Copier::kLoadsEach + i, kB = kN / kColumns, kC = kN % kColumns;
        this->held[kB][kC] =
            wt::buffer_load<typename Copier::vector>(from, conv_offset(pixel[kB][kC], tap[kB], last));
        advance.move(pixel[kB][kC]);
      });
    });
  }
};

// Describes dY, as A of the product.
template <class T>
struct conv_filter_rows_transposing {
  static constexpr gemm_order kOrder = gemm_order::k_contiguous;
  static constexpr bool kLeavesScalars = false;
  using args = wt_conv_args;
  using operand = conv_transposed<T>;
  template <class Copier>
  using copier = conv_transposing_copier<Copier>;

  WT_DEVICE static const wt_gemm_args &product(const args &all) { return all.product; }
  WT_DEVICE static operand of(const args &all, int, int columns) {
    const wt_gemm_args &args = all.product;
    return {wt::row_major(static_cast<const T *>(args.a), columns, args.m, args.a_col), columns};
  }
};

// Describes the images, as B of the product.
template <class T>
struct conv_tap_rows_transposing : conv_tap_rows<T> {
  static constexpr gemm_order kOrder = gemm_order::k_contiguous;
  template <class Copier>
  using copier = conv_taps_transposing_copier<conv_transposing_copier<Copier>>;
};

#endif
