// SPDX-License-Identifier: MIT
// This tests products of more tiles than compute units, which persistent work-groups take: each pair of
// formats that has such kernels, random sizes, strides and alpha, C in BF16 and F16. C has the bits that it
// has where it begins beside the multiples of 16 bytes that these kernels need, so that other kernels compute
// it and store it by way of LDS. Elements and scales are such that sums are exact, and a sample of C is
// worked out in float64. Nothing is written between the rows of C.
//
//   persistent CASES
#include "cases.h"

// The device is a small one (WT_SIM_COMPUTE_UNITS): it has UNITS.
enum { SAMPLE = 200, TILE = 256, LEAST_TILES = 3, MOST_TILES = 13, UNITS = 32 };

typedef struct operand {
  const mx_format *format;
  int rows;
  row_matrix q, weights, scale, shuffled;  // weights: the elements shuffled
} operand;

typedef struct persistent_case {
  char what[200];
  wt_gemm_mx_desc desc;
  operand a, b;
} persistent_case;

static const wt_type pairs[][2] = {
    {WT_TYPE_F4E2M1, WT_TYPE_F4E2M1}, {WT_TYPE_F8E4M3, WT_TYPE_F8E4M3}, {WT_TYPE_F8E4M3, WT_TYPE_F4E2M1}};
enum { PAIRS = sizeof pairs / sizeof *pairs };

static operand make_operand(test_rng *rng, wt_type type, int rows, int k, bool shuffles) {
  operand x = {.format = mx_format_of(type), .rows = rows};
  const int blocks = k / MX_BLOCK, bytes = blocks * mx_block_bytes(x.format);
  unsigned codes[16];
  for (int i = 0; i < 16; ++i)
    codes[i] = mx_encode(x.format, mx_value(mx_format_of(WT_TYPE_F4E2M1), (unsigned)i));
  x.q = row_matrix_create(WT_TYPE_I8, rows, bytes, bytes + 16 * row_between(rng, 0, 2),
                          16 * row_between(rng, 0, 2));
  x.scale =
      row_matrix_create(WT_TYPE_I8, rows, blocks, blocks + row_between(rng, 0, 3), row_between(rng, 0, 3));
  for (int row = 0; row < rows; ++row)
    for (int b = 0; b < blocks; ++b) {
      unsigned char *block = x.q.host + row_place(&x.q, row, b * mx_block_bytes(x.format));
      const uint64_t bits = test_random(rng), more = test_random(rng);
      const uint32_t scale = 126 + (uint32_t)(more >> 60) % 3;
      for (int i = 0; i < MX_BLOCK; ++i)
        mx_put_code(x.format, block, i, codes[(i < 16 ? bits >> 4 * i : more >> 4 * (i - 16)) & 15]);
      row_put(&x.scale, row, b, scale);
    }
  row_upload(&x.q), row_upload(&x.scale);
  x.shuffled = mx_shuffled_scales(rng, &x.scale, rows);
  if (shuffles) x.weights = mx_shuffled_weights(rng, &x.q);
  return x;
}

static double element(const operand *x, int row, int column) {
  const int block = column / MX_BLOCK;
  const unsigned char *from = x->q.host + row_place(&x->q, row, block * mx_block_bytes(x->format));
  return mx_value(x->format, mx_code(x->format, from, column % MX_BLOCK)) *
         mx_scale((int)row_get(&x->scale, x->scale.host, row, block));
}

// The first cases have each pair of formats with either layout of the scales.
static persistent_case make_case(test_rng *rng) {
  static int number;
  const bool first = number < 2 * PAIRS;
  const int which = first ? number / 2 : row_between(rng, 0, PAIRS - 1);
  const bool shuffled = first ? number % 2 : row_between(rng, 0, 1);
  const int tiles_m = row_between(rng, LEAST_TILES, MOST_TILES), tiles_n = UNITS / tiles_m + 1;
  const bool weights = row_between(rng, 0, 1);
  const int m = TILE * tiles_m - row_between(rng, 0, TILE - 1);
  const int n =
      weights ? TILE * tiles_n - 16 * row_between(rng, 0, 15) : TILE * tiles_n - 8 * row_between(rng, 0, 31);
  const int k = (number++, 512 * row_between(rng, 3, 4));
  persistent_case c = {.a = make_operand(rng, pairs[which][0], m, k, false),
                       .b = make_operand(rng, pairs[which][1], n, k, weights)};
  wt_gemm_mx_desc d = WT_GEMM_MX_DESC_INIT;
  d.m = m, d.n = n, d.k = k, d.type_a = pairs[which][0], d.type_b = pairs[which][1];
  d.type_c = row_between(rng, 0, 1) ? WT_TYPE_BF16 : WT_TYPE_F16;
  d.scale_layout = shuffled ? WT_SCALES_SHUFFLED : WT_SCALES_BY_ROWS;
  d.b_layout = weights ? WT_WEIGHTS_SHUFFLED : WT_WEIGHTS_BY_ROWS;
  d.a_row_bytes = c.a.q.ld, d.b_row_bytes = weights ? c.b.weights.ld / MX_WEIGHT_ROWS : c.b.q.ld;
  d.a_scale_row_bytes = shuffled ? c.a.shuffled.ld : c.a.scale.ld;
  d.b_scale_row_bytes = shuffled ? c.b.shuffled.ld : c.b.scale.ld;
  d.alpha = (float)ldexp(1, row_between(rng, -3, 0));
  d.ldc = n + 8 * row_between(rng, 0, 3);
  c.desc = d;
  snprintf(c.what, sizeof c.what,
           "types %d x %d to %d, scales %d, layout of B %d, m %d n %d k %d ldc %d alpha %g", (int)d.type_a,
           (int)d.type_b, (int)d.type_c, (int)d.scale_layout, (int)d.b_layout, m, n, k, (int)d.ldc,
           (double)d.alpha);
  return c;
}

static bool multiply(wt_context *context, const persistent_case *c, row_matrix *out) {
  const bool shuffled = c->desc.scale_layout == WT_SCALES_SHUFFLED;
  const row_matrix *b = c->desc.b_layout == WT_WEIGHTS_SHUFFLED ? &c->b.weights : &c->b.q;
  const row_matrix *sa = shuffled ? &c->a.shuffled : &c->a.scale,
                   *sb = shuffled ? &c->b.shuffled : &c->b.scale;
  row_upload(out);
  const wt_status status =
      wt_gemm_mx(context, &c->desc, c->a.q.device, sa->device, b->device, sb->device, out->device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

static void check_sample(const persistent_case *c, const row_matrix *out, const unsigned char *got,
                         test_rng *rng) {
  const wt_gemm_mx_desc *d = &c->desc;
  for (int i = 0; i < SAMPLE; ++i) {
    const int row = row_between(rng, 0, (int)d->m - 1), column = row_between(rng, 0, (int)d->n - 1);
    double sum = 0;
    for (int at = 0; at < d->k; ++at) sum += element(&c->a, row, at) * element(&c->b, column, at);
    const double want = row_decode(d->type_c, row_encode(d->type_c, sum * (double)d->alpha));
    const double value = row_value(out, got, row, column);
    CHECK(value == want, "%s: C[%d][%d] is %.9g, expected %.9g", c->what, row, column, value, want);
  }
}

static void destroy(operand *x) {
  row_matrix_destroy(&x->q), row_matrix_destroy(&x->scale), row_matrix_destroy(&x->shuffled);
  if (x->weights.device) row_matrix_destroy(&x->weights);
}

static void run_case(wt_context *context, test_rng *rng) {
  persistent_case c = make_case(rng);
  const int m = (int)c.desc.m, n = (int)c.desc.n, ldc = (int)c.desc.ldc;
  row_matrix aligned = row_matrix_create(c.desc.type_c, m, n, ldc, 16 * row_between(rng, 0, 2)),
             beside = row_matrix_create(c.desc.type_c, m, n, ldc, 2 * row_between(rng, 1, 7));
  unsigned char *got = malloc(aligned.bytes), *other = malloc(beside.bytes);
  const char *kernel = NULL;
  CHECK(wt_gemm_mx_chosen(context, &c.desc, &kernel) == WT_SUCCESS && strstr(kernel, "persistent"),
        "%s: the kernel is %s", c.what, kernel ? kernel : wt_last_error(context));
  if (multiply(context, &c, &aligned) && multiply(context, &c, &beside)) {
    row_download(&aligned, got), row_download(&beside, other);
    int different = 0;
    for (int row = 0; row < m; ++row)
      different +=
          memcmp(got + row_place(&aligned, row, 0), other + row_place(&beside, row, 0), 2 * (size_t)n) != 0;
    CHECK(different == 0, "%s: %d rows of C have other bits than those of another kernel", c.what, different);
    CHECK(row_gaps_kept(&aligned, got), "%s: something between the rows of C was written", c.what);
    check_sample(&c, &aligned, got, rng);
  }
  free(got), free(other);
  row_matrix_destroy(&aligned), row_matrix_destroy(&beside);
  destroy(&c.a), destroy(&c.b);
}

int main(int argc, char **argv) { return mx_run_cases(argc, argv, 91, run_case); }
