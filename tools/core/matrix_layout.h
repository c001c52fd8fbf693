// SPDX-License-Identifier: MIT
// Says where the elements of a batch of matrices are in the device's memory. On the host they follow each
// other.
#ifndef WT_TOOLS_MATRIX_LAYOUT_H
#define WT_TOOLS_MATRIX_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct matrix_layout {
  int64_t members;     // matrices; 1 where all of the batch use the same
  int64_t rows, cols;  // rows and columns of one matrix, as stored
  int64_t ld, stride;  // elements between the starts of rows and of matrices
  // Where the columns of a row lie in several parts, these are how many parts of equal length, and elements
  // between the starts of parts. With 0 parts a row is whole.
  int64_t parts, part_stride;
} matrix_layout;

enum { MATRIX_GAP = 0xff };  // each byte between rows and matrices: NaN in FP8, BF16, F16 and F32

// Returns the number of elements of all matrices.
int64_t matrix_layout_count(const matrix_layout *layout);
// Returns the number of elements of the device's memory from the first to the last that is used.
int64_t matrix_layout_span(const matrix_layout *layout);
// Returns the elements between the starts of matrices, or 0 where there is one matrix.
static inline int64_t matrix_layout_stride(const matrix_layout *layout) {
  return layout->members > 1 ? layout->stride : 0;
}
// Returns the place in the device's memory, in elements, of the element that has number `index` on the host.
int64_t matrix_layout_place(const matrix_layout *layout, int64_t index);
// Returns whether matrices, rows and parts, in some order, each contain the next ones whole and side by side,
// so that no two elements have the same place.
bool matrix_layout_nests(const matrix_layout *layout);
// Returns whether, in a layout that nests, all bytes between rows, matrices and parts have the value
// MATRIX_GAP. `element` is the bytes of one element.
bool matrix_layout_gaps_kept(const matrix_layout *layout, const uint8_t *memory, size_t element);

#endif
