// SPDX-License-Identifier: MIT
// Compares a grouped product with a loop of single products over its groups: BF16 by wt_gemm, FP8 with F32
// scales by wt_gemm_block, and each pair of MX formats by wt_gemm_mx. Both have the same bits where numbers
// are whole. With any numbers, with three of these pairs, the grouped one lies within the bound that follows
// from its roundings, around the product in float64.
#include "grouped_matrix.h"

enum { GROUPS = 4, M = 90, N = 72, K = 384 };
static const int offsets[GROUPS + 1] = {0, 37, 37, 40, M};

typedef struct product {
  char what[80];
  wt_grouped_desc desc;
  bool exact;
  grouped_matrix x, w;
  row_matrix y, single, places;  // y, and what the single products give
} product;

static uint32_t any_code(const grouped_matrix *m, test_rng *rng) {
  const double value = row_normal(rng) * exp(row_normal(rng));
  return m->format ? mx_encode(m->format, value) : code_of(m->memory.type, value);
}

static uint32_t any_scale(const grouped_matrix *m, test_rng *rng) {
  return m->format ? (uint32_t)row_between(rng, 124, 130) : row_encode(WT_TYPE_F32, exp(row_normal(rng)));
}

static void fill(grouped_matrix *m, bool exact, test_rng *rng) {
  for (int g = 0; g < m->groups; ++g)
    for (int line = 0; line < m->rows; ++line) {
      if (exact) fill_line(m, g, line, 0, K, rng);
      for (int at = 0; !exact && at < K; ++at) put_element(m, g, line, at, any_code(m, rng));
      for (int b = 0; m->block && b < blocks_of(m); ++b) {
        fill_scale(m, g, line, b, rng);
        if (!exact) row_put(&m->scale, scale_row(m, g, line, b), b, any_scale(m, rng));
      }
    }
  upload_matrix(m);
}

// `block` elements share a scale, and so do `together` rows of w; with block 0 there are none.
static product make_product(wt_type type_x, wt_type type_w, int block, int together, bool exact,
                            test_rng *rng) {
  product p = {.desc = WT_GROUPED_DESC_INIT, .exact = exact};
  wt_grouped_desc *d = &p.desc;
  d->groups = GROUPS, d->m = M, d->n = N, d->k = K, d->alpha = 0.5f;
  d->type_x = type_x, d->type_w = type_w, d->type_y = WT_TYPE_F32;
  d->scales = block == F32_BLOCK ? WT_BLOCK_SCALES_F32 : WT_BLOCK_SCALES_E8M0;
  d->scales_of_w = together > 1 ? WT_SCALES_OF_B_TILES : WT_SCALES_OF_B_ROWS;
  if (block == MX_BLOCK) d->scales_of_w = WT_SCALES_OF_B_TILES;
  const bool mx = block == MX_BLOCK;
  p.x = (grouped_matrix){.groups = 1, .rows = M, .columns = K, .together = 1};
  p.w = (grouped_matrix){.groups = GROUPS, .rows = N, .columns = K, .together = together};
  if (mx) p.x.format = mx_format_of(type_x), p.w.format = mx_format_of(type_w);
  p.x.block = mx && !p.x.format ? 0 : block, p.w.block = block;
  make_memory(&p.x, type_x, true, &d->ldx, rng), make_memory(&p.w, type_w, true, &d->ldw, rng);
  if (p.x.block) make_scale_memory(&p.x, &d->x_scale_row, &d->x_scale_block, NULL, rng);
  if (p.w.block) make_scale_memory(&p.w, &d->w_scale_row, &d->w_scale_block, &d->w_scale_group, rng);
  if (p.x.block) d->x_scale = p.x.scale.device;
  if (p.w.block) d->w_scale = p.w.scale.device;
  fill(&p.x, exact, rng), fill(&p.w, exact, rng);
  p.y = row_matrix_create(WT_TYPE_F32, M, N, N, 0), p.single = row_matrix_create(WT_TYPE_F32, M, N, N, 0);
  p.places = row_matrix_create(WT_TYPE_I32, 1, GROUPS + 1, GROUPS + 1, 0);
  for (int g = 0; g <= GROUPS; ++g) row_put(&p.places, 0, g, (uint32_t)offsets[g]);
  row_upload(&p.places);
  snprintf(p.what, sizeof p.what, "types %d x %d blocks of %d and %d rows, %s", (int)type_x, (int)type_w,
           block, together, exact ? "whole numbers" : "any numbers");
  return p;
}

static void destroy(product *p) {
  destroy_matrix(&p->x), destroy_matrix(&p->w);
  row_matrix_destroy(&p->y), row_matrix_destroy(&p->single), row_matrix_destroy(&p->places);
}

// Where a line of a group begins, and its first scale.
static const unsigned char *line_at(const grouped_matrix *m, int group, int line) {
  return m->memory.device + row_place(&m->memory, memory_row(m, group, line), 0);
}
static const unsigned char *scale_at(const grouped_matrix *m, int group, int line) {
  return m->block ? m->scale.device + row_place(&m->scale, scale_row(m, group, line, 0), 0) : NULL;
}

static wt_status multiply_floats(wt_context *context, const product *p, int m, const void *x, const void *w,
                                 void *y) {
  wt_gemm_desc d = WT_GEMM_DESC_INIT;
  d.m = m, d.n = N, d.k = K, d.alpha = p->desc.alpha;
  d.type_a = p->desc.type_x, d.type_b = p->desc.type_w, d.type_c = WT_TYPE_F32;
  d.lda = p->x.memory.ld, d.ldb = p->w.memory.ld;
  return wt_gemm(context, &d, x, w, y, NULL);
}

static wt_status multiply_blocks(wt_context *context, const product *p, int m, const void *x,
                                 const float *x_scale, const void *w, const float *w_scale, void *y) {
  wt_gemm_block_desc d = WT_GEMM_BLOCK_DESC_INIT;
  d.m = m, d.n = N, d.k = K, d.alpha = p->desc.alpha;
  d.type_ab = p->desc.type_x, d.type_c = WT_TYPE_F32, d.scales_of_b = p->desc.scales_of_w;
  d.lda = p->x.memory.ld, d.ldb = p->w.memory.ld;
  d.a_scale_row = p->x.scale.ld, d.b_scale_row = p->w.scale.ld, d.a_scale_block = d.b_scale_block = 1;
  return wt_gemm_block(context, &d, x, x_scale, w, w_scale, y, NULL);
}

static wt_status multiply_mx(wt_context *context, const product *p, int m, const void *x,
                             const uint8_t *x_scale, const void *w, const uint8_t *w_scale, void *y) {
  wt_gemm_mx_desc d = WT_GEMM_MX_DESC_INIT;
  d.m = m, d.n = N, d.k = K, d.alpha = p->desc.alpha;
  d.type_a = p->desc.type_x, d.type_b = p->desc.type_w, d.type_c = WT_TYPE_F32;
  d.a_row_bytes = p->x.memory.ld * (int64_t)p->x.memory.element, d.b_row_bytes = p->w.memory.ld;
  d.a_scale_row_bytes = p->x.scale.ld, d.b_scale_row_bytes = p->w.scale.ld;
  return wt_gemm_mx(context, &d, x, x_scale, w, w_scale, y, NULL);
}

static wt_status multiply_group(wt_context *context, const product *p, int group) {
  const int first = offsets[group], m = offsets[group + 1] - first;
  const void *x = line_at(&p->x, 0, first), *w = line_at(&p->w, group, 0);
  const unsigned char *of_x = scale_at(&p->x, 0, first), *of_w = scale_at(&p->w, group, 0);
  void *y = p->single.device + row_place(&p->single, first, 0);
  if (m == 0) return WT_SUCCESS;
  if (p->w.format) return multiply_mx(context, p, m, x, of_x, w, of_w, y);
  if (!p->w.block) return multiply_floats(context, p, m, x, w, y);
  return multiply_blocks(context, p, m, x, (const float *)(const void *)of_x, w,
                         (const float *)(const void *)of_w, y);
}

static void check_same_bits(const product *p) {
  for (int row = 0; row < M; ++row)
    for (int j = 0; j < N; ++j) {
      const uint32_t got = row_get(&p->y, p->y.host, row, j),
                     want = row_get(&p->single, p->single.host, row, j);
      CHECK(got == want, "%s: row %d column %d is 0x%08x, but the product of its group alone gives 0x%08x",
            p->what, row, j, got, want);
    }
}

// Products are exact, and each is added to a sum in some order with an error of at most two roundings of what
// the matrix core then has. F32 scales are rounded as factors of each other, as are the sums of their blocks.
static void check_bounds(const product *p) {
  double *x = numbers_of(&p->x), *w = numbers_of(&p->w);
  for (int g = 0; g < GROUPS; ++g)
    for (int row = offsets[g]; row < offsets[g + 1]; ++row)
      for (int j = 0; j < N; ++j) {
        double sum = 0, size = 0;
        for (int l = 0; l < K; ++l) {
          const double term = x[row * K + l] * w[(g * N + j) * K + l] * (double)p->desc.alpha;
          sum += term, size += fabs(term);
        }
        const double value = row_value(&p->y, p->y.host, row, j);
        const double bound = (2 * K + 4) * 0x1.1p-24 * size + row_smallest(WT_TYPE_F32);
        CHECK(fabs(value - sum) <= bound, "%s: row %d column %d is %.9g, expected %.9g within %.3g", p->what,
              row, j, value, sum, bound);
      }
  free(x), free(w);
}

static void run_product(wt_context *context, wt_type type_x, wt_type type_w, int block, int together,
                        bool exact, test_rng *rng) {
  product p = make_product(type_x, type_w, block, together, exact, rng);
  wt_status status = wt_grouped_forward(context, &p.desc, p.x.memory.device, p.w.memory.device, p.y.device,
                                        (const int32_t *)(const void *)p.places.device, NULL);
  for (int g = 0; g < GROUPS && exact && !status; ++g) status = multiply_group(context, &p, g);
  CHECK(status == WT_SUCCESS, "%s: %s", p.what, wt_last_error(context));
  if (!status && row_ok(hipDeviceSynchronize(), p.what)) {
    row_download(&p.y, p.y.host), row_download(&p.single, p.single.host);
    if (exact)
      check_same_bits(&p);
    else
      check_bounds(&p);
  }
  destroy(&p);
}

static void run(wt_context *context, test_rng *rng) {
  const bool gfx950 = strcmp(wt_context_target(context), "gfx950") == 0;
  const wt_type f8 = gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  for (int exact = 0; exact < 2; ++exact) {
    run_product(context, WT_TYPE_BF16, WT_TYPE_BF16, 0, 1, exact, rng);
    run_product(context, f8, f8, F32_BLOCK, F32_BLOCK, exact, rng);
    run_product(context, f8, f8, F32_BLOCK, 1, exact, rng);
    for (int i = exact ? 0 : 2; gfx950 && i < MX_PAIRS; i += exact ? 1 : 3)
      run_product(context, mx_pairs[i][0], mx_pairs[i][1], MX_BLOCK, 1, exact, rng);
  }
}

int main(void) {
  test_rng rng = test_seed(20261129);
  row_each_device(1, &rng, run);
  return test_result();
}
