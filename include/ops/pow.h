// SPDX-License-Identifier: MIT
// This header has powers with real exponents: of numbers, of each element of register vectors, and of whole
// tiles and vectors. A known small whole exponent is cheaper as products, a square root as sqrt.
//
// scope: wave; operands: f32, vectors of f32, or rt and rv of f32, f16 and bf16; leaves: none; waits: nobody;
// LDS: none; registers: about 6 per element of a fragment; chips: both
#ifndef WT_OPS_POW_H
#define WT_OPS_POW_H

#include "define_maps.h"
#include "functions.h"
#include "isa/crosslane.h"
#include "list.h"
#include "map.h"

namespace wt {

namespace detail {

// Returns log2(x) of a positive finite f32, denormals too, within a relative 2^-43: with x = 2^e m, m between
// sqrt(1/2) and sqrt(2), and s = (m - 1) / (m + 1), it is e + s * L(s^2). L is a minimax fit made for this
// file. It works in double precision, because pow multiplies the error by up to 150.
WT_DEVICE double precise_log2(f32 x) {
  constexpr u64 kSqrtHalf = 0x3fe6a09e00000000ull;  // as a double, cut to the upper half of its bits
  static constexpr int kMantissaBits = 52;
  const u64 bits = __builtin_bit_cast(u64, static_cast<double>(x));
  const long long exponent = static_cast<long long>(bits - kSqrtHalf) >> kMantissaBits;
  const double m = __builtin_bit_cast(double, bits - (static_cast<u64>(exponent) << kMantissaBits));
  const double above = m - 1, below = m + 1;
  double inverse =
      static_cast<double>(rcp(static_cast<f32>(below)));  // to 22 bits; Newton's step doubles them
  inverse = __builtin_fma(__builtin_fma(-below, inverse, 1.0), inverse, inverse);
  double s = above * inverse;
  s = __builtin_fma(__builtin_fma(-below, s, above), inverse, s);
  const double square = s * s;
  double l = 0x1.21bbb15c1a438p-2;
  l = __builtin_fma(l, square, 0x1.47949f3f2ed17p-2);
  l = __builtin_fma(l, square, 0x1.a61a32fb95fb0p-2);
  l = __builtin_fma(l, square, 0x1.2776c28e4c5bep-1);
  l = __builtin_fma(l, square, 0x1.ec709dc540670p-1);
  l = __builtin_fma(l, square, 0x1.71547652b824fp+1);
  return __builtin_fma(l, s, static_cast<double>(static_cast<int>(exponent)));
}

// Returns x to the power y for a positive finite x and a finite y.
WT_DEVICE f32 ordinary_power(f32 x, f32 y) {
  constexpr double kBeyond = 300;  // 2^300 is infinity, 2^-300 zero
  const double exponent = precise_log2(x) * static_cast<double>(y);
  const double bounded = __builtin_fmax(__builtin_fmin(exponent, kBeyond), -kBeyond);
  const double whole = __builtin_rint(bounded);
  return ldexp(exp2(static_cast<f32>(bounded - whole)), static_cast<int>(whole));
}
WT_DEVICE bool is_ordinary(f32 x, f32 y) {
  constexpr f32 kInfinity = __builtin_inff();
  return x > 0.0f && x < kInfinity && abs(y) < kInfinity;
}

// Returns x to the power y for any x and y (C17 F.10.4.4).
WT_DEVICE f32 any_power(f32 x, f32 y) {
  constexpr f32 kInfinity = __builtin_inff();
  const f32 magnitude = abs(x);
  const bool grows = (magnitude > 1.0f) == (y > 0.0f);  // where x or y is infinite, or x zero
  f32 result = is_ordinary(magnitude, y) ? ordinary_power(magnitude, y) : grows ? kInfinity : 0.0f;
  if (magnitude == 1.0f) result = 1.0f;
  const bool is_whole = __builtin_rintf(y) == y, is_odd = is_whole && __builtin_rintf(y * 0.5f) != y * 0.5f;
  if (is_odd) result = __builtin_copysignf(result, x);
  const bool undefined = x < 0.0f && x > -kInfinity && !is_whole;
  if (undefined || x != x || y != y) result = __builtin_nanf("");
  return x == 1.0f || y == 0.0f ? 1.0f : result;
}

// Waves without a special case skip the second part, which takes the elements one after the other.
template <int N>
WT_DEVICE vector<f32, N> powers(vector<f32, N> x, vector<f32, N> y) {
  vector<f32, N> result;
  bool special = false;
  unrolled<N>([&](auto i) WT_INLINE {
    special |= !is_ordinary(x[i.value], y[i.value]);
    result[i.value] = ordinary_power(x[i.value], y[i.value]);
  });
  if (!any_lane(special)) return result;
#pragma unroll 1
  for (int n = 0; n < N; ++n) {
    const f32 first = x[0], exponent = y[0];
    if (!is_ordinary(first, exponent)) result[0] = any_power(first, exponent);
    x = rotated<f32, N>(x);
    y = rotated<f32, N>(y);
    result = rotated<f32, N>(result);
  }
  return result;
}

}  // namespace detail

// Returns x to the power y, within 2 ulp of f32 for all arguments whose result is normal; denormal results
// are within 2 of their last bits. What C says of zeros, infinities, NaN and negative x holds (C17 F.10.4.4):
// pow(x, 0) and pow(1, y) are 1 even of NaN, and a negative x has powers for whole y only.
// tests/kernels/ops/functions.c holds it to that against the pow of C.
template <real V>
WT_DEVICE V pow(V x, V y) {
  if constexpr (__is_same(V, f32)) {
    return detail::powers<1>(x, y)[0];
  } else {
    return detail::powers<detail::kVectorElements<V>>(x, y);
  }
}

// Does the same for tiles and vectors of f32, f16 and bf16: to = first to the power `second`, which is a tile
// or vector like `first`, or a number. pow_row takes a column vector, whose value of a row is the exponent of
// that row's elements; pow_col takes a row vector. 16-bit types are computed in f32 and rounded once.
WT_BINARY_MAP(pow, wt::pow(a, b), floats)

}  // namespace wt

#endif
