// SPDX-License-Identifier: MIT
// Makes conversions and arithmetic of single instructions, element by element: thread t of 64 takes elements
// t, t + 64 ... of `count`.
#include "ops/isa/convert.h"
#include "ops/isa/convert_mx.h"
#include "ops/isa/ids.h"
#include "ops/isa/math.h"

namespace {

using namespace wt;

template <class F>
WT_DEVICE void each(int count, F f) {
#pragma unroll 1
  for (int i = lane_id(); i < count; i += 64) f(i);
}

// Converts four codes at a time to f32, then each by itself.
template <class T>
WT_DEVICE void widen_four(const u32 *from, f32x4 *to, int count) {
  each(count / 4, [=](int i) {
    const u32 packed = from[i];
    to[i] = to_f32<T>(packed);
    const int bytes = static_cast<int>(packed);
    f32x4 singly;
    if constexpr (is_fp8<T>) {
      singly = {fp8_to_f32<T, 0>(packed), fp8_to_f32<T, 1>(packed), fp8_to_f32<T, 2>(packed),
                to_f32(T{static_cast<unsigned char>(packed >> 24)})};
    } else {
      singly = {to_f32(static_cast<i8>(bytes)), to_f32(static_cast<i8>(bytes >> 8)),
                to_f32(static_cast<i8>(bytes >> 16)), to_f32(static_cast<i8>(bytes >> 24))};
    }
    to[count / 4 + i] = singly;
  });
}

template <class T>
WT_DEVICE void widen_two(const registers<T, 2> *from, f32x2 *to, int count) {
  each(count / 2, [=](int i) {
    to[i] = to_f32(from[i]);
    to[count / 2 + i] = f32x2{to_f32(from[i][0]), to_f32(from[i][1])};
  });
}

// Converts four numbers at a time, then each by itself.
template <class T, overflow Overflow>
WT_DEVICE void narrow(const f32x4 *from, registers<T, 4> *to, T *singly, int count) {
  each(count / 4, [=](int i) {
    to[i] = from_f32<T, Overflow>(from[i]);
    for (int j = 0; j < 4; ++j) singly[4 * i + j] = from_f32<T, Overflow>(from[i][j]);
  });
}

template <class T>
WT_DEVICE void dots(const registers<T, 2> *x, const registers<T, 2> *y, float *to, int count) {
  each(count, [=](int i) { to[i] = dot2(x[i], y[i], static_cast<float>(i)); });
}

}  // namespace

#define WIDEN_FOUR(T) \
  WT_KERNEL(64) widen_##T(const u32 *from, f32x4 *to, int count) { widen_four<wt::T>(from, to, count); }
#define WIDEN_TWO(T)                                                                   \
  WT_KERNEL(64) widen_##T(const wt::registers<wt::T, 2> *from, f32x2 *to, int count) { \
    widen_two<wt::T>(from, to, count);                                                 \
  }
WIDEN_FOUR(fp8e4m3)
WIDEN_FOUR(fp8e5m2)
WIDEN_FOUR(i8)
WIDEN_TWO(f16)
WIDEN_TWO(bf16)

#define NARROW(T, OVERFLOW)                                                                           \
  WT_KERNEL(64)                                                                                       \
  narrow_##T##_##OVERFLOW(const f32x4 *from, wt::registers<wt::T, 4> *to, wt::T *singly, int count) { \
    narrow<wt::T, overflow::OVERFLOW>(from, to, singly, count);                                       \
  }
NARROW(f16, saturate)
NARROW(bf16, saturate)
NARROW(i8, saturate)
NARROW(i32, saturate)
NARROW(fp8e4m3, saturate)
NARROW(fp8e4m3, nonfinite)
NARROW(fp8e5m2, saturate)
NARROW(fp8e5m2, nonfinite)

WT_KERNEL(64) narrow_towards_zero(const f32x4 *from, f16x4 *to, f16 *singly, int count) {
  each(count / 4, [=](int i) {
    const f16x2 low = to_f16_towards_zero(from[i][0], from[i][1]),
                high = to_f16_towards_zero(from[i][2], from[i][3]);
    to[i] = f16x4{low[0], low[1], high[0], high[1]};
    for (int j = 0; j < 4; ++j) singly[4 * i + j] = to[i][j];
  });
}

#if defined(__gfx950__)
// Narrows 32 numbers with a scale of 4, keeps the bits, and widens them again with it.
#define MX(T)                                                            \
  WT_KERNEL(64) mx_##T(const f32 *from, u32 *to, f32 *back, int count) { \
    each(count / 32, [=](int i) {                                        \
      constexpr int kWords = kBits<wt::T>;                               \
      f32x32 values;                                                     \
      for (int j = 0; j < 32; ++j) values[j] = from[32 * i + j];         \
      const auto block = mx_from_f32<wt::T>(values, 4.0f);               \
      for (int j = 0; j < kWords; ++j) to[kWords * i + j] = block[j];    \
      const f32x32 widened = mx_to_f32<wt::T>(block, 4.0f);              \
      for (int j = 0; j < 32; ++j) back[32 * i + j] = widened[j];        \
    });                                                                  \
  }
MX(fp6e2m3)
MX(fp6e3m2)
MX(fp4e2m1)

// Widens eight 4-bit floats with the exponent of a scale.
WT_KERNEL(64) mx_to_bf16(const u32 *from, bf16x8 *to, int count) {
  each(count,
       [=](int i) { to[i] = wt::mx_to_bf16(from[2 * i], __builtin_bit_cast(float, from[2 * i + 1])); });
}
#endif

#define DOTS(T)                                                                                        \
  WT_KERNEL(64)                                                                                        \
  dots_##T(const wt::registers<wt::T, 2> *x, const wt::registers<wt::T, 2> *y, float *to, int count) { \
    dots<wt::T>(x, y, to, count);                                                                      \
  }
DOTS(f16)
#ifdef __gfx950__
DOTS(bf16)
#endif

// Results of one element lie `count` apart.
WT_KERNEL(64) arithmetic(const float *x, const float *y, const float *z, float *out, int count) {
  each(count, [=](int i) {
    const float a = x[i], b = y[i], c = z[i];
    const f32x2 pair = fma(f32x2{a, b}, f32x2{b, c}, f32x2{c, a});
    const float results[] = {exp2(a),
                             log2(a),
                             rcp(a),
                             rsq(a),
                             sqrt(a),
                             sin_revolutions(a),
                             cos_revolutions(a),
                             fma(a, b, c),
                             pair[0],
                             pair[1],
                             ldexp(a, static_cast<int>(i % 64) - 32),
                             rint(a),
                             max(a, b),
                             min(a, b),
                             max3(a, b, c),
                             min3(a, b, c),
                             med3(a, b, c)};
    for (int r = 0; r < 17; ++r) out[r * count + i] = results[r];
  });
}
