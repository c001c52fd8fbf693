// SPDX-License-Identifier: MIT
// Finds places of elements in strided memory.
#include "matrix_layout.h"

int64_t matrix_layout_count(const matrix_layout *l) {
  int64_t count;
  if (__builtin_mul_overflow(l->rows, l->cols, &count) || __builtin_mul_overflow(count, l->members, &count))
    return INT64_MAX;
  return count;
}

static int64_t parts_of(const matrix_layout *l) { return l->parts ? l->parts : 1; }

int64_t matrix_layout_span(const matrix_layout *l) {
  const int64_t part = l->cols / parts_of(l);
  int64_t matrix, others, row, span;
  if (__builtin_mul_overflow(l->rows - 1, l->ld, &matrix) ||
      __builtin_mul_overflow(l->members - 1, l->stride, &others) ||
      __builtin_mul_overflow(parts_of(l) - 1, l->part_stride, &row) ||
      __builtin_add_overflow(row, part, &row) || __builtin_add_overflow(matrix, others, &span) ||
      __builtin_add_overflow(span, row, &span))
    return INT64_MAX;
  return span;
}

int64_t matrix_layout_place(const matrix_layout *l, int64_t index) {
  const int64_t row = index / l->cols, column = index % l->cols, part = l->cols / parts_of(l);
  return row / l->rows * l->stride + row % l->rows * l->ld + column / part * l->part_stride + column % part;
}

typedef struct axis {
  int64_t count, stride;
} axis;

enum { AXES = 3 };

// Returns the axes of a layout, the one with the largest stride first; those with one member last.
static void sorted_axes(const matrix_layout *l, axis out[AXES]) {
  const axis axes[AXES] = {{l->members, l->stride}, {l->rows, l->ld}, {parts_of(l), l->part_stride}};
  for (int i = 0; i < AXES; ++i) {
    const axis one = axes[i].count > 1 ? axes[i] : (axis){.count = 1};
    int at = i;
    for (; at > 0 && out[at - 1].stride < one.stride; --at) out[at] = out[at - 1];
    out[at] = one;
  }
}

bool matrix_layout_nests(const matrix_layout *l) {
  axis axes[AXES];
  sorted_axes(l, axes);
  int64_t inner = l->cols / parts_of(l);  // from the first element to the last of what the next axis repeats
  for (int i = AXES - 1; i >= 0; --i) {
    if (axes[i].count == 1) continue;
    if (axes[i].stride < inner ||
        __builtin_mul_overflow(axes[i].count - 1, axes[i].stride, &axes[i].stride) ||
        __builtin_add_overflow(inner, axes[i].stride, &inner))
      return false;
  }
  return true;
}

static bool is_gap(const uint8_t *bytes, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    if (bytes[i] != MATRIX_GAP) return false;
  return true;
}

bool matrix_layout_gaps_kept(const matrix_layout *l, const uint8_t *memory, size_t element) {
  axis axes[AXES];
  sorted_axes(l, axes);
  const int64_t part = l->cols / parts_of(l);
  int64_t end = 0;  // of the part before
  for (int64_t i = 0; i < axes[0].count; ++i)
    for (int64_t j = 0; j < axes[1].count; ++j)
      for (int64_t k = 0; k < axes[2].count; ++k) {
        const int64_t start = i * axes[0].stride + j * axes[1].stride + k * axes[2].stride;
        if (!is_gap(memory + end * (int64_t)element, (start - end) * (int64_t)element)) return false;
        end = start + part;
      }
  return true;
}
