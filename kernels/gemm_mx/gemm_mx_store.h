// SPDX-License-Identifier: MIT
// The end of a GEMM whose C is in an MX format: packed elements, and a scale for every 32 of a row. Sums go
// through LDS as for other types (kernels/gemm/gemm_epilogue.h), four columns per thread, so that eight lanes
// have a block. Each finds the largest magnitude of its columns, and the eight exchange it. What follows is
// what wt_quantize_blocks does with a block.
#ifndef WT_KERNELS_GEMM_MX_STORE_H
#define WT_KERNELS_GEMM_MX_STORE_H

#include "../gemm/gemm_epilogue.h"
#include "gemm_mx_args.h"

// Four elements of a type: 4 bytes of FP8, 2 of FP4.
template <class Q>
struct gemm_mx_four {
  using type = wt::u32;
};
template <>
struct gemm_mx_four<wt::fp4e2m1> {
  using type = unsigned short;
};

// C of elements of type Q.
template <class Q, wt::row_order Order>
struct gemm_mx_blocks {
  using packed_four = typename gemm_mx_four<Q>::type;

  // The bits in which the numbers of a block's lanes differ. Interleaved, the two 16 columns of a block are
  // staged 32 columns apart.
  static constexpr int kLanes = Order == wt::row_order::natural ? 1 | 2 | 4 : 1 | 2 | 8;

  // Stores four columns of row r, from `column` on, and the first lane of a block its scale. All lanes of a
  // block come here together.
  WT_DEVICE static void put(const wt_gemm_mx_args &args, wt::f32x4 x, int r, int column) {
    const auto larger = [](wt::u32 a, wt::u32 b) WT_INLINE { return a > b ? a : b; };
    const wt::u32 own = __builtin_bit_cast(wt::u32, wt::largest_or_nan(x));
    const float largest = __builtin_bit_cast(float, wt::reduce_lanes<kLanes>(own, larger));
    const wt::u32 scale = wt::e8m0_of<Q>(largest, static_cast<wt::scale_rounding>(args.c_rounding));
    char *const to = static_cast<char *>(args.gemm.c) + wt::workgroup_z() * args.gemm.c_batch +
                     r * args.gemm.c_row + column / 4 * sizeof(packed_four);
    wt::global_store(to, scale < 255 ? packed(x, wt::e8m0_scale(scale)) : packed_four{});
    if (column % wt::kScaleBlock == 0)
      args.c_scale[wt::workgroup_z() * args.c_scale_batch + r * args.c_scale_row + column / wt::kScaleBlock] =
          static_cast<unsigned char>(scale);
  }

 private:
  // The other 28 elements are zeros, which cost nothing in dwords that nobody reads.
  WT_DEVICE static packed_four packed(wt::f32x4 x, float scale) {
    wt::f32x32 block = {};
    wt::unrolled<4>([&](auto i) WT_INLINE { block[i.value] = x[i.value]; });
    return static_cast<packed_four>(wt::mx_from_f32<Q>(block, scale)[0]);
  }
};

// Stores the tile of C. The host has made sure that N has whole blocks and that beta is 0.
template <class Frame>
WT_DEVICE void store_blocks(const Frame &f, const wt_gemm_mx_args &args, typename Frame::accumulators &c,
                            typename Frame::staged &staged) {
  constexpr wt::row_order kOrder = gemm_row_order<Frame>;
  const gemm_output out(args.gemm);
  store_through_lds(f, c, staged, [&](auto sums, int row, int column) WT_INLINE {
    if (row >= args.gemm.m || column >= args.gemm.n) return;
    const wt::f32x4 x = out.finished(sums * args.gemm.alpha, column, 4);
    if (args.gemm.type_c == WT_KERNEL_F8E4M3) {
      gemm_mx_blocks<wt::fp8e4m3, kOrder>::put(args, x, row, column);
    } else {
      gemm_mx_blocks<wt::fp4e2m1, kOrder>::put(args, x, row, column);
    }
  });
}

#endif
