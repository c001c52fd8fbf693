// SPDX-License-Identifier: MIT
// This is rung 06, swizzle. Idea: the 16-byte columns of a row of LDS are permuted, differently from row to
// row, so that the 16 lanes which read one column of 16 rows have no bank conflict. Copies fill LDS lane
// after lane, so it is their addresses in global memory that are permuted; reads undo it. The reader refuses
// to compile with a conflict left. Published for this step: 497.43 TFLOP/s at M = N = K = 4096 on MI355X,
// less than without: LDS is not yet what limits (ROCm blogs, FP8 GEMM on CDNA4, 2026).
#include "gemm_direct_loader.h"

namespace {

using namespace gemm_wave_tiles;

template <class In>
using swizzled_loader = direct_loader<In, wt::swizzle_for_row<kStep>>;

template <class In, class Out>
WT_DEVICE void gemm_06_swizzle(const wt_gemm_args &args) {
  gemm<swizzled_loader, In, Out>(args);
}

}  // namespace

GEMM_KERNELS(gemm_06_swizzle, kThreads)
