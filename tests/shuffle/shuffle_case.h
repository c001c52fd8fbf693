// SPDX-License-Identifier: MIT
// Declares what the tests of shuffled matrices share: a matrix of bytes, the bytes that it becomes, and the
// runs of a case under several schedules.
#ifndef WT_TESTS_SHUFFLE_CASE_H
#define WT_TESTS_SHUFFLE_CASE_H

#include "block_scale/mx.h"

typedef struct shuffle_case {
  char what[160];
  row_matrix from, shuffled;
  // These are the call under test, and the comparison of what it wrote with the definition.
  wt_status (*shuffle)(wt_context *context, const struct shuffle_case *c);
  void (*check)(const struct shuffle_case *c, const unsigned char *got);
} shuffle_case;

// Makes the case of `rows` rows of `bytes` random bytes, which become `lines` lines of `line_bytes`, some
// multiple of `gap_unit` bytes apart.
static inline shuffle_case shuffle_case_create(test_rng *rng, int rows, int bytes, int lines, int line_bytes,
                                               int gap_unit) {
  const int gap = row_between(rng, 0, 1) * row_between(rng, 0, 20);
  shuffle_case c = {.from = row_matrix_create(WT_TYPE_I8, rows, bytes, bytes + gap, row_between(rng, 0, 16)),
                    .shuffled = row_matrix_create(WT_TYPE_I8, lines, line_bytes,
                                                  line_bytes + gap_unit * row_between(rng, 0, 3),
                                                  16 * row_between(rng, 0, 3))};
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < bytes; ++i) row_put(&c.from, row, i, (uint32_t)row_between(rng, 0, 255));
  row_upload(&c.from);
  snprintf(c.what, sizeof c.what, "rows %d bytes %d ld %d %d offsets %d %d", rows, bytes, c.from.ld,
           c.shuffled.ld, c.from.offset, c.shuffled.offset);
  return c;
}

// Runs the case, checks it, and destroys it.
static inline void shuffle_case_run(wt_context *context, shuffle_case *c) {
  const size_t bytes = c->shuffled.bytes;
  unsigned char *first = malloc(bytes), *got = malloc(bytes);
  const char *const *schedules = row_case_schedules();
  for (int s = 0; s < ROW_CASE_SCHEDULES; ++s) {
    setenv("WT_SIM_SCHEDULE", schedules[s], 1);
    row_upload(&c->shuffled);
    const wt_status status = c->shuffle(context, c);
    CHECK(status == WT_SUCCESS, "%s: %s", c->what, wt_last_error(context));
    if (status || !row_ok(hipDeviceSynchronize(), c->what)) break;
    row_download(&c->shuffled, s == 0 ? first : got);
    if (s == 0) c->check(c, first);
    CHECK(s == 0 || memcmp(first, got, bytes) == 0, "%s: schedule %s gives other bytes than %s", c->what,
          schedules[s], schedules[0]);
  }
  CHECK(row_gaps_kept(&c->shuffled, first), "%s: something between the lines was written", c->what);
  free(first), free(got);
  row_matrix_destroy(&c->from), row_matrix_destroy(&c->shuffled);
}

// Runs `cases` cases on the first device.
static inline int shuffle_cases(int cases, void (*run_case)(wt_context *context, test_rng *rng)) {
  test_rng rng = test_seed(2026);
  wt_context *context;
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  for (int i = 0; i < cases && context; ++i) run_case(context, &rng);
  wt_context_destroy(context);
  return test_result();
}

#endif
