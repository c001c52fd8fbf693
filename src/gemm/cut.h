// SPDX-License-Identifier: MIT
// How a kernel cuts a problem: tiles of C and their order, parts of K and the memory for their sums.
#ifndef WT_SRC_CUT_H
#define WT_SRC_CUT_H

#include "gemm_plan.h"

enum {
  // wt_gemm's parts of K are multiples of it, so that each but the last is of whole K steps at aligned
  // addresses.
  WT_SPLIT_GRAIN = 256,
  WT_MAX_SPLIT = 1024
};

// Returns the elements of K that each part must have for the kernel.
int64_t wt_cut_least_k(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel);

// Returns the kernel with at most `parts` parts of K: fewer where parts would become too short.
wt_choice wt_cut(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel, int64_t parts);

// Returns whether a choice of `parts` parts of K has those that a kernel without needs would have, so that
// they do not depend on the kernel.
bool wt_cut_is_even(const wt_gemm_plan *plan, const wt_choice *choice, int64_t parts);

// Cuts K of a choice anew. The rest of it does not depend on K.
void wt_cut_k(const wt_context *context, const wt_gemm_plan *plan, wt_choice *choice, int64_t parts);

// Returns the rows of A and B that a die loads for a run of the choice's tiles, in the mean, where a tile has
// so many rows of A and of B.
double wt_cut_rows_loaded(const wt_choice *choice, double rows_a, double rows_b);

#endif
