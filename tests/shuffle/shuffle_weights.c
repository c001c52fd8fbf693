// SPDX-License-Identifier: MIT
// Tests wt_shuffle_weights against the layout's definition, byte by byte: random shapes, strides and
// alignments, the same bytes under every schedule, and nothing written between the groups of rows.
//
//   shuffle_weights CASES
#include "shuffle_case.h"

static wt_status shuffle(wt_context *context, const shuffle_case *c) {
  wt_shuffle_weights_desc d = WT_SHUFFLE_WEIGHTS_DESC_INIT;
  d.rows = c->from.rows, d.row_bytes = c->from.columns;
  d.weight_row_bytes = c->from.ld, d.shuffled_row_bytes = c->shuffled.ld / MX_WEIGHT_ROWS;
  return wt_shuffle_weights(context, &d, c->from.device, c->shuffled.device, NULL);
}

static void check(const shuffle_case *c, const unsigned char *got) {
  for (int row = 0; row < c->from.rows; ++row)
    for (int i = 0; i < c->from.columns; ++i) {
      const uint32_t want = row_get(&c->from, c->from.host, row, i);
      const uint32_t value = row_get(&c->shuffled, got, row / MX_WEIGHT_ROWS, mx_shuffled_weight(row, i));
      CHECK(value == want, "%s: byte %d of row %d is %u, expected %u", c->what, i, row, value, want);
    }
}

static void run_case(wt_context *context, test_rng *rng) {
  const int groups = row_between(rng, 1, 9);
  const int bytes = MX_WEIGHT_BYTES * row_between(rng, 1, row_between(rng, 0, 3) ? 9 : 40);
  shuffle_case c = shuffle_case_create(rng, MX_WEIGHT_ROWS * groups, bytes, groups, MX_WEIGHT_ROWS * bytes,
                                       MX_WEIGHT_ROWS * MX_WEIGHT_BYTES);
  c.shuffle = shuffle, c.check = check;
  shuffle_case_run(context, &c);
}

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: shuffle_weights CASES\n"), 2;
  return shuffle_cases(atoi(argv[1]), run_case);
}
