// SPDX-License-Identifier: MIT
#include "scaled_rows.h"

#include <math.h>
#include <stdlib.h>

#include "core/parallel.h"

typedef struct decoding {
  scaled_rows *out;
  scaled_rows_decode *decode;
  const void *context;
} decoding;

static void decode_rows(void *pointer, int64_t begin, int64_t end) {
  const decoding *d = pointer;
  const scaled_rows *r = d->out;
  for (int64_t row = begin; row < end; ++row)
    d->decode(d->context, row, r->numbers + row * r->depth, r->factors + row * r->blocks);
}

bool scaled_rows_make(scaled_rows *out, int64_t rows, int64_t depth, int64_t block,
                      scaled_rows_decode *decode, const void *context) {
  *out = (scaled_rows){.depth = depth, .block = block, .blocks = (depth + block - 1) / block};
  out->numbers = calloc((size_t)rows * (size_t)out->depth + 1, sizeof *out->numbers);
  out->factors = calloc((size_t)rows * (size_t)out->blocks + 1, sizeof *out->factors);
  if (!out->numbers || !out->factors) return false;
  decoding d = {out, decode, context};
  parallel_for(rows, decode_rows, &d);
  return true;
}

void scaled_rows_free(scaled_rows *rows) {
  free(rows->numbers), free(rows->factors);
  *rows = (scaled_rows){0};
}

dot_sum scaled_rows_dot_blocks(const scaled_rows *a, int64_t i, const scaled_rows *b, int64_t j, int64_t from,
                               int64_t to) {
  const float *x = a->numbers + i * a->depth, *y = b->numbers + j * b->depth;
  const float *of_x = a->factors + i * a->blocks, *of_y = b->factors + j * b->blocks;
  dot_sum all = {0, 0};
  for (int64_t n = from; n < to; ++n) {
    const int64_t first = n * a->block, left = a->depth - first;
    const dot_sum one = dot(x + first, y + first, left < a->block ? left : a->block);
    const double factor = (double)of_x[n] * (double)of_y[n];
    all.sum += factor * one.sum, all.size += fabs(factor) * one.size;
  }
  return all;
}

dot_sum scaled_rows_dot(const scaled_rows *a, int64_t i, const scaled_rows *b, int64_t j) {
  return scaled_rows_dot_blocks(a, i, b, j, 0, a->blocks);
}
