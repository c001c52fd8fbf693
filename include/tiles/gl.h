// SPDX-License-Identifier: MIT
// gl: a matrix in global memory, or the part of it from some element on. Element (r, c) is at
// data[r * row_stride + c * column_stride]; all addresses are 64 bit, so it may exceed 4 GB.
#ifndef WT_TILES_GL_H
#define WT_TILES_GL_H

#include "types.h"

namespace wt {

template <class T>
struct gl {
  T *data;
  long long row_stride, column_stride;  // elements
  int rows, columns;                    // what lies inside the matrix; <= 0 when nothing does

  // The part from (row, column) on.
  WT_DEVICE gl from(int row, int column) const {
    return {data + row * row_stride + column * column_stride, row_stride, column_stride, rows - row,
            columns - column};
  }

  WT_DEVICE bool contains(int row, int column) const { return row < rows && column < columns; }

  // Element (row, column), or the nearest one inside: no branch, and nothing outside the matrix is touched.
  // The caller masks what is not inside. Needs rows, columns >= 1.
  WT_DEVICE T load_clamped(int row, int column) const {
    return data[(row < rows ? row : rows - 1) * row_stride +
                (column < columns ? column : columns - 1) * column_stride];
  }

  // Bytes from the first to past the last element of its leading tall x wide part, as far as that lies
  // inside. Needs column_stride == 1 and row_stride >= columns.
  WT_DEVICE long long span_bytes(int tall, int wide) const {
    const int r = rows < tall ? rows : tall, c = columns < wide ? columns : wide;
    return ((r - 1) * row_stride + c) * static_cast<long long>(sizeof(T));
  }

  // Bytes from one row to the next, where rows are near enough (fits_buffer).
  WT_DEVICE int row_bytes() const { return static_cast<int>(row_stride * static_cast<long long>(sizeof(T))); }

  // Whether a tall x wide tile can be addressed by the 32-bit offsets of a buffer descriptor. Half the range
  // is kept free for offsets that are out of range on purpose (kOutOfRange).
  WT_DEVICE bool fits_buffer(int tall) const {
    return (row_stride + 1) * tall * static_cast<long long>(sizeof(T)) < 0x7fffffffll;
  }

  // Whether every row begins at a multiple of `bytes`.
  WT_DEVICE bool rows_aligned(int bytes) const {
    const unsigned long long mixed =
        reinterpret_cast<unsigned long long>(data) | static_cast<unsigned long long>(row_stride) * sizeof(T);
    return (mixed & static_cast<unsigned long long>(bytes - 1)) == 0;
  }
};

}  // namespace wt

#endif
