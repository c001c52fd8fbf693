// SPDX-License-Identifier: MIT
// This is rung 05, direct global-to-LDS. Idea: the load writes LDS itself, without passing through registers:
// 16 bytes per lane on gfx950, 4 on gfx942. One instruction of a wave fills 64 times that in a row, so the
// lanes' global addresses decide what lands where. Four waves of 16 x 16 compute a tile of 32 x 32 in K steps
// of 128. ROCm blogs published 506.70 TFLOP/s at M = N = K = 4096 on MI355X for this step (FP8 GEMM on CDNA4,
// 2026).
#include "gemm_direct_loader.h"

namespace {

using namespace gemm_wave_tiles;

template <class In>
using plain_loader = direct_loader<In, wt::no_swizzle>;

template <class In, class Out>
WT_DEVICE void gemm_05_direct_to_lds(const wt_gemm_args &args) {
  gemm<plain_loader, In, Out>(args);
}

}  // namespace

GEMM_KERNELS(gemm_05_direct_to_lds, kThreads)
