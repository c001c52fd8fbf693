// SPDX-License-Identifier: MIT
// The grouped products and their gradients against plain loops over the rows of each group, to the bit:
// random sizes, contracts, types, alignment, epilogues and scales of blocks, 1 to 512 groups, empty ones and
// one with all rows, on both simulated chips. Numbers are whole, so that every order of summation gives the
// same. Rows that are nobody's and what lies between rows keep their bits, the bits are the same under every
// schedule, and there is no LDS bank conflict.
//
//   grouped PASS CASES: PASS is 0 (forward), 1 (gradient by the input) or 2 (by the weights)
#include "grouped_case.h"

static wt_grouped_pass pass;

// ---- the reference

// The sums of group g or of its row, by the pass. `values` holds all of x, w and y as numbers.
typedef struct values {
  double *x, *w, *y;
} values;

static double *numbers_of(const row_matrix *m) {
  double *numbers = malloc((size_t)m->rows * (size_t)m->columns * sizeof *numbers);
  for (int i = 0; i < m->rows; ++i)
    for (int j = 0; j < m->columns; ++j) numbers[i * m->columns + j] = row_value(m, m->host, i, j);
  return numbers;
}

// The numbers of a matrix in an MX format, with its scales.
static double *scaled_numbers_of(const row_matrix *q, const row_matrix *scale, wt_type type) {
  const mx_format *f = mx_format_of(type);
  const int blocks = scale->columns;
  double *numbers = malloc((size_t)q->rows * (size_t)(blocks * MX_BLOCK) * sizeof *numbers);
  for (int i = 0; i < q->rows; ++i)
    for (int j = 0; j < blocks * MX_BLOCK; ++j) {
      const unsigned char *block = q->host + row_place(q, i, j / MX_BLOCK * mx_block_bytes(f));
      numbers[i * blocks * MX_BLOCK + j] = mx_value(f, mx_code(f, block, j % MX_BLOCK)) *
                                           mx_scale((int)row_get(scale, scale->host, i, j / MX_BLOCK));
    }
  return numbers;
}

static double sum_of(const double *a, int step_a, const double *b, int step_b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i * step_a] * b[i * step_b];
  return sum;
}

// The sum of a row of group g with a column of its matrix, with the scales of blocks.
static double forward_sum(const grouped_case *c, const values *v, int row, int g, int j) {
  const int k = (int)c->desc.k, blocks = blocks_of(c), rows = scaled_rows(c);
  const double *x = v->x + row * k, *w = v->w + ((int64_t)g * c->desc.n + j) * k;
  if (!c->scaled || c->mx) return sum_of(x, 1, w, 1, k);
  double sum = 0;
  for (int b = 0; b < blocks; ++b) {
    const int of_w = c->desc.scales_of_w == WT_SCALES_OF_B_ROWS ? j : j / BLOCK;
    const double scale = scale_at(c, &c->x_scale, 0, row, b) *
                         scale_at(c, &c->w_scale, g * (c->across ? blocks : rows), of_w, b);
    const int count = k - b * BLOCK < BLOCK ? k - b * BLOCK : BLOCK;
    sum += sum_of(x + b * BLOCK, 1, w + b * BLOCK, 1, count) * scale;
  }
  return sum;
}

static double factor_of(const grouped_case *c, int group) {
  return (double)c->desc.alpha *
         (c->desc.group_scale ? row_value(&c->by_group, c->by_group.host, 0, group) : 1);
}

static void check_number(const grouped_case *c, const row_matrix *out, const unsigned char *got, int row,
                         int column, double want) {
  const double value = row_value(out, got, row, column);
  CHECK(value == row_decode(out->type, row_encode(out->type, want)),
        "%s: row %d column %d is %.9g, expected %.9g", c->what, row, column, value, want);
}

static void check_forward(const grouped_case *c, const values *v, const unsigned char *got, int row) {
  const wt_grouped_desc *d = &c->desc;
  const int g = c->owner[row], n = (int)d->n;
  for (int j = 0; j < n; ++j) {
    const int column = g * n + j;
    double want = forward_sum(c, v, row, g, j) * factor_of(c, g);
    if (d->row_scale) want *= row_value(&c->by_row, c->by_row.host, 0, row);
    if (d->column_scale) want *= row_value(&c->by_column, c->by_column.host, 0, column);
    if (d->beta != 0) want += (double)d->beta * v->y[row * n + j];
    if (d->bias) want += row_value(&c->bias, c->bias.host, 0, column);
    if (d->activation == WT_ACTIVATION_RELU && want < 0) want = 0;
    check_number(c, &c->y, got, row, j, want);
  }
}

static void check_input(const grouped_case *c, const values *v, const unsigned char *got, int row) {
  const wt_grouped_desc *d = &c->desc;
  const int g = c->owner[row], n = (int)d->n, k = (int)d->k;
  for (int l = 0; l < k; ++l) {
    double want = sum_of(v->y + row * n, 1, v->w + (int64_t)g * n * k + l, k, n) * factor_of(c, g);
    if (d->beta != 0) want += (double)d->beta * v->x[row * k + l];
    check_number(c, &c->x, got, row, l, want);
  }
}

// Adds what a row gives to its group's gradient.
static void add_row(const grouped_case *c, const values *v, double *sums, int row) {
  const int n = (int)c->desc.n, k = (int)c->desc.k;
  for (int j = 0; j < n; ++j)
    for (int l = 0; l < k; ++l)
      sums[((int64_t)c->owner[row] * n + j) * k + l] += v->y[row * n + j] * v->x[row * k + l];
}

static void check_weight(const grouped_case *c, const values *v, const unsigned char *got) {
  const wt_grouped_desc *d = &c->desc;
  const int k = (int)d->k;
  double *sums = calloc((size_t)c->w.rows * (size_t)k, sizeof *sums);
  for (int row = 0; row < c->rows; ++row)
    if (c->owner[row] != NOBODY) add_row(c, v, sums, row);
  for (int i = 0; i < c->w.rows; ++i)
    for (int l = 0; l < k; ++l) {
      double want = sums[i * k + l] * factor_of(c, i / (int)d->n);
      if (d->beta != 0) want += (double)d->beta * v->w[i * k + l];
      check_number(c, &c->w, got, i, l, want);
    }
  free(sums);
}

static const row_matrix *result_of(const grouped_case *c) {
  return pass == WT_GROUPED_FORWARD ? &c->y : pass == WT_GROUPED_BACKWARD_INPUT ? &c->x : &c->w;
}

static void check_result(const grouped_case *c, const unsigned char *got) {
  const row_matrix *out = result_of(c);
  const wt_grouped_desc *d = &c->desc;
  const values v = {
      c->mx && !c->widened ? scaled_numbers_of(&c->x, &c->x_scale, d->type_x) : numbers_of(&c->x),
      c->mx ? scaled_numbers_of(&c->w, &c->w_scale, d->type_w) : numbers_of(&c->w), numbers_of(&c->y)};
  if (pass == WT_GROUPED_BACKWARD_WEIGHT) check_weight(c, &v, got);
  for (int row = 0; row < c->rows && pass != WT_GROUPED_BACKWARD_WEIGHT; ++row) {
    const size_t at = row_place(out, row, 0), bytes = (size_t)out->columns * out->element;
    if (c->owner[row] == NOBODY)
      CHECK(memcmp(got + at, out->host + at, bytes) == 0, "%s: row %d was written", c->what, row);
    else if (pass == WT_GROUPED_FORWARD)
      check_forward(c, &v, got, row);
    else
      check_input(c, &v, got, row);
  }
  CHECK(row_gaps_kept(out, got), "%s: something between the rows was written", c->what);
  free(v.x), free(v.w), free(v.y);
}

// ---- runs

static wt_status call(wt_context *context, const grouped_case *c) {
  const int32_t *places = (const int32_t *)(const void *)c->places.device;
  switch (pass) {
    case WT_GROUPED_FORWARD:
      return wt_grouped_forward(context, &c->desc, c->x.device, c->w.device, c->y.device, places, NULL);
    case WT_GROUPED_BACKWARD_INPUT:
      return wt_grouped_backward_input(context, &c->desc, c->y.device, c->w.device, c->x.device, places,
                                       NULL);
    case WT_GROUPED_BACKWARD_WEIGHT:
      return wt_grouped_backward_weight(context, &c->desc, c->y.device, c->x.device, c->w.device, places,
                                        NULL);
  }
  return WT_ERROR_VALUE;
}

static bool enqueue(wt_context *context, const grouped_case *c) {
  const row_matrix *const all[] = {&c->x,        &c->w,      &c->y,         &c->places,
                                   &c->by_group, &c->by_row, &c->by_column, &c->bias};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_upload(all[i]);
  if (c->scaled && !c->widened) row_upload(&c->x_scale);
  if (c->scaled) row_upload(&c->w_scale);
  const wt_status status = call(context, c);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

// Gives the choice back to the library where the named kernel refuses the case: wt_grouped_chosen knows of
// all but the addresses.
static void settle_kernel(wt_context *context, grouped_case *c) {
  const char *name, *kernel = c->desc.kernel;
  const bool any_address = kernel && !strstr(kernel, "4wave");
  if (((c->x.offset | c->w.offset | c->y.offset) && !any_address) ||
      wt_grouped_chosen(context, &c->desc, pass, &name))
    c->desc.kernel = NULL;
  CHECK(wt_grouped_chosen(context, &c->desc, pass, &name) == WT_SUCCESS, "%s: %s", c->what,
        wt_last_error(context));
  snprintf(c->what + strlen(c->what), sizeof c->what - strlen(c->what), " %s", name ? name : "");
}

// Half of the cases that need a workspace bring it, of just the bytes that are needed.
static void *workspace_of(wt_context *context, grouped_case *c, test_rng *rng) {
  void *workspace = NULL;
  size_t bytes = 1;
  CHECK(wt_grouped_workspace_size(context, &c->desc, &bytes) == WT_SUCCESS, "%s", wt_last_error(context));
  CHECK((bytes > 0) == (c->desc.contract == WT_GROUP_INDICES), "%s: %zu bytes", c->what, bytes);
  if (!bytes || row_between(rng, 0, 1)) return NULL;
  row_ok(hipMalloc(&workspace, bytes), "hipMalloc");
  row_ok(hipMemset(workspace, ROW_POISON, bytes), "hipMemset");
  c->desc.workspace = workspace, c->desc.workspace_bytes = bytes;
  return workspace;
}

static void run_case(wt_context *context, test_rng *rng) {
  grouped_case c = make_case(pass, strcmp(wt_context_target(context), "gfx950") == 0, rng);
  settle_kernel(context, &c);
  void *workspace = workspace_of(context, &c, rng);
  const row_matrix *out = result_of(&c);
  unsigned char *first = malloc(out->bytes), *again = malloc(out->bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!enqueue(context, &c)) break;
    row_download(out, s == 0 ? first : again);
    if (s == 0) check_result(&c, first);
    CHECK(s == 0 || memcmp(first, again, out->bytes) == 0, "%s: schedule %s gives other bits than %s", c.what,
          schedules[s], schedules[0]);
  }
  free(first), free(again);
  row_ok(hipFree(workspace), "hipFree");
  destroy_case(&c);
}

int main(int argc, char **argv) {
  if (argc != 3) return fprintf(stderr, "usage: grouped PASS CASES\n"), 2;
  pass = (wt_grouped_pass)atoi(argv[1]);
  test_rng rng = test_seed(20261126 + (uint64_t)pass);
  row_each_device(atoi(argv[2]), &rng, run_case);
  return test_result();
}
