// SPDX-License-Identifier: MIT
// This is the cost model behind the choice among kernels: the cycles that a kernel takes for a problem, cut
// as it is.
#ifndef WT_SRC_COST_H
#define WT_SRC_COST_H

#include "gemm_plan.h"

// What limits the K loops. Each limit alone would make them take so many cycles.
typedef enum wt_limit {
  WT_LIMIT_MATRIX,   // products on the matrix cores
  WT_LIMIT_LDS,      // bytes from LDS to registers
  WT_LIMIT_L1,       // bytes from L1 to LDS or registers
  WT_LIMIT_FLIGHT,   // bytes that L1 can wait for at once, each for memory's latency
  WT_LIMIT_LATENCY,  // memory's latency, once for as many K steps as are brought ahead
  WT_LIMIT_LLC,      // bytes from the last-level cache to the L2s
  WT_LIMIT_HBM,      // bytes from memory
  WT_LIMITS
} wt_limit;

extern const char *const wt_limit_names[WT_LIMITS];

typedef struct wt_cost {
  double resident;          // work-groups that share the busiest compute unit
  double each;              // work-groups that it computes, one after the other or at once
  double limit[WT_LIMITS];  // cycles
  double launch;            // waits at the beginning and at the end
  double loop;              // all K loops
  double end;               // storing C, or the parts' sums
  double reduction;         // of the parts' sums
  double cycles;            // all of these
} wt_cost;

// Returns the cost of a choice, whose members are all set. Rungs of the ladder have none: it is zero.
wt_cost wt_cost_of(const wt_context *context, const wt_gemm_plan *plan, const wt_choice *choice);

// Returns what a launch takes that reads and writes so many bytes.
double wt_cost_of_moving(const wt_context *context, double bytes);

// Returns what no choice can be below: the waits of a launch, and the larger of the products on the matrix
// cores of all compute units and the bytes of A and B from memory.
double wt_cost_least(const wt_context *context, const wt_gemm_plan *plan);

#endif
