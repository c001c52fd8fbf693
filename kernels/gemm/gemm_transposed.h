// SPDX-License-Identifier: MIT
// Defines operands whose rows are contiguous, stored k x m or k x n, as sources of a gemm_frame (gfx950).
// They are copied k by k: the LDS tile has a row for each k, as memory has, and the reads from LDS transpose.
//
// The host makes sure that each k begins at a multiple of 4 bytes and has at least 16 bytes, and that there
// are less than 2 GB from the first k to the last. Copies are of 16 bytes. Where a k is no multiple of that,
// its last copy takes bytes of what follows it in memory, and that of the last k would go past the operand's
// last element: the frame leaves the last K step to masked loads then.
#ifndef WT_KERNELS_GEMM_TRANSPOSED_H
#define WT_KERNELS_GEMM_TRANSPOSED_H

#include "gemm_frame.h"

// Describes the operand, element (row, k) as that of gl, with row_stride 1.
template <class T>
struct gemm_transposed : wt::gl<const T> {
  WT_DEVICE gemm_transposed from(int row, int k) const { return {wt::gl<const T>::from(row, k)}; }
  // Returns the matrix as it is stored, with a row for each k.
  WT_DEVICE wt::gl<const T> by_k() const {
    return wt::row_major(this->data, this->columns, this->rows, this->column_stride);
  }
  // Returns whether copies of the leading rows of a tile would go past the last row.
  WT_DEVICE bool overreaches(int tile_rows) const {
    static constexpr int kVector = wt::target::kDirectToLdsBytes / static_cast<int>(sizeof(T));
    return this->rows < tile_rows && this->rows % kVector != 0;
  }
};

// Returns a descriptor of all k.
template <class T>
WT_DEVICE wt::buffer memory_of(const gemm_transposed<T> &operand, int) {
  return memory_of(operand.by_k(), operand.columns);
}

// Describes the halves of an LDS tile with a row for each k: each has the columns of its own rows.
template <class Half>
struct gemm_halves {
  Half half[2];
};
template <int Threads, class Half, class T>
WT_DEVICE void load_masked(gemm_halves<Half> &to, const gemm_transposed<T> &from) {
#pragma unroll 1
  for (int i = 0; i < 2; ++i) load_masked<Threads>(to.half[i], from.from(i * Half::kColumns, 0).by_k());
}

// Fills halves of tiles.
template <class Copier>
struct gemm_transposed_copier : Copier {
  int step_bytes;  // from a K step to the next

  // Copies the half that begins at row first_row of the operand.
  template <class T>
  WT_DEVICE gemm_transposed_copier(const gemm_transposed<T> &operand, int first_row)
      : Copier(operand.by_k().row_bytes(), part_of(operand, first_row)),
        step_bytes(Copier::tile::kRows * operand.by_k().row_bytes()) {}

  WT_DEVICE auto copies(wt::buffer from, int step, wt::lds_place<typename Copier::tile> to) const {
    return this->copies_at(from, step * step_bytes, to);
  }

 private:
  template <class T>
  WT_DEVICE static wt::row_part part_of(const gemm_transposed<T> &operand, int first_row) {
    static constexpr int kBytes = static_cast<int>(sizeof(T));
    return {first_row * kBytes, operand.rows * kBytes};
  }
};

template <class T>
struct gemm_rows<T, gemm_order::rows_contiguous> {
  static constexpr gemm_order kOrder = gemm_order::rows_contiguous;
  static constexpr bool kLeavesScalars = true;
  using args = wt_gemm_args;
  using operand = gemm_transposed<T>;
  template <class Copier>
  using copier = gemm_transposed_copier<Copier>;

  WT_DEVICE static const wt_gemm_args &product(const args &all) { return all; }
  WT_DEVICE static operand of(const args &all, int batch, int columns) {
    return {{static_cast<const T *>(all.a) + batch * all.a_batch, 1, all.a_col, all.m, columns}};
  }
};

template <class T, int Rows, int Step, wt::swizzle Swizzle, class Tile>
struct gemm_lds_tile<gemm_order::rows_contiguous, T, Rows, Step, Swizzle, Tile> {
  static constexpr int kRowBytes = Rows / 2 * wt::kBits<T> / 8;
  static constexpr wt::swizzle kSwizzle =
      wt::solve_swizzle_within<wt::target::kChip, wt::swizzle_limits{kRowBytes, Step * kRowBytes},
                               wt::read_of_transposed_operand<T, typename Tile::layout, kRowBytes>,
                               wt::direct_copy_access>();
  using half = wt::st<T, Step, Rows / 2, kSwizzle>;
  using whole = gemm_halves<half>;
  using reader = wt::lds_reader_tr<half, Tile>;
};

#endif
