// SPDX-License-Identifier: MIT
// Chooses among kernels: which can run a descriptor, in how many parts of K, and the predicted time.
#ifndef WT_SRC_CHOICE_H
#define WT_SRC_CHOICE_H

#include "cost.h"
#include "gemm_plan.h"

typedef struct wt_candidate {
  wt_choice choice;
  wt_cost cost;       // zero for a rung
  char refusal[256];  // "needs ..., but ...": why the kernel cannot run this; empty when it can
  bool left_out;      // the kernel could run this, but the build left it out, as the refusal says
} wt_candidate;

// Returns the kernel with the number of parts that suits it best, as far as the plan's workspace allows, or
// with the number that the descriptor asks for.
wt_candidate wt_candidate_of(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel);

// Sets the cost of a candidate whose K has one part; and where the plan's workspace allows and it is
// predicted to take less time, the number of parts.
void wt_candidate_split(const wt_context *context, const wt_gemm_plan *plan, wt_candidate *candidate);

// Returns the candidate of all kernels that is predicted to take the least time, without a kernel where none
// that the build has can run.
wt_candidate wt_best_candidate(const wt_context *context, const wt_gemm_plan *plan);

// Sets the plan's choice and cut: the kernel named, or the best.
wt_status wt_choose(wt_context *context, wt_gemm_plan *plan);

// Returns whether candidate x is to be preferred to y; both can run.
bool wt_candidate_better(const wt_candidate *x, const wt_candidate *y);

#endif
