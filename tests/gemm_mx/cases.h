// SPDX-License-Identifier: MIT
// This is the frame of the tests of products of MX matrices: so many random cases on the first device, none
// of whose accesses to LDS has a bank conflict; and copies of operands as products read them fastest.
#ifndef WT_TESTS_GEMM_MX_CASES_H
#define WT_TESTS_GEMM_MX_CASES_H

#include "block_scale/mx.h"

// Returns a copy of the scales of matrices of so many rows each as products read them fastest.
static inline row_matrix mx_shuffled_scales(test_rng *rng, const row_matrix *scale, int of_member) {
  const int columns = mx_shuffled_columns(scale->columns), groups = mx_shuffled_rows(of_member);
  row_matrix x = row_matrix_create(WT_TYPE_I8, scale->rows / of_member * groups, columns,
                                   columns + 16 * row_between(rng, 0, 2), 16 * row_between(rng, 0, 2));
  for (int line = 0; line < x.rows; ++line)
    memset(x.host + row_place(&x, line, 0), MX_SCALE_ONE, (size_t)columns);
  for (int row = 0; row < scale->rows; ++row)
    for (int b = 0; b < scale->columns; ++b) {
      const int own = row % of_member, line = row / of_member * groups + own / MX_SHUFFLED_ROWS;
      row_put(&x, line, mx_shuffled_byte(own, b), row_get(scale, scale->host, row, b));
    }
  row_upload(&x);
  return x;
}

// Returns the same of elements, whose rows and bytes are whole groups.
static inline row_matrix mx_shuffled_weights(test_rng *rng, const row_matrix *q) {
  const int group = MX_WEIGHT_ROWS * (q->columns + MX_WEIGHT_BYTES * row_between(rng, 0, 1));
  row_matrix x = row_matrix_create(WT_TYPE_I8, q->rows / MX_WEIGHT_ROWS, MX_WEIGHT_ROWS * q->columns, group,
                                   16 * row_between(rng, 0, 2));
  for (int row = 0; row < q->rows; ++row)
    for (int i = 0; i < q->columns; ++i)
      row_put(&x, row / MX_WEIGHT_ROWS, mx_shuffled_weight(row, i), row_get(q, q->host, row, i));
  row_upload(&x);
  return x;
}

static inline int mx_run_cases(int argc, char **argv, uint64_t seed,
                               void (*run_case)(wt_context *, test_rng *)) {
  if (argc != 2) return fprintf(stderr, "usage: %s CASES\n", argv[0]), 2;
  test_rng rng = test_seed(seed);
  wt_context *context;
  unsigned long long accesses = 0, conflicts = 0;
  CHECK(wtSimLdsConflicts(1, NULL, NULL) == 0, "conflicts are not counted");
  CHECK(wt_context_create(0, &context) == WT_SUCCESS, "%s", wt_last_error(NULL));
  for (int i = 0; i < atoi(argv[1]) && context; ++i) run_case(context, &rng);
  wt_context_destroy(context);
  CHECK(wtSimLdsConflicts(0, &accesses, &conflicts) == 0 && conflicts == 0,
        "%llu LDS instructions lost %llu cycles to bank conflicts", accesses, conflicts);
  printf("%llu LDS instructions without a bank conflict\n", accesses);
  return test_result();
}

#endif
