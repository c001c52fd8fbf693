// SPDX-License-Identifier: MIT
// Which lane holds which matrix element in the 8-bit MFMA instructions: constexpr maps (lane, element) ->
// (row, k) for the operands and (lane, element) -> (row, column) for the accumulator (CDNA4 ISA 7.1.4; the
// same on CDNA3).
#ifndef WT_TILES_MFMA_LAYOUT_H
#define WT_TILES_MFMA_LAYOUT_H

#include "target.h"

namespace wt {

// v_mfma_f32_16x16x32_{fp8,bf8}_{fp8,bf8}: a lane holds 8 consecutive k of one row of A (or of B,
// transposed).
struct mfma_16x16x32_operand {
  static constexpr int kRows = 16, kDepth = 32, kElements = 8;
  static constexpr int row(int lane, int) { return lane % 16; }
  static constexpr int k(int lane, int element) { return 8 * (lane / 16) + element; }
};

// v_mfma_f32_16x16x128_f8f6f4 with 8-bit elements: two runs of 16 consecutive k, 64 apart.
struct mfma_16x16x128_operand {
  static constexpr int kRows = 16, kDepth = 128, kElements = 32;
  static constexpr int row(int lane, int) { return lane % 16; }
  static constexpr int k(int lane, int element) {
    return 64 * (element / 16) + 16 * (lane / 16) + element % 16;
  }
};

// The 16x16 F32 accumulator: 4 rows of one column per lane.
struct mfma_16x16_accumulator {
  static constexpr int kRows = 16, kColumns = 16, kElements = 4;
  static constexpr int row(int lane, int element) { return 4 * (lane / 16) + element; }
  static constexpr int column(int lane, int) { return lane % 16; }
};

}  // namespace wt

#endif
