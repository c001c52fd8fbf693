// SPDX-License-Identifier: MIT
// Declares two matrices with a factor for each block of their rows, decoded once for a reference that
// multiplies every row of one with every row of the other.
#ifndef WT_TOOLS_SCALED_OPERANDS_H
#define WT_TOOLS_SCALED_OPERANDS_H

#include <stdbool.h>

#include "core/dot.h"

typedef struct scaled_rows {
  float *numbers, *factors;  // row by row
} scaled_rows;

typedef struct scaled_operands {
  int64_t depth, block, blocks;  // numbers of a row; those that share a factor; factors of a row
  scaled_rows of[2];
} scaled_operands;

// Decodes row `row` of operand 0 or 1: depth numbers and blocks factors.
typedef void scaled_decode(const void *context, int operand, int64_t row, float *numbers, float *factors);

// Makes operands of so many rows of `depth` numbers, `block` of which share a factor. Returns false when
// there is no memory for them. scaled_operands_free frees them, and does nothing where there are none.
bool scaled_operands_make(scaled_operands *out, const int64_t rows[2], int64_t depth, int64_t block,
                          scaled_decode *decode, const void *context);
void scaled_operands_free(scaled_operands *o);

// Multiplies row i of operand 0 and row j of operand 1: all blocks, or those `from` up to `to`.
dot_sum scaled_dot(const scaled_operands *o, int64_t i, int64_t j);
dot_sum scaled_dot_blocks(const scaled_operands *o, int64_t i, int64_t j, int64_t from, int64_t to);

#endif
