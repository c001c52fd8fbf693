// SPDX-License-Identifier: MIT
// DPP lets a lane read its operand from another lane of its row of 16, at no more than the cost of a move;
// often the compiler makes it part of the arithmetic that follows. The rows of the 64 lanes are 0-15, 16-31,
// 32-47 and 48-63.
//
// scope: wave; operands: a value of 4 bytes per lane; leaves: none; waits: nobody; LDS: none; registers:
// none; chips: both
#ifndef WT_OPS_ISA_DPP_H
#define WT_OPS_ISA_DPP_H

#include "../../tiles/types.h"

namespace wt {

// These are the controls of DPP: which lane a lane reads (CDNA4 ISA, DPP_CTRL).
namespace dpp {
// Returns the control with which lane i of each four reads lane a, b, c or d of the four.
constexpr int quad_perm(int a, int b, int c, int d) { return a | b << 2 | c << 4 | d << 6; }
// Lane i of the row reads lane i + count, i - count, or (i - count) mod 16; count is 1 to 15.
constexpr int row_shl(int count) { return 0x100 + count; }
constexpr int row_shr(int count) { return 0x110 + count; }
constexpr int row_ror(int count) { return 0x120 + count; }
// Lane i reads lane 15 - i of the row, or lane 7 - i of its half.
constexpr int kRowMirror = 0x140, kRowHalfMirror = 0x141;
// A row reads lane 15 of the row before it; rows 2 and 3 read lane 31. The other lanes have no source.
constexpr int kRowBcast15 = 0x142, kRowBcast31 = 0x143;
// All lanes of a row read its lane `lane`.
constexpr int row_newbcast(int lane) { return 0x150 + lane; }

// Returns whether a number is a control.
constexpr bool is_control(int control) {
  return (control >= 0 && control <= 0xff) || (control > 0x100 && control < 0x110) ||
         (control > 0x110 && control < 0x120) || (control > 0x120 && control < 0x130) ||
         (control >= 0x140 && control <= 0x143) || (control >= 0x150 && control < 0x160);
}
}  // namespace dpp

// Returns the value of the lane that Control names. A lane keeps `old` when it has no source, and when its
// row or group of four is masked out: bit r of Rows stands for row r, bit b of Banks for lanes 4b to 4b + 3
// of each row.
template <int Control, int Rows = 15, int Banks = 15, class T>
WT_DEVICE T update_dpp(T old, T value) {
  static_assert(dpp::is_control(Control),
                "no such DPP control: form it with dpp::quad_perm, dpp::row_shl (1 to 15) and their like");
  static_assert(sizeof(T) == 4,
                "DPP moves 4 bytes per lane: move larger values in parts, widen smaller ones");
  return __builtin_bit_cast(
      T, __builtin_amdgcn_update_dpp(__builtin_bit_cast(int, old), __builtin_bit_cast(int, value), Control,
                                     Rows, Banks, false));
}

// Returns the same, where lanes without a source get 0.
template <int Control, class T>
WT_DEVICE T mov_dpp(T value) {
  static_assert(dpp::is_control(Control),
                "no such DPP control: form it with dpp::quad_perm, dpp::row_shl (1 to 15) and their like");
  static_assert(sizeof(T) == 4,
                "DPP moves 4 bytes per lane: move larger values in parts, widen smaller ones");
  return __builtin_bit_cast(
      T, __builtin_amdgcn_update_dpp(0, __builtin_bit_cast(int, value), Control, 15, 15, true));
}

}  // namespace wt

#endif
