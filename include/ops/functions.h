// SPDX-License-Identifier: MIT
// This header has functions of a float, or of each element of a vector of floats, which maps apply and
// epilogues use. They are the short forms that kernels want; each says how exact it is. The transcendental
// instructions themselves are good to 1 ulp and flush denormals (CDNA4 ISA, V_EXP_F32, V_LOG_F32, V_RCP_F32,
// V_RSQ_F32, V_SQRT_F32).
//
// scope: lane; operands: f32, or a vector of f32; leaves: none; waits: nobody; LDS: none; registers: none;
// chips: both
#ifndef WT_OPS_FUNCTIONS_H
#define WT_OPS_FUNCTIONS_H

#include "../tiles/rv.h"
#include "isa/math.h"
#include "list.h"

namespace wt {

namespace detail {
template <class V>
constexpr int kVectorElements = 0;  // no vector
template <class T, int N>
constexpr int kVectorElements<vector<T, N>> = N;

template <class F, class V, int... I>
WT_DEVICE V each_of(const F &f, V x, indices<int, I...>) {
  return V{f(x[I])...};
}
}  // namespace detail

// Returns f(x) for a number, and f of each element for a vector.
template <class V, class F>
WT_DEVICE V each(const F &f, V x) {
  if constexpr (detail::kVectorElements<V> == 0) {
    return f(x);
  } else {
    return detail::each_of(f, x, __make_integer_seq<indices, int, detail::kVectorElements<V>>{});
  }
}

// Returns the elements moved by one place, the first to the end. A loop that works on element 0 and then
// rotates reaches each element with code that stands there once; an index that changes at run time would need
// memory.
template <class T, int N>
WT_DEVICE vector<T, N> rotated(vector<T, N> x) {
  vector<T, N> result;
  unrolled<N>([&](auto i) WT_INLINE { result[i.value] = x[(i + 1) % N]; });
  return result;
}

// real_vector holds for vectors of f32; real also for f32; number also for i32 and vectors of i32.
template <class V>
concept real_vector = __is_same(V, vector<f32, detail::kVectorElements<V>>);
template <class V>
concept real = __is_same(V, f32) || real_vector<V>;
template <class V>
concept number = real<V> || __is_same(V, i32) || __is_same(V, vector<i32, detail::kVectorElements<V>>);

// Return the function of each element, by one instruction per element. isa/math.h has exp2, log2, sqrt, max
// and min of single floats.
template <real_vector V>
WT_DEVICE V exp2(V x) {
  return each([](f32 v) WT_INLINE { return exp2(v); }, x);
}
template <real_vector V>
WT_DEVICE V log2(V x) {
  return each([](f32 v) WT_INLINE { return log2(v); }, x);
}
template <real_vector V>
WT_DEVICE V sqrt(V x) {
  return each([](f32 v) WT_INLINE { return sqrt(v); }, x);
}
template <real V>
WT_DEVICE V rsqrt(V x) {
  return each([](f32 v) WT_INLINE { return rsq(v); }, x);
}
template <real V>
WT_DEVICE V reciprocal(V x) {
  return each([](f32 v) WT_INLINE { return rcp(v); }, x);
}

// Return the larger, the smaller, the absolute value, the negated value, and the larger of x and 0. max and
// min prefer a number to a NaN. In a chain, max(max(a, b), c), the compiler makes one v_max3 of two; a lone
// v_max costs one more instruction for each operand that it does not know to be a quiet NaN or a number.
template <number V>
WT_DEVICE V max(V a, V b) {
  return __builtin_elementwise_max(a, b);
}
template <number V>
WT_DEVICE V min(V a, V b) {
  return __builtin_elementwise_min(a, b);
}
template <number V>
WT_DEVICE V abs(V x) {
  return __builtin_elementwise_abs(x);
}
template <number V>
WT_DEVICE V neg(V x) {
  return -x;
}
template <number V>
WT_DEVICE V relu(V x) {
  return max(x, V{});
}

// Returns e^x as exp2(x / ln 2): the product's rounding costs a relative error of up to |x| / 2^24.
template <real V>
WT_DEVICE V exp(V x) {
  static constexpr f32 kLog2E = 1.44269504f;
  return exp2(x * kLog2E);
}
// Returns the natural logarithm, log2(x) * ln 2, within 3 ulp.
template <real V>
WT_DEVICE V log(V x) {
  static constexpr f32 kLn2 = 0.693147181f;
  return log2(x) * kLn2;
}

// Returns 1 / (1 + exp(-x)), within 4 ulp where it is above 2^-20; below, its relative error is that of
// exp(-x).
template <real V>
WT_DEVICE V sigmoid(V x) {
  return reciprocal(exp(-x) + 1.0f);
}

// Returns x * sigmoid(x), which is NaN at -infinity.
template <real V>
WT_DEVICE V silu(V x) {
  return x * sigmoid(x);
}

// Returns the tanh form of GELU, x / 2 * (1 + tanh(u)) with u = sqrt(2 / pi) * (x + 0.044715 x^3). It is
// computed as x * sigmoid(2u), differs from the erf form by up to 5e-4, and is NaN at -infinity.
template <real V>
WT_DEVICE V gelu(V x) {
  static constexpr f32 kLinear = 1.59576912f;  // 2 * sqrt(2 / pi)
  static constexpr f32 kCubic = 1.59576912f * 0.044715f;
  return x * sigmoid(x * (x * x * kCubic + kLinear));
}

// ---- derivatives of the above, for backward passes
// Returns the slope of relu: 1 above 0, else 0.
template <real V>
WT_DEVICE V relu_slope(V x) {
  return each([](f32 v) WT_INLINE { return v > 0.0f ? 1.0f : 0.0f; }, x);
}
// Returns the slope of silu, s * (1 + x * (1 - s)) with s = sigmoid(x). It is NaN at the infinities.
template <real V>
WT_DEVICE V silu_slope(V x) {
  const V s = sigmoid(x);
  return s * (x * (1.0f - s) + 1.0f);
}
// Returns the slope of gelu, s + x * s * (1 - s) * 2u' with s = sigmoid(2u) and 2u' = 2 sqrt(2 / pi) * (1 + 3
// * 0.044715 x^2). It is NaN at the infinities.
template <real V>
WT_DEVICE V gelu_slope(V x) {
  static constexpr f32 kLinear = 1.59576912f;  // 2 * sqrt(2 / pi)
  static constexpr f32 kCubic = 1.59576912f * 0.044715f;
  const V s = sigmoid(x * (x * x * kCubic + kLinear));
  return s + x * s * (1.0f - s) * (x * x * (3.0f * kCubic) + kLinear);
}

// Returns the hyperbolic tangent within 4 ulp: below 0.625 by the odd polynomial of Cephes (Moshier,
// tanhf.c), above as 1 - 2 / (exp(2x) + 1).
template <real V>
WT_DEVICE V tanh(V x) {
  return each(
      [](f32 v) WT_INLINE {
        static constexpr f32 kSmall = 0.625f;
        const f32 magnitude = abs(v), square = v * v;
        f32 p = -5.70498872745e-3f;
        p = __builtin_fmaf(p, square, 2.06390887954e-2f);
        p = __builtin_fmaf(p, square, -5.37397155531e-2f);
        p = __builtin_fmaf(p, square, 1.33314422036e-1f);
        p = __builtin_fmaf(p, square, -3.33332819422e-1f);
        const f32 small = __builtin_fmaf(p * square, v, v);
        const f32 large = 1.0f - 2.0f * reciprocal(exp(2.0f * magnitude) + 1.0f);
        return magnitude < kSmall ? small : __builtin_copysignf(large, v);
      },
      x);
}

// Returns the sum of x[i] * y[i] in f32, by one fma after the other.
template <class T, int N>
WT_DEVICE f32 dot(vector<T, N> x, vector<T, N> y) {
  f32 sum = 0;
  unrolled<N>([&](auto i) WT_INLINE {
    sum = __builtin_fmaf(to_f32(static_cast<T>(x[i.value])), to_f32(static_cast<T>(y[i.value])), sum);
  });
  return sum;
}

}  // namespace wt

#endif
