// SPDX-License-Identifier: MIT
// This header has sine and cosine of radians: of a number, of each element of a register vector, and of whole
// tiles and vectors, over the whole range of f32. For angles that are counted in revolutions, and where an
// absolute error will do, sin_revolutions and cos_revolutions (isa/math.h) are one instruction.
//
// scope: wave; operands: f32, a vector of f32, or rt and rv of f32, f16 and bf16; leaves: none; waits:
// nobody; LDS: none; registers: about 6 per element of a fragment; chips: both
#ifndef WT_OPS_SIN_COS_H
#define WT_OPS_SIN_COS_H

#include "define_maps.h"
#include "functions.h"
#include "isa/crosslane.h"
#include "list.h"
#include "map.h"

namespace wt {

namespace detail {

// Holds |x| = quadrant * pi/2 + rest with |rest| <= pi/4, or a little more. Only the quadrant's two lowest
// bits matter.
template <int N>
struct angles {
  vector<f32, N> rest;
  vector<i32, N> quadrant;
};

// From here on, |x| is reduced with integers.
constexpr f32 kManyQuadrants = 65536.0f;

// For 0 <= x < kManyQuadrants: subtracts multiples of pi/2 in three parts of 24 bits (Cody and Waite). The
// first subtraction is exact: x and the product are multiples of the last bit of pi/2, and their difference
// has 24 bits of them at most.
template <int N>
WT_DEVICE angles<N> reduce_few_quadrants(vector<f32, N> x) {
  constexpr f32 kTwoByPi = 0.636619747f;
  constexpr f32 kHigh = 0x1.921fb6p+0f, kMiddle = -0x1.777a5cp-25f, kLow = -0x1.ee59dap-50f;  // sum: pi/2
  const vector<f32, N> count = __builtin_elementwise_roundeven(x * kTwoByPi);
  vector<f32, N> rest = __builtin_elementwise_fma(count, vector<f32, N>(-kHigh), x);
  rest = __builtin_elementwise_fma(count, vector<f32, N>(-kMiddle), rest);
  rest = __builtin_elementwise_fma(count, vector<f32, N>(-kLow), rest);
  return {rest, __builtin_convertvector(count, vector<i32, N>)};
}

// For any finite x >= 1, by as many bits of 2/pi as x asks for (Payne and Hanek). x is a whole number m of 24
// bits times a power of two. Bits of 2/pi that count multiples of four quadrants drop out, 96 bits from
// there on are multiplied by m, and the highest 64 bits of the product are the quadrant (two bits) and its
// fraction.
WT_DEVICE angles<1> reduce_many_quadrants(f32 x) {
  static constexpr int kMantissaBits = 23, kBias = 127, kWords = 8, kWindow = 4;
  // Holds 2/pi in units of 2^-32, 2^-64, ..., after a word of zeros.
  static constexpr u32 kTwoByPi[kWords] = {0,          0xa2f9836e, 0x4e441529, 0xfc2757d1,
                                           0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab};
  const u32 bits = __builtin_bit_cast(u32, x);
  const u32 m = (bits & ((1u << kMantissaBits) - 1)) | 1u << kMantissaBits;
  // The window's first bit, counted from the word of zeros on, is the one that m's exponent makes worth two
  // quadrants.
  const u32 first = (bits >> kMantissaBits) - (kBias + kMantissaBits) + 30;
  const u32 word = first / 32, shift = first % 32;
  u32 even[kWindow + 2], pair[kWindow], from[kWindow];
  unrolled<kWindow + 2>([&](auto i) WT_INLINE { even[i] = word & 1 ? kTwoByPi[i + 1] : kTwoByPi[i]; });
  unrolled<kWindow>([&](auto i) WT_INLINE { pair[i] = word & 2 ? even[i + 2] : even[i]; });
  unrolled<kWindow>([&](auto i) WT_INLINE { from[i] = word & 4 ? kTwoByPi[i + 4] : pair[i]; });
  u32 window[kWindow - 1];
  unrolled<kWindow - 1>([&](auto i) WT_INLINE {
    window[i] = static_cast<u32>(((static_cast<u64>(from[i]) << 32 | from[i + 1]) << shift) >> 32);
  });
  const u64 product = (static_cast<u64>(m * window[0]) << 32) + static_cast<u64>(m) * window[1] +
                      (static_cast<u64>(m) * window[2] >> 32);
  // This rounds to the nearest quadrant; what is left is a signed fraction of one, in units of 2^-64.
  const u64 quadrant = (product + (1ull << 61)) >> 62;
  constexpr double kUnit = 0x1.921fb54442d18p-64;  // pi/2 * 2^-64
  const double rest = static_cast<double>(static_cast<long long>(product << 2)) * kUnit;
  return {static_cast<f32>(rest), static_cast<i32>(quadrant)};
}

// Takes x >= 0. Waves without a large x skip the second part, which takes the elements one after the other:
// its code is long, and so stands there once for a vector.
template <int N>
WT_DEVICE angles<N> reduce_quadrants(vector<f32, N> x) {
  angles<N> result = reduce_few_quadrants<N>(x);
  bool large = false;
  unrolled<N>([&](auto i) WT_INLINE { large |= x[i.value] >= kManyQuadrants; });
  if (!any_lane(large)) return result;
#pragma unroll 1
  for (int n = 0; n < N; ++n) {
    const f32 first = x[0];
    const angles<1> exact = reduce_many_quadrants(first);
    if (first >= kManyQuadrants) {
      result.rest[0] = first < __builtin_inff() ? exact.rest[0] : __builtin_nanf("");
      result.quadrant[0] = exact.quadrant[0];
    }
    x = rotated<f32, N>(x);
    result = {rotated<f32, N>(result.rest), rotated<i32, N>(result.quadrant)};
  }
  return result;
}

// Returns sin(|x| + quarters * pi/2), negated where `negative` has the highest bit. The polynomials are
// minimax fits on |rest| <= pi/4, made for this file; their relative errors are 2^-28 and 2^-33.
WT_DEVICE f32 sine_of_rest(f32 rest, i32 quadrant, u32 negative) {
  const f32 square = rest * rest;
  f32 s = -0x1.994b40p-13f;
  s = __builtin_fmaf(s, square, 0x1.110756p-7f);
  s = __builtin_fmaf(s, square, -0x1.555546p-3f);
  s = __builtin_fmaf(rest * square, s, rest);
  f32 c = 0x1.99ff40p-16f;
  c = __builtin_fmaf(c, square, -0x1.6c0c82p-10f);
  c = __builtin_fmaf(c, square, 0x1.55554ap-5f);
  c = __builtin_fmaf(c, square, -0.5f);
  c = __builtin_fmaf(c, square, 1.0f);
  const u32 sign = (static_cast<u32>(quadrant) << 30 ^ negative) & 0x80000000u;
  return __builtin_bit_cast(f32, __builtin_bit_cast(u32, quadrant & 1 ? c : s) ^ sign);
}

template <int Quarters, int N>
WT_DEVICE vector<f32, N> sine(vector<f32, N> x) {
  const angles<N> reduced = reduce_quadrants<N>(__builtin_elementwise_abs(x));
  vector<f32, N> result;
  unrolled<N>([&](auto i) WT_INLINE {
    const u32 negative = Quarters == 0 ? __builtin_bit_cast(u32, static_cast<f32>(x[i.value])) : 0;
    result[i.value] = sine_of_rest(reduced.rest[i.value], reduced.quadrant[i.value] + Quarters, negative);
  });
  return result;
}
template <int Quarters, real V>
WT_DEVICE V sine(V x) {
  if constexpr (__is_same(V, f32)) {
    return sine<Quarters, 1>(vector<f32, 1>(x))[0];
  } else {
    return sine<Quarters, kVectorElements<V>>(x);
  }
}

}  // namespace detail

// Return the sine and the cosine of x in radians. Both are within 2 ulp of f32 for every f32, also far from
// zero: below 65536 by subtraction of multiples of pi/2, beyond by integers, which a wave does only if one of
// its lanes needs it. sin keeps the sign of zero and is x itself for tiny x, denormals too; of infinities and
// NaN both are NaN. tests/kernels/ops/functions.c holds them to it against C's functions in double precision.
template <real V>
WT_DEVICE V sin(V x) {
  return detail::sine<0>(x);
}
template <real V>
WT_DEVICE V cos(V x) {
  return detail::sine<1>(x);
}

// Do the same for tiles and vectors of f32, f16 and bf16: to = sin(from) of each element. 16-bit types are
// computed in f32 and rounded once.
WT_UNARY_MAP(sin, floats)
WT_UNARY_MAP(cos, floats)

}  // namespace wt

#endif
