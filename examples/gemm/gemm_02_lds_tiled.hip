// SPDX-License-Identifier: MIT
// Rung 02, LDS tiling. Idea: the work-group brings a tile of A and of B into LDS once, and every thread reads
// its operands there: global traffic falls by the tile's edge, 16. Tile 16 x 16, K step 64, 256 threads, one
// element of C each. Published for this step: 4.80 TFLOP/s at M = N = K = 4096 on MI355X (ROCm blogs, FP8
// GEMM on CDNA4, 2026).
#include "gemm_elementwise.h"
#include "gemm_problem.h"

namespace {

constexpr int kThreads = 256, kTile = 16, kStep = 64;

// Adds the products of four packed elements each.
template <class In>
WT_DEVICE float dot4(wt::u32 a, wt::u32 b, float sum) {
  sum = __builtin_fmaf(wt::fp8_to_f32<In, 0>(a), wt::fp8_to_f32<In, 0>(b), sum);
  sum = __builtin_fmaf(wt::fp8_to_f32<In, 1>(a), wt::fp8_to_f32<In, 1>(b), sum);
  sum = __builtin_fmaf(wt::fp8_to_f32<In, 2>(a), wt::fp8_to_f32<In, 2>(b), sum);
  return __builtin_fmaf(wt::fp8_to_f32<In, 3>(a), wt::fp8_to_f32<In, 3>(b), sum);
}

template <class In, class Out>
WT_DEVICE void gemm_02_lds_tiled(const wt_gemm_args &args) {
  WT_SHARED wt::st<In, kTile, kStep> a_tile, b_tile;
  const gemm_problem<In, Out> p(args);
  const int row0 = wt::workgroup_y() * kTile, column0 = wt::workgroup_x() * kTile;
  const int row = wt::thread_id() / kTile, column = wt::thread_id() % kTile;

  float sum = 0.0f;
  for (int k0 = 0; k0 < args.k; k0 += kStep) {
    load_elementwise<kThreads>(a_tile, p.a.from(row0, k0));
    load_elementwise<kThreads>(b_tile, p.b.from(column0, k0));
    wt::barrier();
#pragma unroll
    for (int k = 0; k < kStep; k += 4) {
      sum = dot4<In>(a_tile.template at<wt::u32>(row * kStep + k),
                     b_tile.template at<wt::u32>(column * kStep + k), sum);
    }
    wt::barrier();  // before the next step overwrites what others still read
  }

  const wt::gl<Out> c = p.c.from(row0 + row, column0 + column);
  if (c.rows <= 0 || c.columns <= 0) return;
  float value = args.alpha * sum;
  if (args.beta != 0.0f) value = __builtin_fmaf(args.beta, wt::to_f32(*c.data), value);
  *c.data = wt::from_f32<Out>(value);
}

}  // namespace

GEMM_KERNELS(gemm_02_lds_tiled, kThreads)
