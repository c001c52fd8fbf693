// SPDX-License-Identifier: MIT
// This header converts the 6- and 4-bit floats (gfx950), 32 elements of a lane at a time: one MX block, with
// its scale. A number is its element times the scale, which is a power of two: only the exponent of `scale`
// counts.
//
// scope: lane; operands: 32 packed elements, one f32 scale; leaves: none; waits: nobody; LDS: none;
// registers: none; chips: gfx950
#ifndef WT_OPS_ISA_CONVERT_MX_H
#define WT_OPS_ISA_CONVERT_MX_H

#include "../../tiles/types.h"

namespace wt {

namespace detail {
template <class T>
WT_DEVICE constexpr bool check_mx() {
  static_assert(is_fp6<T> || is_fp4<T>,
                "MX conversions take fp6e2m3, fp6e3m2 or fp4e2m1: use to_f32 and from_f32 for other types");
  static_assert(target::kGfx950, "gfx942 converts no 6- or 4-bit floats: convert to fp8e4m3 before upload");
  return true;
}
}  // namespace detail

// Converts a block to f32, exactly: v_cvt_scalef32_pk32_f32_{fp6,bf6}, v_cvt_scalef32_pk_f32_fp4.
template <class T>
WT_DEVICE f32x32 mx_to_f32(registers<T, 32> block, float scale) {
  f32x32 values = {};
  if constexpr (!detail::check_mx<T>() || !target::kGfx950) {
  } else if constexpr (__is_same(T, fp6e2m3)) {
    values = __builtin_amdgcn_cvt_scalef32_pk32_f32_fp6(block, scale);
  } else if constexpr (__is_same(T, fp6e3m2)) {
    values = __builtin_amdgcn_cvt_scalef32_pk32_f32_bf6(block, scale);
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const f32x2 pairs[4] = {__builtin_amdgcn_cvt_scalef32_pk_f32_fp4(block[i], scale, 0),
                              __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(block[i], scale, 1),
                              __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(block[i], scale, 2),
                              __builtin_amdgcn_cvt_scalef32_pk_f32_fp4(block[i], scale, 3)};
#pragma unroll
      for (int j = 0; j < 8; ++j) values[8 * i + j] = pairs[j / 2][j % 2];
    }
  }
  return values;
}

// Converts 32 numbers to a block, to nearest even: v_cvt_scalef32_2xpk16_{fp6,bf6}_f32,
// v_cvt_scalef32_pk_fp4_f32. What is too large becomes the largest number. NaN, which these types lack, must
// not occur.
template <class T>
WT_DEVICE registers<T, 32> mx_from_f32(f32x32 values, float scale) {
  registers<T, 32> block = {};
  if constexpr (!detail::check_mx<T>() || !target::kGfx950) {
  } else if constexpr (is_fp6<T>) {
    // The instruction takes the even elements and the odd ones as two operands.
    const f32x16 even =
        __builtin_shufflevector(values, values, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const f32x16 odd =
        __builtin_shufflevector(values, values, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    if constexpr (__is_same(T, fp6e2m3)) {
      block = __builtin_amdgcn_cvt_scalef32_2xpk16_fp6_f32(even, odd, scale);
    } else {
      block = __builtin_amdgcn_cvt_scalef32_2xpk16_bf6_f32(even, odd, scale);
    }
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int at = 8 * i;
      unsigned int word = 0;
      word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, values[at], values[at + 1], scale, 0);
      word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, values[at + 2], values[at + 3], scale, 1);
      word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, values[at + 4], values[at + 5], scale, 2);
      word = __builtin_amdgcn_cvt_scalef32_pk_fp4_f32(word, values[at + 6], values[at + 7], scale, 3);
      block[i] = word;
    }
  }
  return block;
}

}  // namespace wt

#endif
