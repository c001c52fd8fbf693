// SPDX-License-Identifier: MIT
// Tests wt_conv_forward against the definition of a convolution in float64: random sizes, strides, padding,
// dilation, types, alignment and epilogues, on both simulated chips. Most cases have small whole numbers and
// are compared bit by bit; the others have error bounds. The bits are the same under every schedule, and
// there is no LDS bank conflict.
//
//   conv CASES
#include "conv_sizes.h"

typedef struct conv_case {
  char what[400];
  wt_conv_desc desc;
  int p, q;
  bool whole;                       // whole numbers: all results are exact
  row_matrix x, w, y, scale, bias;  // x has a row for each pixel, w one for each filter and tap
  double (*activation)(double);
} conv_case;

static double identity(double x) { return x; }
static double relu(double x) { return x > 0 ? x : 0; }
static double gelu(double x) { return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x))); }
static double silu(double x) { return x / (1 + exp(-x)); }

// ---- cases

static void set_epilogue(conv_case *c, test_rng *rng) {
  static double (*const functions[])(double) = {identity, relu, gelu, silu};
  wt_conv_desc *d = &c->desc;
  if (row_between(rng, 0, 2)) d->alpha = row_between(rng, 0, 1) ? 0.5f : -2.0f;
  if (row_between(rng, 0, 2) == 0) d->beta = row_between(rng, 0, 1) ? 1.0f : -0.5f;
  if (row_between(rng, 0, 1)) d->bias = (const float *)(void *)c->bias.device;
  if (row_between(rng, 0, 2) == 0) d->filter_scale = (const float *)(void *)c->scale.device;
  d->activation = (wt_activation)row_between(rng, 0, c->whole ? 1 : 3);
  c->activation = functions[d->activation];
}

static conv_case make_case(test_rng *rng, bool gfx950) {
  conv_case c = {.desc = WT_CONV_DESC_INIT, .whole = row_between(rng, 0, 4) != 0};
  wt_conv_desc *d = &c.desc;
  d->type_x = d->type_w = input_of(rng, gfx950), d->type_y = result_of(rng);
  set_sizes(d, (int)row_element(d->type_x), rng);
  out_sizes(d, &c.p, &c.q);
  const int offset = row_between(rng, 0, 5) ? 0 : (int)row_element(d->type_x);
  c.x = row_matrix_create(d->type_x, (int)(d->n * d->h * d->w), (int)d->c, (int)d->c, offset);
  c.w = row_matrix_create(d->type_w, (int)(d->k * d->r * d->s), (int)d->c, (int)d->c, 0);
  c.y = row_matrix_create(d->type_y, (int)d->n * c.p * c.q, (int)d->k, (int)d->k, 0);
  c.scale = row_matrix_create(WT_TYPE_F32, 1, (int)d->k, (int)d->k, 4);
  c.bias = row_matrix_create(WT_TYPE_F32, 1, (int)d->k, (int)d->k, 4);
  set_epilogue(&c, rng);
  d->kernel = kernel_of(rng);  // kept where it can run this
  char sizes[SIZES_TEXT];
  describe_sizes(d, sizes);
  snprintf(c.what, sizeof c.what, "%s offset %d alpha %g beta %g scale %d bias %d activation %d whole %d",
           sizes, offset, (double)d->alpha, (double)d->beta, d->filter_scale != NULL, d->bias != NULL,
           (int)d->activation, c.whole);
  return c;
}

static void destroy(conv_case *c) {
  row_matrix *const all[] = {&c->x, &c->w, &c->y, &c->scale, &c->bias};
  for (int i = 0; i < 5; ++i) row_matrix_destroy(all[i]);
}

static void fill(conv_case *c, test_rng *rng) {
  fill_matrix(&c->x, c->whole, rng);
  fill_matrix(&c->w, c->whole, rng);
  fill_matrix(&c->y, c->whole, rng);
  fill_matrix(&c->bias, c->whole, rng);
  for (int k = 0; k < c->scale.columns; ++k)
    row_put(&c->scale, 0, k, row_encode(WT_TYPE_F32, exp2(row_between(rng, -2, 2))));
}

// ---- the reference

// Adds what tap (r, s) gives output pixel (n, p, q) of filter k, and its magnitude.
static void add_tap(const conv_case *c, int n, int p, int q, int k, int r, int s, double *sum, double *size) {
  const wt_conv_desc *d = &c->desc;
  const int64_t h = p * d->stride_h - d->pad_top + r * d->dilation_h;
  const int64_t w = q * d->stride_w - d->pad_left + s * d->dilation_w;
  if (h < 0 || h >= d->h || w < 0 || w >= d->w) return;
  const int pixel = (int)((n * d->h + h) * d->w + w), tap = (int)((k * d->r + r) * d->s + s);
  for (int i = 0; i < d->c; ++i) {
    const double product = row_value(&c->x, c->x.host, pixel, i) * row_value(&c->w, c->w.host, tap, i);
    *sum += product, *size += fabs(product);
  }
}

static void check_element(const conv_case *c, const unsigned char *y, int n, int p, int q, int k) {
  const wt_conv_desc *d = &c->desc;
  const int row = (n * c->p + p) * c->q + q;
  double sum = 0, size = 0;
  for (int r = 0; r < d->r; ++r)
    for (int s = 0; s < d->s; ++s) add_tap(c, n, p, q, k, r, s, &sum, &size);
  const double factor = (double)d->alpha * (d->filter_scale ? row_value(&c->scale, c->scale.host, 0, k) : 1);
  const double before = d->beta != 0 ? (double)d->beta * row_value(&c->y, c->y.host, row, k) : 0;
  const double bias = d->bias ? row_value(&c->bias, c->bias.host, 0, k) : 0;
  const double want = c->activation(sum * factor + before + bias), got = row_value(&c->y, y, row, k);
  if (c->whole) {
    CHECK(got == row_decode(d->type_y, row_encode(d->type_y, want)),
          "%s: image %d pixel %d %d filter %d is %.9g, expected %.9g", c->what, n, p, q, k, got, want);
    return;
  }
  // All sums in any order, and the activation, whose slope is less than 1.2.
  const double terms = (double)(d->r * d->s * d->c) + 8;
  const double bound = 1.2 * 0x1p-24 * terms * (size * fabs(factor) + fabs(before) + fabs(bias) + 1);
  CHECK(fabs(got - want) <= bound + row_roundoff(d->type_y) * fabs(want) + row_smallest(d->type_y),
        "%s: image %d pixel %d %d filter %d is %.9g, expected %.9g within %.2g", c->what, n, p, q, k, got,
        want, bound);
}

static void check_result(const conv_case *c, const unsigned char *y) {
  for (int n = 0; n < c->desc.n; ++n)
    for (int p = 0; p < c->p; ++p)
      for (int q = 0; q < c->q; ++q)
        for (int k = 0; k < c->desc.k; ++k) check_element(c, y, n, p, q, k);
}

// ---- runs

static bool enqueue(wt_context *context, const conv_case *c) {
  const row_matrix *const all[] = {&c->x, &c->w, &c->y, &c->scale, &c->bias};
  for (int i = 0; i < 5; ++i) row_upload(all[i]);
  const wt_status status = wt_conv_forward(context, &c->desc, c->x.device, c->w.device, c->y.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

// Gives the choice back to the library where the named kernel refuses the case: wt_conv_chosen knows of all
// but the addresses.
static void settle_kernel(wt_context *context, conv_case *c) {
  const bool any_address = strcmp(c->desc.kernel, "conv_general_64x64") == 0;
  const char *name;
  if ((c->x.offset && !any_address) || wt_conv_chosen(context, &c->desc, &name)) c->desc.kernel = NULL;
}

static void check_size(wt_context *context, const conv_case *c) {
  int64_t p, q;
  const wt_status status = wt_conv_output_size(context, &c->desc, &p, &q);
  CHECK(status == WT_SUCCESS && p == c->p && q == c->q, "%s: %d x %d pixels, expected %d x %d", c->what,
        (int)p, (int)q, c->p, c->q);
}

static void run_case(wt_context *context, test_rng *rng) {
  conv_case c = make_case(rng, strcmp(wt_context_target(context), "gfx950") == 0);
  fill(&c, rng);
  settle_kernel(context, &c);
  check_size(context, &c);
  unsigned char *first = malloc(c.y.bytes), *again = malloc(c.y.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!enqueue(context, &c)) break;
    row_download(&c.y, s == 0 ? first : again);
    if (s == 0) check_result(&c, first);
    CHECK(s == 0 || memcmp(first, again, c.y.bytes) == 0, "%s: schedule %s gives other bits than %s", c.what,
          schedules[s], schedules[0]);
  }
  free(first), free(again);
  destroy(&c);
}

int main(int argc, char **argv) {
  test_rng rng = test_seed(20261124);
  row_each_device(argc > 1 ? atoi(argv[1]) : 10, &rng, run_case);
  return test_result();
}
