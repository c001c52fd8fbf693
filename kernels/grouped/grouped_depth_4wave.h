// SPDX-License-Identifier: MIT
// Computes grouped GEMM that sums over the tokens of each group in the 4-wave schedule. Both operands have a
// row for each token, and are transposed by the reads from LDS (kernels/gemm/gemm_4wave_transposed.h).
#ifndef WT_KERNELS_GROUPED_DEPTH_4WAVE_H
#define WT_KERNELS_GROUPED_DEPTH_4WAVE_H

#include "grouped_gemm.h"
#include "kernels/gemm/gemm_4wave_transposed.h"

// Only the device knows how many tokens a group has. Copies of tokens past the last one are out of the range
// of the buffer and bring zeros, so that the main loop multiplies all of them, and as many steps as it needs
// at least. Where a copy would go past the end of a row, the last tokens are left to masked steps.
template <class TA, class TB, int BM, int BN, int Stages>
struct grouped_depth_4wave : gemm_4wave_tatb<TA, TB, BM, BN, Stages> {
  using loop = gemm_4wave_tatb<TA, TB, BM, BN, Stages>;
  using typename loop::accumulators, typename loop::stages;
  static constexpr gemm_order kRows = gemm_order::rows_contiguous;
  using frame = gemm_4wave_frame<TA, TB, BM, BN, Stages, kRows, kRows>;
  static constexpr int kLeast = wt::sched::least_steps<gemm_4wave_schedule<frame>>;

  WT_DEVICE grouped_depth_4wave(const wt_gemm_args &args, wt_grid_tile tile) : loop(args, tile) {
    const int tokens = this->a.columns, all = (tokens + loop::kStep - 1) / loop::kStep;
    if (this->a.overreaches(BM) || this->b.overreaches(BN)) {
      if (this->steps < kLeast) this->steps = 0;
    } else {
      this->steps = tokens == 0 ? 0 : all < kLeast ? kLeast : all;
    }
  }

  WT_DEVICE void main_loop(accumulators &c, stages &tiles) const {
    if (this->steps != 0) {
      loop::main_loop(c, tiles);
    } else {
      wt::zero(c);
    }
    wt::unrolled<4>([&](auto quadrant) WT_INLINE { wt::keep(c[quadrant / 2][quadrant % 2]); });
  }
  WT_DEVICE void rest(accumulators &c, stages &tiles) const {
#pragma unroll 1
    for (int at = this->steps * loop::kStep; at < this->a.columns; at += loop::kStep)
      this->masked_step(c, tiles, at);
  }
};

#define GROUPED_DEPTH_4WAVE_KERNELS(pairs, ...) \
  GEMM_PAIRS_##pairs(GROUPED_KERNEL, grouped_depth_4wave, grouped_by_depth<>, __VA_ARGS__)

#endif
