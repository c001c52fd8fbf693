// SPDX-License-Identifier: MIT
// v_perm_b32 picks any four of the eight bytes of two registers, of which transpositions of small blocks are
// made; v_alignbyte_b32 picks four that follow each other.
//
// scope: lane; operands: registers of 4 bytes; leaves: none; waits: nobody; LDS: none; registers: none;
// chips: both
#ifndef WT_OPS_ISA_PERMUTE_H
#define WT_OPS_ISA_PERMUTE_H

#include "../../tiles/types.h"

namespace wt {

// Returns the bytes that Selector picks: byte i of the result is the byte that byte i of Selector names, 0 to
// 3 of `low`, 4 to 7 of `high` (CDNA4 ISA, V_PERM_B32).
template <u32 Selector>
WT_DEVICE u32 permute_bytes(u32 low, u32 high) {
  static_assert((Selector & 0xf8f8f8f8u) == 0,
                "permute_bytes picks bytes 0 to 7: name one of them in each byte of the selector");
  return __builtin_amdgcn_perm(high, low, Selector);
}

// Returns the four bytes that follow each other from byte `first` modulo 4 of `low` on, where those of `high`
// follow (CDNA4 ISA, V_ALIGNBYTE_B32).
WT_DEVICE u32 bytes_from(u32 low, u32 high, u32 first) {
  return __builtin_amdgcn_alignbyte(high, low, first);
}

// Return row number Row of the transpose of the matrix whose rows are the registers given. For 4x4 bytes, the
// first two rows take four v_perm_b32, and so do the last two, as far as the compiler shares them; for 2x2
// halves, each row takes one.
template <int Row>
WT_DEVICE u32 transposed_bytes(u32 r0, u32 r1, u32 r2, u32 r3) {
  static constexpr u32 kPairs =
      Row < 2 ? 0x05010400u : 0x07030602u;  // (r0, r1) of one column, then of the next
  static constexpr u32 kRow = Row % 2 == 0 ? 0x05040100u : 0x07060302u;
  return permute_bytes<kRow>(permute_bytes<kPairs>(r0, r1), permute_bytes<kPairs>(r2, r3));
}
template <int Row>
WT_DEVICE u32 transposed_halves(u32 r0, u32 r1) {
  return permute_bytes<(Row == 0 ? 0x05040100u : 0x07060302u)>(r0, r1);
}

}  // namespace wt

#endif
