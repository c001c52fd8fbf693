// SPDX-License-Identifier: MIT
// The grouped products and their gradients against plain loops over the rows of each group, to the bit: each
// pair of types with each contract, then random ones; random sizes, alignment, epilogues and scales of
// blocks, 1 to 512 groups, empty ones and one with all rows, on both simulated chips. Numbers are whole, so
// that every order of summation gives the same. Rows that are nobody's and what lies between rows keep their
// bits, the bits are the same under every schedule, and there is no LDS bank conflict.
//
//   grouped PASS CASES: PASS is 0 (forward), 1 (gradient of the input) or 2 (by the weights)
#include "grouped_case.h"

static wt_grouped_pass pass;

// ---- the reference

// Describes the sums of group g or of its row, by the pass. `values` holds all of x, w and y as numbers; what
// is neither multiplied nor added to is NULL.
typedef struct values {
  double *x, *w, *y;
} values;

static double sum_of(const double *a, int step_a, const double *b, int step_b, int count) {
  double sum = 0;
  for (int i = 0; i < count; ++i) sum += a[i * step_a] * b[i * step_b];
  return sum;
}

static double number_of(const row_matrix *vector, int at) { return row_value(vector, vector->host, 0, at); }

// The factors of element `column` of a line of the group's result; `line` and `column` count those of all
// groups that have factors of their own.
static double factor_of(const grouped_case *c, int group, int line, int column) {
  const wt_grouped_desc *d = &c->desc;
  double factor = (double)d->alpha;
  if (d->group_scale) factor *= number_of(&c->by_group, group);
  if (d->row_scale) factor *= number_of(&c->by_row, line);
  if (d->column_scale) factor *= number_of(&c->by_column, column);
  return factor;
}

// Checks element `at` of a line of the result.
static void check_number(const grouped_case *c, const grouped_matrix *out, const unsigned char *got,
                         int group, int line, int at, double want) {
  const row_matrix *m = &out->memory;
  const double value = row_value(m, got, memory_row(out, group, line), memory_column(out, group) + at);
  CHECK(value == row_decode(m->type, row_encode(m->type, want)),
        "%s: group %d row %d column %d is %.9g, expected %.9g", c->what, group, line, at, value, want);
}

static void check_forward(const grouped_case *c, const values *v, const unsigned char *got, int row) {
  const wt_grouped_desc *d = &c->desc;
  const int g = c->owner[row], n = (int)d->n, k = (int)d->k;
  for (int j = 0; j < n; ++j) {
    const int column = g * n + j;
    double want = sum_of(v->x + row * k, 1, v->w + (int64_t)column * k, 1, k) * factor_of(c, g, row, column);
    if (d->beta != 0) want += (double)d->beta * v->y[row * n + j];
    if (d->bias) want += number_of(&c->bias, column);
    if (d->activation == WT_ACTIVATION_RELU && want < 0) want = 0;
    check_number(c, &c->y, got, 0, row, j, want);
  }
}

static void check_input(const grouped_case *c, const values *v, const unsigned char *got, int row) {
  const wt_grouped_desc *d = &c->desc;
  const int g = c->owner[row], n = (int)d->n, k = (int)d->k;
  for (int l = 0; l < k; ++l) {
    double want =
        sum_of(v->y + row * n, 1, v->w + (int64_t)g * n * k + l, k, n) * factor_of(c, g, row, g * k + l);
    if (d->beta != 0) want += (double)d->beta * v->x[row * k + l];
    check_number(c, &c->x, got, 0, row, l, want);
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
  const int n = (int)d->n, k = (int)d->k, rows = (int)d->groups * n;
  double *sums = calloc((size_t)rows * (size_t)k, sizeof *sums);
  for (int row = 0; row < c->rows; ++row)
    if (c->owner[row] != NOBODY) add_row(c, v, sums, row);
  for (int i = 0; i < rows; ++i)
    for (int l = 0; l < k; ++l) {
      double want = sums[i * k + l] * factor_of(c, i / n, i, i / n * k + l);
      if (d->beta != 0) want += (double)d->beta * v->w[i * k + l];
      check_number(c, &c->w, got, i / n, i % n, l, want);
    }
  free(sums);
}

static const grouped_matrix *result_of(const grouped_case *c) {
  return pass == WT_GROUPED_FORWARD ? &c->y : pass == WT_GROUPED_BACKWARD_INPUT ? &c->x : &c->w;
}

static void check_result(const grouped_case *c, const unsigned char *got) {
  const row_matrix *out = &result_of(c)->memory;
  const grouped_matrix *unused = c->desc.beta != 0 ? NULL : result_of(c);
  const values v = {unused == &c->x ? NULL : numbers_of(&c->x), unused == &c->w ? NULL : numbers_of(&c->w),
                    unused == &c->y ? NULL : numbers_of(&c->y)};
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
  void *const x = c->x.memory.device, *const w = c->w.memory.device, *const y = c->y.memory.device;
  switch (pass) {
    case WT_GROUPED_FORWARD: return wt_grouped_forward(context, &c->desc, x, w, y, places, NULL);
    case WT_GROUPED_BACKWARD_INPUT:
      return wt_grouped_backward_input(context, &c->desc, y, w, x, places, NULL);
    case WT_GROUPED_BACKWARD_WEIGHT:
      return wt_grouped_backward_weight(context, &c->desc, y, x, w, places, NULL);
  }
  return WT_ERROR_VALUE;
}

static bool enqueue(wt_context *context, const grouped_case *c) {
  upload_matrix(&c->x), upload_matrix(&c->w), upload_matrix(&c->y);
  const row_matrix *const all[] = {&c->places, &c->by_group, &c->by_row, &c->by_column, &c->bias};
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i) row_upload(all[i]);
  const wt_status status = call(context, c);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

// Gives the choice back to the library where the named kernel refuses the case: wt_grouped_chosen knows of
// all but the addresses.
static void settle_kernel(wt_context *context, grouped_case *c) {
  const char *name, *kernel = c->desc.kernel;
  const bool any_address = kernel && !strstr(kernel, "4wave");
  if (((c->x.memory.offset | c->w.memory.offset | c->y.memory.offset) && !any_address) ||
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
  static int numbers[2];
  const bool gfx950 = strcmp(wt_context_target(context), "gfx950") == 0;
  grouped_case c = make_case(pass, gfx950, numbers[gfx950]++, rng);
  settle_kernel(context, &c);
  void *workspace = workspace_of(context, &c, rng);
  const row_matrix *out = &result_of(&c)->memory;
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
