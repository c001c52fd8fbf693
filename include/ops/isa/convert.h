// SPDX-License-Identifier: MIT
// This header converts elements. Widening is exact; narrowing rounds once, to nearest even, and keeps NaN.
// Values come singly or as the registers of a lane (registers<T, N>).
//
// scope: lane; operands: one value, or the registers of a lane; leaves: none; waits: nobody; LDS: none;
// registers: none; chips: both
#ifndef WT_OPS_ISA_CONVERT_H
#define WT_OPS_ISA_CONVERT_H

#include "../../tiles/types.h"

namespace wt {

// Says what becomes of a finite number beyond the largest one of an 8-bit float: that largest number
// (saturate), or NaN for E4M3 and both FNUZ formats and infinity for OCP E5M2 (nonfinite). Infinities and NaN
// are never made finite, as in HIP's own conversions.
enum class overflow { saturate, nonfinite };

// This is the largest number of an 8-bit float: for E4M3 448 in OCP and 240 in FNUZ, for E5M2 57344 in both
// (OCP 8-bit floating point specification 1.0; FNUZ is gfx942's, whose exponent bias is one higher).
template <class T, target::chip Chip = target::kChip>
constexpr float kLargest = __is_same(T, fp8e5m2)          ? 57344.0f
                           : Chip == target::chip::gfx942 ? 240.0f
                                                          : 448.0f;

namespace detail {

template <class T, overflow Overflow>
WT_DEVICE float limit(float value) {
  if constexpr (Overflow == overflow::nonfinite) {
    return value;
  } else {
    const float limited = __builtin_amdgcn_fmed3f(value, -kLargest<T>, kLargest<T>);
    return __builtin_isfinite(value) ? limited : value;
  }
}

// Says which two bytes of a dword an instruction reads or writes.
enum class half_of_dword { low, high };

// Converts two numbers into the low or high half of a dword (v_cvt_pk_{fp8,bf8}_f32).
template <class T, half_of_dword Half, overflow Overflow>
WT_DEVICE int pack_fp8(float first, float second, int packed) {
  first = limit<T, Overflow>(first), second = limit<T, Overflow>(second);
  if constexpr (__is_same(T, fp8e4m3)) {
    return __builtin_amdgcn_cvt_pk_fp8_f32(first, second, packed, Half == half_of_dword::high);
  } else {
    return __builtin_amdgcn_cvt_pk_bf8_f32(first, second, packed, Half == half_of_dword::high);
  }
}

// v_cvt_pk_f32_{fp8,bf8}.
template <class T, half_of_dword Half>
WT_DEVICE f32x2 unpack_fp8(u32 packed) {
  if constexpr (__is_same(T, fp8e4m3)) {
    return __builtin_amdgcn_cvt_pk_f32_fp8(static_cast<int>(packed), Half == half_of_dword::high);
  } else {
    return __builtin_amdgcn_cvt_pk_f32_bf8(static_cast<int>(packed), Half == half_of_dword::high);
  }
}

}  // namespace detail

// Converts byte number Byte of a dword of packed FP8: v_cvt_f32_fp8, v_cvt_f32_bf8.
template <class T, int Byte>
WT_DEVICE float fp8_to_f32(u32 packed) {
  static_assert(is_fp8<T>, "fp8_to_f32 converts fp8e4m3 or fp8e5m2: use to_f32 for other types");
  static_assert(Byte >= 0 && Byte < 4, "a dword holds bytes 0 to 3");
  if constexpr (__is_same(T, fp8e4m3)) {
    return __builtin_amdgcn_cvt_f32_fp8(static_cast<int>(packed), Byte);
  } else {
    return __builtin_amdgcn_cvt_f32_bf8(static_cast<int>(packed), Byte);
  }
}

// Converts one FP8 element.
template <class T>
WT_DEVICE float fp8_to_f32(T value) {
  return fp8_to_f32<T, 0>(value.bits);
}

// ---- to f32, one element
// Converts one element to f32. An i32 beyond 2^24 is rounded.
WT_DEVICE float to_f32(float value) { return value; }
WT_DEVICE float to_f32(f16 value) { return static_cast<float>(value); }
WT_DEVICE float to_f32(bf16 value) { return static_cast<float>(value); }
WT_DEVICE float to_f32(i32 value) { return static_cast<float>(value); }
WT_DEVICE float to_f32(i8 value) { return static_cast<float>(value); }
WT_DEVICE float to_f32(fp8e4m3 value) { return fp8_to_f32(value); }
WT_DEVICE float to_f32(fp8e5m2 value) { return fp8_to_f32(value); }

// ---- to f32, the registers of a lane
// Converts N elements of a lane to f32.
template <int N>
WT_DEVICE vector<f32, N> to_f32(vector<f32, N> value) {
  return value;
}
template <int N>
WT_DEVICE vector<f32, N> to_f32(vector<f16, N> value) {
  return __builtin_convertvector(value, vector<f32, N>);
}
template <int N>
WT_DEVICE vector<f32, N> to_f32(vector<bf16, N> value) {
  return __builtin_convertvector(value, vector<f32, N>);
}
template <int N>
WT_DEVICE vector<f32, N> to_f32(vector<i32, N> value) {
  return __builtin_convertvector(value, vector<f32, N>);
}
// Converts the four 8-bit elements of a dword, or of N dwords, to f32. The first element is in the lowest
// bits.
template <class T>
WT_DEVICE f32x4 to_f32(u32 packed) {
  static_assert(is_fp8<T> || __is_same(T, i8), "a dword holds four fp8e4m3, fp8e5m2 or i8: name one of them");
  if constexpr (is_fp8<T>) {
    const f32x2 low = detail::unpack_fp8<T, detail::half_of_dword::low>(packed),
                high = detail::unpack_fp8<T, detail::half_of_dword::high>(packed);
    return {low[0], low[1], high[0], high[1]};
  } else {
    const i32 bits = static_cast<i32>(packed);
    return to_f32(i32x4{bits << 24 >> 24, bits << 16 >> 24, bits << 8 >> 24, bits >> 24});
  }
}
template <class T, int N>
WT_DEVICE vector<f32, N * 4> to_f32(vector<unsigned int, N> packed) {
  vector<f32, N * 4> values;
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const f32x4 part = to_f32<T>(static_cast<u32>(packed[i]));
#pragma unroll
    for (int j = 0; j < 4; ++j) values[i * 4 + j] = part[j];
  }
  return values;
}

// ---- from f32, one element
// Converts an f32 to T. For i32 the value must be in its range; for i8 it is clamped, and NaN becomes either
// end.
template <class T, overflow Overflow = overflow::saturate>
WT_DEVICE T from_f32(float value) {
  if constexpr (is_fp8<T>) {
    return {static_cast<unsigned char>(
        detail::pack_fp8<T, detail::half_of_dword::low, Overflow>(value, value, 0))};
  } else if constexpr (__is_same(T, i8)) {
    return static_cast<i8>(__builtin_rintf(__builtin_amdgcn_fmed3f(value, -128.0f, 127.0f)));
  } else if constexpr (__is_same(T, i32)) {
    return static_cast<i32>(__builtin_rintf(value));
  } else {
    static_assert(is_one_of<T, f32, f16, bf16>,
                  "from_f32 converts to f32, f16, bf16, fp8e4m3, fp8e5m2, i8 or i32: name one of these");
    return static_cast<T>(value);
  }
}

// ---- from f32, the registers of a lane
// Converts N f32 of a lane to T. For bf16 this is v_cvt_pk_bf16_f32 on gfx950 and integer arithmetic on
// gfx942.
template <class T, overflow Overflow = overflow::saturate, int N>
WT_DEVICE registers<T, N> from_f32(vector<f32, N> values) {
  if constexpr (is_one_of<T, f16, bf16>) {
    return __builtin_convertvector(values, registers<T, N>);
  } else {
    registers<T, N> result;
    if constexpr (is_fp8<T>) {
#pragma unroll
      for (int i = 0; i < N / 4; ++i) {
        const int low =
            detail::pack_fp8<T, detail::half_of_dword::low, Overflow>(values[4 * i], values[4 * i + 1], 0);
        result[i] = static_cast<u32>(detail::pack_fp8<T, detail::half_of_dword::high, Overflow>(
            values[4 * i + 2], values[4 * i + 3], low));
      }
    } else if constexpr (__is_same(T, i8)) {
#pragma unroll
      for (int i = 0; i < N / 4; ++i) {
        result[i] = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          result[i] |= (static_cast<u32>(from_f32<i8>(values[4 * i + j])) & 0xff) << (8 * j);
        }
      }
    } else {
#pragma unroll
      for (int i = 0; i < N; ++i) result[i] = from_f32<T>(values[i]);
    }
    return result;
  }
}

// Converts two numbers to f16 at once, but rounds towards zero: v_cvt_pkrtz_f16_f32. It is for weights whose
// error matters little.
WT_DEVICE f16x2 to_f16_towards_zero(float first, float second) {
  return __builtin_bit_cast(f16x2, __builtin_amdgcn_cvt_pkrtz(first, second));
}

}  // namespace wt

#endif
