// SPDX-License-Identifier: MIT
// Makes random layers of experts: sizes, types, strides, who goes where, and whole numbers as contents.
#ifndef WT_TESTS_EXPERTS_FORWARD_CASE_H
#define WT_TESTS_EXPERTS_FORWARD_CASE_H

#include "row_matrix.h"
#include "wavetile.h"

enum { MOST_PRODUCTS = 6000000, MOST_WEIGHTS = 3000000 };

typedef struct forward_case {
  char what[320];
  wt_experts_desc desc;
  row_matrix x, gate_up, down, shared_gate_up, shared_down, ids, weights, y;
} forward_case;

// Two of the first cases of a chip, which are of BF16, have so many tokens as other libraries have failed
// with.
static inline int tokens_of(int number, test_rng *rng) {
  if (number == 3 || number == 4) return number == 3 ? 304 : 336;
  return row_between(rng, 0, 5) ? row_between(rng, 1, 60) : 1;
}

// Returns a number of columns: often what the fast products take.
static inline int columns_of(test_rng *rng) {
  switch (row_between(rng, 0, 3)) {
    case 0: return row_between(rng, 1, 40);
    case 1: return 8 * row_between(rng, 1, 40);
    default: return 64 * row_between(rng, 1, 5);
  }
}

static inline void set_sizes(wt_experts_desc *d, int number, test_rng *rng) {
  static const int experts[] = {1, 2, 8, 64, 512};
  do {
    d->tokens = tokens_of(number, rng);
    d->experts = row_between(rng, 0, 1) ? experts[row_between(rng, 0, 4)] : row_between(rng, 1, 40);
    d->top_k = row_between(rng, 0, 3) ? row_between(rng, 1, 4) : row_between(rng, 1, 9);
    d->hidden = columns_of(rng), d->inner = columns_of(rng);
    d->shared_inner = row_between(rng, 0, 1) ? 0 : columns_of(rng);
  } while (d->tokens * (d->top_k * d->inner + d->shared_inner) * d->hidden > MOST_PRODUCTS ||
           d->experts * d->inner * d->hidden > MOST_WEIGHTS);
}

// ---- contents

// Fills in whole numbers of at most `largest`, of which `zeros` in 4 are 0.
static inline void fill(row_matrix *m, int largest, int zeros, test_rng *rng) {
  for (int i = 0; i < m->rows; ++i)
    for (int j = 0; j < m->columns; ++j)
      row_put(m, i, j,
              row_encode(m->type, row_between(rng, 1, 4) <= zeros ? 0 : row_between(rng, -largest, largest)));
}

// Fills in any experts, the last one alone, a few of them, or also some that are nobody's.
static inline void fill_ids(forward_case *c, test_rng *rng) {
  const int experts = (int)c->desc.experts, kind = row_between(rng, 0, 4);
  for (int i = 0; i < c->ids.rows; ++i)
    for (int s = 0; s < c->ids.columns; ++s) {
      int id = row_between(rng, 0, experts - 1);
      if (kind == 0) id = experts - 1;
      if (kind == 1) id = id / 3;
      if (kind == 2 && row_between(rng, 0, 2) == 0) id = row_between(rng, 0, 1) ? -1 : experts;
      row_put(&c->ids, i, s, (uint32_t)id);
    }
}

static inline row_matrix matrix_of(wt_type type, int64_t rows, int64_t columns, int ld, test_rng *rng) {
  const int offset = row_between(rng, 0, 4) ? 0 : (int)row_element(type) * row_between(rng, 1, 3);
  return row_matrix_create(type, (int)rows, (int)columns, ld ? ld : (int)columns, offset);
}

static inline int stride_of(int64_t columns, test_rng *rng) {
  return (int)columns + (row_between(rng, 0, 1) ? 0 : row_between(rng, 0, 1) ? 8 : row_between(rng, 1, 5));
}

static inline void make_matrices(forward_case *c, test_rng *rng) {
  wt_experts_desc *d = &c->desc;
  const wt_type type = d->type;
  const int ldx = stride_of(d->hidden, rng), ldy = stride_of(d->hidden, rng);
  d->ldx = ldx == d->hidden ? 0 : ldx, d->ldy = ldy == d->hidden ? 0 : ldy;
  c->x = matrix_of(type, d->tokens, d->hidden, ldx, rng);
  c->y = matrix_of(type, d->tokens, d->hidden, ldy, rng);
  c->gate_up = matrix_of(type, d->experts * 2 * d->inner, d->hidden, 0, rng);
  c->down = matrix_of(type, d->experts * d->hidden, d->inner, 0, rng);
  c->ids = matrix_of(WT_TYPE_I32, d->tokens, d->top_k, 0, rng);
  c->weights = matrix_of(WT_TYPE_F32, d->tokens, d->top_k, 0, rng);
  const int64_t shared = d->shared_inner ? d->shared_inner : 1;
  c->shared_gate_up = matrix_of(type, 2 * shared, d->hidden, 0, rng);
  c->shared_down = matrix_of(type, d->hidden, shared, 0, rng);
  if (d->shared_inner) d->shared_gate_up = c->shared_gate_up.device, d->shared_down = c->shared_down.device;
  fill(&c->x, 1, 1, rng), fill(&c->gate_up, 1, 2, rng), fill(&c->down, 1, 2, rng);
  fill(&c->shared_gate_up, 1, 2, rng), fill(&c->shared_down, 1, 2, rng);
  for (int i = 0; i < c->weights.rows; ++i)
    for (int s = 0; s < c->weights.columns; ++s)
      row_put(&c->weights, i, s, row_encode(WT_TYPE_F32, row_normal(rng)));
  fill_ids(c, rng);
}

// `number` counts the cases of a chip.
static inline forward_case make_case(int number, test_rng *rng) {
  static const wt_activation activations[] = {WT_ACTIVATION_SILU, WT_ACTIVATION_NONE, WT_ACTIVATION_RELU};
  forward_case c = {.desc = WT_EXPERTS_DESC_INIT};
  wt_experts_desc *d = &c.desc;
  set_sizes(d, number, rng);
  d->type = number == 3 || number == 4 || row_between(rng, 0, 1) ? WT_TYPE_BF16 : WT_TYPE_F16;
  d->activation = activations[row_between(rng, 0, 2)];
  make_matrices(&c, rng);
  snprintf(c.what, sizeof c.what,
           "tokens %d experts %d slots %d hidden %d inner %d shared %d type %d activation %d ld %d %d "
           "offsets %d %d",
           (int)d->tokens, (int)d->experts, (int)d->top_k, (int)d->hidden, (int)d->inner,
           (int)d->shared_inner, (int)d->type, (int)d->activation, c.x.ld, c.y.ld, c.x.offset,
           c.gate_up.offset);
  return c;
}

static inline void destroy_case(forward_case *c) {
  row_matrix *const all[] = {&c->x,           &c->gate_up, &c->down,    &c->shared_gate_up,
                             &c->shared_down, &c->ids,     &c->weights, &c->y};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
}

#endif
