// SPDX-License-Identifier: MIT
// Tests wt_conv_backward_images against the definition of the gradient in float64, summed from dy's side,
// where the convolution has it: random sizes, strides, padding, dilation and types, on both simulated chips.
// All numbers are whole, and results are compared bit by bit; the bits are the same under every schedule, and
// there is no LDS bank conflict.
//
//   conv_backward CASES
#include "conv_sizes.h"

typedef struct gradient_case {
  char what[SIZES_TEXT];
  wt_conv_desc desc;
  int p, q;
  row_matrix dy, w, dx;  // dy and dx have a row for each pixel, w one for each filter and tap
  void *workspace;
} gradient_case;

// Takes large strides and filters, of more phases than a launch has, where the image is large enough for
// them.
static void set_many_phases(wt_conv_desc *d, test_rng *rng) {
  wt_conv_desc many = *d;
  many.r = many.s = 5;
  many.stride_h = row_between(rng, 4, 7), many.stride_w = row_between(rng, 5, 7);
  many.k = row_between(rng, 1, 3) * 8;
  int p, q;
  out_sizes(&many, &p, &q);
  if (p > 0 && q > 0) *d = many;
}

static gradient_case make_case(test_rng *rng, bool gfx950) {
  gradient_case c = {.desc = WT_CONV_DESC_INIT};
  wt_conv_desc *d = &c.desc;
  d->type_y = d->type_w = input_of(rng, gfx950), d->type_x = result_of(rng);
  set_sizes(d, (int)row_element(d->type_y), rng);
  // Filters are what channels are to the forward direction; half of the strides are 1, which have no phases.
  if (row_between(rng, 0, 1)) {
    const int64_t channels = d->c;
    d->c = d->k, d->k = channels;
  }
  if (row_between(rng, 0, 1)) d->stride_h = d->stride_w = 1;
  if (row_between(rng, 0, 5) == 0) set_many_phases(d, rng);
  if (row_between(rng, 0, 2) == 0) d->beta = -0.5f;
  if (row_between(rng, 0, 1)) d->alpha = 2;
  out_sizes(d, &c.p, &c.q);
  c.dy = row_matrix_create(d->type_y, (int)d->n * c.p * c.q, (int)d->k, (int)d->k, 0);
  c.w = row_matrix_create(d->type_w, (int)(d->k * d->r * d->s), (int)d->c, (int)d->c, 0);
  c.dx = row_matrix_create(d->type_x, (int)(d->n * d->h * d->w), (int)d->c, (int)d->c, 0);
  fill_matrix(&c.dy, true, rng), fill_matrix(&c.w, true, rng), fill_matrix(&c.dx, true, rng);
  describe_sizes(d, c.what);
  return c;
}

static void destroy(gradient_case *c) {
  row_matrix_destroy(&c->dy), row_matrix_destroy(&c->w), row_matrix_destroy(&c->dx);
  row_ok(hipFree(c->workspace), "hipFree");
}

// Adds what output pixel (n, p, q) and tap (r, s) give to the pixel that they meet at.
static void add_tap(const gradient_case *c, double *sums, int n, int p, int q, int r, int s) {
  const wt_conv_desc *d = &c->desc;
  const int64_t h = p * d->stride_h - d->pad_top + r * d->dilation_h;
  const int64_t w = q * d->stride_w - d->pad_left + s * d->dilation_w;
  if (h < 0 || h >= d->h || w < 0 || w >= d->w) return;
  const int row = (n * c->p + p) * c->q + q;
  double *const pixel = sums + ((n * d->h + h) * d->w + w) * d->c;
  for (int k = 0; k < d->k; ++k) {
    const double dy = row_value(&c->dy, c->dy.host, row, k);
    const int tap = (int)((k * d->r + r) * d->s + s);
    for (int i = 0; i < d->c; ++i) pixel[i] += dy * row_value(&c->w, c->w.host, tap, i);
  }
}

static void check_result(const gradient_case *c, const unsigned char *dx) {
  const wt_conv_desc *d = &c->desc;
  double *sums = calloc((size_t)(c->dx.rows * c->dx.columns), sizeof *sums);
  for (int n = 0; n < d->n; ++n)
    for (int p = 0; p < c->p; ++p)
      for (int q = 0; q < c->q; ++q)
        for (int r = 0; r < d->r; ++r)
          for (int s = 0; s < d->s; ++s) add_tap(c, sums, n, p, q, r, s);
  for (int row = 0; row < c->dx.rows; ++row)
    for (int i = 0; i < c->dx.columns; ++i) {
      const double before = row_value(&c->dx, c->dx.host, row, i);
      const double want = (double)d->alpha * sums[row * c->dx.columns + i] + (double)d->beta * before;
      const double got = row_value(&c->dx, dx, row, i);
      CHECK(got == row_decode(d->type_x, row_encode(d->type_x, want)),
            "%s: pixel %d channel %d is %.9g, expected %.9g", c->what, row, i, got, want);
    }
  free(sums);
}

static bool enqueue(wt_context *context, const gradient_case *c) {
  row_upload(&c->dy), row_upload(&c->w), row_upload(&c->dx);
  row_ok(hipMemset(c->workspace, ROW_POISON, c->desc.workspace_bytes), "hipMemset");
  const wt_status status =
      wt_conv_backward_images(context, &c->desc, c->dy.device, c->w.device, c->dx.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

// Takes a kernel by name where it can run this, and a workspace of just the bytes that are needed.
static void prepare(wt_context *context, gradient_case *c, const char *kernel) {
  size_t bytes = 0;
  c->desc.kernel = kernel;
  if (wt_conv_workspace_size(context, &c->desc, &bytes)) c->desc.kernel = NULL;
  const wt_status status = wt_conv_workspace_size(context, &c->desc, &bytes);
  CHECK(status == WT_SUCCESS && bytes == c->w.bytes, "%s: %zu bytes, expected %zu: %s", c->what, bytes,
        c->w.bytes, wt_last_error(context));
  row_ok(hipMalloc(&c->workspace, bytes), "hipMalloc");
  c->desc.workspace = c->workspace, c->desc.workspace_bytes = bytes;
}

static void run_case(wt_context *context, test_rng *rng) {
  gradient_case c = make_case(rng, strcmp(wt_context_target(context), "gfx950") == 0);
  prepare(context, &c, kernel_of(rng));
  unsigned char *first = malloc(c.dx.bytes), *again = malloc(c.dx.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!enqueue(context, &c)) break;
    row_download(&c.dx, s == 0 ? first : again);
    if (s == 0) check_result(&c, first);
    CHECK(s == 0 || memcmp(first, again, c.dx.bytes) == 0, "%s: schedule %s gives other bits than %s", c.what,
          schedules[s], schedules[0]);
  }
  free(first), free(again);
  destroy(&c);
}

int main(int argc, char **argv) {
  test_rng rng = test_seed(20261125);
  row_each_device(argc > 1 ? atoi(argv[1]) : 10, &rng, run_case);
  return test_result();
}
