// SPDX-License-Identifier: MIT
// This header converts blocks of 8-, 6- and 4-bit floats that share a scale (gfx950), 32 elements of a lane
// at a time: one MX block. A number is its element times the scale, which is a power of two: only the
// exponent of `scale` counts.
//
// scope: lane; operands: 32 packed elements, one f32 scale; leaves: none; waits: nobody; LDS: none;
// registers: none; chips: gfx950
#ifndef WT_OPS_ISA_CONVERT_MX_H
#define WT_OPS_ISA_CONVERT_MX_H

#include "../../tiles/types.h"
#include "convert.h"

namespace wt {

// Says how an element is rounded: to nearest even; or stochastically, up in magnitude with the probability of
// how far the number is on its way from the lower neighbour to the upper one, so that the mean is the number.
enum class element_rounding { nearest, stochastic };

// This is how many elements of a block, which follow each other, take their random bits from one word. An
// instruction that converts several uses the word for the first of them, and for each further one what
// V_PRNG_B32 makes of it: the word shifted left by one, XOR 0xc5 where a one fell out (CDNA4 ISA,
// V_PRNG_B32).
template <class T>
constexpr int kMxElementsOfWord = is_fp8<T>   ? 1
                                  : is_fp4<T> ? 2
                                              : 32;
// These are the random words of a block: 32 of FP8, 16 of FP4 and 1 of FP6.
template <class T>
constexpr int kMxRandomWords = 32 / kMxElementsOfWord<T>;

namespace detail {
template <class T>
WT_DEVICE constexpr bool check_mx() {
  static_assert(is_fp8<T> || is_fp6<T> || is_fp4<T>,
                "MX conversions take fp8e4m3, fp8e5m2, fp6e2m3, fp6e3m2 or fp4e2m1: use to_f32 and from_f32 "
                "for other types");
  static_assert(target::kGfx950,
                "gfx942 has no conversions with a scale: multiply by it, and use from_f32 to fp8e4m3");
  return true;
}

// Converts the low or the high half of a dword of FP8 (v_cvt_scalef32_pk_f32_{fp8,bf8}).
template <class T, half_of_dword Half>
WT_DEVICE f32x2 mx_unpack_fp8(unsigned int packed, float scale) {
  if constexpr (__is_same(T, fp8e4m3)) {
    return __builtin_amdgcn_cvt_scalef32_pk_f32_fp8(packed, scale, Half == half_of_dword::high);
  } else {
    return __builtin_amdgcn_cvt_scalef32_pk_f32_bf8(packed, scale, Half == half_of_dword::high);
  }
}

// v_cvt_scalef32_sr_{fp8,bf8}_f32, of a number that is within the format's range once it is scaled.
template <class T, int Byte>
WT_DEVICE int mx_put_fp8_stochastic(int packed, float value, u32 random, float scale) {
  if constexpr (__is_same(T, fp8e4m3)) {
    return __builtin_amdgcn_cvt_scalef32_sr_fp8_f32(packed, value, random, scale, Byte);
  } else {
    return __builtin_amdgcn_cvt_scalef32_sr_bf8_f32(packed, value, random, scale, Byte);
  }
}

// Is v_cvt_scalef32_sr_pk_fp4_f32, and returns a byte of two elements. The instruction leaves the other bytes
// of its register alone, but clang 22 does not pass on what was in them, so that none of them may count.
WT_DEVICE unsigned int mx_fp4_stochastic(f32x2 pair, u32 random, float scale) {
  return __builtin_amdgcn_cvt_scalef32_sr_pk_fp4_f32(0u, pair, random, scale, 0) & 0xff;
}

// v_cvt_scalef32_pk_{fp8,bf8}_f32, of numbers that are within the format's range once they are scaled.
template <class T, half_of_dword Half>
WT_DEVICE i16x2 mx_pack_fp8(i16x2 packed, float first, float second, float scale) {
  if constexpr (__is_same(T, fp8e4m3)) {
    return __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(packed, first, second, scale,
                                                    Half == half_of_dword::high);
  } else {
    return __builtin_amdgcn_cvt_scalef32_pk_bf8_f32(packed, first, second, scale,
                                                    Half == half_of_dword::high);
  }
}
}  // namespace detail

// Returns whether a scale has the exponent of E8M0's NaN: v_cmp_class_f32.
WT_DEVICE bool mx_scale_is_nan(float scale) {
  static constexpr int kNanOrInfinite =
      1 | 2 | 4 | 512;  // of both kinds and signs (CDNA4 ISA, V_CMP_CLASS_F32)
  return __builtin_amdgcn_classf(scale, kNanOrInfinite);
}

// Converts eight 4-bit floats of a block to bf16, exactly where bf16 has such a number, with the exponent of
// a number as that of `scale`: v_cvt_scalef32_pk_bf16_fp4.
WT_DEVICE bf16x8 mx_to_bf16(u32 packed, float scale) {
  bf16x8 values = {};
  if constexpr (target::kGfx950) {
    const bf16x2 pairs[4] = {__builtin_amdgcn_cvt_scalef32_pk_bf16_fp4(packed, scale, 0),
                             __builtin_amdgcn_cvt_scalef32_pk_bf16_fp4(packed, scale, 1),
                             __builtin_amdgcn_cvt_scalef32_pk_bf16_fp4(packed, scale, 2),
                             __builtin_amdgcn_cvt_scalef32_pk_bf16_fp4(packed, scale, 3)};
#pragma unroll
    for (int i = 0; i < 8; ++i) values[i] = pairs[i / 2][i % 2];
  }
  return values;
}

// Converts a block to f32, exactly where f32 has such a number: v_cvt_scalef32_pk32_f32_{fp6,bf6},
// v_cvt_scalef32_pk_f32_{fp8,bf8,fp4}.
template <class T>
WT_DEVICE f32x32 mx_to_f32(registers<T, 32> block, float scale) {
  f32x32 values = {};
  if constexpr (!detail::check_mx<T>() || !target::kGfx950) {
  } else if constexpr (__is_same(T, fp6e2m3)) {
    values = __builtin_amdgcn_cvt_scalef32_pk32_f32_fp6(block, scale);
  } else if constexpr (__is_same(T, fp6e3m2)) {
    values = __builtin_amdgcn_cvt_scalef32_pk32_f32_bf6(block, scale);
  } else if constexpr (is_fp8<T>) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const f32x2 low = detail::mx_unpack_fp8<T, detail::half_of_dword::low>(block[i], scale),
                  high = detail::mx_unpack_fp8<T, detail::half_of_dword::high>(block[i], scale);
      values[4 * i] = low[0], values[4 * i + 1] = low[1];
      values[4 * i + 2] = high[0], values[4 * i + 3] = high[1];
    }
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
// v_cvt_scalef32_pk_{fp8,bf8,fp4}_f32. What is too large becomes the largest number. NaN and infinities must
// not occur: blocks with one have a scale that is NaN (e8m0_of).
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
  } else if constexpr (is_fp8<T>) {
    // The bound is infinite, which bounds nothing, only where no number can be beyond it.
    const float most = kLargest<T> * scale;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float limited[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) limited[j] = __builtin_amdgcn_fmed3f(values[4 * i + j], -most, most);
      const i16x2 low = detail::mx_pack_fp8<T, detail::half_of_dword::low>({}, limited[0], limited[1], scale);
      block[i] = __builtin_bit_cast(unsigned int, detail::mx_pack_fp8<T, detail::half_of_dword::high>(
                                                      low, limited[2], limited[3], scale));
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

// Converts 32 numbers to a block by stochastic rounding, with `random` as the random words of the block:
// v_cvt_scalef32_sr_{fp8,bf8}_f32, v_cvt_scalef32_sr_pk_fp4_f32, v_cvt_scalef32_sr_pk32_{fp6,bf6}_f32. A
// magnitude that lies a part p of the step above the lower of two neighbouring elements becomes the upper one
// where p, of which 32 binary places count, and the random bits as a fraction of 2^32 reach 1 together. What
// is too large becomes the largest number, and NaN and infinities must not occur, as in mx_from_f32.
template <class T>
WT_DEVICE registers<T, 32> mx_from_f32_stochastic(f32x32 values, float scale,
                                                  vector<u32, kMxRandomWords<T>> random) {
  registers<T, 32> block = {};
  if constexpr (!detail::check_mx<T>() || !target::kGfx950) {
  } else if constexpr (__is_same(T, fp6e2m3)) {
    block = __builtin_amdgcn_cvt_scalef32_sr_pk32_fp6_f32(values, random[0], scale);
  } else if constexpr (__is_same(T, fp6e3m2)) {
    block = __builtin_amdgcn_cvt_scalef32_sr_pk32_bf6_f32(values, random[0], scale);
  } else if constexpr (is_fp8<T>) {
    const float most = kLargest<T> * scale;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float limited[4];
#pragma unroll
      for (int j = 0; j < 4; ++j) limited[j] = __builtin_amdgcn_fmed3f(values[4 * i + j], -most, most);
      const int at = 4 * i;
      int word = 0;
      word = detail::mx_put_fp8_stochastic<T, 0>(word, limited[0], random[at], scale);
      word = detail::mx_put_fp8_stochastic<T, 1>(word, limited[1], random[at + 1], scale);
      word = detail::mx_put_fp8_stochastic<T, 2>(word, limited[2], random[at + 2], scale);
      word = detail::mx_put_fp8_stochastic<T, 3>(word, limited[3], random[at + 3], scale);
      block[i] = static_cast<unsigned int>(word);
    }
  } else {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      block[i] = 0;
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        const int at = 4 * i + j;
        block[i] |= detail::mx_fp4_stochastic({values[2 * at], values[2 * at + 1]}, random[at], scale)
                    << (8 * j);
      }
    }
  }
  return block;
}

}  // namespace wt

#endif
