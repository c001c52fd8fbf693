// SPDX-License-Identifier: MIT
// This header chooses the scale that a block of numbers shares: a power of two, as an E8M0 byte (OCP
// Microscaling specification v1.0: byte e stands for 2^(e - 127), and 255 for NaN).
//
// scope: lane; operands: the numbers of a block, or the largest magnitude; leaves: none; waits: nobody;
// LDS: none; registers: none; chips: both
#ifndef WT_OPS_BLOCK_SCALE_H
#define WT_OPS_BLOCK_SCALE_H

#include "isa/convert.h"

namespace wt {

// Says how the scale of a block follows from its largest magnitude, where `top` is the power of two below the
// largest number of the element type.
//   up:   the smallest power of two with which no element is beyond the type's largest number;
//   down: the power of two below the magnitude, divided by `top` (the OCP specification's text): elements
//         beyond the largest number become that number;
//   even: as down, with the magnitude first rounded to the bits of an element;
//   ceil: the power of two from the magnitude on, divided by `top`.
enum class scale_rounding { up, down, even, ceil };

namespace detail {
// The largest number of an MX element type is kMxMantissa / 2^23 * 2^kMxTop, and its fraction has
// kMxFraction bits (OCP Microscaling specification v1.0, tables 1 to 5).
template <class T>
constexpr int kMxTop = __is_same(T, fp8e5m2)   ? 15
                       : __is_same(T, fp8e4m3) ? 8
                       : __is_same(T, fp6e3m2) ? 4
                                               : 2;
template <class T>
constexpr int kMxFraction = is_one_of<T, fp8e4m3, fp6e2m3>   ? 3
                            : is_one_of<T, fp8e5m2, fp6e3m2> ? 2
                                                             : 1;
// This is the largest fraction; FP8 E4M3 has its NaN in place of that.
template <class T>
constexpr u32 kMxMantissa =
    (0x7fffffu >> (23 - kMxFraction<T>) << (23 - kMxFraction<T>)) - (__is_same(T, fp8e4m3) ? 1u << 20 : 0);
}  // namespace detail

// Returns the largest magnitude of the numbers, where infinity counts as more than every number, and NaN as
// more than infinity.
template <int N>
WT_DEVICE float largest_or_nan(vector<f32, N> values) {
  u32 largest = 0;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const u32 magnitude = __builtin_bit_cast(u32, static_cast<float>(values[i])) & 0x7fffffffu;
    largest = magnitude > largest ? magnitude : largest;
  }
  return __builtin_bit_cast(float, largest);
}

// Returns the E8M0 byte for elements of type T and this largest magnitude: 255 where it is not finite. A
// scale below 2^-127, which E8M0 lacks, becomes 2^-127, also that of zeros.
template <class T>
WT_DEVICE u32 e8m0_of(float largest, scale_rounding rounding) {
  static_assert(is_fp8<T> || is_fp6<T> || is_fp4<T>,
                "e8m0_of scales fp8e4m3, fp8e5m2, fp6e2m3, fp6e3m2 or fp4e2m1: name one of these");
  // What is added to the fraction of the magnitude carries into its exponent where the scale must be larger.
  const u32 carry = rounding == scale_rounding::up     ? 0x7fffffu - detail::kMxMantissa<T>
                    : rounding == scale_rounding::even ? 1u << (22 - detail::kMxFraction<T>)
                    : rounding == scale_rounding::ceil ? 0x7fffffu
                                                       : 0u;
  const u32 bits = __builtin_bit_cast(u32, largest);
  const int exponent = static_cast<int>((bits + carry) >> 23) - detail::kMxTop<T>;
  return bits >= 0x7f800000u ? 255u : static_cast<u32>(exponent > 0 ? exponent : 0);
}

// Returns the scale that a byte from 0 to 254 stands for; 2^-127 is subnormal.
WT_DEVICE float e8m0_scale(u32 byte) { return __builtin_bit_cast(float, byte == 0 ? 1u << 22 : byte << 23); }

}  // namespace wt

#endif
