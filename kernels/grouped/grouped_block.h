// SPDX-License-Identifier: MIT
// Grouped GEMM with F32 scales for blocks of 128 columns, by the main loop of kernels/gemm_block.
#ifndef WT_KERNELS_GROUPED_BLOCK_H
#define WT_KERNELS_GROUPED_BLOCK_H

#include "grouped_gemm.h"
#include "kernels/gemm_block/gemm_block.h"

// The product of a group, and where its scales lie.
template <int BM>
WT_DEVICE wt_gemm_block_args grouped_scaled(const wt_grouped_block_args &args, const grouped_place &place) {
  return {grouped_by_rows<BM>::product(args.grouped, place),
          args.a_scale + grouped_rows_of(args.grouped, place.group).first * args.a_scale_row,
          args.b_scale + place.group * args.b_scale_group,
          args.a_scale_row,
          args.a_scale_block,
          args.b_scale_row,
          args.b_scale_block};
}

// The kernel of a main loop, as grouped_gemm.
template <class Loop, int BM>
WT_DEVICE void grouped_block() {
  using tiles = grouped_by_rows<BM>;
  WT_SHARED typename Loop::lds memory;
  typename Loop::accumulators c;
  for (int id = wt::workgroup_x();;) {
    const wt_grouped_block_args args = wt::read_arguments<wt_grouped_block_args>();
    const grouped_place place = tiles::at(args.grouped, id);
    if (!place.exists()) return;
    const int steps = Loop(grouped_scaled<BM>(args, place), place.tile).main_loop(c, memory.tiles);
    {
      const wt_grouped_block_args again = wt::read_arguments<wt_grouped_block_args>();
      const int k = again.grouped.product.k;
      if (steps * Loop::kStep < k)
        Loop(grouped_scaled<BM>(again, place), place.tile).rest(c, memory.tiles, steps, k);
    }
    const wt_grouped_block_args again = wt::read_arguments<wt_grouped_block_args>();
    const wt_gemm_block_args product = grouped_scaled<BM>(again, place);
    store_result(Loop(product, place.tile), product.gemm, c, memory.quadrant);
    id += again.grouped.product.groups;
    if (id >= place.tiles) return;  // without another search
    wt::barrier();                  // before what others may still read is overwritten
  }
}

// Defines the kernel <stem>_<a>_<b>. The main loop has its own number of stages.
#define GROUPED_BLOCK_KERNEL(of_b, stem, BM, BN, waves, stages, waves_per_simd, a_name, TA, b_name, TB) \
  WT_KERNEL_OF_WAVES(64 * waves, waves_per_simd) stem##_##a_name##_##b_name(wt_grouped_block_args) {    \
    grouped_block<gemm_block_loop<gemm_block_frame<TA, TB, BM, BN, gemm_block_b::of_b, waves>,          \
                                  gemm_block_forgets::at_reads>,                                        \
                  BM>();                                                                                \
  }
#define GROUPED_BLOCK_TILES_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_BLOCK_KERNEL, tiles, __VA_ARGS__)
#define GROUPED_BLOCK_ROWS_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_BLOCK_KERNEL, rows, __VA_ARGS__)

#endif
