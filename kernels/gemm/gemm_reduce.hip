// SPDX-License-Identifier: MIT
// The end of a GEMM whose K is split: adds the sums of the parts, part by part so that the result does not
// depend on when they were finished, and applies the epilogue.
//
// The sums are `a`: rows a_row apart, a multiple of 4, matrices of the batch a_batch and parts c_part; there
// are as many parts as k_part goes into k. Nothing has written the columns from n on, and nothing is read
// there. Grid: x = four columns per thread, row after row; z = batch.
#include "gemm_epilogue.h"

static constexpr int kThreads = 256, kColumns = 4;  // tools/gemm/gemm.c knows them too

// Sum: float, or unsigned for integers, which wrap.
template <class Sum>
using gemm_sums = wt::registers<Sum, kColumns>;

// The sums of one part, of which the first `count` exist.
template <class Sum>
WT_DEVICE gemm_sums<Sum> sums_of_part(const Sum *from, int count) {
  if (count >= kColumns) return *reinterpret_cast<const gemm_sums<Sum> *>(from);
  gemm_sums<Sum> sums = {};
  wt::unrolled<kColumns - 1>([&](auto i) WT_INLINE {
    if (i < count) sums[i.value] = from[i];
  });
  return sums;
}

template <class Sum, class As>
WT_DEVICE void gemm_reduce(const wt_gemm_args &args) {
  const unsigned per_row = static_cast<unsigned>(args.a_row) / kColumns;
  const unsigned i = static_cast<unsigned>(wt::workgroup_x()) * kThreads + wt::thread_id();
  const int row = i / per_row, column = i % per_row * kColumns, count = args.n - column;
  if (row >= args.m || count <= 0) return;
  const Sum *from =
      static_cast<const Sum *>(args.a) + wt::workgroup_z() * args.a_batch + row * args.a_row + column;
  gemm_sums<Sum> total = sums_of_part(from, count);
  for (int left = args.k - args.k_part; left > 0; left -= args.k_part) {
    from += args.c_part;
    total += sums_of_part(from, count);
  }
  gemm_output(args).put(__builtin_bit_cast(As, total), row, column);
}

WT_KERNEL(kThreads) gemm_reduce_f32(wt_gemm_args args) { gemm_reduce<float, wt::f32x4>(args); }
WT_KERNEL(kThreads) gemm_reduce_i32(wt_gemm_args args) { gemm_reduce<wt::u32, wt::i32x4>(args); }
