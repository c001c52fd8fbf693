// SPDX-License-Identifier: MIT
// This is rung 01, naive. Idea: one thread computes one element of C, straight from global memory. Each
// work-group of 256 threads computes a tile of 16 x 16. Every element of A and B is read 16 times per tile
// row or column, each time from the cache hierarchy, one byte at a time. ROCm blogs published 1.15 TFLOP/s at
// M = N = K = 4096 on MI355X for this step (FP8 GEMM on CDNA4, 2026).
#include "gemm_problem.h"

namespace {

constexpr int kThreads = 256, kTile = 16;

template <class In, class Out>
WT_DEVICE void gemm_01_naive(const wt_gemm_args &args) {
  const gemm_problem<In, Out> p(args);
  const int row = wt::workgroup_y() * kTile + wt::thread_id() / kTile;
  const int column = wt::workgroup_x() * kTile + wt::thread_id() % kTile;
  if (row >= args.m || column >= args.n) return;

  const wt::gl<const In> a = p.a.from(row, 0), b = p.b.from(column, 0);
  float sum = 0.0f;
  for (int k = 0; k < args.k; ++k) {
    const float x = wt::fp8_to_f32(a.data[k * a.column_stride]);
    const float y = wt::fp8_to_f32(b.data[k * b.column_stride]);
    sum = __builtin_fmaf(x, y, sum);
  }

  Out *const c = p.c.from(row, column).data;
  float value = args.alpha * sum;
  if (args.beta != 0.0f) value = __builtin_fmaf(args.beta, wt::to_f32(*c), value);
  *c = wt::from_f32<Out>(value);
}

}  // namespace

GEMM_KERNELS(gemm_01_naive, kThreads)
