// SPDX-License-Identifier: MIT
// This header has rounding to whole numbers, and clamping: of a number, of each element of a register vector,
// and of whole tiles and vectors.
//
// scope: lane; operands: f32, a vector of f32, or rt and rv of f32, f16 and bf16; leaves: none; waits:
// nobody; LDS: none; registers: none; chips: both
#ifndef WT_OPS_ROUNDING_H
#define WT_OPS_ROUNDING_H

#include "define_maps.h"
#include "functions.h"
#include "map.h"

namespace wt {

// Return the largest whole number that is not above x, the smallest that is not below x, the nearest towards
// zero, and the nearest with halves to even. All are exact, one instruction per element, keep the sign of
// zero, and give infinities and NaN back. A 16-bit tile is exact as well: every whole number between two of
// its values is one of its values.
template <real V>
WT_DEVICE V floor(V x) {
  return __builtin_elementwise_floor(x);
}
template <real V>
WT_DEVICE V ceil(V x) {
  return __builtin_elementwise_ceil(x);
}
template <real V>
WT_DEVICE V trunc(V x) {
  return __builtin_elementwise_trunc(x);
}
template <real_vector V>
WT_DEVICE V rint(V x) {
  return __builtin_elementwise_roundeven(x);
}

// Returns x where it lies between `low` and `high`, otherwise the bound that it passes; exact. A NaN becomes
// `low`. Where low > high, the result is `high`.
template <number V>
WT_DEVICE V clamp(V x, V low, V high) {
  return min(max(x, low), high);
}

// Do the same for tiles and vectors: to = floor(from) of each element, and so on. The element types are f32,
// f16 and bf16.
WT_UNARY_MAP(floor, floats)
WT_UNARY_MAP(ceil, floats)
WT_UNARY_MAP(trunc, floats)
WT_UNARY_MAP(rint, floats)

// Sets to = from, clamped to low..high. The bounds are numbers, tiles or vectors like `from`, by_row(v) or
// by_column(v). The element types are f32, f16, bf16 and i32.
template <map_result To, map_result From, class Low, class High>
WT_DEVICE void clamp(To &to, const From &from, const Low &low, const High &high) {
  const auto f = [](auto x, auto a, auto b) WT_INLINE { return wt::clamp(x, a, b); };
  map(to, f, from, low, high);
}

}  // namespace wt

#endif
