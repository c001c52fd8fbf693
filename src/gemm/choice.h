// SPDX-License-Identifier: MIT
// The choice among kernels: which can run a descriptor, in how many parts of K, and the predicted time.
#ifndef WT_SRC_CHOICE_H
#define WT_SRC_CHOICE_H

#include "gemm_plan.h"

enum {
  // Parts of K are multiples of it, so that each but the last is of whole K steps at aligned addresses.
  WT_SPLIT_GRAIN = 256,
  WT_MAX_SPLIT = 1024
};

typedef struct wt_candidate {
  wt_choice choice;
  int64_t rounds;     // rounds of work-groups that the compute units take for all of them
  double cycles;      // predicted for the whole call; 0 for a rung
  char refusal[256];  // "needs ..., but ...": why the kernel cannot run this; empty when it can
  bool left_out;      // the kernel could run this, but the build left it out, as the refusal says
} wt_candidate;

// Returns the kernel with the number of parts that suits it best, or with the number that the descriptor asks
// for. With any_workspace, memory for the parts is taken to be there.
wt_candidate wt_candidate_of(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                             bool any_workspace);

// Sets plan->choice: the kernel named, or the best.
wt_status wt_choose(wt_context *context, wt_gemm_plan *plan, bool any_workspace);

// Returns whether candidate x is to be preferred to y; both can run.
bool wt_candidate_better(const wt_candidate *x, const wt_candidate *y);

#endif
