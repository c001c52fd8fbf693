// SPDX-License-Identifier: MIT
// Element conversions, one instruction each.
#ifndef WT_OPS_ISA_CONVERT_H
#define WT_OPS_ISA_CONVERT_H

#include "../../tiles/types.h"

namespace wt {

// v_cvt_f32_fp8 / v_cvt_f32_bf8: byte `Byte` of a dword of packed FP8, exactly.
template <class T, int Byte>
WT_DEVICE float fp8_to_f32(u32 packed) {
  static_assert(is_fp8<T>, "fp8_to_f32 converts fp8e4m3 or fp8e5m2");
  static_assert(Byte >= 0 && Byte < 4, "a dword holds bytes 0 to 3");
  if constexpr (__is_same(T, fp8e4m3)) {
    return __builtin_amdgcn_cvt_f32_fp8(static_cast<int>(packed), Byte);
  } else {
    return __builtin_amdgcn_cvt_f32_bf8(static_cast<int>(packed), Byte);
  }
}

template <class T>
WT_DEVICE float fp8_to_f32(T value) {
  return fp8_to_f32<T, 0>(value.bits);
}

// Rounds to nearest even and keeps NaN: v_cvt_pk_bf16_f32 on gfx950, integer arithmetic on gfx942.
template <class T>
WT_DEVICE T from_f32(float value) {
  return static_cast<T>(value);
}

WT_DEVICE float to_f32(float value) { return value; }
WT_DEVICE float to_f32(bf16 value) { return static_cast<float>(value); }

}  // namespace wt

#endif
