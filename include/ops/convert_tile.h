// SPDX-License-Identifier: MIT
// This header brings a tile into another element type: f32, f16, bf16, i32, FP8 and i8, each to each. Formats
// with block scales are in convert_blocks.h.
#ifndef WT_OPS_CONVERT_TILE_H
#define WT_OPS_CONVERT_TILE_H

#include "../tiles/rt.h"
#include "isa/convert.h"
#include "list.h"

namespace wt {

namespace detail {
template <class T, class Registers>
WT_DEVICE auto registers_to_f32(Registers values) {
  if constexpr (kBits<T> == 8) {
    return to_f32<T>(values);
  } else {
    return to_f32(values);
  }
}
}  // namespace detail

// Sets to = from, by way of f32. The result is exact where To has the digits, else rounded once to nearest
// even (i32 beyond 2^24 twice). FP8 saturates or not as Overflow says, i8 saturates, and i32 needs values in
// its range.
//
// scope: wave; operands: rt to rt of one layout; leaves: none; waits: nobody; LDS: none; registers: a
// fragment of f32; chips: both
template <overflow Overflow = overflow::saturate, class To, class From, int Rows, int Columns, class Layout>
WT_DEVICE void convert(rt<To, Rows, Columns, Layout> &to, const rt<From, Rows, Columns, Layout> &from) {
  static_assert(kBits<To> >= 8 && kBits<From> >= 8,
                "6- and 4-bit floats carry block scales: pass the rs of the tile, too (convert_blocks.h)");
  static_assert(
      Layout::kElements * kBits<To> % 32 == 0 && Layout::kElements * kBits<From> % 32 == 0,
      "a lane's elements of a fragment must fill whole registers in both types: use a layout with a "
      "multiple of 4 elements for 8-bit types");
  using tile = rt<To, Rows, Columns, Layout>;
  unrolled<tile::kTall * tile::kWide>([&](auto n) WT_INLINE {
    static constexpr int kI = n / tile::kWide, kJ = n % tile::kWide;
    if constexpr (__is_same(To, From)) {
      to.fragment[kI][kJ] = from.fragment[kI][kJ];
    } else {
      to.fragment[kI][kJ] = from_f32<To, Overflow>(detail::registers_to_f32<From>(from.fragment[kI][kJ]));
    }
  });
}

}  // namespace wt

#endif
