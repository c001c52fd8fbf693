// SPDX-License-Identifier: MIT
// Tests wt_gemm_block against products in float64: random shapes, strides, alignments, scales and epilogues.
// In two thirds of the cases elements are small whole numbers and scales powers of two, 0 or NaN, so that
// every order of summation gives the same, and results are right to the bit. In the others scales are any
// numbers, and results lie within the bound of their roundings. Half of the cases promise powers of two, and
// have no other scales but NaN. A case has the same bits under every schedule; no access to LDS has a bank
// conflict, and nothing is written between the rows of C or taken from between those of the inputs, where
// bytes say NaN.
//
//   gemm_block CASES
#include "row_matrix.h"

typedef struct matrix {
  row_matrix q, scale;
  bool turned;     // the scales are stored with a row for each block
  int scale_rows;  // rows of the matrix that share a scale
} matrix;

typedef struct gemm_case {
  char what[400];
  wt_gemm_block_desc desc;
  matrix a, b;
  row_matrix c, bias;
  bool exact, powers;
} gemm_case;

static bool likely(test_rng *rng, int of) { return row_between(rng, 1, of) > 1; }

static double scale_at(const matrix *m, int row, int block) {
  row /= m->scale_rows;
  return m->turned ? row_value(&m->scale, m->scale.host, block, row)
                   : row_value(&m->scale, m->scale.host, row, block);
}

// Most rows begin where direct copies can take them; others lie anywhere.
static matrix make_matrix(test_rng *rng, wt_type type, int rows, int k, int scale_rows, bool exact,
                          bool powers) {
  const bool anywhere = !likely(rng, 5);
  const int aligned = (k + 15) / 16 * 16 + 16 * row_between(rng, 0, 2);
  const int blocks = (k - 1) / WT_F32_BLOCK_ELEMENTS + 1, scales = (rows - 1) / scale_rows + 1;
  matrix m = {.turned = row_between(rng, 0, 1), .scale_rows = scale_rows};
  m.q = row_matrix_create(type, rows, k, anywhere ? k + row_between(rng, 0, 7) : aligned,
                          anywhere ? row_between(rng, 0, 15) : 16 * row_between(rng, 0, 3));
  const int tall = m.turned ? blocks : scales, wide = m.turned ? scales : blocks;
  m.scale = row_matrix_create(WT_TYPE_F32, tall, wide, wide + row_between(rng, 0, 1) * row_between(rng, 0, 9),
                              4 * row_between(rng, 0, 3));
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < k; ++i)
      row_put(&m.q, row, i, fp8_nearest(type, exact ? row_between(rng, -8, 8) : row_normal(rng)));
  const int strange = likely(rng, 8) ? -1 : row_between(rng, 0, tall * wide - 1);
  for (int i = 0; i < tall * wide; ++i) {
    const double number = exact    ? ldexp(powers || row_between(rng, 0, 9) != 0, row_between(rng, -1, 1))
                          : powers ? ldexp(1, row_between(rng, -4, 2))
                                   : row_normal(rng) * exp(row_normal(rng));
    row_put(&m.scale, i / wide, i % wide, row_encode(WT_TYPE_F32, exact && i == strange ? NAN : number));
  }
  row_upload(&m.q), row_upload(&m.scale);
  return m;
}

static void describe(gemm_case *c) {
  const wt_gemm_block_desc *d = &c->desc;
  snprintf(c->what, sizeof c->what,
           "%s scales %d of B %d to type %d m %d n %d k %d rows %d %d scales %lld %lld, %lld %lld ldc %d "
           "offsets %d %d %d %d %d alpha %g beta %g bias %d activation %d",
           c->exact ? "exact" : "rounded", (int)d->scales, (int)d->scales_of_b, (int)d->type_c, (int)d->m,
           (int)d->n, (int)d->k, c->a.q.ld, c->b.q.ld, (long long)d->a_scale_row, (long long)d->a_scale_block,
           (long long)d->b_scale_row, (long long)d->b_scale_block, c->c.ld, c->a.q.offset, c->b.q.offset,
           c->a.scale.offset, c->b.scale.offset, c->c.offset, (double)d->alpha, (double)d->beta,
           d->bias != NULL, (int)d->activation);
}

static gemm_case make_case(wt_context *context, test_rng *rng) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  const bool ocp = strcmp(wt_context_target(context), "gfx950") == 0, rows = row_between(rng, 0, 1);
  wt_gemm_block_desc d = WT_GEMM_BLOCK_DESC_INIT;
  d.type_ab = ocp ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ, d.type_c = types[row_between(rng, 0, 2)];
  d.scales_of_b = rows ? WT_SCALES_OF_B_ROWS : WT_SCALES_OF_B_TILES;
  const int m = row_between(rng, 1, likely(rng, 4) ? 150 : 600);
  const int n = row_between(rng, 1, likely(rng, 4) ? 150 : 400);
  const bool powers = row_between(rng, 0, 1);
  const int unit = !likely(rng, 3) ? WT_F32_BLOCK_ELEMENTS : powers && likely(rng, 6) ? WT_BLOCK_ELEMENTS : 1;
  const int k = unit * row_between(rng, 1, (powers ? 2200 : 1500) / unit);
  gemm_case c = {.exact = likely(rng, 3), .powers = powers};
  d.scales = powers ? WT_BLOCK_SCALES_POWER_OF_TWO : WT_BLOCK_SCALES_F32;
  d.m = m, d.n = n, d.k = k;
  c.a = make_matrix(rng, d.type_ab, m, k, 1, c.exact, powers);
  c.b = make_matrix(rng, d.type_ab, n, k, rows ? 1 : WT_F32_BLOCK_ELEMENTS, c.exact, powers);
  c.c = row_matrix_create(d.type_c, m, n, n + row_between(rng, 0, 1) * row_between(rng, 0, 9),
                          (int)row_element(d.type_c) * row_between(rng, 0, 8));
  c.bias = row_matrix_create(WT_TYPE_F32, 1, n, n, 4 * row_between(rng, 0, 3));
  for (int i = 0; i < n; ++i) row_put(&c.bias, 0, i, row_encode(WT_TYPE_F32, row_between(rng, -50, 50)));
  for (int row = 0; row < m; ++row)
    for (int i = 0; i < n; ++i) row_put(&c.c, row, i, row_encode(d.type_c, row_between(rng, -100, 100)));
  row_upload(&c.bias);
  d.lda = c.a.q.ld, d.ldb = c.b.q.ld, d.ldc = c.c.ld;
  d.a_scale_row = c.a.turned ? 1 : c.a.scale.ld, d.a_scale_block = c.a.turned ? c.a.scale.ld : 1;
  d.b_scale_row = c.b.turned ? 1 : c.b.scale.ld, d.b_scale_block = c.b.turned ? c.b.scale.ld : 1;
  d.alpha = (float)ldexp(1, row_between(rng, -6, -3));
  if (c.exact && row_between(rng, 0, 1)) {
    d.beta = (float)row_between(rng, 0, 1);
    d.bias = row_between(rng, 0, 1) ? (const float *)(const void *)c.bias.device : NULL;
    d.activation = row_between(rng, 0, 1) ? WT_ACTIVATION_RELU : WT_ACTIVATION_NONE;
  }
  c.desc = d;
  describe(&c);
  return c;
}

static void destroy(gemm_case *c) {
  row_matrix *const all[] = {&c->a.q, &c->a.scale, &c->b.q, &c->b.scale, &c->c, &c->bias};
  for (int i = 0; i < 6; ++i) row_matrix_destroy(all[i]);
}

// Returns the numbers of a matrix, row by row.
static double *decoded(const matrix *m) {
  double *x = malloc((size_t)m->q.rows * (size_t)m->q.columns * sizeof *x), *to = x;
  for (int row = 0; row < m->q.rows; ++row)
    for (int i = 0; i < m->q.columns; ++i) *to++ = row_value(&m->q, m->q.host, row, i);
  return x;
}

// Computes an element of C in float64, before it is rounded to its type, and how far f32 may be off.
//
// Within a block, a matrix core adds up to 128 products to a sum in some order, each time with an error of at
// most two roundings of what it then has. The scale is rounded once, as is each of the sums of blocks, and
// the product with alpha is exact. Where matrix cores apply powers of two, all of K may be one such sum.
static double expected(const gemm_case *c, const double *a, const double *b, int row, int column,
                       double *bound) {
  const wt_gemm_block_desc *d = &c->desc;
  const int k = (int)d->k, blocks = (k - 1) / WT_F32_BLOCK_ELEMENTS + 1;
  double sum = 0, size = 0;
  for (int block = 0; block < blocks; ++block) {
    const double scale = scale_at(&c->a, row, block) * scale_at(&c->b, column, block);
    const int end = block + 1 < blocks ? (block + 1) * WT_F32_BLOCK_ELEMENTS : k;
    double product = 0, magnitudes = 0;
    for (int i = block * WT_F32_BLOCK_ELEMENTS; i < end; ++i) {
      const double term = a[(size_t)row * (size_t)k + (size_t)i] * b[(size_t)column * (size_t)k + (size_t)i];
      product += term, magnitudes += fabs(term);
    }
    sum += scale * product, size += fabs(scale) * magnitudes;
  }
  sum *= (double)d->alpha;
  const int together = c->powers && k > WT_F32_BLOCK_ELEMENTS ? k : WT_F32_BLOCK_ELEMENTS;
  *bound = c->exact ? 0 : (2 * together + 2 + blocks) * 0x1.1p-24 * size * (double)d->alpha;
  if (d->beta != 0) sum += (double)d->beta * row_value(&c->c, c->c.host, row, column);
  if (d->bias) sum += row_value(&c->bias, c->bias.host, 0, column);
  // The maximum of NaN and 0 is 0.
  if (d->activation == WT_ACTIVATION_RELU) sum = sum > 0 ? sum : 0;
  return sum;
}

static void check_results(const gemm_case *c, const unsigned char *got) {
  const wt_type type = c->desc.type_c;
  double *a = decoded(&c->a), *b = decoded(&c->b);
  for (int row = 0; row < c->c.rows; ++row)
    for (int column = 0; column < c->c.columns; ++column) {
      double bound, want = expected(c, a, b, row, column, &bound);
      const double value = row_value(&c->c, got, row, column);
      if (c->exact)
        want = row_decode(type, row_encode(type, want));
      else
        bound += row_roundoff(type) * (fabs(want) + bound) + row_smallest(type);
      CHECK(isnan(want) ? isnan(value) : fabs(value - want) <= bound,
            "%s: C[%d][%d] is %.9g, expected %.9g within %.3g", c->what, row, column, value, want, bound);
    }
  CHECK(row_gaps_kept(&c->c, got), "%s: something between the rows of C was written", c->what);
  free(a), free(b);
}

static void run_case(wt_context *context, test_rng *rng) {
  gemm_case c = make_case(context, rng);
  unsigned char *first = malloc(c.c.bytes), *got = malloc(c.c.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    row_upload(&c.c);
    const wt_status status =
        wt_gemm_block(context, &c.desc, c.a.q.device, (const float *)(const void *)c.a.scale.device,
                      c.b.q.device, (const float *)(const void *)c.b.scale.device, c.c.device, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", c.what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), c.what)) break;
    row_download(&c.c, s == 0 ? first : got);
    if (s == 0) check_results(&c, first);
    CHECK(s == 0 || memcmp(first, got, c.c.bytes) == 0, "%s: schedule %s gives other bits than %s", c.what,
          schedules[s], schedules[0]);
  }
  free(first), free(got);
  destroy(&c);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: gemm_block CASES\n"), 2;
  test_rng rng = test_seed(2026);
  row_each_device(atoi(argv[1]), &rng, run_case);
  return test_result();
}
