// SPDX-License-Identifier: MIT
// Makes random layers of experts with weights in block-scaled formats: sizes, formats, who goes where, and
// whole numbers as elements.
#ifndef WT_TESTS_EXPERTS_SCALED_CASE_H
#define WT_TESTS_EXPERTS_SCALED_CASE_H

#include "block_scale/output_check.h"
#include "wavetile.h"

enum { MOST_PRODUCTS = 3000000, MOST_WEIGHTS = 1000000 };

// Holds matrices of weights, one after the other, packed as the library takes them: `values` are their
// elements as numbers, and scales have `lines` rows for each matrix.
typedef struct scaled_weights {
  int matrices, rows, columns, lines;
  double *values;
  row_matrix q, scale;
} scaled_weights;

typedef struct scaled_case {
  char what[320];
  wt_experts_desc desc;
  row_matrix x, y, ids, weights;
  scaled_weights gate_up, down, shared_gate_up, shared_down;
} scaled_case;

static inline bool case_is_mx(const scaled_case *c) { return c->desc.scales == WT_BLOCK_SCALES_E8M0; }
static inline int case_block(const scaled_case *c) { return case_is_mx(c) ? MX_BLOCK : OUTPUT_FP8_BLOCK; }

// `tokens` is 0 for any number of them.
static inline void set_sizes(wt_experts_desc *d, int tokens, bool is_small, test_rng *rng) {
  do {
    d->tokens = tokens ? tokens : row_between(rng, 0, 7) ? row_between(rng, 1, 60) : 1;
    d->experts = is_small ? row_between(rng, 1, 2) : row_between(rng, 0, 3) ? row_between(rng, 1, 12) : 64;
    d->top_k = row_between(rng, 1, 4);
    d->hidden = 64 * row_between(rng, 1, is_small ? 3 : 5);
    d->inner = 32 * row_between(rng, 1, is_small ? 3 : 10);
    d->shared_inner = row_between(rng, 0, 1) ? 0 : 32 * row_between(rng, 1, is_small ? 2 : 8);
  } while (d->tokens * (d->top_k * d->inner + d->shared_inner) * d->hidden > MOST_PRODUCTS ||
           d->experts * d->inner * d->hidden > MOST_WEIGHTS);
}

// The library takes FP8 with F32 scales, and pairs of MX formats of weights and of tokens.
enum { F32_KINDS = 4 };
static const wt_type mx_kinds[][2] = {{WT_TYPE_F4E2M1, WT_TYPE_BF16},   {WT_TYPE_F4E2M1, WT_TYPE_F4E2M1},
                                      {WT_TYPE_F4E2M1, WT_TYPE_F8E4M3}, {WT_TYPE_F4E2M1, WT_TYPE_F6E2M3},
                                      {WT_TYPE_F4E2M1, WT_TYPE_F6E3M2}, {WT_TYPE_F8E4M3, WT_TYPE_F8E4M3},
                                      {WT_TYPE_F6E2M3, WT_TYPE_F6E2M3}, {WT_TYPE_F6E3M2, WT_TYPE_F6E3M2}};
enum { MX_KINDS = sizeof mx_kinds / sizeof *mx_kinds };

static inline void set_formats(wt_experts_desc *d, bool gfx950, int kind, test_rng *rng) {
  d->type = row_between(rng, 0, 1) ? WT_TYPE_BF16 : WT_TYPE_F16;
  d->activation = row_between(rng, 0, 1) ? WT_ACTIVATION_NONE : WT_ACTIVATION_RELU;
  if (kind < F32_KINDS) {
    d->type_w = d->type_q = gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
    d->scales = kind % 2 ? WT_BLOCK_SCALES_F32 : WT_BLOCK_SCALES_POWER_OF_TWO;
    d->scales_of_w = kind / 2 ? WT_SCALES_OF_B_TILES : WT_SCALES_OF_B_ROWS;
  } else {
    d->type_w = mx_kinds[kind - F32_KINDS][0], d->type_q = mx_kinds[kind - F32_KINDS][1];
    d->rounding = (wt_scale_rounding)row_between(rng, 0, 3);
  }
  if (d->type_q == WT_TYPE_BF16) {  // tokens and activations stay as they are
    d->type = WT_TYPE_BF16, d->rounding = WT_SCALE_UP;
    d->hidden -= 32 * row_between(rng, 0, 1);
  }
  if (d->type_q == d->type_w && row_between(rng, 0, 1)) d->type_q = (wt_type)0;
}

// ---- weights

static inline void put_element(const scaled_case *c, row_matrix *q, int row, int column, double value) {
  const mx_format *f = mx_format_of(c->desc.type_w);
  if (!case_is_mx(c)) {
    row_put(q, row, column, fp8_nearest(c->desc.type_w, value));
    return;
  }
  mx_put_code(f, q->host + row_place(q, row, column / MX_BLOCK * mx_block_bytes(f)), column % MX_BLOCK,
              mx_encode(f, value));
}

static inline scaled_weights make_weights(const scaled_case *c, int64_t matrices, int64_t rows,
                                          int64_t columns, test_rng *rng) {
  const bool mx = case_is_mx(c), tiles = !mx && c->desc.scales_of_w == WT_SCALES_OF_B_TILES;
  scaled_weights w = {.matrices = (int)matrices, .rows = (int)rows, .columns = (int)columns};
  const int all = w.matrices * w.rows, block = case_block(c), blocks = (w.columns + block - 1) / block;
  const int bytes = mx ? blocks * mx_block_bytes(mx_format_of(c->desc.type_w)) : w.columns;
  const int offset = row_between(rng, 0, 4) ? 0 : row_between(rng, 1, 3);
  const int least = c->desc.scales == WT_BLOCK_SCALES_POWER_OF_TWO ? 8 : 5;  // eighths of a power of two
  w.lines = tiles ? (w.rows + block - 1) / block : w.rows;
  w.values = malloc((size_t)all * (size_t)w.columns * sizeof *w.values);
  w.q = row_matrix_create(WT_TYPE_I8, all, bytes, bytes, offset);
  w.scale = row_matrix_create(mx ? WT_TYPE_I8 : WT_TYPE_F32, w.matrices * w.lines, blocks, blocks,
                              mx ? offset : 4 * offset);
  for (int i = 0; i < all; ++i)
    for (int j = 0; j < w.columns; ++j) {
      const double value = row_between(rng, 0, 1) ? 0 : row_between(rng, -1, 1);
      w.values[i * w.columns + j] = value;
      put_element(c, &w.q, i, j, value);
    }
  for (int i = 0; i < w.scale.rows; ++i)
    for (int b = 0; b < blocks; ++b)
      row_put(&w.scale, i, b,
              mx ? (uint32_t)row_between(rng, 126, 128)
                 : row_encode(WT_TYPE_F32, exp2(row_between(rng, -1, 1)) * row_between(rng, least, 8) / 8));
  row_upload(&w.q), row_upload(&w.scale);
  return w;
}

// Returns the scale of a row of a matrix and a block.
static inline double weight_scale(const scaled_case *c, const scaled_weights *w, int matrix, int row,
                                  int block) {
  const int line = matrix * w->lines + (w->lines == w->rows ? row : row / OUTPUT_FP8_BLOCK);
  const uint32_t code = row_get(&w->scale, w->scale.host, line, block);
  return case_is_mx(c) ? mx_scale((int)code) : row_decode(WT_TYPE_F32, code);
}

static inline void destroy_weights(scaled_weights *w) {
  if (!w->values) return;
  row_matrix_destroy(&w->q), row_matrix_destroy(&w->scale);
  free(w->values);
}

// ---- cases

static inline row_matrix plain_matrix(wt_type type, int64_t rows, int64_t columns, int64_t *ld,
                                      test_rng *rng) {
  const int step = (int)columns + (row_between(rng, 0, 1) ? 0 : 8 * row_between(rng, 1, 3));
  if (ld) *ld = step == columns ? 0 : step;
  return row_matrix_create(type, (int)rows, (int)columns, ld ? step : (int)columns, 0);
}

static inline void fill_tokens(scaled_case *c, test_rng *rng) {
  const int experts = (int)c->desc.experts, kind = row_between(rng, 0, 3);
  for (int i = 0; i < c->x.rows; ++i) {
    for (int j = 0; j < c->x.columns; ++j)
      row_put(&c->x, i, j, row_encode(c->x.type, row_between(rng, -1, 1)));
    for (int s = 0; s < c->ids.columns; ++s) {
      const bool nobody = kind == 1 && row_between(rng, 0, 2) == 0;
      const int id = kind == 0 ? experts - 1 : nobody ? -1 : row_between(rng, 0, experts - 1);
      row_put(&c->ids, i, s, (uint32_t)id);
      row_put(&c->weights, i, s, row_encode(WT_TYPE_F32, row_normal(rng)));
    }
  }
}

// `number` counts the cases of a chip. The first ones have each pair of formats once, so ordered that even a
// few of them are of many kinds, and two of them so many tokens as other libraries have failed with.
static inline scaled_case make_case(bool gfx950, int number, test_rng *rng) {
  enum { STEP = 5 };  // prime to both numbers of kinds
  const int kinds = F32_KINDS + (gfx950 ? MX_KINDS : 0);
  scaled_case c = {.desc = WT_EXPERTS_DESC_INIT};
  wt_experts_desc *d = &c.desc;
  set_sizes(d, number == 3 ? 304 : number == 4 ? 336 : 0, number < kinds, rng);
  set_formats(d, gfx950, number < kinds ? number * STEP % kinds : row_between(rng, 0, kinds - 1), rng);
  c.x = plain_matrix(d->type, d->tokens, d->hidden, &d->ldx, rng);
  c.y = plain_matrix(d->type, d->tokens, d->hidden, &d->ldy, rng);
  c.ids = plain_matrix(WT_TYPE_I32, d->tokens, d->top_k, NULL, rng);
  c.weights = plain_matrix(WT_TYPE_F32, d->tokens, d->top_k, NULL, rng);
  fill_tokens(&c, rng);
  c.gate_up = make_weights(&c, d->experts, 2 * d->inner, d->hidden, rng);
  c.down = make_weights(&c, d->experts, d->hidden, d->inner, rng);
  d->gate_up_scale = c.gate_up.scale.device, d->down_scale = c.down.scale.device;
  if (d->shared_inner) {
    c.shared_gate_up = make_weights(&c, 1, 2 * d->shared_inner, d->hidden, rng);
    c.shared_down = make_weights(&c, 1, d->hidden, d->shared_inner, rng);
    d->shared_gate_up = c.shared_gate_up.q.device, d->shared_down = c.shared_down.q.device;
    d->shared_gate_up_scale = c.shared_gate_up.scale.device;
    d->shared_down_scale = c.shared_down.scale.device;
  }
  snprintf(
      c.what, sizeof c.what,
      "tokens %d experts %d slots %d hidden %d inner %d shared %d type %d w %d q %d scales %d %d rounding %d "
      "activation %d",
      (int)d->tokens, (int)d->experts, (int)d->top_k, (int)d->hidden, (int)d->inner, (int)d->shared_inner,
      (int)d->type, (int)d->type_w, (int)d->type_q, (int)d->scales, (int)d->scales_of_w, (int)d->rounding,
      (int)d->activation);
  return c;
}

static inline void destroy_case(scaled_case *c) {
  row_matrix *const all[] = {&c->x, &c->y, &c->ids, &c->weights};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
  destroy_weights(&c->gate_up), destroy_weights(&c->down);
  destroy_weights(&c->shared_gate_up), destroy_weights(&c->shared_down);
}

#endif
