// SPDX-License-Identifier: MIT
// Lanes exchange values with lanes whose numbers differ in given bits, and reduce over such lanes, by the
// cheapest instruction of the chip: DPP within rows of 16 lanes; across rows the swaps of gfx950, or the LDS
// network.
//
// scope: wave; operands: a value of 4 bytes per lane; leaves: none; waits: nobody; LDS: none; registers: 1;
// chips: both
#ifndef WT_OPS_LANES_H
#define WT_OPS_LANES_H

#include "isa/crosslane.h"
#include "isa/dpp.h"
#include "isa/ids.h"

namespace wt {
namespace detail {

// This is what a reduction of a tile begins with: its first element, or what the result holds.
enum class begins_with { element, result };

}  // namespace detail

// Returns the value of the lane whose number is this lane's XOR Mask. Within a row it takes one DPP move, or
// two; XOR 16 and 32 take one ds_swizzle or ds_bpermute more.
//
// leaves: lgkmcnt when Mask has bit 16 or 32; waits: compiler
template <int Mask, class T>
WT_DEVICE T lane_xor(T value) {
  static_assert(Mask >= 0 && Mask < target::kWaveLanes,
                "lanes are numbered 0 to 63: use a mask of these bits");
  static constexpr int kAcross = Mask & 48, kQuads = Mask & 12;
  // row_half_mirror is XOR 7, row_mirror XOR 15, row_ror:8 XOR 8; quad_perm does the rest.
  static constexpr int kMirror = kQuads == 0 ? 0 : kQuads == 4 ? 7 : kQuads == 8 ? 8 : 15;
  static constexpr int kQuad = (Mask ^ kMirror) & 3;
  if constexpr (kMirror == 7) {
    value = mov_dpp<dpp::kRowHalfMirror>(value);
  } else if constexpr (kMirror == 8) {
    value = mov_dpp<dpp::row_ror(8)>(value);
  } else if constexpr (kMirror == 15) {
    value = mov_dpp<dpp::kRowMirror>(value);
  }
  if constexpr (kQuad != 0) {
    value = mov_dpp<dpp::quad_perm(kQuad, 1 ^ kQuad, 2 ^ kQuad, 3 ^ kQuad)>(value);
  }
  if constexpr (kAcross == 16) {
    value = ds_swizzle<swizzle_bits(31, 0, 16)>(value);
  } else if constexpr (kAcross != 0) {
    value = ds_bpermute(lane_id() ^ kAcross, value);
  }
  return value;
}

// Sets x and `other` to the x of this lane and that of the lane whose number differs in Bit, either of them
// first. x is the same in all lanes whose numbers differ only in bits of Done. It is one step of a reduction.
template <int Bit, int Done, class T>
WT_DEVICE void meet_lanes(T &x, T &other) {
  other = x;
  if constexpr (Bit == 16 && target::kGfx950) {
    permlane16_swap(x, other);
  } else if constexpr (Bit == 32 && target::kGfx950) {
    permlane32_swap(x, other);
  } else {
    // Lanes that were reduced already hold the same: any of them will do, such as the one a mirror reaches.
    static constexpr int kPartner = Bit == 4 && (Done & 3) == 3 ? 7 : Bit;
    other = lane_xor<kPartner>(x);
  }
}

// Returns x combined by op over all lanes whose numbers differ only in bits of Mask; the result is the same
// in each of them. op must be commutative, because either of two partial results may come first. The order is
// that of the bits from the lowest up: ((0 1) (2 3)) ((4 5) (6 7)) ... Callers leave Done, the bits that are
// reduced already, at 0.
template <int Mask, int Done = 0, class T, class Op>
WT_DEVICE T reduce_lanes(T x, const Op &op) {
  if constexpr (Mask == 0) {
    return x;
  } else {
    static constexpr int kBit = Mask & -Mask;
    T other;
    meet_lanes<kBit, Done>(x, other);
    return reduce_lanes<Mask ^ kBit, Done | kBit>(op(x, other), op);
  }
}

// Returns op of x and of the x of the lane whose number differs in Bit, for an op that may take an argument
// twice without changing the result, such as max. `y` is x, or op of x and something that is an argument
// anyway: the exchange may pass on either, and needs no copy of x when they are different registers.
template <int Bit, class T, class Op>
WT_DEVICE T reduce_lane_pairs(T x, T y, const Op &op) {
  if constexpr (Bit == 16 && target::kGfx950) {
    permlane16_swap(x, y);
  } else if constexpr (Bit == 32 && target::kGfx950) {
    permlane32_swap(x, y);
  } else {
    y = lane_xor<Bit>(y);
  }
  return op(x, y);
}

}  // namespace wt

#endif
