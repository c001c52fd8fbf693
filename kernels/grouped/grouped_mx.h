// SPDX-License-Identifier: MIT
// Grouped GEMM of matrices in MX formats, by the main loop of kernels/gemm_mx with a row of scales for each
// row: groups begin at any row, so that scales cannot have been shuffled over the rows of all groups.
#ifndef WT_KERNELS_GROUPED_MX_H
#define WT_KERNELS_GROUPED_MX_H

#include "grouped_scaled.h"
#include "grouped_skinny.h"
#include "kernels/gemm/gemm_pairs.h"
#include "kernels/gemm_mx/gemm_mx.h"
#include "kernels/gemm_mx/gemm_mx_skinny.h"

// Describes the product of a group, with its scales, each of which Block elements share.
template <int Block>
struct grouped_mx_product_of {
  using args = wt_grouped_mx_args;
  static constexpr int kBlock = Block;

  WT_DEVICE static wt_gemm_mx_args of(const args &all, const wt_gemm_args &product, int group, int tokens) {
    return {.gemm = product,
            .a_scale = grouped_moved(all.a_scale, all.a_scale_step, tokens, group),
            .b_scale = grouped_moved(all.b_scale, all.b_scale_step, tokens, group),
            .a_scale_row_bytes = all.a_scale_row_bytes,
            .b_scale_row_bytes = all.b_scale_row_bytes,
            .b_layout = WT_KERNEL_BY_ROWS,
            .c_rounding = 0,
            .a_scale_batch_bytes = 0,
            .b_scale_batch_bytes = 0,
            .c_scale_batch_bytes = 0,
            .c_scale = nullptr,
            .c_scale_row_bytes = 0,
            .rotation = {},
            .a_scale_block_bytes = all.a_scale_block_bytes,
            .b_scale_block_bytes = all.b_scale_block_bytes};
  }
};
using grouped_mx_product = grouped_mx_product_of<wt::kScaleBlock>;

// Defines the kernel <stem>_<a>_<b>. The compiler is not told how many waves share a SIMD: with half of the
// registers as a limit, it moves pinned sums to and fro in the loop. Tiles of 128 x 128 need less than that
// anyhow.
#define GROUPED_MX_KERNEL(time, stem, BM, BN, waves, waves_k, stages, waves_per_simd, a_name, TA, b_name, \
                          TB)                                                                             \
  WT_KERNEL(64 * waves) stem##_##a_name##_##b_name(wt_grouped_mx_args) {                                  \
    grouped_scaled<gemm_mx_loop<gemm_mx_frame<TA, TB, BM, BN, stages, gemm_mx_row_scales>>,               \
                   grouped_mx_product, BM, grouped_search_time::time>();                                  \
  }
#define GROUPED_MX_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_MX_KERNEL, before_stores, __VA_ARGS__)
#define GROUPED_MX_BF16_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_MX_KERNEL, before_stores, __VA_ARGS__)
#define GROUPED_MX_6_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_MX_KERNEL, after_stores, __VA_ARGS__)

// Defines the same for groups of few rows.
#define GROUPED_MX_SKINNY_KERNEL(stem, BM, BN, waves, waves_k, stages, waves_per_simd, a_name, TA, b_name, \
                                 TB)                                                                       \
  using stem##_##a_name##_##b_name##_tile = gemm_mx_skinny<TA, TB, BM, BN, waves, waves_k>;                \
  GROUPED_SKINNY_KERNEL(stem##_##a_name##_##b_name##_tile, grouped_mx_product, stem, BM, waves,            \
                        waves_per_simd, a_name, b_name)
#define GROUPED_MX_SKINNY_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_MX_SKINNY_KERNEL, __VA_ARGS__)
#define GROUPED_MX_SKINNY_BF16_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_MX_SKINNY_KERNEL, __VA_ARGS__)

#endif
