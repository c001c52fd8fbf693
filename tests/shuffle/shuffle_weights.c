// SPDX-License-Identifier: MIT
// wt_shuffle_weights against the layout's definition, byte by byte: random shapes, strides and alignments,
// the same bytes under every schedule, and nothing written between the groups of rows.
//
//   shuffle_weights CASES
#include "block_scale/mx.h"

static void check_bytes(const row_matrix *weights, const row_matrix *shuffled, const unsigned char *got,
                        const char *what) {
  for (int row = 0; row < weights->rows; ++row)
    for (int i = 0; i < weights->columns; ++i) {
      const uint32_t want = row_get(weights, weights->host, row, i);
      const uint32_t value = row_get(shuffled, got, row / MX_WEIGHT_ROWS, mx_shuffled_weight(row, i));
      CHECK(value == want, "%s: byte %d of row %d is %u, expected %u", what, i, row, value, want);
    }
  CHECK(row_gaps_kept(shuffled, got), "%s: something between the groups was written", what);
}

static void run_case(wt_context *context, test_rng *rng) {
  const int rows = MX_WEIGHT_ROWS * row_between(rng, 1, 9);
  const int bytes = MX_WEIGHT_BYTES * row_between(rng, 1, row_between(rng, 0, 3) ? 9 : 40);
  const int gap = row_between(rng, 0, 1) * row_between(rng, 0, 20);
  const int group = MX_WEIGHT_ROWS * (bytes + MX_WEIGHT_BYTES * row_between(rng, 0, 2));
  row_matrix weights = row_matrix_create(WT_TYPE_I8, rows, bytes, bytes + gap, row_between(rng, 0, 16));
  row_matrix shuffled = row_matrix_create(WT_TYPE_I8, rows / MX_WEIGHT_ROWS, MX_WEIGHT_ROWS * bytes, group,
                                          16 * row_between(rng, 0, 3));
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < bytes; ++i) row_put(&weights, row, i, (uint32_t)row_between(rng, 0, 255));
  row_upload(&weights);
  wt_shuffle_weights_desc d = WT_SHUFFLE_WEIGHTS_DESC_INIT;
  d.rows = rows, d.row_bytes = bytes;
  d.weight_row_bytes = weights.ld, d.shuffled_row_bytes = shuffled.ld / MX_WEIGHT_ROWS;
  char what[160];
  snprintf(what, sizeof what, "rows %d bytes %d ld %d %d offsets %d %d", rows, bytes, weights.ld, shuffled.ld,
           weights.offset, shuffled.offset);
  unsigned char *first = malloc(shuffled.bytes), *got = malloc(shuffled.bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    row_upload(&shuffled);
    const wt_status status = wt_shuffle_weights(context, &d, weights.device, shuffled.device, NULL);
    CHECK(status == WT_SUCCESS, "%s: %s", what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), what)) break;
    row_download(&shuffled, s == 0 ? first : got);
    if (s == 0) check_bytes(&weights, &shuffled, first, what);
    CHECK(s == 0 || memcmp(first, got, shuffled.bytes) == 0, "%s: schedule %s gives other bytes than %s",
          what, schedules[s], schedules[0]);
  }
  free(first), free(got);
  row_matrix_destroy(&weights), row_matrix_destroy(&shuffled);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: shuffle_weights CASES\n"), 2;
  test_rng rng = test_seed(2026);
  wt_context *context;
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  for (int i = 0; i < atoi(argv[1]) && context; ++i) run_case(context, &rng);
  wt_context_destroy(context);
  return test_result();
}
