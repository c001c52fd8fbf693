// SPDX-License-Identifier: MIT
// rs and rs_shuffled are tiles of block scales in the registers of one wave: those of an operand tile, one
// E8M0 byte for every 32 columns of a row.
#ifndef WT_TILES_RS_H
#define WT_TILES_RS_H

#include "rt.h"

namespace wt {

// These are the elements that share a scale (OCP Microscaling specification v1.0), and the columns of one
// scaled MFMA for operands of Rows rows: 128 or 64 (CDNA4 ISA ch. 7).
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

// Replaces byte number Byte of a register.
template <int Byte>
WT_DEVICE void put_byte(u32 &to, u32 byte) {
  to = (to & ~(255u << (8 * Byte))) | byte << (8 * Byte);
}

// What scales of Operand have in common, however they lie in registers.
template <class Operand>
struct scales_of_operand {
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
  static_assert(keeps_blocks<T, layout>(),
                "this layout mixes blocks of 32 columns in one block of the instruction: use scaled_operand");

  // Returns which 32 columns of the fragment MFMA number `step` multiplies by the scale of this lane.
  static constexpr int block(int lane, int step) {
    return scaled_column<T, layout>(step, lane / layout::kRows * kScaleBlock) / kScaleBlock;
  }
};

}  // namespace detail

// This is the scales of Operand, an rt of operand layout. A register belongs to each fragment. Its byte s is
// for MFMA number s of the fragment: in lane l, the scale of row l mod Rows and of the columns from
// 32 * block(l, s) on. Which byte an MFMA takes is known while compiling (op_sel).
template <class Operand>
struct rs : detail::scales_of_operand<Operand> {
  using base = detail::scales_of_operand<Operand>;
  static_assert(base::kSteps <= 4,
                "a register holds four scales: make the fragments at most four MFMAs deep");

  u32 scale[base::kTall][base::kWide];

  // Returns the register with the scale that MFMA number Step of fragment (I, J) takes.
  //
  // scope: wave; operands: rs; leaves: none; waits: nobody; LDS: none; registers: none; chips: gfx950
  template <int I, int J, int Step>
  WT_DEVICE u32 of() const {
    return scale[I][J];
  }
  // Returns which of its bytes that is, in a fragment of row fragment_row.
  static constexpr int byte(int /*fragment_row*/, int step) { return step; }

  // Sets that byte.
  //
  // scope: wave; operands: rs, byte of each lane; leaves: none; waits: nobody; LDS: none; registers: none;
  // chips: gfx950
  template <int I, int J, int Step>
  WT_DEVICE void set(u32 scale_byte) {
    detail::put_byte<byte(I, Step)>(scale[I][J], scale_byte);
  }
};

// `type` is the operand layout of products with shuffled scales, Depth columns deep: 128, or 256 of 4-bit
// elements, whose blocks are then in the order of the matrix.
template <class T, int Depth>
struct shuffled_operand_of {
  using type = scaled_operand<T, Depth, 32>;
};
template <class T, int Depth>
  requires(is_fp4<T> && Depth == 256)
struct shuffled_operand_of<T, Depth> {
  using type = operand<32, Depth, kScaleBlock>;
};
// This is shuffled_operand_of<T, Depth>::type.
template <class T, int Depth>
using shuffled_operand = typename shuffled_operand_of<T, Depth>::type;

// This is the scales of Operand, an rt of shuffled_operand whose rows are interleaved (row_order), as
// shuffled scales bring them (ops/shuffled_scales.h). Two fragments, one below the other, share registers:
// MFMAs 0 and 2 of both take register 0, and MFMAs 1 and 3 register 1. MFMAs 0 and 1 of the upper fragment
// take its byte 0 and those of the lower one byte 1, and MFMAs 2 and 3 take bytes 2 and 3. So each byte that
// is loaded serves an MFMA.
template <class Operand>
struct rs_shuffled : detail::scales_of_operand<Operand> {
  using base = detail::scales_of_operand<Operand>;
  using layout = typename base::layout;
  static_assert(layout::kRows == 32 && base::kTall % 2 == 0 && base::kWide == 1 &&
                    (base::kSteps == 2 || base::kSteps == 4),
                "shuffled scales are for 64 rows and 128 or 256 columns together: make the operand an even "
                "number of fragments of 32 rows tall and one wide, 128 or 256 columns deep");
  static constexpr int kRegisters = 2;  // of two fragments

  static constexpr bool fits() {
    for (int lane = 0; lane < target::kWaveLanes; ++lane) {
      for (int step = 0; step < base::kSteps; ++step) {
        if (base::block(lane, step) / 4 != step / kRegisters) return false;
      }
    }
    return true;
  }
  static_assert(fits(),
                "MFMAs 0 and 1 must have the first four blocks of 32 columns, and MFMAs 2 and 3 the others: "
                "use shuffled_operand");

  u32 scale[base::kTall / 2][kRegisters];

  // Returns the register with the scale that MFMA number Step of fragment (I, J) takes.
  //
  // scope: wave; operands: rs_shuffled; leaves: none; waits: nobody; LDS: none; registers: none; chips:
  // gfx950
  template <int I, int J, int Step>
  WT_DEVICE u32 of() const {
    return scale[I / 2][Step % kRegisters];
  }
  // Returns which of its bytes that is, in a fragment of row fragment_row.
  static constexpr int byte(int fragment_row, int step) { return step / kRegisters * 2 + fragment_row % 2; }

  // Sets that byte.
  //
  // scope: wave; operands: rs_shuffled, byte of each lane; leaves: none; waits: nobody; LDS: none; registers:
  // none; chips: gfx950
  template <int I, int J, int Step>
  WT_DEVICE void set(u32 scale_byte) {
    detail::put_byte<byte(I, Step)>(scale[I / 2][Step % kRegisters], scale_byte);
  }
};

// Holds for the tiles of block scales of operands of type Operand.
template <class Scales, class Operand>
concept scales_for = __is_same(typename Scales::operand, Operand);

}  // namespace wt

#endif
