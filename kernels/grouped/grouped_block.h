// SPDX-License-Identifier: MIT
// Grouped GEMM with F32 scales for blocks of 128 columns, by the main loop of kernels/gemm_block.
#ifndef WT_KERNELS_GROUPED_BLOCK_H
#define WT_KERNELS_GROUPED_BLOCK_H

#include "grouped_scaled.h"
#include "kernels/gemm_block/gemm_block.h"

// Describes the product of a group, with its scales.
struct grouped_block_product {
  using args = wt_grouped_block_args;
  static constexpr int kBlock = 128;  // elements that share a scale

  WT_DEVICE static wt_gemm_block_args of(const args &all, const wt_gemm_args &product, int group,
                                         int tokens) {
    return {product,
            grouped_moved(all.a_scale, all.a_scale_step, tokens, group),
            grouped_moved(all.b_scale, all.b_scale_step, tokens, group),
            all.a_scale_row,
            all.a_scale_block,
            all.b_scale_row,
            all.b_scale_block};
  }
};

// Defines the kernel <stem>_<a>_<b>. The main loop has its own number of stages.
#define GROUPED_BLOCK_KERNEL(of_b, stem, BM, BN, waves, waves_k, stages, waves_per_simd, a_name, TA, b_name, \
                             TB)                                                                             \
  WT_KERNEL_OF_WAVES(64 * waves, waves_per_simd) stem##_##a_name##_##b_name(wt_grouped_block_args) {         \
    grouped_scaled<gemm_block_loop<gemm_block_frame<TA, TB, BM, BN, gemm_block_b::of_b, waves>,              \
                                   gemm_block_forgets::at_reads>,                                            \
                   grouped_block_product, BM>();                                                             \
  }
#define GROUPED_BLOCK_TILES_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_BLOCK_KERNEL, tiles, __VA_ARGS__)
#define GROUPED_BLOCK_ROWS_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_BLOCK_KERNEL, rows, __VA_ARGS__)

#endif
