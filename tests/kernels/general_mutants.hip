// SPDX-License-Identifier: MIT
// Small instances of the general and the skinny GEMM for the mutation test, one for each way of the operands.
// One work-group is enough; its K is whole steps and most of another, of which the skinny GEMM needs many.
#include "kernels/gemm/gemm_general.h"
#include "kernels/gemm/gemm_skinny.h"

template <class Loop>
WT_DEVICE void one_gemm(wt_gemm_args args) {
  if (wt::workgroup_x() != 0) return;
  args.k = args.k_part -= 68;
  gemm<Loop>(args);
}
template <class Loop>
WT_DEVICE void one_gemm_rows_contiguous(wt_gemm_args args) {
  args.a_row = args.b_row = 1;
  args.a_col = args.b_col = 256;
  one_gemm<Loop>(args);
}
template <class Loop>
WT_DEVICE void one_gemm_of_few_rows(wt_gemm_args args) {
  if (wt::workgroup_x() != 0) return;
  args.k = args.k_part = 4 * args.k - 12;
  args.a_row *= 4, args.b_row *= 4;
  gemm_of_few_rows<Loop>(args);
}

#define MUTANT(entry, name, Loop, BM) \
  GEMM_KERNEL_OF(entry, name, Loop, BM, 64, 2, f8e4m3, wt::fp8e4m3, f8e4m3, wt::fp8e4m3)
MUTANT(one_gemm, mutant_k_contiguous, gemm_general, 64)
MUTANT(one_gemm_rows_contiguous, mutant_rows_contiguous, gemm_general, 64)
MUTANT(one_gemm_of_few_rows, mutant_few_rows, gemm_skinny, 16)
