// SPDX-License-Identifier: MIT
// Tests wt_gemm_mx against products worked out from the OCP Microscaling specification v1.0: every pair of
// formats, and random shapes, strides, alignments and epilogues. In three quarters of the cases elements are
// whole multiples of a power of two and sums stay below 2^24 of their smallest unit, so that every order of
// summation gives the same: results are right to the bit, and the same whether scales and B lie by rows or
// shuffled, and however K is split. In the others elements are any numbers, and results lie within the bound
// of their roundings. A case has the same bits under every schedule. A may be of bf16, which has no scales.
// No access to LDS has a bank conflict, and nothing is written between the rows of C or read as a scale
// beyond the end of a row, where bytes say NaN.
//
//   gemm_mx CASES
#include "cases.h"

enum { MOST_PARTS = 4 };  // of K

// Members of a batch lie one after the other.
typedef struct matrix {
  const mx_format *format;  // NULL: bf16, without scales
  int members, rows;        // rows: of a member
  row_matrix q, scale;      // in bytes
  row_matrix shuffled;      // the same scales
  row_matrix weights;       // the same elements shuffled, where their shape can be
  double *values;           // scaled, row by row
} matrix;

typedef struct gemm_case {
  char what[320];
  wt_gemm_mx_desc desc;
  matrix a, b;
  row_matrix c, bias;
  bool exact;
} gemm_case;

// How a run has its inputs lie, and K split.
typedef struct run_layout {
  wt_scale_layout scales;
  wt_weight_layout b;
  int split_k;
} run_layout;

// Returns a number that E2M1 has, a multiple of 1/2 up to 6; or any, of many magnitudes.
static double number_of(test_rng *rng, bool exact) {
  if (exact) return mx_value(mx_format_of(WT_TYPE_F4E2M1), (unsigned)row_between(rng, 0, 15));
  return row_normal(rng) * exp(row_normal(rng));
}

// Most rows begin where direct copies can take them; others lie anywhere.
static row_matrix bytes_create(test_rng *rng, int rows, int columns, int unit, bool anywhere) {
  const int gap = row_between(rng, 0, 1) ? unit * row_between(rng, 0, 3) : 0;
  const int packed = (columns + unit - 1) / unit * unit + gap;
  return row_matrix_create(WT_TYPE_I8, rows, columns, anywhere ? columns + row_between(rng, 0, 7) : packed,
                           anywhere ? row_between(rng, 0, 15) : unit * row_between(rng, 0, 3));
}

// Whole groups alone can be shuffled.
static bool has_weights(const matrix *m) {
  return m->format && m->rows % MX_WEIGHT_ROWS == 0 && m->q.columns % MX_WEIGHT_BYTES == 0;
}

// Numbers times 1/2, 1 or 2.
static void fill_bf16(test_rng *rng, matrix *m, int k, bool exact) {
  for (int row = 0; row < m->q.rows; ++row)
    for (int i = 0; i < k; ++i) {
      const uint32_t bits = row_encode(WT_TYPE_BF16, ldexp(number_of(rng, exact), row_between(rng, -1, 1)));
      row_put(&m->q, row, 2 * i, bits & 255), row_put(&m->q, row, 2 * i + 1, bits >> 8);
      m->values[(size_t)row * (size_t)k + (size_t)i] = row_decode(WT_TYPE_BF16, bits);
    }
  row_upload(&m->q);
}

static matrix make_matrix(test_rng *rng, wt_type type, int members, int of_member, int k, bool anywhere,
                          bool exact) {
  const int blocks = k / MX_BLOCK, rows = members * of_member;
  matrix m = {.format = mx_format_of(type),
              .members = members,
              .rows = of_member,
              .values = malloc((size_t)rows * (size_t)k * sizeof(double))};
  m.q = bytes_create(rng, rows, m.format ? blocks * mx_block_bytes(m.format) : 2 * k, 16, anywhere);
  if (!m.format) return fill_bf16(rng, &m, k, exact), m;
  m.scale = bytes_create(rng, rows, blocks, 4, row_between(rng, 0, 1));
  const int strange = !exact || row_between(rng, 0, 9) ? -1 : row_between(rng, 0, rows - 1);
  for (int row = 0; row < rows; ++row)
    for (int b = 0; b < blocks; ++b) {
      const bool is_nan = row == strange && row_between(rng, 0, blocks - 1) == 0;
      const int scale = is_nan  ? MX_SCALE_NAN
                        : exact ? row_between(rng, 126, 128)
                                : row_between(rng, 124, 130);
      unsigned char *block = m.q.host + row_place(&m.q, row, b * mx_block_bytes(m.format));
      row_put(&m.scale, row, b, (uint32_t)scale);
      for (int i = 0; i < MX_BLOCK; ++i) {
        const unsigned code = mx_encode(m.format, number_of(rng, exact));
        mx_put_code(m.format, block, i, code);
        m.values[(size_t)row * (size_t)k + (size_t)(b * MX_BLOCK + i)] =
            mx_value(m.format, code) * mx_scale(scale);
      }
    }
  row_upload(&m.q), row_upload(&m.scale);
  m.shuffled = mx_shuffled_scales(rng, &m.scale, of_member);
  if (has_weights(&m)) m.weights = mx_shuffled_weights(rng, &m.q);
  return m;
}

// The first cases have each pair of formats once.
static const wt_type *pair_of(test_rng *rng) {
  static int number;
  return mx_pairs[number < MX_PAIRS ? number++ : row_between(rng, 0, MX_PAIRS - 1)];
}

static gemm_case make_case(test_rng *rng) {
  static const wt_type types[] = {WT_TYPE_F32, WT_TYPE_BF16, WT_TYPE_F16};
  const wt_type *pair = pair_of(rng), type_c = types[row_between(rng, 0, 2)];
  const bool exact = row_between(rng, 0, 3);
  static const int most_rows[] = {40, 150, 150, 400};
  const int m = row_between(rng, 1, most_rows[row_between(rng, 0, 3)]);
  // A third of the cases can be stored under the last MFMAs: all is aligned, and C is the product alone.
  const bool plain = row_between(rng, 0, 2) == 0;
  const int wide = row_between(rng, 1, row_between(rng, 0, 3) ? 150 : 400),
            n = plain ? (wide + 7) / 8 * 8 : wide;
  const int k = row_between(rng, 0, 3) ? MX_BLOCK * row_between(rng, 1, 40) : 128 * row_between(rng, 4, 12);
  const bool anywhere = !plain && row_between(rng, 0, 4) == 0;
  // Small members only: all of them are worked out.
  const int batch = m <= 150 && n <= 150 && row_between(rng, 0, 2) == 0 ? row_between(rng, 2, 3) : 1;
  const int members_b = row_between(rng, 0, 2) ? batch : 1;
  gemm_case c = {.a = make_matrix(rng, pair[0], batch, m, k, anywhere, exact),
                 .b = make_matrix(rng, pair[1], members_b, n, k, anywhere, exact),
                 .exact = exact};
  const int unit = plain ? 8 : 1;  // elements
  c.c = row_matrix_create(type_c, batch * m, n, n + unit * row_between(rng, 0, 1) * row_between(rng, 0, 9),
                          unit * (plain ? 2 : (int)row_element(type_c)) * row_between(rng, 0, 8));
  c.bias = row_matrix_create(WT_TYPE_F32, 1, n, n, 4 * row_between(rng, 0, 3));
  for (int i = 0; i < n; ++i) row_put(&c.bias, 0, i, row_encode(WT_TYPE_F32, row_between(rng, -50, 50)));
  for (int row = 0; row < batch * m; ++row)
    for (int i = 0; i < n; ++i) row_put(&c.c, row, i, row_encode(type_c, row_between(rng, -100, 100)));
  row_upload(&c.bias);
  wt_gemm_mx_desc d = WT_GEMM_MX_DESC_INIT;
  d.m = m, d.n = n, d.k = k, d.type_a = pair[0], d.type_b = pair[1], d.type_c = type_c;
  d.a_row_bytes = c.a.q.ld, d.b_row_bytes = c.b.q.ld;
  d.ldc = c.c.ld;
  d.batch = batch, d.c_stride = (int64_t)m * c.c.ld;
  d.a_stride_bytes = (int64_t)m * c.a.q.ld;
  d.alpha = (float)ldexp(1, row_between(rng, -3, 0));
  if (exact && !plain && row_between(rng, 0, 1)) {
    d.beta = (float)row_between(rng, 0, 1);
    d.bias = row_between(rng, 0, 1) ? (const float *)(const void *)c.bias.device : NULL;
    d.activation = row_between(rng, 0, 1) ? WT_ACTIVATION_RELU : WT_ACTIVATION_NONE;
  }
  c.desc = d;
  snprintf(
      c.what, sizeof c.what,
      "%s types %d x %d to %d batch %d %d m %d n %d k %d rows %d %d scales %d %d ldc %d offsets %d %d %d "
      "%d %d alpha "
      "%g beta "
      "%g bias %d activation %d",
      exact ? "exact" : "rounded", (int)pair[0], (int)pair[1], (int)type_c, batch, members_b, m, n, k,
      c.a.q.ld, c.b.q.ld, c.a.scale.ld, c.b.scale.ld, c.c.ld, c.a.q.offset, c.b.q.offset, c.a.scale.offset,
      c.b.scale.offset, c.c.offset, (double)d.alpha, (double)d.beta, d.bias != NULL, (int)d.activation);
  return c;
}

static void destroy(gemm_case *c) {
  row_matrix *const all[] = {&c->a.q,     &c->a.scale,    &c->a.shuffled, &c->b.q,
                             &c->b.scale, &c->b.shuffled, &c->c,          &c->bias};
  if (has_weights(&c->a)) row_matrix_destroy(&c->a.weights);
  if (has_weights(&c->b)) row_matrix_destroy(&c->b.weights);
  for (int i = 0; i < 8; ++i)
    if (all[i]->device) row_matrix_destroy(all[i]);
  free(c->a.values), free(c->b.values);
}

// Computes an element of C in float64, before it is rounded to its type, and how far f32 may be off: each of
// k products is exact and is added to a sum in some order, with an error of at most two roundings of what the
// matrix core then has, and so are the sums of the parts of K. The product with alpha is exact.
static double expected(const gemm_case *c, int row, int column, double *bound) {
  const wt_gemm_mx_desc *d = &c->desc;
  const int member = c->b.members > 1 ? row / c->a.rows : 0;
  const double *a = c->a.values + (size_t)row * (size_t)d->k,
               *b = c->b.values + (size_t)(member * c->b.rows + column) * (size_t)d->k;
  double sum = 0, size = 0;
  for (int i = 0; i < d->k; ++i) sum += a[i] * b[i], size += fabs(a[i] * b[i]);
  sum *= (double)d->alpha;
  *bound = c->exact ? 0 : 2 * (double)(d->k + MOST_PARTS) * 0x1.1p-24 * size * (double)d->alpha;
  if (d->beta != 0) sum += (double)d->beta * row_value(&c->c, c->c.host, row, column);
  if (d->bias) sum += row_value(&c->bias, c->bias.host, 0, column);
  // The maximum of NaN and 0 is 0.
  if (d->activation == WT_ACTIVATION_RELU) sum = sum > 0 ? sum : 0;
  if (c->exact) return row_decode(d->type_c, row_encode(d->type_c, sum));
  *bound += row_roundoff(d->type_c) * (fabs(sum) + *bound) + row_smallest(d->type_c);
  return sum;
}

static void check_results(const gemm_case *c, const unsigned char *got) {
  for (int row = 0; row < c->c.rows; ++row)
    for (int column = 0; column < c->c.columns; ++column) {
      double bound;
      const double want = expected(c, row, column, &bound), value = row_value(&c->c, got, row, column);
      CHECK(isnan(want) ? isnan(value) : fabs(value - want) <= bound,
            "%s: C[%d][%d] is %.9g, expected %.9g within %.3g", c->what, row, column, value, want, bound);
    }
  CHECK(row_gaps_kept(&c->c, got), "%s: something between the rows of C was written", c->what);
}

// Returns the scales of A and B as a case gives them.
static const row_matrix *scales_of(const matrix *m, wt_scale_layout layout) {
  return layout == WT_SCALES_SHUFFLED ? &m->shuffled : &m->scale;
}

static bool multiply(wt_context *context, gemm_case *c, run_layout how) {
  const wt_scale_layout layout = how.scales;
  const row_matrix *q = how.b == WT_WEIGHTS_SHUFFLED ? &c->b.weights : &c->b.q;
  c->desc.b_layout = how.b, c->desc.split_k = how.split_k;
  c->desc.b_row_bytes = how.b == WT_WEIGHTS_SHUFFLED ? q->ld / MX_WEIGHT_ROWS : q->ld;
  c->desc.b_stride_bytes = c->b.members > 1 ? (int64_t)q->rows / c->b.members * q->ld : 0;
  const row_matrix *a = scales_of(&c->a, layout), *b = scales_of(&c->b, layout);  // A may have none: zeros
  c->desc.scale_layout = layout;
  c->desc.a_scale_row_bytes = a->ld, c->desc.b_scale_row_bytes = b->ld;
  c->desc.a_scale_stride_bytes = (int64_t)a->rows / c->a.members * a->ld;
  c->desc.b_scale_stride_bytes = c->b.members > 1 ? (int64_t)b->rows / c->b.members * b->ld : 0;
  row_upload(&c->c);
  const wt_status status =
      wt_gemm_mx(context, &c->desc, c->a.q.device, a->device, q->device, b->device, c->c.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

static run_layout layout_of(const gemm_case *c, bool by_rows, bool shuffles, test_rng *rng) {
  return (run_layout){.scales = by_rows || !c->a.format ? WT_SCALES_BY_ROWS : WT_SCALES_SHUFFLED,
                      .b = shuffles && has_weights(&c->b) && row_between(rng, 0, 1) ? WT_WEIGHTS_SHUFFLED
                                                                                    : WT_WEIGHTS_BY_ROWS,
                      .split_k = row_between(rng, 0, 1) ? row_between(rng, 1, MOST_PARTS) : 0};
}

// The first run of an exact case, and in half of the cases the second, have scales by rows; the others have
// them shuffled. Where sums depend on their order, all runs are alike.
static void run_case(wt_context *context, test_rng *rng) {
  gemm_case c = make_case(rng);
  unsigned char *first = malloc(c.c.bytes), *got = malloc(c.c.bytes);
  const char *const *schedules = row_case_schedules();
  const int last_by_rows = row_between(rng, 0, 1);
  run_layout how = layout_of(&c, last_by_rows, true, rng);
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    if (c.exact) how = layout_of(&c, s <= last_by_rows, s > 0, rng);
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    if (!multiply(context, &c, how)) break;
    row_download(&c.c, s == 0 ? first : got);
    if (s == 0) check_results(&c, first);
    CHECK(s == 0 || memcmp(first, got, c.c.bytes) == 0,
          "%s: schedule %s with scale layout %d, layout of B %d and split_k %d gives other bits than %s",
          c.what, schedules[s], (int)how.scales, (int)how.b, how.split_k, schedules[0]);
  }
  free(first), free(got);
  destroy(&c);
}

int main(int argc, char **argv) { return mx_run_cases(argc, argv, 2026, run_case); }
