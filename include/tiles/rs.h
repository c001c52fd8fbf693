// SPDX-License-Identifier: MIT
// rs is a tile of block scales in the registers of one wave: those of an operand tile, one E8M0 byte for
// every 32 columns of a row.
#ifndef WT_TILES_RS_H
#define WT_TILES_RS_H

#include "rt.h"

namespace wt {

// The elements that share a scale (OCP Microscaling specification v1.0), and the columns of one scaled MFMA
// for operands of Rows rows: 128 or 64 (CDNA4 ISA ch. 7).
inline constexpr int kScaleBlock = 32;
template <int Rows>
constexpr int kScaledDepth = kScaleBlock * target::kWaveLanes / Rows;

namespace detail {

// Returns the column of a fragment that MFMA number `step` of it takes as its k number q. The instruction has
// k of 6- and 4-bit elements in runs of 32 per lane; of 8-bit ones, in two runs of 16 (CDNA4 ISA 7.1.4).
template <class T, class Layout>
constexpr int scaled_column(int step, int q) {
  constexpr int kHalf = kScaledDepth<Layout::kRows> / 2;
  const int group = is_fp8<T> ? q % kHalf / 16 : q / 32;
  const int element = is_fp8<T> ? q / kHalf * 16 + q % 16 : q % 32;
  return Layout::column(group * Layout::kRows, step * 32 + element);
}

// Returns whether the 32 k of each block that the instruction scales together are 32 columns that share a
// scale.
template <class T, class Layout>
constexpr bool keeps_blocks() {
  constexpr int kDepth = kScaledDepth<Layout::kRows>;
  for (int q = 0; q < Layout::kColumns; ++q) {
    const int block = scaled_column<T, Layout>(q / kDepth, q % kDepth / kScaleBlock * kScaleBlock);
    if (block % kScaleBlock != 0) return false;
    if (scaled_column<T, Layout>(q / kDepth, q % kDepth) != block + q % kScaleBlock) return false;
  }
  return true;
}

}  // namespace detail

// This is the scales of Operand, an rt of operand layout. A register belongs to each fragment. Its byte s is
// for MFMA number s of the fragment: in lane l, the scale of row l mod Rows and of the columns from
// 32 * block(l, s) on. Which byte an MFMA takes is known while compiling (op_sel).
template <class Operand>
struct rs {
  using operand = Operand;
  using T = typename Operand::element;
  using layout = typename Operand::layout;
  static_assert(is_fp8<T> || is_fp6<T> || is_fp4<T>,
                "block scales belong to fp8e4m3, fp8e5m2, fp6e2m3, fp6e3m2 or fp4e2m1: scale the sums of "
                "other types");
  static_assert(is_operand<layout> && layout::kColumns % kScaledDepth<layout::kRows> == 0,
                "block scales belong to tiles of operand layout, as deep as a scaled MFMA or deeper: use "
                "scaled_operand");
  static constexpr int kTall = Operand::kTall, kWide = Operand::kWide;
  static constexpr int kSteps = layout::kColumns / kScaledDepth<layout::kRows>;  // MFMAs of a fragment
  static_assert(kSteps <= 4, "a register holds four scales: make the fragments at most four MFMAs deep");
  static_assert(detail::keeps_blocks<T, layout>(),
                "this layout mixes blocks of 32 columns in one block of the instruction: use scaled_operand");

  // Returns which 32 columns of the fragment byte `step` of a lane is for.
  static constexpr int block(int lane, int step) {
    return detail::scaled_column<T, layout>(step, lane / layout::kRows * kScaleBlock) / kScaleBlock;
  }

  u32 scale[kTall][kWide];
};

}  // namespace wt

#endif
