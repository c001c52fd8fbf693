// SPDX-License-Identifier: MIT
// Defines what all rungs of the ladder share: the three matrices of this work-group's batch, the path into C,
// and the kernel symbols.
#ifndef WT_EXAMPLES_GEMM_PROBLEM_H
#define WT_EXAMPLES_GEMM_PROBLEM_H

#include "kernels/gemm/gemm_args.h"
#include "wavetile_device.h"

template <class In, class Out>
struct gemm_problem {
  wt::gl<const In> a, b;
  wt::gl<Out> c;

  WT_DEVICE explicit gemm_problem(const wt_gemm_args &args) {
    const int batch = wt::workgroup_z();
    a = {static_cast<const In *>(args.a) + batch * args.a_batch, args.a_row, args.a_col, args.m, args.k};
    b = {static_cast<const In *>(args.b) + batch * args.b_batch, args.b_row, args.b_col, args.n, args.k};
    c = wt::row_major(static_cast<Out *>(args.c) + batch * args.c_batch, args.m, args.n, args.c_row);
  }
};

// C = alpha * sums + beta * C in the tile of C that begins at (row, column), rounded once; what lies outside
// the matrix is dropped. With beta == 0 nothing of C is read.
template <class Out, class Sums>
WT_DEVICE void store_scaled(const wt::gl<Out> &c, const Sums &sums, int row, int column, float alpha,
                            float beta) {
  using tile = wt::rt<Out, Sums::kRows, Sums::kColumns, typename Sums::layout>;
  Sums scaled;
  tile result;
  wt::mul(scaled, sums, alpha);
  if (beta != 0.0f) {
    tile old;
    wt::load(old, c, row, column);
    wt::fma(scaled, old, beta, scaled);
  }
  wt::copy(result, scaled);
  wt::store(c, result, row, column);
}

// Defines kernels <rung>_<in>_<out> of a function template <rung><In, Out>(const wt_gemm_args &): those of
// one type of A and B, or of both FP8 types.
#define GEMM_KERNEL(rung, threads, in_name, In, out_name, Out) \
  WT_KERNEL(threads) rung##_##in_name##_##out_name(wt_gemm_args args) { rung<wt::In, Out>(args); }
#define GEMM_KERNELS_OF(rung, threads, in_name, In)       \
  GEMM_KERNEL(rung, threads, in_name, In, bf16, wt::bf16) \
  GEMM_KERNEL(rung, threads, in_name, In, f32, float)
#define GEMM_KERNELS(rung, threads)               \
  GEMM_KERNELS_OF(rung, threads, f8e4m3, fp8e4m3) \
  GEMM_KERNELS_OF(rung, threads, f8e5m2, fp8e5m2)

#endif
