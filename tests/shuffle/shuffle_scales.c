// SPDX-License-Identifier: MIT
// Tests wt_shuffle_scales against the layout's definition, byte by byte: random shapes, strides and
// alignments, the scale 1 where a group goes past the matrix, the same bytes under every schedule, and
// nothing written between the lines of groups.
//
//   shuffle_scales CASES
#include "shuffle_case.h"

static wt_status shuffle(wt_context *context, const shuffle_case *c) {
  wt_shuffle_scales_desc d = WT_SHUFFLE_SCALES_DESC_INIT;
  d.rows = c->from.rows, d.blocks = c->from.columns;
  d.scale_row_bytes = c->from.ld, d.shuffled_row_bytes = c->shuffled.ld;
  return wt_shuffle_scales(context, &d, c->from.device, c->shuffled.device, NULL);
}

static int expected(const row_matrix *scale, int line, int byte) {
  for (int row = line * MX_SHUFFLED_ROWS; row < (line + 1) * MX_SHUFFLED_ROWS; ++row)
    for (int i = 0; i < MX_SHUFFLED_BLOCKS; ++i) {
      const int b = byte / MX_SHUFFLED_BYTES * MX_SHUFFLED_BLOCKS + i;
      if (mx_shuffled_byte(row, b) != byte) continue;
      const bool exists = row < scale->rows && b < scale->columns;
      return exists ? (int)row_get(scale, scale->host, row, b) : MX_SCALE_ONE;
    }
  CHECK(false, "no scale has byte %d", byte);
  return -1;
}

static void check(const shuffle_case *c, const unsigned char *got) {
  for (int line = 0; line < c->shuffled.rows; ++line)
    for (int i = 0; i < c->shuffled.columns; ++i) {
      const int want = expected(&c->from, line, i), value = (int)row_get(&c->shuffled, got, line, i);
      CHECK(value == want, "%s: byte %d of line %d is %d, expected %d", c->what, i, line, value, want);
    }
}

static void run_case(wt_context *context, test_rng *rng) {
  const int rows = row_between(rng, 1, 150), blocks = row_between(rng, 1, row_between(rng, 0, 3) ? 20 : 70);
  shuffle_case c =
      shuffle_case_create(rng, rows, blocks, mx_shuffled_rows(rows), mx_shuffled_columns(blocks), 16);
  CHECK(wt_shuffled_scale_bytes(rows, blocks) == (int64_t)c.shuffled.rows * c.shuffled.columns,
        "%d x %d scales are said to take %lld bytes", rows, blocks,
        (long long)wt_shuffled_scale_bytes(rows, blocks));
  c.shuffle = shuffle, c.check = check;
  shuffle_case_run(context, &c);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: shuffle_scales CASES\n"), 2;
  return shuffle_cases(atoi(argv[1]), run_case);
}
