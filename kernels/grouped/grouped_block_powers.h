// SPDX-License-Identifier: MIT
// This is grouped GEMM with F32 scales for blocks of 128 columns that are powers of two, by the main loop of
// kernels/gemm_block/gemm_block_powers.h, whose MFMAs apply them.
#ifndef WT_KERNELS_GROUPED_BLOCK_POWERS_H
#define WT_KERNELS_GROUPED_BLOCK_POWERS_H

#include "grouped_mx.h"
#include "kernels/gemm_block/gemm_block_powers.h"

// Defines the kernel <stem>_<a>_<b>, which differs from one of MX formats by what brings scales.
#define GROUPED_BLOCK_POWERS_KERNEL(of_b, stem, BM, BN, waves, waves_k, stages, waves_per_simd, a_name, TA, \
                                    b_name, TB)                                                             \
  WT_KERNEL(64 * waves) stem##_##a_name##_##b_name(wt_grouped_mx_args) {                                    \
    grouped_scaled<gemm_mx_loop<gemm_mx_frame<TA, TB, BM, BN, stages, gemm_block_powers_of_##of_b>>,        \
                   grouped_mx_product_of<128>, BM>();                                                       \
  }
#define GROUPED_BLOCK_POWERS_TILES_KERNELS(pairs, ...) \
  GEMM_PAIRS_##pairs(GROUPED_BLOCK_POWERS_KERNEL, tiles, __VA_ARGS__)
#define GROUPED_BLOCK_POWERS_ROWS_KERNELS(pairs, ...) \
  GEMM_PAIRS_##pairs(GROUPED_BLOCK_POWERS_KERNEL, rows, __VA_ARGS__)

#endif
