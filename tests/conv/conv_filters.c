// SPDX-License-Identifier: MIT
// Tests wt_conv_backward_filters against the definition of the gradient in float64: random sizes, strides,
// padding, dilation, types, alignment and workspaces, on both simulated chips. All numbers are whole, and
// results are compared bit by bit; the bits are the same under every schedule, and there is no LDS bank
// conflict.
//
//   conv_filters CASES
#include "conv_sizes.h"

typedef struct gradient_case {
  char what[SIZES_TEXT + 100];
  wt_conv_desc desc;
  int p, q;
  row_matrix dy, x, dw;  // dy and x have a row for each pixel, dw one for each filter and tap
  void *workspace;
} gradient_case;

// Channels and filters of whole 16 bytes, and output pixels for a few K steps, as the fast kernels need.
static void set_fast_sizes(wt_conv_desc *d, test_rng *rng) {
  const int chunk = 16 / (int)row_element(d->type_x);
  do {
    set_sizes(d, 2, rng);
    d->h = row_between(rng, 6, 20), d->w = row_between(rng, 6, 20), d->n = row_between(rng, 1, 6);
    d->c = chunk * row_between(rng, 1, 160 / chunk), d->k = chunk * row_between(rng, 1, 160 / chunk);
  } while (out_size(d->h, d->pad_top, d->pad_bottom, d->r, d->dilation_h, 1) == 0 ||
           out_size(d->w, d->pad_left, d->pad_right, d->s, d->dilation_w, 1) == 0 ||
           d->n * (d->h + 6) * (d->w + 6) * d->k * d->r * d->s * d->c >
               4 * MOST_PRODUCTS * d->stride_h * d->stride_w);
}

static const char *filters_kernel_of(test_rng *rng) {
  static const char *const names[] = {"conv_filters_general_64x64", "conv_filters_4wave_64x64",
                                      "conv_filters_4wave_128x128"};
  return names[row_between(rng, 0, 2)];
}

static gradient_case make_case(test_rng *rng, bool gfx950) {
  gradient_case c = {.desc = WT_CONV_DESC_INIT};
  wt_conv_desc *d = &c.desc;
  d->type_x = d->type_y = input_of(rng, gfx950), d->type_w = result_of(rng);
  if (row_between(rng, 0, 3))
    set_fast_sizes(d, rng);
  else
    set_sizes(d, 2, rng);
  if (row_between(rng, 0, 2) == 0) d->beta = -0.5f;
  if (row_between(rng, 0, 1)) d->alpha = 0.25f;
  out_sizes(d, &c.p, &c.q);
  const int offset = row_between(rng, 0, 7) ? 0 : (int)row_element(d->type_x);
  c.dy = row_matrix_create(d->type_y, (int)d->n * c.p * c.q, (int)d->k, (int)d->k, 0);
  c.x = row_matrix_create(d->type_x, (int)(d->n * d->h * d->w), (int)d->c, (int)d->c, offset);
  c.dw = row_matrix_create(d->type_w, (int)(d->k * d->r * d->s), (int)d->c, (int)d->c, 0);
  fill_matrix(&c.dy, true, rng), fill_matrix(&c.x, true, rng), fill_matrix(&c.dw, true, rng);
  char sizes[SIZES_TEXT];
  describe_sizes(d, sizes);
  snprintf(c.what, sizeof c.what, "%s offset %d", sizes, offset);
  return c;
}

static void destroy(gradient_case *c) {
  row_matrix_destroy(&c->dy), row_matrix_destroy(&c->x), row_matrix_destroy(&c->dw);
  row_ok(hipFree(c->workspace), "hipFree");
}

// Returns the numbers of a matrix, row after row.
static double *numbers_of(const row_matrix *m) {
  double *numbers = malloc((size_t)m->rows * (size_t)m->columns * sizeof *numbers);
  for (int i = 0; i < m->rows; ++i)
    for (int j = 0; j < m->columns; ++j) numbers[i * m->columns + j] = row_value(m, m->host, i, j);
  return numbers;
}

// Adds what output pixel (n, p, q) gives to tap (r, s) of all filters.
static void add_tap(const gradient_case *c, const double *dy, const double *x, double *sums, int n, int p,
                    int q, int r, int s) {
  const wt_conv_desc *d = &c->desc;
  const int64_t h = p * d->stride_h - d->pad_top + r * d->dilation_h;
  const int64_t w = q * d->stride_w - d->pad_left + s * d->dilation_w;
  if (h < 0 || h >= d->h || w < 0 || w >= d->w) return;
  const double *pixel = x + ((n * d->h + h) * d->w + w) * d->c;
  const double *factors = dy + ((n * c->p + p) * c->q + q) * d->k;
  for (int k = 0; k < d->k; ++k) {
    double *tap = sums + ((k * d->r + r) * d->s + s) * d->c;
    for (int i = 0; i < d->c; ++i) tap[i] += factors[k] * pixel[i];
  }
}

static void check_result(const gradient_case *c, const unsigned char *dw) {
  const wt_conv_desc *d = &c->desc;
  double *dy = numbers_of(&c->dy), *x = numbers_of(&c->x);
  double *sums = calloc((size_t)(c->dw.rows * c->dw.columns), sizeof *sums);
  for (int n = 0; n < d->n; ++n)
    for (int p = 0; p < c->p; ++p)
      for (int q = 0; q < c->q; ++q)
        for (int r = 0; r < d->r; ++r)
          for (int s = 0; s < d->s; ++s) add_tap(c, dy, x, sums, n, p, q, r, s);
  for (int row = 0; row < c->dw.rows; ++row)
    for (int i = 0; i < c->dw.columns; ++i) {
      const double before = row_value(&c->dw, c->dw.host, row, i);
      const double want = (double)d->alpha * sums[row * c->dw.columns + i] + (double)d->beta * before;
      const double got = row_value(&c->dw, dw, row, i);
      CHECK(got == row_decode(d->type_w, row_encode(d->type_w, want)),
            "%s: filter and tap %d channel %d is %.9g, expected %.9g", c->what, row, i, got, want);
    }
  free(dy), free(x), free(sums);
}

static bool enqueue(wt_context *context, const gradient_case *c) {
  row_upload(&c->dy), row_upload(&c->x), row_upload(&c->dw);
  if (c->workspace) row_ok(hipMemset(c->workspace, ROW_POISON, c->desc.workspace_bytes), "hipMemset");
  const wt_status status =
      wt_conv_backward_filters(context, &c->desc, c->dy.device, c->x.device, c->dw.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

// Takes a kernel by name where it can run this, and no workspace, all that is useful or half of it.
static void prepare(wt_context *context, gradient_case *c, test_rng *rng) {
  const char *kernel = filters_kernel_of(rng), *name = NULL;
  const bool any_address = strcmp(kernel, "conv_filters_general_64x64") == 0;
  c->desc.kernel = kernel;
  if ((c->x.offset && !any_address) || wt_conv_filters_chosen(context, &c->desc, &name))
    c->desc.kernel = NULL;
  size_t bytes = 0;
  const wt_status status = wt_conv_filters_workspace_size(context, &c->desc, &bytes);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  const int halves = row_between(rng, 0, 2);
  if (!halves || !bytes) return;
  row_ok(hipMalloc(&c->workspace, bytes), "hipMalloc");
  c->desc.workspace = c->workspace, c->desc.workspace_bytes = bytes * (size_t)halves / 2;
}

static void run_case(wt_context *context, test_rng *rng) {
  gradient_case c = make_case(rng, strcmp(wt_context_target(context), "gfx950") == 0);
  prepare(context, &c, rng);
  unsigned char *first = malloc(c.dw.bytes), *again = malloc(c.dw.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!enqueue(context, &c)) break;
    row_download(&c.dw, s == 0 ? first : again);
    if (s == 0) check_result(&c, first);
    CHECK(s == 0 || memcmp(first, again, c.dw.bytes) == 0, "%s: schedule %s gives other bits than %s", c.what,
          schedules[s], schedules[0]);
  }
  free(first), free(again);
  destroy(&c);
}

int main(int argc, char **argv) {
  test_rng rng = test_seed(20261126);
  row_each_device(argc > 1 ? atoi(argv[1]) : 10, &rng, run_case);
  return test_result();
}
