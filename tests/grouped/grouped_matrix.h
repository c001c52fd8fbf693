// SPDX-License-Identifier: MIT
// Makes matrices of grouped products as calls have them: in any order, of numbers or in MX formats, with
// scales of blocks or without.
#ifndef WT_TESTS_GROUPED_MATRIX_H
#define WT_TESTS_GROUPED_MATRIX_H

#include "block_scale/mx.h"
#include "wavetile.h"

enum { F32_BLOCK = WT_F32_BLOCK_ELEMENTS };

// Describes `groups` matrices of `rows` x `columns` numbers. In memory they have lines of `length` elements,
// which are their rows or, where they are transposed, their columns.
typedef struct grouped_matrix {
  int groups, rows, columns;
  bool transposed;
  bool beside;              // the matrix of a group lies to the right of the one before, and not below it
  const mx_format *format;  // of packed elements; NULL: numbers
  row_matrix memory;
  int block;         // elements of a line that share a scale; 0: there are none
  int together;      // lines that do
  bool across;       // F32 scales have a row for each block
  row_matrix scale;  // E8M0 bytes, or F32
} grouped_matrix;

static inline int lines_of(const grouped_matrix *m) { return m->transposed ? m->columns : m->rows; }
static inline int length_of(const grouped_matrix *m) { return m->transposed ? m->rows : m->columns; }
static inline int blocks_of(const grouped_matrix *m) { return (length_of(m) + m->block - 1) / m->block; }
static inline int scaled_lines_of(const grouped_matrix *m) {
  return (lines_of(m) + m->together - 1) / m->together;
}

// Return the row of memory that has a line of a group, and the element where the line begins there.
static inline int memory_row(const grouped_matrix *m, int group, int line) {
  return m->beside ? line : group * lines_of(m) + line;
}
static inline int memory_column(const grouped_matrix *m, int group) {
  return m->beside ? group * length_of(m) : 0;
}

static inline int scale_row(const grouped_matrix *m, int group, int line, int block) {
  if (m->across) return group * blocks_of(m) + block;
  return m->beside ? line / m->together : group * scaled_lines_of(m) + line / m->together;
}
static inline int scale_column(const grouped_matrix *m, int group, int line, int block) {
  return m->across ? line / m->together : (m->beside ? group * blocks_of(m) : 0) + block;
}

static inline double scale_value(const grouped_matrix *m, int group, int line, int block) {
  const int row = scale_row(m, group, line, block), column = scale_column(m, group, line, block);
  if (m->format) return mx_scale((int)row_get(&m->scale, m->scale.host, row, column));
  return row_value(&m->scale, m->scale.host, row, column);
}

// Returns element `at` of a line, times its scale.
static inline double line_value(const grouped_matrix *m, int group, int line, int at) {
  const int row = memory_row(m, group, line), column = memory_column(m, group) + at;
  const double scale = m->block ? scale_value(m, group, line, at / m->block) : 1;
  if (!m->format) return row_value(&m->memory, m->memory.host, row, column) * scale;
  const int bytes = mx_block_bytes(m->format);
  const unsigned char *block = m->memory.host + row_place(&m->memory, row, column / MX_BLOCK * bytes);
  return mx_value(m->format, mx_code(m->format, block, column % MX_BLOCK)) * scale;
}

// Returns all numbers: groups x rows x columns.
static inline double *numbers_of(const grouped_matrix *m) {
  double *numbers = malloc((size_t)m->groups * (size_t)m->rows * (size_t)m->columns * sizeof *numbers);
  for (int g = 0; g < m->groups; ++g)
    for (int line = 0; line < lines_of(m); ++line)
      for (int at = 0; at < length_of(m); ++at) {
        const int row = m->transposed ? at : line, column = m->transposed ? line : at;
        numbers[(g * m->rows + row) * m->columns + column] = line_value(m, g, line, at);
      }
  return numbers;
}

// ---- memory

// Makes memory for it, and sets what the descriptor says of it. Most begin where direct copies can take them;
// `plain` ones all do.
static inline void make_memory(grouped_matrix *m, wt_type type, bool plain, int64_t *ld, test_rng *rng) {
  const int rows = lines_of(m) * (m->beside ? 1 : m->groups);
  const int columns = length_of(m) * (m->beside ? m->groups : 1);
  const bool anywhere = !plain && row_between(rng, 0, 5) == 0;
  if (m->format) {
    const int blocks = columns / MX_BLOCK, gap = row_between(rng, 0, 1) ? 0 : row_between(rng, 1, 3);
    const int bytes = mx_block_bytes(m->format);
    m->memory = row_matrix_create(WT_TYPE_I8, rows, blocks * bytes, (blocks + gap) * bytes,
                                  anywhere ? row_between(rng, 0, 15) : 0);
    *ld = gap || m->beside ? MX_BLOCK * (blocks + gap) : 0;
    return;
  }
  const int element = (int)row_element(type), chunk = 16 / element;
  const int aligned = (columns + chunk - 1) / chunk * chunk + chunk * row_between(rng, 0, 2);
  const int step = anywhere ? columns + row_between(rng, 0, 3) : row_between(rng, 0, 2) ? aligned : columns;
  *ld = step == columns && !m->beside && row_between(rng, 0, 1) ? 0 : step;
  m->memory = row_matrix_create(type, rows, columns, step, anywhere ? element * row_between(rng, 0, 3) : 0);
}

// Does so for its scales, whose bytes all say NaN. `group` is NULL where there is one matrix.
static inline void make_scale_memory(grouped_matrix *m, int64_t *row, int64_t *block, int64_t *group,
                                     test_rng *rng) {
  const int blocks = blocks_of(m), lines = scaled_lines_of(m);
  const int width = m->across ? lines : blocks * (m->beside ? m->groups : 1);
  const int height = m->across ? m->groups * blocks : lines * (m->beside ? 1 : m->groups);
  const bool mx = m->format != NULL, anywhere = row_between(rng, 0, 3) == 0;
  const int aligned = (width + 3) / 4 * 4 + 4 * row_between(rng, 0, 2);
  const int step = !mx || anywhere ? width + row_between(rng, 0, 3) : aligned;
  const int offset = mx ? (anywhere ? row_between(rng, 0, 3) : 0) : 4 * row_between(rng, 0, 3);
  m->scale = row_matrix_create(mx ? WT_TYPE_I8 : WT_TYPE_F32, height, width, step, offset);
  const bool packed = step == width && !m->across && !m->beside;  // the default
  if (!packed || row_between(rng, 0, 1)) *row = m->across ? 1 : step;
  if (*row && !mx) *block = m->across ? step : 1;
  if (group && m->beside && !m->across)
    *group = blocks;
  else if (group && row_between(rng, 0, 1))
    *group = (int64_t)(m->across ? blocks : lines) * step;
}

static inline void upload_matrix(const grouped_matrix *m) {
  row_upload(&m->memory);
  if (m->block) row_upload(&m->scale);
}

static inline void destroy_matrix(grouped_matrix *m) {
  row_matrix_destroy(&m->memory);
  if (m->block) row_matrix_destroy(&m->scale);
}

// ---- contents

// Every FP8 type has the whole numbers up to 3.
static inline uint32_t code_of(wt_type type, double value) {
  return row_element(type) == 1 ? fp8_nearest(type, value) : row_encode(type, value);
}

static inline void put_element(grouped_matrix *m, int group, int line, int at, uint32_t code) {
  const int row = memory_row(m, group, line), column = memory_column(m, group) + at;
  if (!m->format) {
    row_put(&m->memory, row, column, code);
    return;
  }
  const int bytes = mx_block_bytes(m->format);
  mx_put_code(m->format, m->memory.host + row_place(&m->memory, row, column / MX_BLOCK * bytes),
              column % MX_BLOCK, code);
}

// Fills elements `from` up to `to` of a line with whole numbers.
static inline void fill_line(grouped_matrix *m, int group, int line, int from, int to, test_rng *rng) {
  enum { LARGEST = 3 };
  uint32_t codes[2 * LARGEST + 1];
  for (int value = -LARGEST; value <= LARGEST; ++value)
    codes[LARGEST + value] = m->format ? mx_encode(m->format, value) : code_of(m->memory.type, value);
  for (int at = from; at < to; ++at) put_element(m, group, line, at, codes[row_between(rng, 0, 2 * LARGEST)]);
}

static inline void fill_scale(grouped_matrix *m, int group, int line, int block, test_rng *rng) {
  const int exponent = row_between(rng, -1, 1);
  const uint32_t code = m->format ? (uint32_t)(127 + exponent) : row_encode(WT_TYPE_F32, exp2(exponent));
  row_put(&m->scale, scale_row(m, group, line, block), scale_column(m, group, line, block), code);
}

#endif
