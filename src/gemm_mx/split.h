// SPDX-License-Identifier: MIT
// Decides which kernel multiplies two matrices in MX formats, and into how many parts K is cut.
#ifndef WT_SRC_GEMM_MX_SPLIT_H
#define WT_SRC_GEMM_MX_SPLIT_H

#include "kernels.h"

typedef struct wt_mx_problem {
  const wt_block_format *a, *b;
  wt_scale_layout scales;
  int64_t m, n, k, batch;
  int64_t c_bytes;                // of an element of C
  int64_t row_bytes;              // between two rows of A, of B or of their scales, the most
  int32_t split_k;                // as in the descriptor
  uint64_t workspace_most_bytes;  // that the parts' sums may take
  bool suits_persistent;          // but for the size of K: what persistent kernels need of operands and C
} wt_mx_problem;

typedef struct wt_mx_choice {
  const wt_scaled_kernel *kernel;  // NULL: none multiplies these formats
  int64_t parts, k_part;           // one part has all of K
  uint64_t workspace_bytes;        // for the sums of the parts; 0 with one part
  double cycles;                   // what the model below says
} wt_mx_choice;

// Returns the kernel and the split that take the fewest cycles by a small model: rounds of work-groups whose
// K loops are limited by the matrix cores, by memory's latency or by its rate, and the launch that adds up
// the parts. A kernel that the build left out is chosen only where no other can run this.
wt_mx_choice wt_mx_choose(const wt_context *context, const wt_mx_problem *problem);

#endif
