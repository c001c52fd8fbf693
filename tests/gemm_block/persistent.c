// SPDX-License-Identifier: MIT
// Tests products of more tiles than compute units with powers of two as scales, which persistent work-groups
// take: random sizes, strides and alpha, scales in rows and stored transposed, of B's tiles and of its rows,
// C in BF16 and F16. C has the bits that it has where it begins beside the multiples of 16 bytes that these
// kernels need, so that other kernels compute it. Sums are exact, and a sample of C is worked out in float64.
// Nothing is written between the rows of C.
//
//   persistent CASES
#include "gemm_mx/cases.h"

// The device is a small one (WT_SIM_COMPUTE_UNITS): it has UNITS.
enum { SAMPLE = 200, TILE = 256, LEAST_TILES = 3, MOST_TILES = 13, UNITS = 32 };

typedef struct matrix {
  row_matrix q, scale;
  bool turned;     // the scales are stored with a row for each block
  int scale_rows;  // rows of the matrix that share a scale
} matrix;

typedef struct persistent_case {
  char what[200];
  wt_gemm_block_desc desc;
  matrix a, b;
} persistent_case;

static matrix make_matrix(test_rng *rng, int rows, int k, int scale_rows, bool turned) {
  const int blocks = k / WT_F32_BLOCK_ELEMENTS, scales = (rows - 1) / scale_rows + 1;
  const int tall = turned ? blocks : scales, wide = turned ? scales : blocks;
  uint32_t codes[16];
  matrix m = {.turned = turned, .scale_rows = scale_rows};
  m.q = row_matrix_create(WT_TYPE_F8E4M3, rows, k, k + 16 * row_between(rng, 0, 2),
                          16 * row_between(rng, 0, 2));
  m.scale =
      row_matrix_create(WT_TYPE_F32, tall, wide, wide + row_between(rng, 0, 3), 4 * row_between(rng, 0, 3));
  for (int i = 0; i < 16; ++i) codes[i] = fp8_nearest(WT_TYPE_F8E4M3, i - 8);
  for (int row = 0; row < rows; ++row) {
    uint64_t bits = 0;
    for (int i = 0; i < k; ++i, bits >>= 4) {
      if (i % 16 == 0) bits = test_random(rng);
      m.q.host[row_place(&m.q, row, i)] = (unsigned char)codes[bits & 15];
    }
  }
  for (int i = 0; i < tall * wide; ++i)
    row_put(&m.scale, i / wide, i % wide, row_encode(WT_TYPE_F32, ldexp(1, row_between(rng, -1, 1))));
  row_upload(&m.q), row_upload(&m.scale);
  return m;
}

static double element(const matrix *m, int row, int column) {
  const int line = row / m->scale_rows, block = column / WT_F32_BLOCK_ELEMENTS;
  return row_value(&m->q, m->q.host, row, column) *
         row_value(&m->scale, m->scale.host, m->turned ? block : line, m->turned ? line : block);
}

// The first cases have either scales of B, in either order. There are one and a half rounds of tiles at
// least: of fewer, smaller tiles waste less.
static persistent_case make_case(test_rng *rng) {
  static int number;
  const int which = number < 4 ? number : row_between(rng, 0, 3);
  const bool rows = which % 2, turned = which / 2;
  const int tiles_m = row_between(rng, LEAST_TILES, MOST_TILES), tiles_n = 3 * UNITS / 2 / tiles_m + 1;
  const int m = TILE * tiles_m - row_between(rng, 0, TILE - 1);
  const int n = TILE * tiles_n - 8 * row_between(rng, 0, 31);
  const int k = (number++, 512 * row_between(rng, 2, 4));
  persistent_case c = {.a = make_matrix(rng, m, k, 1, turned),
                       .b = make_matrix(rng, n, k, rows ? 1 : WT_F32_BLOCK_ELEMENTS, turned)};
  wt_gemm_block_desc d = WT_GEMM_BLOCK_DESC_INIT;
  d.m = m, d.n = n, d.k = k, d.type_ab = WT_TYPE_F8E4M3;
  d.type_c = row_between(rng, 0, 1) ? WT_TYPE_BF16 : WT_TYPE_F16;
  d.scales_of_b = rows ? WT_SCALES_OF_B_ROWS : WT_SCALES_OF_B_TILES, d.scales = WT_BLOCK_SCALES_POWER_OF_TWO;
  d.lda = c.a.q.ld, d.ldb = c.b.q.ld;
  d.a_scale_row = turned ? 1 : c.a.scale.ld, d.a_scale_block = turned ? c.a.scale.ld : 1;
  d.b_scale_row = turned ? 1 : c.b.scale.ld, d.b_scale_block = turned ? c.b.scale.ld : 1;
  d.alpha = (float)ldexp(1, row_between(rng, -6, -3));
  d.ldc = n + 8 * row_between(rng, 0, 3);
  c.desc = d;
  snprintf(c.what, sizeof c.what, "scales of B %d, turned %d, to type %d, m %d n %d k %d ldc %d alpha %g",
           (int)d.scales_of_b, turned, (int)d.type_c, m, n, k, (int)d.ldc, (double)d.alpha);
  return c;
}

static bool multiply(wt_context *context, const persistent_case *c, row_matrix *out) {
  row_upload(out);
  const wt_status status =
      wt_gemm_block(context, &c->desc, c->a.q.device, (const float *)(const void *)c->a.scale.device,
                    c->b.q.device, (const float *)(const void *)c->b.scale.device, out->device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
  return !status && row_ok(hipDeviceSynchronize(), c->what);
}

static void check_sample(const persistent_case *c, const row_matrix *out, const unsigned char *got,
                         test_rng *rng) {
  const wt_gemm_block_desc *d = &c->desc;
  for (int i = 0; i < SAMPLE; ++i) {
    const int row = row_between(rng, 0, (int)d->m - 1), column = row_between(rng, 0, (int)d->n - 1);
    double sum = 0;
    for (int at = 0; at < d->k; ++at) sum += element(&c->a, row, at) * element(&c->b, column, at);
    const double want = row_decode(d->type_c, row_encode(d->type_c, sum * (double)d->alpha));
    const double value = row_value(out, got, row, column);
    CHECK(value == want, "%s: C[%d][%d] is %.9g, expected %.9g", c->what, row, column, value, want);
  }
}

static void run_case(wt_context *context, test_rng *rng) {
  persistent_case c = make_case(rng);
  const int m = (int)c.desc.m, n = (int)c.desc.n, ldc = (int)c.desc.ldc;
  row_matrix aligned = row_matrix_create(c.desc.type_c, m, n, ldc, 16 * row_between(rng, 0, 2)),
             beside = row_matrix_create(c.desc.type_c, m, n, ldc, 2 * row_between(rng, 1, 7));
  unsigned char *got = malloc(aligned.bytes), *other = malloc(beside.bytes);
  const char *kernel = NULL;
  CHECK(wt_gemm_block_chosen(context, &c.desc, &kernel) == WT_SUCCESS && strstr(kernel, "powers_persistent"),
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
  row_matrix *const all[] = {&aligned, &beside, &c.a.q, &c.a.scale, &c.b.q, &c.b.scale};
  for (int i = 0; i < 6; ++i) row_matrix_destroy(all[i]);
}

int main(int argc, char **argv) { return mx_run_cases(argc, argv, 92, run_case); }
