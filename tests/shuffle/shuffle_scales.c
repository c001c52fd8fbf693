// SPDX-License-Identifier: MIT
// wt_shuffle_scales against the layout's definition, byte by byte: random shapes, strides and alignments, the
// scale 1 where a group goes past the matrix, the same bytes under every schedule, and nothing written
// between the rows.
//
//   shuffle_scales CASES
#include "block_scale/mx.h"

static int expected(const row_matrix *scale, int line, int byte) {
  for (int row = line * MX_SHUFFLED_ROWS; row < (line + 1) * MX_SHUFFLED_ROWS; ++row)
    for (int b = byte / MX_SHUFFLED_BYTES * MX_SHUFFLED_BLOCKS, i = 0; i < MX_SHUFFLED_BLOCKS; ++i) {
      if (mx_shuffled_byte(row, b + i) != byte) continue;
      const bool exists = row < scale->rows && b + i < scale->columns;
      return exists ? (int)row_get(scale, scale->host, row, b + i) : MX_SCALE_ONE;
    }
  CHECK(false, "no scale has byte %d", byte);
  return -1;
}

static void check_bytes(const row_matrix *scale, const row_matrix *shuffled, const unsigned char *got,
                        const char *what) {
  for (int line = 0; line < shuffled->rows; ++line)
    for (int i = 0; i < shuffled->columns; ++i) {
      const int want = expected(scale, line, i), value = (int)row_get(shuffled, got, line, i);
      CHECK(value == want, "%s: byte %d of line %d is %d, expected %d", what, i, line, value, want);
    }
  CHECK(row_gaps_kept(shuffled, got), "%s: something between the rows was written", what);
}

static void run_case(wt_context *context, test_rng *rng) {
  const int rows = row_between(rng, 1, 150), blocks = row_between(rng, 1, row_between(rng, 0, 3) ? 20 : 70);
  const int columns = mx_shuffled_columns(blocks), gap = row_between(rng, 0, 1) * row_between(rng, 0, 20);
  row_matrix scale = row_matrix_create(WT_TYPE_I8, rows, blocks, blocks + gap, row_between(rng, 0, 16));
  row_matrix shuffled = row_matrix_create(WT_TYPE_I8, mx_shuffled_rows(rows), columns,
                                          columns + 16 * row_between(rng, 0, 3), 16 * row_between(rng, 0, 3));
  for (int row = 0; row < rows; ++row)
    for (int b = 0; b < blocks; ++b) row_put(&scale, row, b, (uint32_t)row_between(rng, 0, 255));
  row_upload(&scale);
  wt_shuffle_scales_desc d = WT_SHUFFLE_SCALES_DESC_INIT;
  d.rows = rows, d.blocks = blocks;
  d.scale_row_bytes = scale.ld, d.shuffled_row_bytes = shuffled.ld;
  CHECK(wt_shuffled_scale_bytes(rows, blocks) == (int64_t)shuffled.rows * columns,
        "%d x %d scales are said to take %lld bytes", rows, blocks,
        (long long)wt_shuffled_scale_bytes(rows, blocks));
  char what[160];
  snprintf(what, sizeof what, "rows %d blocks %d ld %d %d offsets %d %d", rows, blocks, scale.ld, shuffled.ld,
           scale.offset, shuffled.offset);
  unsigned char *first = malloc(shuffled.bytes), *got = malloc(shuffled.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    row_upload(&shuffled);
    const wt_status status = wt_shuffle_scales(context, &d, scale.device, shuffled.device, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), what)) break;
    row_download(&shuffled, s == 0 ? first : got);
    if (s == 0) check_bytes(&scale, &shuffled, first, what);
    CHECK(s == 0 || memcmp(first, got, shuffled.bytes) == 0, "%s: schedule %s gives other bytes than %s",
          what, schedules[s], schedules[0]);
  }
  free(first), free(got);
  row_matrix_destroy(&scale), row_matrix_destroy(&shuffled);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: shuffle_scales CASES\n"), 2;
  test_rng rng = test_seed(2026);
  wt_context *context;
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  for (int i = 0; i < atoi(argv[1]) && context; ++i) run_case(context, &rng);
  wt_context_destroy(context);
  return test_result();
}
