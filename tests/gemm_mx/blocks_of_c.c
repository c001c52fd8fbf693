// SPDX-License-Identifier: MIT
// Tests wt_gemm_mx into MXFP8 and MXFP4: elements and scales have the bits of wt_quantize_blocks after the
// same product into F32, and nothing is written between rows. Cases take every pair of formats; random
// shapes, strides, alignments, epilogues and ways to choose the scale; scales of A and B, and B, by rows and
// shuffled; numbers that are not finite, and blocks of zeros. Every case runs under another schedule than its
// reference. No access to LDS has a bank conflict.
//
//   blocks_of_c CASES
#include "cases.h"

typedef struct blocks_case {
  char what[240];
  wt_gemm_mx_desc desc;
  row_matrix a, a_scale, b, b_scale, bias;
  row_matrix c, c_scale, quantised, quantised_scale, x;  // the product, both ways, and in F32
} blocks_case;

enum { MATRICES = 10 };

static void list(blocks_case *c, row_matrix *all[MATRICES]) {
  row_matrix *const listed[MATRICES] = {&c->a, &c->a_scale, &c->b,         &c->b_scale,         &c->bias,
                                        &c->c, &c->c_scale, &c->quantised, &c->quantised_scale, &c->x};
  memcpy(all, listed, sizeof listed);
}

static row_matrix output_create(test_rng *rng, int rows, int bytes) {
  const int gap = row_between(rng, 0, 1) ? row_between(rng, 0, 20) : 0;
  return row_matrix_create(WT_TYPE_I8, rows, bytes, bytes + gap, row_between(rng, 0, 16));
}

static unsigned any_byte(test_rng *rng, wt_type type) {
  const unsigned byte = (unsigned)row_between(rng, 0, 255);
  if (type == WT_TYPE_F8E4M3 && (byte & 0x7f) == 0x7f) return byte ^ 1;
  return type == WT_TYPE_F8E5M2 && (byte & 0x7c) == 0x7c ? byte ^ 0x40 : byte;
}

// BF16 has scales that are never read. Some rows have numbers of which products overflow or are zero.
static void make_bf16(test_rng *rng, int rows, int k, row_matrix *q, row_matrix *scale) {
  *q = row_matrix_create(WT_TYPE_I8, rows, 2 * k, 2 * k, 0);
  *scale = row_matrix_create(WT_TYPE_I8, 1, 1, 1, 0);
  for (int row = 0; row < rows; ++row) {
    const int exponent = row_between(rng, 0, 9) ? 0 : row_between(rng, 0, 1) ? 125 : -130;
    const bool is_zero = row_between(rng, 0, 19) == 0;
    for (int i = 0; i < k; ++i) {
      const uint32_t bits = is_zero ? 0 : row_encode(WT_TYPE_BF16, ldexp(row_normal(rng), exponent));
      row_put(q, row, 2 * i, bits & 255), row_put(q, row, 2 * i + 1, bits >> 8);
    }
  }
}

// Elements are any bytes, but for those that are no numbers. The blocks of most rows have scales around 1; of
// some rows they are anything, so that results overflow, are zero or are not numbers.
static void make_operand(test_rng *rng, wt_type type, int rows, int k, row_matrix *q, row_matrix *scale) {
  if (type == WT_TYPE_BF16) {
    make_bf16(rng, rows, k, q, scale);
    return;
  }
  const int blocks = k / MX_BLOCK, bytes = blocks * mx_block_bytes(mx_format_of(type));
  *q = row_matrix_create(WT_TYPE_I8, rows, bytes, bytes, 0);
  *scale = row_matrix_create(WT_TYPE_I8, rows, blocks, blocks, 0);
  for (int row = 0; row < rows; ++row) {
    const bool is_wild = row_between(rng, 0, 9) == 0, is_zero = row_between(rng, 0, 19) == 0;
    for (int i = 0; i < bytes; ++i) row_put(q, row, i, is_zero ? 0 : any_byte(rng, type));
    for (int b = 0; b < blocks; ++b)
      row_put(scale, row, b, (uint32_t)(is_wild ? row_between(rng, 0, 255) : row_between(rng, 121, 133)));
  }
}

// The first cases have each pair of formats once.
static blocks_case make_case(test_rng *rng) {
  static int number;
  const wt_type *pair = mx_pairs[number < MX_PAIRS ? number++ : row_between(rng, 0, MX_PAIRS - 1)];
  const wt_type type_c = row_between(rng, 0, 1) ? WT_TYPE_F8E4M3 : WT_TYPE_F4E2M1;
  // Members of a batch lie one after the other, and have one B. Their scales are shuffled together.
  const int batch = row_between(rng, 0, 2) ? 1 : 2,
            any = row_between(rng, 1, row_between(rng, 0, 3) ? 150 : 400);
  const int m = batch == 1 ? any : (any + MX_SHUFFLED_ROWS - 1) / MX_SHUFFLED_ROWS * MX_SHUFFLED_ROWS;
  const int n = MX_BLOCK * row_between(rng, 1, row_between(rng, 0, 3) ? 5 : 12);
  const int k = row_between(rng, 0, 2) ? 512 * row_between(rng, 1, 2) : MX_BLOCK * row_between(rng, 1, 20);
  blocks_case c = {.desc = WT_GEMM_MX_DESC_INIT};
  make_operand(rng, pair[0], batch * m, k, &c.a, &c.a_scale);
  make_operand(rng, pair[1], n, k, &c.b, &c.b_scale);
  c.bias = row_matrix_create(WT_TYPE_F32, 1, n, n, 4 * row_between(rng, 0, 3));
  for (int i = 0; i < n; ++i) row_put(&c.bias, 0, i, row_encode(WT_TYPE_F32, 100 * row_normal(rng)));
  const int bytes = n / MX_BLOCK * mx_block_bytes(mx_format_of(type_c));
  c.c = output_create(rng, batch * m, bytes), c.c_scale = output_create(rng, batch * m, n / MX_BLOCK);
  c.quantised = row_matrix_create(WT_TYPE_I8, batch * m, bytes, bytes, 0);
  c.quantised_scale = row_matrix_create(WT_TYPE_I8, batch * m, n / MX_BLOCK, n / MX_BLOCK, 0);
  c.x = row_matrix_create(WT_TYPE_F32, batch * m, n, n, 0);
  wt_gemm_mx_desc *d = &c.desc;
  d->m = m, d->n = n, d->k = k, d->type_a = pair[0], d->type_b = pair[1], d->type_c = type_c;
  d->alpha = (float)row_normal(rng);
  if (row_between(rng, 0, 1)) d->bias = (const float *)(const void *)c.bias.device;
  d->activation = (wt_activation)row_between(rng, WT_ACTIVATION_NONE, WT_ACTIVATION_SILU);
  d->c_row_bytes = c.c.ld, d->c_scale_row_bytes = c.c_scale.ld, d->c_scale = c.c_scale.device;
  d->batch = batch, d->a_stride_bytes = (int64_t)m * c.a.ld;
  d->c_stride_bytes = (int64_t)m * c.c.ld, d->c_scale_stride_bytes = (int64_t)m * c.c_scale.ld;
  d->c_rounding = (wt_scale_rounding)row_between(rng, WT_SCALE_UP, WT_SCALE_CEIL);
  snprintf(c.what, sizeof c.what,
           "types %d x %d to %d batch %d m %d n %d k %d alpha %g bias %d activation %d rounding %d rows %d "
           "%d offsets "
           "%d %d",
           (int)pair[0], (int)pair[1], (int)type_c, batch, m, n, k, (double)d->alpha, d->bias != NULL,
           (int)d->activation, (int)d->c_rounding, c.c.ld, c.c_scale.ld, c.c.offset, c.c_scale.offset);
  return c;
}

// Makes the same product into F32, and its blocks.
static wt_status quantise(wt_context *context, const blocks_case *c, const void *b, const uint8_t *a_scale,
                          const uint8_t *b_scale) {
  wt_gemm_mx_desc d = c->desc;
  wt_block_scale_desc blocks = WT_BLOCK_SCALE_DESC_INIT;
  blocks.rows = d.batch * d.m, blocks.columns = d.n, blocks.rounding = d.c_rounding;
  blocks.type_x = WT_TYPE_F32, blocks.type_q = d.type_c;
  d.type_c = WT_TYPE_F32, d.c_scale = NULL, d.c_row_bytes = d.c_scale_row_bytes = 0;
  d.split_k = 1;  // sums have the same order
  d.c_rounding = WT_SCALE_UP, d.c_stride = d.m * d.n, d.c_stride_bytes = d.c_scale_stride_bytes = 0;
  const wt_status status = wt_gemm_mx(context, &d, c->a.device, a_scale, b, b_scale, c->x.device, NULL);
  if (status) return status;
  return wt_quantize_blocks(context, &blocks, c->x.device, c->quantised.device, c->quantised_scale.device,
                            NULL);
}

static void check_same(const char *what, const char *name, const row_matrix *got, const row_matrix *want) {
  unsigned char *got_bytes = malloc(got->bytes), *want_bytes = malloc(want->bytes);
  row_download(got, got_bytes), row_download(want, want_bytes);
  for (int row = 0; row < got->rows; ++row)
    for (int i = 0; i < got->columns; ++i)
      CHECK(row_get(got, got_bytes, row, i) == row_get(want, want_bytes, row, i),
            "%s: byte %d of row %d of %s is 0x%02x, but wt_quantize_blocks gives 0x%02x", what, i, row, name,
            row_get(got, got_bytes, row, i), row_get(want, want_bytes, row, i));
  CHECK(row_gaps_kept(got, got_bytes), "%s: something between the rows of %s was written", what, name);
  free(got_bytes), free(want_bytes);
}

static uint8_t *shuffle_scales(wt_context *context, const row_matrix *scale) {
  uint8_t *to = NULL;
  wt_shuffle_scales_desc d = WT_SHUFFLE_SCALES_DESC_INIT;
  d.rows = scale->rows, d.blocks = scale->columns;
  row_ok(hipMalloc((void **)&to, (size_t)wt_shuffled_scale_bytes(d.rows, d.blocks)), "hipMalloc");
  CHECK(wt_shuffle_scales(context, &d, scale->device, to, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  return to;
}

static void *shuffle_weights(wt_context *context, const row_matrix *q) {
  void *to = NULL;
  wt_shuffle_weights_desc d = WT_SHUFFLE_WEIGHTS_DESC_INIT;
  d.rows = q->rows, d.row_bytes = q->columns;
  row_ok(hipMalloc(&to, q->bytes), "hipMalloc");
  CHECK(wt_shuffle_weights(context, &d, q->device, to, NULL) == WT_SUCCESS, "%s", wt_last_error(context));
  return to;
}

static void run_case(wt_context *context, test_rng *rng) {
  blocks_case c = make_case(rng);
  row_matrix *all[MATRICES];
  list(&c, all);
  for (int i = 0; i < MATRICES; ++i) row_upload(all[i]);
  const char *const *schedules = row_case_schedules();
  setenv("WT_SIM_SCHEDULE", schedules[0], 1);
  const bool of_bf16 = c.desc.type_a == WT_TYPE_BF16, scales = !of_bf16 && row_between(rng, 0, 2) == 0;
  const bool weights = row_between(rng, 0, 2) == 0 && c.b.columns % MX_WEIGHT_BYTES == 0;
  uint8_t *a_scale = of_bf16 ? NULL : scales ? shuffle_scales(context, &c.a_scale) : c.a_scale.device;
  uint8_t *b_scale = scales ? shuffle_scales(context, &c.b_scale) : c.b_scale.device;
  void *b = weights ? shuffle_weights(context, &c.b) : c.b.device;
  c.desc.scale_layout = scales ? WT_SCALES_SHUFFLED : WT_SCALES_BY_ROWS;
  c.desc.b_layout = weights ? WT_WEIGHTS_SHUFFLED : WT_WEIGHTS_BY_ROWS;
  c.desc.a_scale_stride_bytes = of_bf16  ? 0
                                : scales ? wt_shuffled_scale_bytes(c.desc.m, c.a_scale.columns)
                                         : c.desc.m * c.a_scale.ld;
  CHECK(quantise(context, &c, b, a_scale, b_scale) == WT_SUCCESS, "%s: %s", c.what, wt_last_error(context));
  row_ok(hipDeviceSynchronize(), c.what);
  setenv("WT_SIM_SCHEDULE", schedules[row_between(rng, 1, ROW_CASE_SCHEDULES - 1)], 1);
  CHECK(wt_gemm_mx(context, &c.desc, c.a.device, a_scale, b, b_scale, c.c.device, NULL) == WT_SUCCESS,
        "%s: %s", c.what, wt_last_error(context));
  row_ok(hipDeviceSynchronize(), c.what);
  check_same(c.what, "C", &c.c, &c.quantised);
  check_same(c.what, "the scales of C", &c.c_scale, &c.quantised_scale);
  if (scales) row_ok(hipFree(a_scale), "hipFree"), row_ok(hipFree(b_scale), "hipFree");
  if (weights) row_ok(hipFree(b), "hipFree");
  for (int i = 0; i < MATRICES; ++i) row_matrix_destroy(all[i]);
}

int main(int argc, char **argv) { return mx_run_cases(argc, argv, 2600, run_case); }
