// SPDX-License-Identifier: MIT
// This header has arithmetic of one instruction per value. Two f32 side by side (f32x2) add, multiply and fma
// in one packed instruction: write a + b, a * b, fma(a, b, c).
//
// scope: lane; operands: f32, or pairs where said; leaves: none; waits: nobody; LDS: none; registers: none;
// chips: both
#ifndef WT_OPS_ISA_MATH_H
#define WT_OPS_ISA_MATH_H

#include "../../tiles/types.h"

namespace wt {

// Return 2^x, the logarithm of x to base 2, 1 / x, 1 / sqrt(x) and sqrt(x), from the transcendental unit,
// within 1 ulp (CDNA4 ISA, V_EXP_F32 and its neighbours). Denormal arguments and results count as zero:
// LLVM's own exp2f and its like scale around that, at the price of a few instructions.
WT_DEVICE float exp2(float x) { return __builtin_amdgcn_exp2f(x); }
WT_DEVICE float log2(float x) { return __builtin_amdgcn_logf(x); }
WT_DEVICE float rcp(float x) { return __builtin_amdgcn_rcpf(x); }
WT_DEVICE float rsq(float x) { return __builtin_amdgcn_rsqf(x); }
WT_DEVICE float sqrt(float x) { return __builtin_amdgcn_sqrtf(x); }
// Return sine and cosine of x revolutions, that is 2 pi x radians, for |x| up to 256.
WT_DEVICE float sin_revolutions(float x) { return __builtin_amdgcn_sinf(x); }
WT_DEVICE float cos_revolutions(float x) { return __builtin_amdgcn_cosf(x); }

// Return a * b + c with one rounding.
WT_DEVICE float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
WT_DEVICE f32x2 fma(f32x2 a, f32x2 b, f32x2 c) { return __builtin_elementwise_fma(a, b, c); }
// Returns c plus the two products of two pairs (v_dot2), of f16, on gfx950 also of bf16.
template <class V>
WT_DEVICE float dot2(V a, V b, float c) {
  static_assert(is_one_of<V, f16x2, bf16x2>, "dot2 multiplies pairs of f16 or bf16: use fma for other types");
  static_assert(!__is_same(V, bf16x2) || target::kGfx950, "gfx942 has no dot2 of bf16: widen and use fma");
  if constexpr (__is_same(V, f16x2)) {
    return __builtin_amdgcn_fdot2(a, b, c, false);
  } else if constexpr (target::kGfx950) {
    return __builtin_amdgcn_fdot2_f32_bf16(a, b, c, false);
  }
}

// Returns x * 2^exponent.
WT_DEVICE float ldexp(float x, int exponent) { return __builtin_amdgcn_ldexpf(x, exponent); }
// Returns x rounded to the nearest integer, halves to even.
WT_DEVICE float rint(float x) { return __builtin_rintf(x); }

// Return the largest and the smallest of their arguments; a number goes before a NaN. The compiler joins two
// of a kind to v_max3 and v_min3.
WT_DEVICE float max(float a, float b) { return __builtin_fmaxf(a, b); }
WT_DEVICE float min(float a, float b) { return __builtin_fminf(a, b); }
WT_DEVICE float max3(float a, float b, float c) { return max(max(a, b), c); }
WT_DEVICE float min3(float a, float b, float c) { return min(min(a, b), c); }
// Returns the middle one of three; med3(x, low, high) clamps x to low..high.
WT_DEVICE float med3(float a, float b, float c) { return __builtin_amdgcn_fmed3f(a, b, c); }

}  // namespace wt

#endif
