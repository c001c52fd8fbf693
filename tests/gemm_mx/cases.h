// SPDX-License-Identifier: MIT
// This is the frame of the tests of products of MX matrices: so many random cases on the first device, none
// of whose accesses to LDS has a bank conflict.
#ifndef WT_TESTS_GEMM_MX_CASES_H
#define WT_TESTS_GEMM_MX_CASES_H

#include "block_scale/mx.h"

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
