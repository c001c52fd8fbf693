// SPDX-License-Identifier: MIT
// The gradient of the weights, where tokens share scales: a group that begins within a block of them gets
// NaN, and the others get their sums. That holds for E8M0 scales of 32 tokens and for F32 scales of 128.
#include <math.h>

#include "grouped_matrix.h"

enum { GROUPS = 4, N = 40, K = 24 };

typedef struct operand {
  grouped_matrix matrix;
  int64_t ld, row, block;
} operand;

// The transposed dy or x, with all its numbers and scales 1.
static operand ones(int rows, int columns, const mx_format *format, int block, wt_type type, test_rng *rng) {
  operand o = {.matrix = {.groups = 1,
                          .rows = rows,
                          .columns = columns,
                          .transposed = true,
                          .format = format,
                          .block = block,
                          .together = 1}};
  grouped_matrix *m = &o.matrix;
  make_memory(m, type, true, &o.ld, rng);
  make_scale_memory(m, &o.row, &o.block, NULL, rng);
  for (int line = 0; line < columns; ++line) {
    for (int at = 0; at < rows; ++at)
      put_element(m, 0, line, at, format ? mx_encode(format, 1) : code_of(type, 1));
    for (int b = 0; b < blocks_of(m); ++b)
      row_put(&m->scale, scale_row(m, 0, line, b), scale_column(m, 0, line, b),
              format ? 127 : row_encode(WT_TYPE_F32, 1));
  }
  upload_matrix(m);
  return o;
}

static void check_group(const row_matrix *dw, int group, double want, const char *what) {
  for (int i = group * N; i < (group + 1) * N; ++i)
    for (int l = 0; l < K; ++l) {
      const double got = row_value(dw, dw->host, i, l);
      CHECK(isnan(want) ? isnan(got) : got == want, "%s: group %d has %g, expected %g", what, group, got,
            want);
    }
}

// Runs groups of one block, of none, of one that ends within a block, and one that begins there.
static void run_case(wt_context *context, wt_block_scales scales, wt_type type, test_rng *rng) {
  static const char *const what_of[] = {"E8M0 scales", "F32 scales", "powers of two"};  // by wt_block_scales
  const char *const what = what_of[scales];
  const mx_format *const format = scales == WT_BLOCK_SCALES_E8M0 ? mx_format_of(type) : NULL;
  const int block = format ? WT_BLOCK_ELEMENTS : WT_F32_BLOCK_ELEMENTS, m = 3 * block;
  operand dy = ones(m, N, format, block, type, rng), x = ones(m, K, format, block, type, rng);
  row_matrix dw = row_matrix_create(WT_TYPE_F32, GROUPS * N, K, K, 0);
  row_matrix places = row_matrix_create(WT_TYPE_I32, 1, GROUPS + 1, GROUPS + 1, 0);
  const int offsets[GROUPS + 1] = {0, block, block, block + 8, 2 * block};
  for (int i = 0; i <= GROUPS; ++i) row_put(&places, 0, i, (uint32_t)offsets[i]);
  row_upload(&places);
  wt_grouped_desc d = WT_GROUPED_DESC_INIT;
  d.groups = GROUPS, d.m = m, d.n = N, d.k = K;
  d.type_y = d.type_x = type, d.type_w = WT_TYPE_F32;
  d.scales = scales;
  d.scales_of_w = format ? WT_SCALES_OF_B_TILES : WT_SCALES_OF_B_ROWS;
  d.ldy = dy.ld, d.ldx = x.ld;
  d.y_scale = dy.matrix.scale.device, d.y_scale_row = dy.row, d.y_scale_block = dy.block;
  d.x_scale = x.matrix.scale.device, d.x_scale_row = x.row, d.x_scale_block = x.block;
  const wt_status status =
      wt_grouped_backward_weight(context, &d, dy.matrix.memory.device, x.matrix.memory.device, dw.device,
                                 (const int32_t *)(const void *)places.device, NULL);
  CHECK(status == WT_SUCCESS, "%s: %s", what, wt_last_error(context));
  row_download(&dw, dw.host);
  check_group(&dw, 0, block, what);
  check_group(&dw, 1, 0, what);
  check_group(&dw, 2, block, what);  // its last block is all its own
  check_group(&dw, 3, NAN, what);
  destroy_matrix(&dy.matrix), destroy_matrix(&x.matrix);
  row_matrix_destroy(&dw), row_matrix_destroy(&places);
}

static void run(wt_context *context, test_rng *rng) {
  const bool gfx950 = strcmp(wt_context_target(context), "gfx950") == 0;
  const wt_type f8 = gfx950 ? WT_TYPE_F8E4M3 : WT_TYPE_F8E4M3_FNUZ;
  run_case(context, WT_BLOCK_SCALES_F32, f8, rng);
  run_case(context, WT_BLOCK_SCALES_POWER_OF_TWO, f8, rng);
  static const wt_type types[] = {WT_TYPE_F4E2M1, WT_TYPE_F6E3M2, WT_TYPE_F8E4M3};
  for (size_t i = 0; gfx950 && i < sizeof types / sizeof *types; ++i)
    run_case(context, WT_BLOCK_SCALES_E8M0, types[i], rng);
}

int main(void) {
  test_rng rng = test_seed(20261128);
  row_run_devices(1, &rng, run);
  return test_result();
}
