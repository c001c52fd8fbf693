// SPDX-License-Identifier: MIT
// Ends a GEMM whose K is split: adds the sums of the parts, part by part so that the result does not depend
// on when they were finished, and applies the epilogue.
#include "gemm_epilogue.h"
#include "gemm_reduce_args.h"

static constexpr int kThreads = WT_REDUCE_THREADS, kColumns = WT_REDUCE_COLUMNS;
// So many parts are loaded at once (src/gemm/cost.c knows it too), and where no more than half as many are
// left.
static constexpr int kTogether = 8, kFew = kTogether / 2;

// Sum: float, or unsigned for integers, which wrap.
template <class Sum>
using gemm_sums = wt::registers<Sum, kColumns>;

// This changes no term that is added to it: negative zero, for 0 + -0 is 0.
template <class Sum>
inline constexpr Sum kNothing = 0;
template <>
inline constexpr float kNothing<float> = -0.0f;

// Returns the first `count` columns of one part.
template <class Sum>
WT_DEVICE gemm_sums<Sum> some_of_part(const Sum *from, int count) {
  gemm_sums<Sum> sums = {};
  wt::unrolled<kColumns - 1>([&](auto i) WT_INLINE {
    if (i < count) sums[i.value] = from[i];
  });
  return sums;
}

// The next Count parts are loaded before the first is added, so that their latency passes once. Where fewer
// are left, the last one is loaded again instead, and not added.
template <int Count, class Sum>
WT_DEVICE void add_parts(gemm_sums<Sum> &total, const Sum *from, long long part, int left) {
  gemm_sums<Sum> sums[Count];
  wt::unrolled<Count>([&](auto i) WT_INLINE {
    const int nth = i < left ? i.value : left - 1;
    sums[i] = *reinterpret_cast<const gemm_sums<Sum> *>(from + nth * part);
  });
  wt::sched_barrier();
  wt::unrolled<Count>([&](auto i)
                          WT_INLINE { total += i < left ? sums[i] : gemm_sums<Sum>{} + kNothing<Sum>; });
}

template <class Sum>
WT_DEVICE gemm_sums<Sum> add_all(const Sum *from, int parts, long long part, int count) {
  gemm_sums<Sum> total = gemm_sums<Sum>{} + kNothing<Sum>;
  if (count < kColumns) {
    for (int i = 0; i < parts; ++i) total += some_of_part(from + i * part, count);
  } else {
    int i = 0;
    for (; parts - i > kFew; i += kTogether) add_parts<kTogether>(total, from + i * part, part, parts - i);
    if (i < parts) add_parts<kFew>(total, from + i * part, part, parts - i);
  }
  return total;
}

template <class Sum, class As>
WT_DEVICE void gemm_reduce(const wt_gemm_reduce_args &all) {
  const wt_gemm_args &args = all.product;
  // All arguments are waited for once, also those of the epilogue.
  wt::have_uniform(args.a, args.m, args.n, args.a_row, args.a_batch, args.c_part, all.row.divisor,
                   all.row.factor, all.row.shift, all.parts, args.c, args.c_row, args.c_batch, args.alpha,
                   args.beta, args.type_c, args.activation, args.row_scale, args.column_scale, args.bias);
  const unsigned i = static_cast<unsigned>(wt::workgroup_x()) * kThreads + wt::thread_id();
  const unsigned r = wt_divide(i, all.row), nth = i - r * all.row.divisor;
  const int row = static_cast<int>(r), column = static_cast<int>(nth) * kColumns, count = args.n - column;
  if (row >= args.m || count <= 0) return;
  const Sum *from =
      static_cast<const Sum *>(args.a) + wt::workgroup_z() * args.a_batch + row * args.a_row + column;
  gemm_output(args).put(__builtin_bit_cast(As, add_all(from, all.parts, args.c_part, count)), row, column);
}

WT_KERNEL(kThreads) gemm_reduce_f32(wt_gemm_reduce_args args) { gemm_reduce<float, wt::f32x4>(args); }
WT_KERNEL(kThreads) gemm_reduce_i32(wt_gemm_reduce_args args) { gemm_reduce<wt::u32, wt::i32x4>(args); }
