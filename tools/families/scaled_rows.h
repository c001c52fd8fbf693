// SPDX-License-Identifier: MIT
// Declares rows of numbers with a factor for each block of them, decoded once for a reference that multiplies
// every row of one matrix with every row of another.
#ifndef WT_TOOLS_SCALED_ROWS_H
#define WT_TOOLS_SCALED_ROWS_H

#include <stdbool.h>

#include "core/dot.h"

typedef struct scaled_rows {
  int64_t depth, block, blocks;  // numbers of a row; those that share a factor; factors of a row
  float *numbers, *factors;      // row by row
} scaled_rows;

// Decodes row `row`: depth numbers and blocks factors.
typedef void scaled_rows_decode(const void *context, int64_t row, float *numbers, float *factors);

// Makes `rows` rows of `depth` numbers, `block` of which share a factor. Returns false when there is no
// memory for them. scaled_rows_free frees them.
bool scaled_rows_make(scaled_rows *out, int64_t rows, int64_t depth, int64_t block,
                      scaled_rows_decode *decode, const void *context);
void scaled_rows_free(scaled_rows *rows);

// Multiplies row i of `a` and row j of `b`, which have equal blocks: all of them, or blocks `from` up to
// `to`.
dot_sum scaled_rows_dot(const scaled_rows *a, int64_t i, const scaled_rows *b, int64_t j);
dot_sum scaled_rows_dot_blocks(const scaled_rows *a, int64_t i, const scaled_rows *b, int64_t j, int64_t from,
                               int64_t to);

#endif
