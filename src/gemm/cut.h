// SPDX-License-Identifier: MIT
// Says how a kernel cuts a problem: tiles of C and their order, parts of K and the memory for their sums.
#ifndef WT_SRC_CUT_H
#define WT_SRC_CUT_H

#include "gemm_plan.h"

enum {
  // wt_gemm's parts of K are multiples of it, so that each but the last is of whole K steps at aligned
  // addresses.
  WT_SPLIT_GRAIN = 256,
  WT_MAX_SPLIT = 1024
};

// Checks desc->split_k, the parts of K that are asked for.
wt_status wt_cut_check_split(wt_context *context, int32_t split_k);

// Parts of K: all but the last have k_part elements of it; one part is all of K.
typedef struct wt_cut_parts {
  int64_t parts, k_part;
} wt_cut_parts;

// Cuts K into as many parts of whole grains, or fewer: the last has at least `least` elements.
wt_cut_parts wt_cut_into(int64_t k, int64_t grain, int64_t parts, int64_t least);

// Returns the bytes of the sums of so many parts: 0 for one, UINT64_MAX where they are beyond 64 bits.
uint64_t wt_cut_sums_bytes(int64_t m, int64_t n, int64_t batch, int64_t parts);

// Returns the elements of K that each part must have for the kernel.
int64_t wt_cut_least_k(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel);

// Returns the kernel with at most `parts` parts of K: fewer where parts would become too short.
wt_choice wt_cut(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel, int64_t parts);

// Returns whether a choice of `parts` parts of K has those that a kernel without needs would have, so that
// they do not depend on the kernel.
bool wt_cut_is_even(const wt_context *context, const wt_gemm_plan *plan, const wt_choice *choice,
                    int64_t parts);

// Cuts K of a choice anew. The rest of it does not depend on K.
void wt_cut_k(const wt_context *context, const wt_gemm_plan *plan, wt_choice *choice, int64_t parts);

// Returns the rows of A and B that a die loads for a run of the choice's tiles, in the mean, where a tile has
// so many rows of A and of B.
double wt_cut_rows_loaded(const wt_choice *choice, double rows_a, double rows_b);

#endif
