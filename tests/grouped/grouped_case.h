// SPDX-License-Identifier: MIT
// Makes random grouped products: sizes, contracts, which row is whose, types, kernels and contents. Rows that
// are nobody's hold NaN.
#ifndef WT_TESTS_GROUPED_CASE_H
#define WT_TESTS_GROUPED_CASE_H

#include "grouped_rows.h"

enum { MOST_PRODUCTS = 4000000 };

// ---- shapes

static inline int groups_of(test_rng *rng) {
  switch (row_between(rng, 0, 6)) {
    case 0: return 1;
    case 1: return 2;
    case 2: return MOST_GROUPS;
    case 3: return row_between(rng, 3, 100);
    default: return 8;
  }
}

// Returns a number of columns: often whole K steps of the fast kernels, and more than they need.
static inline int columns_of(test_rng *rng, int most) {
  switch (row_between(rng, 0, 3)) {
    case 0: return row_between(rng, 1, 40);
    case 1: return row_between(rng, 1, most);
    default: return 64 * row_between(rng, 1, most / 64);
  }
}

static inline void set_sizes(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  do {
    d->groups = c->small ? row_between(rng, 1, 5) : groups_of(rng);
    d->n = columns_of(rng, c->small ? 128 : row_between(rng, 0, 2) ? 192 : 600);
    d->k = columns_of(rng, c->small || row_between(rng, 0, 2) ? 448 : 1024);
    if (c->plain) d->n = 8 * row_between(rng, 1, 70), d->k = 128 * row_between(rng, 6, 8);
    int64_t *const depth = c->pass == WT_GROUPED_FORWARD ? &d->k : &d->n;
    *depth = multiple_of(*depth, c->whole);
    const int most = c->small ? 100 : d->groups == MOST_GROUPS ? 700 : row_between(rng, 0, 2) ? 150 : 600;
    share_rows(c, row_between(rng, 0, most), rng);
    int64_t sum = 1;
    for (int g = 0; g < d->groups; ++g) sum += whole_blocks(c, c->counts[g]);
    // Weights of 512 groups are what takes memory there.
    const int products = MOST_PRODUCTS / (c->small ? 4 : 1);
    if (sum * d->n * d->k <= products && d->groups * d->n * d->k <= 2 * products) break;
  } while (true);
  lay_rows(c, rng);
}

// ---- types and kernels

static inline wt_type f8_of(test_rng *rng, bool gfx950) {
  return row_between(rng, 0, 1) ? (gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ)
                                : (gfx950 ? WT_TYPE_F8E5M2 : WT_TYPE_F8E5M2_FNUZ);
}

static inline void set_types(grouped_case *c, bool gfx950, test_rng *rng) {
  static const wt_type results[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16, WT_TYPE_BF16};
  wt_grouped_desc *d = &c->desc;
  wt_type a = c->kind == KIND_BF16 ? WT_TYPE_BF16 : WT_TYPE_F16, b = a;
  if (c->kind == KIND_F8) a = f8_of(rng, gfx950), b = f8_of(rng, gfx950);
  if (c->scaled) a = b = gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  if (c->mx) a = mx_pairs[c->kind - KIND_MX][0], b = mx_pairs[c->kind - KIND_MX][1];
  c->widened = c->mx && a == WT_TYPE_BF16;
  const wt_type out = results[row_between(rng, c->plain, 3)];
  const bool forward = c->pass == WT_GROUPED_FORWARD, weight = c->pass == WT_GROUPED_BACKWARD_WEIGHT;
  d->type_x = forward ? a : weight ? b : out;
  d->type_w = weight ? out : b;
  d->type_y = forward ? out : a;
}

static inline const char *kernel_of(const grouped_case *c, bool gfx950, test_rng *rng) {
  if (c->plain && !c->scaled && gfx950 && row_between(rng, 0, 2)) return "grouped_4wave_persistent_256x256";
  static const char *const names[] = {
#define GROUPED_INSTANCE(name, ...) #name,
#include "kernels/grouped/instances.def"
      NULL};
  const char *name;
  do name = names[row_between(rng, 0, (int)(sizeof names / sizeof *names) - 1)];
  while (name &&
         ((strstr(name, "block") != NULL) != (c->scaled && !c->mx) || (strstr(name, "mx") != NULL) != c->mx));
  return name;
}

static inline void fill_powers(row_matrix *x, test_rng *rng) {
  for (int i = 0; i < x->columns; ++i)
    row_put(x, 0, i, row_encode(WT_TYPE_F32, exp2(row_between(rng, -2, 2))));
}

static inline void set_factors(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  if (row_between(rng, 0, 2)) d->alpha = row_between(rng, 0, 1) ? 0.5f : -2.0f;
  if (!c->plain && row_between(rng, 0, 3) == 0) d->beta = row_between(rng, 0, 1) ? 1.0f : -0.5f;
  if (row_between(rng, 0, 1)) d->group_scale = (const float *)(const void *)c->by_group.device;
  if (c->plain || row_between(rng, 0, 1)) return;
  if (row_between(rng, 0, 1)) d->row_scale = (const float *)(const void *)c->by_row.device;
  if (row_between(rng, 0, 1)) d->column_scale = (const float *)(const void *)c->by_column.device;
  if (c->pass != WT_GROUPED_FORWARD) return;
  if (row_between(rng, 0, 1)) d->bias = (const float *)(const void *)c->bias.device;
  if (row_between(rng, 0, 1)) d->activation = WT_ACTIVATION_RELU;
}

// ---- matrices

// Returns a matrix of the pass as it lies in memory. Operands with scales have lines of what is summed over.
static inline grouped_matrix shaped(const grouped_case *c, int groups, int rows, int columns, bool is_operand,
                                    bool sums_rows) {
  return (grouped_matrix){.groups = groups,
                          .rows = rows,
                          .columns = columns,
                          .transposed = c->scaled && is_operand && sums_rows,
                          .together = 1};
}

// Gives an operand its scales.
static inline void scale_matrix(const grouped_case *c, grouped_matrix *m, test_rng *rng) {
  m->block = c->mx ? MX_BLOCK : F32_BLOCK;
  m->across = !c->mx && row_between(rng, 0, 1);
}

// Where tokens with scales are summed over, the rows of a block that are nobody's are zero.
static inline bool is_padding(const grouped_case *c, int row) {
  for (int i = row / c->grain * c->grain; c->grain > 1 && i < row; ++i)
    if (c->owner[i] != NOBODY) return c->owner[row] == NOBODY;
  return false;
}

// Fills the rows of tokens: those that are somebody's, or where `all` is set, all of them. Scales of other
// rows, and bytes between rows, say NaN.
static inline void fill_tokens(const grouped_case *c, grouped_matrix *m, bool all, test_rng *rng) {
  bool *padding = calloc((size_t)c->rows + 1, sizeof *padding);
  for (int row = 0; m->transposed && row < c->rows; ++row) padding[row] = is_padding(c, row);
  for (int line = 0; line < lines_of(m); ++line) {
    if (!m->transposed) {
      if (all || m->format || c->owner[line] != NOBODY) fill_line(m, 0, line, 0, length_of(m), rng);
      for (int b = 0; m->block && c->owner[line] != NOBODY && b < blocks_of(m); ++b)
        fill_scale(m, 0, line, b, rng);
      continue;
    }
    for (int row = 0; row < length_of(m); ++row)
      if (padding[row])
        put_element(m, 0, line, row, 0);  // of every type
      else if (m->format || c->owner[row] != NOBODY)
        fill_line(m, 0, line, row, row + 1, rng);
    for (int row = 0; m->block && row < length_of(m); ++row)
      if (c->owner[row] != NOBODY && (row % c->grain == 0)) fill_scale(m, 0, line, row / m->block, rng);
  }
  free(padding);
}

static inline void fill_weights(grouped_matrix *m, test_rng *rng) {
  for (int g = 0; g < m->groups; ++g)
    for (int line = 0; line < lines_of(m); ++line) {
      fill_line(m, g, line, 0, length_of(m), rng);
      for (int b = 0; m->block && b < blocks_of(m); ++b) fill_scale(m, g, line, b, rng);
    }
}

static inline void make_matrices(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  const bool forward = c->pass == WT_GROUPED_FORWARD, weight = c->pass == WT_GROUPED_BACKWARD_WEIGHT;
  const int groups = (int)d->groups, n = (int)d->n, k = (int)d->k;
  c->x = shaped(c, 1, c->rows, k, forward || weight, weight);
  c->w = shaped(c, groups, n, k, !weight, !forward);
  c->y = shaped(c, 1, c->rows, n, !forward, weight);
  c->w.beside = row_between(rng, 0, 4) == 0;
  grouped_matrix *const a = forward ? &c->x : &c->y, *const b = weight ? &c->x : &c->w;
  if (c->mx) a->format = mx_format_of(forward ? d->type_x : d->type_y);
  if (c->mx) b->format = mx_format_of(weight ? d->type_x : d->type_w);
  if (c->scaled && !c->widened) scale_matrix(c, a, rng);
  if (c->scaled) scale_matrix(c, b, rng);
  if (c->scaled && d->scales_of_w == WT_SCALES_OF_B_TILES && !c->mx) b->together = F32_BLOCK;
  make_memory(&c->x, d->type_x, c->plain, &d->ldx, rng);
  make_memory(&c->w, d->type_w, c->plain, &d->ldw, rng);
  make_memory(&c->y, d->type_y, c->plain, &d->ldy, rng);
  if (c->w.beside) d->w_group = length_of(&c->w);
  if (c->x.block) make_scale_memory(&c->x, &d->x_scale_row, &d->x_scale_block, NULL, rng);
  if (c->y.block) make_scale_memory(&c->y, &d->y_scale_row, &d->y_scale_block, NULL, rng);
  if (c->w.block) make_scale_memory(&c->w, &d->w_scale_row, &d->w_scale_block, &d->w_scale_group, rng);
  fill_tokens(c, &c->x, !forward && !weight, rng);
  fill_tokens(c, &c->y, forward, rng);
  fill_weights(&c->w, rng);
  if (c->x.block) d->x_scale = c->x.scale.device;
  if (c->w.block) d->w_scale = c->w.scale.device;
  if (c->y.block) d->y_scale = c->y.scale.device;
  c->by_group = row_matrix_create(WT_TYPE_F32, 1, groups, groups, 4);
  const int rows = weight ? groups * n : c->rows, columns = groups * (forward ? n : k);
  c->by_row = row_matrix_create(WT_TYPE_F32, 1, rows, rows, 4);
  c->by_column = row_matrix_create(WT_TYPE_F32, 1, columns, columns, 4);
  c->bias = row_matrix_create(WT_TYPE_F32, 1, groups * n, groups * n, 4);
  fill_powers(&c->by_group, rng), fill_powers(&c->by_row, rng), fill_powers(&c->by_column, rng);
  for (int i = 0; i < groups * n; ++i)
    row_put(&c->bias, 0, i, row_encode(WT_TYPE_F32, row_between(rng, -3, 3)));
}

static inline bool has_powers(const grouped_case *c) {
  return c->kind == KIND_POWERS_OF_TILES || c->kind == KIND_POWERS_OF_ROWS;
}

// A third of the cases has scales, and half of these on gfx950 are of MX formats.
static inline int kind_of(bool gfx950, test_rng *rng) {
  if (row_between(rng, 0, 2))
    return row_between(rng, 0, 1) ? KIND_F8 : row_between(rng, 0, 2) ? KIND_BF16 : KIND_F16;
  if (!gfx950 || row_between(rng, 0, 1)) return row_between(rng, KIND_TILES, KIND_POWERS_OF_ROWS);
  return KIND_MX + row_between(rng, 0, MX_PAIRS - 1);
}

// The first cases of a chip have each kind with each contract once, so ordered that even a few of them are of
// many kinds; the others are random.
static inline void set_kind(grouped_case *c, bool gfx950, int number, test_rng *rng) {
  enum { CONTRACTS = 3, STEP = 11 };  // prime to both numbers of such cases
  const int kinds = gfx950 ? KIND_MX + MX_PAIRS : KIND_MX, at = number * STEP % (kinds * CONTRACTS);
  c->small = number < kinds * CONTRACTS;
  c->kind = c->small ? at / CONTRACTS : kind_of(gfx950, rng);
  c->desc.contract = (wt_grouped_contract)(c->small ? at % CONTRACTS : row_between(rng, 0, CONTRACTS - 1));
  c->plain = !c->small && row_between(rng, 0, 3) == 0;
  c->scaled = c->kind >= KIND_TILES, c->mx = c->kind >= KIND_MX;
}

// `number` counts the cases of a chip.
static inline grouped_case make_case(wt_grouped_pass pass, bool gfx950, int number, test_rng *rng) {
  grouped_case c = {.desc = WT_GROUPED_DESC_INIT, .pass = pass};
  wt_grouped_desc *d = &c.desc;
  set_kind(&c, gfx950, number, rng);
  c.grain = !c.scaled || pass != WT_GROUPED_BACKWARD_WEIGHT ? 1 : c.mx ? MX_BLOCK : F32_BLOCK;
  // Most products with powers of two have whole blocks of 32, as kernels for such scales need them.
  c.whole = c.mx || (has_powers(&c) && row_between(rng, 0, 4)) ? MX_BLOCK : 1;
  if (c.scaled)
    d->scales = c.mx             ? WT_BLOCK_SCALES_E8M0
                : has_powers(&c) ? WT_BLOCK_SCALES_POWER_OF_TWO
                                 : WT_BLOCK_SCALES_F32;
  if (c.kind == KIND_ROWS || c.kind == KIND_POWERS_OF_ROWS) d->scales_of_w = WT_SCALES_OF_B_ROWS;
  set_types(&c, gfx950, rng);
  set_sizes(&c, rng);
  make_matrices(&c, rng);
  set_factors(&c, rng);
  if (row_between(rng, 0, 3) == 0) d->expected_rows = row_between(rng, 1, (int)d->m);
  d->kernel = kernel_of(&c, gfx950, rng);  // kept where it can run this
  snprintf(
      c.what, sizeof c.what,
      "pass %d contract %d groups %d m %d n %d k %d types %d %d %d ld %d %d %d offsets %d %d %d alpha %g "
      "beta %g factors %d%d%d%d activation %d scales %d%d%d%d%d beside %d",
      (int)pass, (int)d->contract, (int)d->groups, (int)d->m, (int)d->n, (int)d->k, (int)d->type_x,
      (int)d->type_w, (int)d->type_y, c.x.memory.ld, c.w.memory.ld, c.y.memory.ld, c.x.memory.offset,
      c.w.memory.offset, c.y.memory.offset, (double)d->alpha, (double)d->beta, d->group_scale != NULL,
      d->row_scale != NULL, d->column_scale != NULL, d->bias != NULL, (int)d->activation, c.scaled,
      c.x.across || c.y.across, c.w.across, (int)d->scales_of_w, (int)d->scales, c.w.beside);
  return c;
}

static inline void destroy_case(grouped_case *c) {
  destroy_matrix(&c->x), destroy_matrix(&c->w), destroy_matrix(&c->y);
  row_matrix *const all[] = {&c->places, &c->by_group, &c->by_row, &c->by_column, &c->bias};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
  free(c->owner);
}

#endif
