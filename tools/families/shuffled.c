// SPDX-License-Identifier: MIT
// This brings shuffled matrices to rows.
#include "shuffled.h"

#include "core/host_memory.h"

float *shuffled_to_rows(shuffled_kind kind, const npy_array *shuffled, int64_t matrices, int64_t rows,
                        int64_t columns) {
  npy_array one;
  shuffled_dims(kind, rows, columns, &one);
  const int64_t bytes = one.shape[0] * one.shape[1];
  float *out = host_memory(matrices * rows * columns, sizeof *out), *next = out;
  for (int64_t member = 0; out && member < matrices; ++member)
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column)
        *next++ = shuffled->data[member * bytes + shuffled_place(kind, one.shape[1], row, column)];
  return out;
}
