// SPDX-License-Identifier: MIT
#include "scaled_operands.h"

#include <math.h>
#include <stdlib.h>

#include "core/parallel.h"

typedef struct decoding {
  const scaled_operands *out;
  int operand;
  scaled_decode *decode;
  const void *context;
} decoding;

static void decode_rows(void *pointer, int64_t begin, int64_t end) {
  const decoding *d = pointer;
  const scaled_rows *rows = &d->out->of[d->operand];
  for (int64_t row = begin; row < end; ++row)
    d->decode(d->context, d->operand, row, rows->numbers + row * d->out->depth,
              rows->factors + row * d->out->blocks);
}

bool scaled_operands_make(scaled_operands *out, const int64_t rows[2], int64_t depth, int64_t block,
                          scaled_decode *decode, const void *context) {
  *out = (scaled_operands){.depth = depth, .block = block, .blocks = (depth + block - 1) / block};
  for (int i = 0; i < 2; ++i) {
    scaled_rows *of = &out->of[i];
    of->numbers = calloc((size_t)rows[i] * (size_t)out->depth + 1, sizeof *of->numbers);
    of->factors = calloc((size_t)rows[i] * (size_t)out->blocks + 1, sizeof *of->factors);
    if (!of->numbers || !of->factors) return false;
    decoding d = {out, i, decode, context};
    parallel_for(rows[i], decode_rows, &d);
  }
  return true;
}

void scaled_operands_free(scaled_operands *o) {
  for (int i = 0; i < 2; ++i) free(o->of[i].numbers), free(o->of[i].factors);
  *o = (scaled_operands){0};
}

dot_sum scaled_dot_blocks(const scaled_operands *o, int64_t i, int64_t j, int64_t from, int64_t to) {
  const float *x = o->of[0].numbers + i * o->depth, *y = o->of[1].numbers + j * o->depth;
  const float *of_x = o->of[0].factors + i * o->blocks, *of_y = o->of[1].factors + j * o->blocks;
  dot_sum all = {0, 0};
  for (int64_t n = from; n < to; ++n) {
    const int64_t first = n * o->block, left = o->depth - first;
    const dot_sum one = dot(x + first, y + first, left < o->block ? left : o->block);
    const double factor = (double)of_x[n] * (double)of_y[n];
    all.sum += factor * one.sum, all.size += fabs(factor) * one.size;
  }
  return all;
}

dot_sum scaled_dot(const scaled_operands *o, int64_t i, int64_t j) {
  return scaled_dot_blocks(o, i, j, 0, o->blocks);
}
