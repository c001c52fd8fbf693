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
  // Stores them as columns from `column` on of row r; the first lane of a block stores its scale.
  WT_DEVICE static void put(const wt_gemm_mx_args &args, part q, int r, int column) {
    char *const to = static_cast<char *>(args.gemm.c) + wt::workgroup_z() * args.gemm.c_batch +
                     r * args.gemm.c_row + column / 4 * sizeof(packed_four);
    wt::global_store(to, q.bits);
    if (column % wt::kScaleBlock == 0)
      args.c_scale[wt::workgroup_z() * args.c_scale_batch + r * args.c_scale_row + column / wt::kScaleBlock] =
          static_cast<unsigned char>(q.scale);
  }
  // Finishes and stores four sums of columns from `column` on of row r, which need not exist.
  WT_DEVICE static void put_four(const wt_gemm_mx_args &args, const gemm_output &out, wt::f32x4 sums, int r,
                                 int column) {
    const wt::f32x4 x = out.finished(sums * args.gemm.alpha, column < args.gemm.n ? column : 0, 4);
    const part q = quantised(x, args.c_rounding);
    if (r < args.gemm.m && column < args.gemm.n) put(args, q, r, column);
  }

 private:
  // The other 28 elements are zeros, which cost nothing in dwords that nobody reads.
  WT_DEVICE static packed_four packed(wt::f32x4 x, float scale) {
    wt::f32x32 block = {};
    wt::unrolled<4>([&](auto i) WT_INLINE { block[i.value] = x[i.value]; });
    return static_cast<packed_four>(wt::mx_from_f32<Q>(block, scale)[0]);
  }
};

// Stores the tile of C. The host has made sure that N has whole blocks and that beta is 0. A thread takes
// some groups of four columns at once, whose instructions wait for each other less than those of one.
template <class Q, class Frame>
WT_DEVICE void store_blocks_of(const Frame &f, const wt_gemm_mx_args &args, typename Frame::accumulators &c,
                               typename Frame::staged &staged) {
  constexpr wt::row_order kOrder = gemm_row_order<Frame>;
  constexpr int kColumns = Frame::kTileN / 2, kRows = Frame::kTileM / 2, kPerRow = kColumns / 4, kAtOnce = 4;
  static_assert(kRows * kPerRow % (kAtOnce * Frame::kThreads) == 0,
                "all threads must have as many groups: choose a larger tile, or take fewer at once");
  using blocks = gemm_mx_blocks<Q, kOrder>;
  const gemm_output out(args.gemm);
  stage_quadrants(f, c, staged, [&](auto i_of, auto j_of) WT_INLINE {
    constexpr int kI = i_of, kJ = j_of;
#pragma unroll 1
    for (int first = wt::thread_id(); first < kRows * kPerRow; first += kAtOnce * Frame::kThreads) {
      wt::f32x4 x[kAtOnce];
      int row[kAtOnce], column[kAtOnce];
      wt::unrolled<kAtOnce>([&](auto n) WT_INLINE {
        const int i = first + n * Frame::kThreads;
        row[n] = f.row + kI * kRows + wt::ordered_row<kOrder>(i / kPerRow);
        column[n] = f.column + kJ * kColumns + wt::ordered_row<kOrder>(i % kPerRow * 4);
        x[n] = staged.template at<wt::f32x4>(wt::swizzled<Frame::staged::kSwizzle>(i * 16));
      });
      wt::unrolled<kAtOnce>([&](auto n) WT_INLINE {
        x[n] = out.finished(x[n] * args.gemm.alpha, column[n] < args.gemm.n ? column[n] : 0, 4);
      });
      typename blocks::part parts[kAtOnce];
      wt::unrolled<kAtOnce>([&](auto n) WT_INLINE { parts[n] = blocks::quantised(x[n], args.c_rounding); });
      wt::unrolled<kAtOnce>([&](auto n) WT_INLINE {
        if (row[n] < args.gemm.m && column[n] < args.gemm.n) blocks::put(args, parts[n], row[n], column[n]);
      });
    }
  });
}
template <class Frame>
WT_DEVICE void store_blocks(const Frame &f, const wt_gemm_mx_args &args, typename Frame::accumulators &c,
                            typename Frame::staged &staged) {
  if (args.gemm.type_c == WT_KERNEL_F8E4M3) {
    store_blocks_of<wt::fp8e4m3>(f, args, c, staged);
  } else {
    store_blocks_of<wt::fp4e2m1>(f, args, c, staged);
  }
}

#endif
