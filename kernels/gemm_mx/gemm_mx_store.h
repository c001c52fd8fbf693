// SPDX-License-Identifier: MIT
// Ends a GEMM whose C is in an MX format: with packed elements, and a scale for every 32 of a row. Sums go
// through LDS as for other types (kernels/gemm/gemm_epilogue.h), in groups of four columns, so that eight
// lanes have a block. Each finds the largest magnitude of its columns, and the eight exchange it. What
// follows is what wt_quantize_blocks does with a block.
#ifndef WT_KERNELS_GEMM_MX_STORE_H
#define WT_KERNELS_GEMM_MX_STORE_H

#include "../gemm/gemm_epilogue.h"
#include "gemm_mx_args.h"
#include "kernels/block_scale/largest_of_lanes.h"

// Describes four elements of a type: 4 bytes of FP8, 2 of FP4.
template <class Q>
struct gemm_mx_four {
  using type = wt::u32;
};
template <>
struct gemm_mx_four<wt::fp4e2m1> {
  using type = unsigned short;
};

// Describes C of elements of type Q.
template <class Q, wt::row_order Order>
struct gemm_mx_blocks {
  using packed_four = typename gemm_mx_four<Q>::type;

  // The numbers of a block's lanes differ in these bits. Interleaved, the two 16 columns of a block are
  // staged 32 columns apart.
  static constexpr int kLanes = Order == wt::row_order::natural ? 1 | 2 | 4 : 1 | 2 | 8;

  // Holds what a lane stores: four columns, and the scale of their block, which all lanes of the block have.
  struct part {
    packed_four bits;
    wt::u32 scale;
  };

  // Quantises four columns of a row. All lanes of a block come here together.
  WT_DEVICE static part quantised(wt::f32x4 x, int rounding) {
    const float largest = block_scale::largest_of_lanes<kLanes>(wt::largest_or_nan(x));
    const wt::u32 scale = wt::e8m0_of<Q>(largest, static_cast<wt::scale_rounding>(rounding));
    return {scale < 255 ? packed(x, wt::e8m0_scale(scale)) : packed_four{}, scale};
  }
  // Quantises four columns of N rows, of which each may not exist, and stores those that do.
  template <int N>
  WT_DEVICE static void put(const wt_gemm_mx_args &args, const gemm_columns &of, const wt::f32x4 (&x)[N],
                            const int (&row)[N]) {
    part parts[N];
    wt::unrolled<N>([&](auto n) WT_INLINE { parts[n] = quantised(x[n], args.c_rounding); });
    wt::unrolled<N>([&](auto n) WT_INLINE {
      if (row[n] < args.gemm.m && of.count > 0) put(args, parts[n], row[n], of.first);
    });
  }
  // Stores them as columns from `column` on of row r; the first lane of a block stores its scale.
  WT_DEVICE static void put(const wt_gemm_mx_args &args, part q, int r, int column) {
    char *const to = static_cast<char *>(args.gemm.c) + wt::workgroup_z() * args.gemm.c_batch +
                     r * args.gemm.c_row + column / 4 * sizeof(packed_four);
    wt::global_store(to, q.bits);
    if (column % wt::kScaleBlock == 0)
      args.c_scale[wt::workgroup_z() * args.c_scale_batch_bytes + r * args.c_scale_row_bytes +
                   column / wt::kScaleBlock] = static_cast<unsigned char>(q.scale);
  }
  // Finishes and stores four sums of columns from `column` on of row r, which need not exist.
  WT_DEVICE static void put_four(const wt_gemm_mx_args &args, const gemm_output &out, wt::f32x4 sums, int r,
                                 int column) {
    wt::f32x4 x[] = {sums * args.gemm.alpha};
    const gemm_columns of = out.columns_from(column);
    out.finish(of, x);
    put(args, of, x, {r});
  }

 private:
  // The other 28 elements are zeros, which cost nothing in dwords that nobody reads.
  WT_DEVICE static packed_four packed(wt::f32x4 x, float scale) {
    wt::f32x32 block = {};
    wt::unrolled<4>([&](auto i) WT_INLINE { block[i.value] = x[i.value]; });
    return static_cast<packed_four>(wt::mx_from_f32<Q>(block, scale)[0]);
  }
};

// Stores the tile of C, which is complete, in blocks. The host has made sure that N has whole blocks and that
// beta is 0. Both types share what comes before their blocks: that code is long, and takes most of the time
// to compile.
template <class Frame>
WT_DEVICE void store_blocks(const Frame &f, const wt_gemm_mx_args &args,
                            const typename Frame::accumulators &c, typename Frame::staged &staged) {
  constexpr wt::row_order kOrder = gemm_row_order<Frame>;
  static constexpr int kRows = gemm_fours<Frame>::kAtOnce;
  const gemm_output out(args.gemm);
  each_four(f, out, c, staged, [&](const gemm_columns &of, const auto &sums, const auto &row) WT_INLINE {
    wt::f32x4 x[kRows];
    wt::unrolled<kRows>([&](auto n) WT_INLINE { x[n] = sums[n] * args.gemm.alpha; });
    out.finish(of, x);
    if (args.gemm.type_c == WT_KERNEL_F8E4M3) {
      gemm_mx_blocks<wt::fp8e4m3, kOrder>::put(args, of, x, row);
    } else {
      gemm_mx_blocks<wt::fp4e2m1, kOrder>::put(args, of, x, row);
    }
  });
}

#endif
