// SPDX-License-Identifier: MIT
// Shuffled scales and weights on the host (wavetile/shuffle.h): where their bytes are, and the arrays of
// files that hold them. Shuffled scales are an array with a row for 32 rows of scales, shuffled weights one
// of the shape that the weights have.
#ifndef WT_TOOLS_SHUFFLED_H
#define WT_TOOLS_SHUFFLED_H

#include "core/npy.h"
#include "wavetile.h"

typedef enum shuffled_kind { SHUFFLED_WEIGHTS, SHUFFLED_SCALES } shuffled_kind;

// Sets rank and shape of the array of a shuffled matrix of rows x columns bytes.
static inline void shuffled_dims(shuffled_kind kind, int64_t rows, int64_t columns, npy_array *out) {
  out->rank = 2, out->shape[0] = rows, out->shape[1] = columns;
  if (kind == SHUFFLED_WEIGHTS) return;
  out->shape[0] = (rows + WT_SHUFFLED_SCALE_ROWS - 1) / WT_SHUFFLED_SCALE_ROWS;
  out->shape[1] =
      (columns + WT_SHUFFLED_SCALE_BLOCKS - 1) / WT_SHUFFLED_SCALE_BLOCKS * WT_SHUFFLED_SCALE_BYTES;
}

// Returns the place of the byte of a row and column in such an array, of which `columns` is the second size.
static inline int64_t shuffled_place(shuffled_kind kind, int64_t columns, int64_t row, int64_t column) {
  if (kind == SHUFFLED_WEIGHTS)
    return row / 16 * 16 * columns + column / 16 * 256 + row % 16 * 16 + column % 16;
  return row / 32 * columns + column / 8 * 256 + 64 * (column % 4) + 4 * (row % 16) + 2 * (column % 8 / 4) +
         row % 32 / 16;
}

// Returns memory, to be freed, with the numbers of shuffled matrices one after the other, as rows of
// `columns`: `matrices` of `rows` each. NULL: there is no memory for them.
float *shuffled_to_rows(shuffled_kind kind, const npy_array *shuffled, int64_t matrices, int64_t rows,
                        int64_t columns);

#endif
