// SPDX-License-Identifier: MIT
// The end of a GEMM: C = alpha * accumulator + beta * C, rounded once, written inside the matrix only.
#ifndef WT_OPS_STORE_H
#define WT_OPS_STORE_H

#include "../tiles/gl.h"
#include "../tiles/mfma_layout.h"
#include "isa/buffer.h"
#include "isa/convert.h"
#include "isa/ids.h"

namespace wt {

// A tile of C behind a buffer descriptor: rows past the end lie past its last byte, columns past the end are
// sent out of range, and the hardware drops both.
template <class T>
struct bounded_tile {
  buffer memory;
  int row_stride, columns;
  WT_DEVICE int offset(int row, int column) const {
    return column < columns ? (row * row_stride + column) * static_cast<int>(sizeof(T)) : kOutOfRange;
  }
  WT_DEVICE float load(int row, int column) const {
    return to_f32(buffer_load<T>(memory, offset(row, column)));
  }
  WT_DEVICE void store(int row, int column, float value) const {
    buffer_store(memory, offset(row, column), from_f32<T>(value));
  }
};

// The same by 64-bit addresses, for rows so far apart that a tile spans more than a descriptor covers.
template <class T>
struct distant_tile {
  gl<T> memory;
  WT_DEVICE float load(int row, int column) const { return to_f32(memory.load_clamped(row, column)); }
  WT_DEVICE void store(int row, int column, float value) const {
    if (memory.contains(row, column)) {
      memory.data[row * memory.row_stride + column] = from_f32<T>(value);
    }
  }
};

template <class Tile, int I, int J>
WT_DEVICE void store_scaled_blocks(const Tile &tile, const f32x4 (&c)[I][J], float alpha, float beta) {
  using layout = mfma_16x16_accumulator;
  const int lane = lane_id();
#pragma unroll
  for (int i = 0; i < I; ++i) {
#pragma unroll
    for (int j = 0; j < J; ++j) {
      f32x4 value = c[i][j] * alpha;
      const int column = layout::kColumns * j + layout::column(lane, 0);
      if (beta != 0.0f) {
#pragma unroll
        for (int e = 0; e < layout::kElements; ++e) {
          const float old = tile.load(layout::kRows * i + layout::row(lane, e), column);
          value[e] = __builtin_fmaf(beta, old, value[e]);
        }
      }
#pragma unroll
      for (int e = 0; e < layout::kElements; ++e) {
        tile.store(layout::kRows * i + layout::row(lane, e), column, value[e]);
      }
    }
  }
}

// Writes the wave's I x J blocks of 16x16 to the leading part of `to` (column_stride 1, row_stride >=
// columns). With beta == 0 nothing of `to` is read.
template <class T, int I, int J>
WT_DEVICE void store_scaled(const gl<T> &to, const f32x4 (&c)[I][J], float alpha, float beta) {
  constexpr int kTall = I * mfma_16x16_accumulator::kRows, kWide = J * mfma_16x16_accumulator::kColumns;
  if (to.rows <= 0 || to.columns <= 0) return;  // the whole tile is outside
  if (to.fits_buffer(kTall)) {
    const bounded_tile<T> tile = {make_buffer(to.data, static_cast<int>(to.span_bytes(kTall, kWide))),
                                  static_cast<int>(to.row_stride), to.columns};
    store_scaled_blocks(tile, c, alpha, beta);
  } else {
    store_scaled_blocks(distant_tile<T>{to}, c, alpha, beta);
  }
}

}  // namespace wt

#endif
