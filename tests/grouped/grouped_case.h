// SPDX-License-Identifier: MIT
// Random grouped products: sizes, contracts, which row is whose, types, kernels and contents. Rows that are
// nobody's hold NaN.
#ifndef WT_TESTS_GROUPED_CASE_H
#define WT_TESTS_GROUPED_CASE_H

#include "block_scale/mx.h"
#include "wavetile.h"

enum { MOST_PRODUCTS = 4000000, MOST_GROUPS = 512, NOBODY = -1 };

typedef struct grouped_case {
  char what[480];
  wt_grouped_desc desc;
  wt_grouped_pass pass;
  bool plain;               // every kernel of the forward pass for this chip can run it
  int rows;                 // of x and y in memory
  int counts[MOST_GROUPS];  // rows of each group
  int *owner;               // of each row: its group, or NOBODY
  row_matrix x, w, y;       // or their gradients; w has n rows for each group
  row_matrix places;        // I32
  row_matrix by_group, by_row, by_column, bias;
  bool scaled;                  // x and w have scales of blocks
  bool across;                  // whose matrices have a row for each block
  bool mx;                      // scaled, and in MX formats: x, w and their scales are bytes
  bool widened;                 // mx, but x is of BF16, without scales
  row_matrix x_scale, w_scale;  // w_scale: of one group after the other
} grouped_case;

// ---- shapes

// Groups that share `left` rows: empty ones, one with everything, and a few rows or many.
static inline void share_rows(grouped_case *c, int left, test_rng *rng) {
  const int groups = (int)c->desc.groups, kind = row_between(rng, 0, 4);
  const int only = row_between(rng, 0, groups - 1);
  memset(c->counts, 0, sizeof c->counts);
  if (kind == 0) c->counts[only] = left;
  if (kind == 0) return;
  const int each = left / groups;
  for (int g = 0; g < groups; ++g) {
    const int most = kind == 1 ? (each ? 2 * each : 1) : left;
    const int count = row_between(rng, 0, 3) == 0 ? 0 : kind == 2 ? each : row_between(rng, 0, most);
    c->counts[g] = count < left ? count : left;
    left -= c->counts[g];
  }
}

static inline void put_place(grouped_case *c, int i, int value) {
  row_put(&c->places, 0, i, (uint32_t)value);
}

// Gives `count` rows from `row` on to a group.
static inline void own(grouped_case *c, int row, int count, int group) {
  for (int i = 0; i < count; ++i) c->owner[row + i] = group;
}

static inline void lay_offsets(grouped_case *c, int unused, test_rng *rng) {
  int row = row_between(rng, 0, unused);
  for (int g = 0; g < c->desc.groups; ++g) {
    put_place(c, g, row);
    own(c, row, c->counts[g], g);
    row += c->counts[g];
  }
  put_place(c, (int)c->desc.groups, row);
}

// Groups in any order, with some of the unused rows between them.
static inline void lay_indices(grouped_case *c, int unused, test_rng *rng) {
  const int groups = (int)c->desc.groups, first = row_between(rng, 0, groups - 1);
  int row = 0;
  for (int i = 0; i < groups; ++i) {
    const int g = (first + i) % groups, gap = row_between(rng, 0, 2) ? 0 : row_between(rng, 0, unused);
    own(c, row + gap, c->counts[g], g);
    row += gap + c->counts[g], unused -= gap;
  }
  for (int i = 0; i < c->rows; ++i) {
    const int stranger = row_between(rng, 0, 7) ? NOBODY : groups + row_between(rng, 0, 3);
    put_place(c, i, c->owner[i] == NOBODY ? stranger : c->owner[i]);
  }
}

static inline void lay_masked(grouped_case *c) {
  for (int g = 0; g < c->desc.groups; ++g) {
    put_place(c, g, c->counts[g]);
    own(c, g * (int)c->desc.m, c->counts[g], g);
  }
}

static inline void lay_rows(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  const int unused = row_between(rng, 0, 1) ? row_between(rng, 0, 40) : 0;
  const bool masked = d->contract == WT_GROUP_MASKED;
  int sum = 0, most = 1;
  for (int g = 0; g < d->groups; ++g) {
    sum += c->counts[g];
    most = c->counts[g] > most ? c->counts[g] : most;
  }
  d->m = masked ? most + unused / 8 : sum + unused > 0 ? sum + unused : 1;
  c->rows = (int)d->m * (masked ? (int)d->groups : 1);
  c->owner = malloc((size_t)c->rows * sizeof *c->owner);
  for (int i = 0; i < c->rows; ++i) c->owner[i] = NOBODY;
  const int places = d->contract == WT_GROUP_INDICES ? (int)d->m : (int)d->groups + !masked;
  c->places = row_matrix_create(WT_TYPE_I32, 1, places, places, 4 * row_between(rng, 0, 3));
  switch (d->contract) {
    case WT_GROUP_OFFSETS: lay_offsets(c, unused, rng); break;
    case WT_GROUP_INDICES: lay_indices(c, unused, rng); break;
    case WT_GROUP_MASKED: lay_masked(c); break;
  }
}

static inline int groups_of(test_rng *rng) {
  switch (row_between(rng, 0, 6)) {
    case 0: return 1;
    case 1: return 2;
    case 2: return MOST_GROUPS;
    case 3: return row_between(rng, 3, 100);
    default: return 8;
  }
}

// A number of columns: often whole K steps of the fast kernels, and more than they need.
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
    d->groups = groups_of(rng);
    d->n = columns_of(rng, row_between(rng, 0, 2) ? 192 : 600);
    d->k = columns_of(rng, row_between(rng, 0, 2) ? 448 : 1024);
    if (c->mx) d->k = (d->k + MX_BLOCK - 1) / MX_BLOCK * MX_BLOCK;
    if (c->plain) d->n = 8 * row_between(rng, 1, 70), d->k = 128 * row_between(rng, 6, 8);
    const int most = d->groups == MOST_GROUPS ? 700 : row_between(rng, 0, 2) ? 150 : 600;
    share_rows(c, row_between(rng, 0, most), rng);
    int64_t sum = 1;
    for (int g = 0; g < d->groups; ++g) sum += c->counts[g];
    // Weights of 512 groups are what takes memory there.
    if (sum * d->n * d->k <= MOST_PRODUCTS && d->groups * d->n * d->k <= 2 * MOST_PRODUCTS) break;
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
  wt_type a = row_between(rng, 0, 2) ? WT_TYPE_BF16 : WT_TYPE_F16, b = a;
  if (row_between(rng, 0, 1)) a = f8_of(rng, gfx950), b = f8_of(rng, gfx950);
  if (c->scaled) a = b = gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  if (c->mx) {
    static const wt_type types[] = {WT_TYPE_F4E2M1, WT_TYPE_F8E4M3, WT_TYPE_F6E2M3, WT_TYPE_F6E3M2};
    a = types[row_between(rng, 0, 1) ? row_between(rng, 0, 1) : row_between(rng, 0, 3)];
    b = row_between(rng, 0, 1) ? a : WT_TYPE_F4E2M1;
    c->widened = row_between(rng, 0, 2) == 0;
    if (c->widened) a = WT_TYPE_BF16, b = WT_TYPE_F4E2M1;
  }
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

// ---- contents

// Every FP8 type has the whole numbers up to 3.
static inline uint32_t code_of(wt_type type, double value) {
  return row_element(type) == 1 ? fp8_nearest(type, value) : row_encode(type, value);
}

static inline void fill_row(row_matrix *x, int row, test_rng *rng) {
  enum { LARGEST = 3 };
  uint32_t codes[2 * LARGEST + 1];
  for (int value = -LARGEST; value <= LARGEST; ++value) codes[LARGEST + value] = code_of(x->type, value);
  for (int i = 0; i < x->columns; ++i) row_put(x, row, i, codes[row_between(rng, 0, 2 * LARGEST)]);
}

// The same of a matrix in an MX format.
static inline void fill_packed_row(row_matrix *x, const mx_format *f, int row, test_rng *rng) {
  unsigned char *bytes = x->host + row_place(x, row, 0);
  enum { LARGEST = 3 };
  unsigned codes[2 * LARGEST + 1];
  for (int i = -LARGEST; i <= LARGEST; ++i) codes[LARGEST + i] = mx_encode(f, i);
  for (int i = 0; i < x->columns * 8 / f->bits; ++i)
    mx_put_code(f, bytes, i, codes[LARGEST + row_between(rng, -LARGEST, LARGEST)]);
}

static inline void fill_powers(row_matrix *x, test_rng *rng) {
  for (int i = 0; i < x->columns; ++i)
    row_put(x, 0, i, row_encode(WT_TYPE_F32, exp2(row_between(rng, -2, 2))));
}

// Rows at multiples of 16 bytes in most cases.
static inline row_matrix matrix_of(bool plain, wt_type type, int rows, int columns, int64_t *ld,
                                   test_rng *rng) {
  const int element = (int)row_element(type), chunk = 16 / element;
  const bool anywhere = !plain && row_between(rng, 0, 5) == 0;
  const int aligned = (columns + chunk - 1) / chunk * chunk + chunk * row_between(rng, 0, 2);
  const int step = anywhere ? columns + row_between(rng, 0, 3) : row_between(rng, 0, 2) ? aligned : columns;
  *ld = step == columns && row_between(rng, 0, 1) ? 0 : step;
  return row_matrix_create(type, rows, columns, step, anywhere ? element * row_between(rng, 0, 3) : 0);
}

// A matrix in an MX format: most begin where direct copies can take them.
static inline row_matrix packed_of(const mx_format *f, int rows, int columns, int64_t *ld, test_rng *rng) {
  const int blocks = columns / MX_BLOCK, gap = row_between(rng, 0, 1) ? 0 : row_between(rng, 1, 3);
  const bool anywhere = row_between(rng, 0, 5) == 0;
  *ld = gap ? MX_BLOCK * (blocks + gap) : 0;
  return row_matrix_create(WT_TYPE_I8, rows, blocks * mx_block_bytes(f), (blocks + gap) * mx_block_bytes(f),
                           anywhere ? row_between(rng, 0, 15) : 0);
}

static inline void set_factors(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  if (row_between(rng, 0, 2)) d->alpha = row_between(rng, 0, 1) ? 0.5f : -2.0f;
  if (!c->plain && row_between(rng, 0, 3) == 0) d->beta = row_between(rng, 0, 1) ? 1.0f : -0.5f;
  if (row_between(rng, 0, 1)) d->group_scale = (const float *)(const void *)c->by_group.device;
  if (c->plain || c->pass != WT_GROUPED_FORWARD || row_between(rng, 0, 1)) return;
  if (row_between(rng, 0, 1)) d->row_scale = (const float *)(const void *)c->by_row.device;
  if (row_between(rng, 0, 1)) d->column_scale = (const float *)(const void *)c->by_column.device;
  if (row_between(rng, 0, 1)) d->bias = (const float *)(const void *)c->bias.device;
  if (row_between(rng, 0, 1)) d->activation = WT_ACTIVATION_RELU;
}

// ---- scales of blocks

enum { BLOCK = 128 };

static inline int blocks_of(const grouped_case *c) { return ((int)c->desc.k + BLOCK - 1) / BLOCK; }

// Rows of a group's w that have a scale.
static inline int scaled_rows(const grouped_case *c) {
  const int n = (int)c->desc.n;
  return c->desc.scales_of_w == WT_SCALES_OF_B_ROWS ? n : (n + BLOCK - 1) / BLOCK;
}

// Returns the scale of a row and a block; `above` are the rows of the matrix of scales that the groups before
// have.
static inline double scale_at(const grouped_case *c, const row_matrix *scales, int above, int row,
                              int block) {
  return c->across ? row_value(scales, scales->host, above + block, row)
                   : row_value(scales, scales->host, above + row, block);
}

static inline void put_scale(const grouped_case *c, row_matrix *scales, int above, int row, int block,
                             test_rng *rng) {
  const uint32_t code = row_encode(WT_TYPE_F32, exp2(row_between(rng, -1, 1)));
  row_put(scales, above + (c->across ? block : row), c->across ? row : block, code);
}

static inline row_matrix scales_of(const grouped_case *c, int groups, int rows, test_rng *rng) {
  const int height = c->across ? blocks_of(c) : rows, width = c->across ? rows : blocks_of(c);
  return row_matrix_create(WT_TYPE_F32, groups * height, width, width + row_between(rng, 0, 3),
                           4 * row_between(rng, 0, 3));
}

static inline void set_strides(const grouped_case *c, const row_matrix *scales, int64_t *row,
                               int64_t *block) {
  if (!c->across && scales->ld == scales->columns) return;  // the default
  *row = c->across ? 1 : scales->ld, *block = c->across ? scales->ld : 1;
}

static inline row_matrix e8m0_of(const grouped_case *c, int rows, int64_t *ld, test_rng *rng) {
  const int blocks = (int)c->desc.k / MX_BLOCK, aligned = (blocks + 3) / 4 * 4;
  const bool anywhere = row_between(rng, 0, 3) == 0;
  const int step = anywhere ? blocks + row_between(rng, 0, 3) : aligned + 4 * row_between(rng, 0, 2);
  *ld = step == blocks && row_between(rng, 0, 1) ? 0 : step;
  return row_matrix_create(WT_TYPE_I8, rows, blocks, step, anywhere ? row_between(rng, 0, 3) : 0);
}

// Scales of rows that are nobody's, and bytes between rows, say NaN.
static inline void make_e8m0(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  if (!c->widened) c->x_scale = e8m0_of(c, c->rows, &d->x_scale_row, rng);
  c->w_scale = e8m0_of(c, (int)(d->groups * d->n), &d->w_scale_row, rng);
  for (int block = 0; block < c->w_scale.columns; ++block) {
    for (int i = 0; i < c->rows && !c->widened; ++i)
      if (c->owner[i] != NOBODY) row_put(&c->x_scale, i, block, (uint32_t)row_between(rng, 126, 128));
    for (int i = 0; i < c->w_scale.rows; ++i)
      row_put(&c->w_scale, i, block, (uint32_t)row_between(rng, 126, 128));
  }
  if (row_between(rng, 0, 1)) d->w_scale_group = d->n * c->w_scale.ld;
  d->x_scale = c->x_scale.device, d->w_scale = c->w_scale.device;
}

// Scales of rows that are nobody's hold NaN.
static inline void make_scales(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  if (!c->scaled) return;
  d->scales = c->mx                    ? WT_BLOCK_SCALES_E8M0
              : row_between(rng, 0, 1) ? WT_BLOCK_SCALES_F32
                                       : WT_BLOCK_SCALES_POWER_OF_TWO;
  if (c->mx) {
    make_e8m0(c, rng);
    return;
  }
  const int rows = scaled_rows(c), blocks = blocks_of(c), each = c->across ? blocks : rows;
  c->x_scale = scales_of(c, 1, c->rows, rng), c->w_scale = scales_of(c, (int)d->groups, rows, rng);
  for (int block = 0; block < blocks; ++block) {
    for (int i = 0; i < c->rows; ++i)
      if (c->owner[i] != NOBODY) put_scale(c, &c->x_scale, 0, i, block, rng);
    for (int i = 0; i < (int)d->groups * rows; ++i)
      put_scale(c, &c->w_scale, i / rows * each, i % rows, block, rng);
  }
  set_strides(c, &c->x_scale, &d->x_scale_row, &d->x_scale_block);
  set_strides(c, &c->w_scale, &d->w_scale_row, &d->w_scale_block);
  if (row_between(rng, 0, 1)) d->w_scale_group = (int64_t)each * c->w_scale.ld;
  d->x_scale = c->x_scale.device, d->w_scale = c->w_scale.device;
}

static inline void make_matrices(grouped_case *c, test_rng *rng) {
  wt_grouped_desc *d = &c->desc;
  const int w_rows = (int)(d->groups * d->n), columns = w_rows;
  const mx_format *const x_format = mx_format_of(d->type_x), *const w_format = mx_format_of(d->type_w);
  c->x = x_format && c->mx ? packed_of(x_format, c->rows, (int)d->k, &d->ldx, rng)
                           : matrix_of(c->plain, d->type_x, c->rows, (int)d->k, &d->ldx, rng);
  c->w = c->mx ? packed_of(w_format, w_rows, (int)d->k, &d->ldw, rng)
               : matrix_of(c->plain, d->type_w, w_rows, (int)d->k, &d->ldw, rng);
  c->y = matrix_of(c->plain, d->type_y, c->rows, (int)d->n, &d->ldy, rng);
  c->by_group = row_matrix_create(WT_TYPE_F32, 1, (int)d->groups, (int)d->groups, 4);
  c->by_row = row_matrix_create(WT_TYPE_F32, 1, c->rows, c->rows, 4);
  c->by_column = row_matrix_create(WT_TYPE_F32, 1, columns, columns, 4);
  c->bias = row_matrix_create(WT_TYPE_F32, 1, columns, columns, 4);
  const bool keeps_x = c->pass == WT_GROUPED_BACKWARD_INPUT, keeps_y = c->pass == WT_GROUPED_FORWARD;
  for (int i = 0; i < c->rows; ++i) {
    if (c->mx && !c->widened)
      fill_packed_row(&c->x, x_format, i, rng);
    else if (keeps_x || c->owner[i] != NOBODY)
      fill_row(&c->x, i, rng);
    if (keeps_y || c->owner[i] != NOBODY) fill_row(&c->y, i, rng);
  }
  for (int i = 0; i < w_rows; ++i)
    if (c->mx)
      fill_packed_row(&c->w, w_format, i, rng);
    else
      fill_row(&c->w, i, rng);
  fill_powers(&c->by_group, rng), fill_powers(&c->by_row, rng), fill_powers(&c->by_column, rng);
  fill_row(&c->bias, 0, rng);
}

static inline grouped_case make_case(wt_grouped_pass pass, bool gfx950, test_rng *rng) {
  grouped_case c = {.desc = WT_GROUPED_DESC_INIT, .pass = pass, .plain = row_between(rng, 0, 3) == 0};
  wt_grouped_desc *d = &c.desc;
  d->contract = (wt_grouped_contract)row_between(rng, 0, 2);
  c.scaled = pass == WT_GROUPED_FORWARD && row_between(rng, 0, 2) == 0, c.across = row_between(rng, 0, 1);
  c.mx = c.scaled && gfx950 && row_between(rng, 0, 1);
  if (c.scaled && !c.mx && row_between(rng, 0, 1)) d->scales_of_w = WT_SCALES_OF_B_ROWS;
  set_types(&c, gfx950, rng);
  set_sizes(&c, rng);
  make_matrices(&c, rng);
  make_scales(&c, rng);
  set_factors(&c, rng);
  if (row_between(rng, 0, 3) == 0) d->expected_rows = row_between(rng, 1, (int)d->m);
  d->kernel = kernel_of(&c, gfx950, rng);  // kept where it can run this
  snprintf(
      c.what, sizeof c.what,
      "pass %d contract %d groups %d m %d n %d k %d types %d %d %d ld %d %d %d offsets %d %d %d alpha %g "
      "beta %g factors %d%d%d%d activation %d scales %d%d%d%d",
      (int)pass, (int)d->contract, (int)d->groups, (int)d->m, (int)d->n, (int)d->k, (int)d->type_x,
      (int)d->type_w, (int)d->type_y, c.x.ld, c.w.ld, c.y.ld, c.x.offset, c.w.offset, c.y.offset,
      (double)d->alpha, (double)d->beta, d->group_scale != NULL, d->row_scale != NULL,
      d->column_scale != NULL, d->bias != NULL, (int)d->activation, c.scaled, c.across, (int)d->scales_of_w,
      (int)d->scales);
  return c;
}

static inline void destroy_case(grouped_case *c) {
  row_matrix *const all[] = {&c->x,        &c->w,      &c->y,         &c->places,
                             &c->by_group, &c->by_row, &c->by_column, &c->bias};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_matrix_destroy(all[i]);
  if (c->scaled && !c->widened) row_matrix_destroy(&c->x_scale);
  if (c->scaled) row_matrix_destroy(&c->w_scale);
  free(c->owner);
}

#endif
