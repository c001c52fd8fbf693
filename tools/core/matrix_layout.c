// SPDX-License-Identifier: MIT
// Finds places of elements in strided memory.
#include "matrix_layout.h"

int64_t matrix_layout_count(const matrix_layout *l) {
  int64_t count;
  if (__builtin_mul_overflow(l->rows, l->cols, &count) || __builtin_mul_overflow(count, l->members, &count))
    return INT64_MAX;
  return count;
}

int64_t matrix_layout_span(const matrix_layout *l) {
  int64_t matrix, others, span;
  if (__builtin_mul_overflow(l->rows - 1, l->ld, &matrix) ||
      __builtin_mul_overflow(l->members - 1, l->stride, &others) ||
      __builtin_add_overflow(matrix, others, &span) || __builtin_add_overflow(span, l->cols, &span))
    return INT64_MAX;
  return span;
}

int64_t matrix_layout_place(const matrix_layout *l, int64_t index) {
  const int64_t row = index / l->cols;
  return row / l->rows * l->stride + row % l->rows * l->ld + index % l->cols;
}

static bool is_gap(const uint8_t *bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (bytes[i] != MATRIX_GAP) return false;
  return true;
}

bool matrix_layout_gaps_kept(const matrix_layout *l, const uint8_t *memory, size_t element) {
  const int64_t rows = l->members * l->rows;
  for (int64_t row = 0; row + 1 < rows; ++row) {
    const int64_t from = matrix_layout_place(l, row * l->cols) + l->cols;
    const int64_t to = matrix_layout_place(l, (row + 1) * l->cols);
    if (!is_gap(memory + from * (int64_t)element, (to - from) * (int64_t)element)) return false;
  }
  return true;
}
