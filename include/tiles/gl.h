// SPDX-License-Identifier: MIT
// The header has gl, which describes a matrix in global memory, or the part of it that begins at some
// element. Element (r, c) is at data[r * row_stride + c * column_stride]. All addresses have 64 bits, so a
// matrix may exceed 4 GB.
//
// scope: lane; operands: gl; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
#ifndef WT_TILES_GL_H
#define WT_TILES_GL_H

#include "types.h"

namespace wt {

// gl describes a matrix of T in global memory by its first element, its strides and its size. Strides may be
// any numbers of elements, so the same type describes row-major, column-major and transposed matrices.
template <class T>
struct gl {
  T *data;
  long long row_stride, column_stride;  // elements from one row, or column, to the next
  int rows, columns;                    // elements that lie inside the matrix; <= 0 when none does

  // Returns the part of the matrix that begins at element (row, column).
  WT_DEVICE gl from(int row, int column) const {
    return {data + row * row_stride + column * column_stride, row_stride, column_stride, rows - row,
            columns - column};
  }

  // Returns the address of element (row, column), which may lie outside.
  WT_DEVICE T *address(int row, int column) const { return data + row * row_stride + column * column_stride; }

  // Returns whether element (row, column), counted from 0, lies inside the matrix.
  WT_DEVICE bool contains(int row, int column) const { return row < rows && column < columns; }

  // Returns element (row, column), or the nearest element inside the matrix. It takes no branch and touches
  // nothing outside the matrix; the caller masks the values of elements that lie outside. It needs rows,
  // columns >= 1.
  //
  // leaves: vmcnt; waits: compiler
  WT_DEVICE T load_clamped(int row, int column) const {
    return data[(row < rows ? row : rows - 1) * row_stride +
                (column < columns ? column : columns - 1) * column_stride];
  }

  // Returns how many bytes the leading tall x wide part of the matrix (in elements) spans, as far as that
  // part lies inside. It needs column_stride == 1 and row_stride >= columns.
  WT_DEVICE long long span_bytes(int tall, int wide) const {
    const int r = rows < tall ? rows : tall, c = columns < wide ? columns : wide;
    return ((r - 1) * row_stride + c) * static_cast<long long>(sizeof(T));
  }

  // Returns the bytes from one row to the next. It needs a matrix for which fits_buffer holds.
  WT_DEVICE int row_bytes() const { return static_cast<int>(row_stride * static_cast<long long>(sizeof(T))); }

  // Returns whether a tile of `tall` rows can be addressed by the 32-bit offsets of a buffer descriptor. Half
  // of their range stays free for offsets that are out of range on purpose (kOutOfRange).
  WT_DEVICE bool fits_buffer(int tall) const {
    return (row_stride + 1) * tall * static_cast<long long>(sizeof(T)) < 0x7fffffffll;
  }

  // Returns whether every row begins at a multiple of `bytes`, which is a power of two.
  WT_DEVICE bool rows_aligned(int bytes) const {
    const unsigned long long mixed =
        reinterpret_cast<unsigned long long>(data) | static_cast<unsigned long long>(row_stride) * sizeof(T);
    return (mixed & static_cast<unsigned long long>(bytes - 1)) == 0;
  }
};

// Returns the matrix of rows x columns elements that begins at `data` and whose rows follow each other in
// memory; with row_stride, so many elements apart. The host, too, may call it for a kernel's argument.
template <class T>
WT_INLINE constexpr gl<T> row_major(T *data, int rows, int columns, long long row_stride) {
  return {data, row_stride, 1, rows, columns};
}
template <class T>
WT_INLINE constexpr gl<T> row_major(T *data, int rows, int columns) {
  return row_major(data, rows, columns, columns);
}

}  // namespace wt

#endif
