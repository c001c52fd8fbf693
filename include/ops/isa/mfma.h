// SPDX-License-Identifier: MIT
// 8-bit MFMA instructions; operand layouts are in tiles/mfma_layout.h.
#ifndef WT_OPS_ISA_MFMA_H
#define WT_OPS_ISA_MFMA_H

#include "../../tiles/types.h"

namespace wt {

// v_mfma_f32_16x16x32_{fp8_fp8,bf8_bf8}: D = A * B^T + C for 8 elements of A and of B per lane.
template <class T>
WT_DEVICE f32x4 mfma_16x16x32(u32x2 a, u32x2 b, f32x4 c) {
  static_assert(is_fp8<T>, "mfma_16x16x32 multiplies fp8e4m3 or fp8e5m2");
  const long packed_a = __builtin_bit_cast(long, a), packed_b = __builtin_bit_cast(long, b);
  if constexpr (__is_same(T, fp8e4m3)) {
    return __builtin_amdgcn_mfma_f32_16x16x32_fp8_fp8(packed_a, packed_b, c, 0, 0, 0);
  } else {
    return __builtin_amdgcn_mfma_f32_16x16x32_bf8_bf8(packed_a, packed_b, c, 0, 0, 0);
  }
}

#if defined(__gfx950__)
// v_mfma_f32_16x16x128_f8f6f4 without scales. Formats in cbsz (A) and blgp (B): 0 E4M3, 1 E5M2 (CDNA4
// ISA ch. 7).
template <class T>
WT_DEVICE f32x4 mfma_16x16x128(i32x8 a, i32x8 b, f32x4 c) {
  static_assert(is_fp8<T>, "mfma_16x16x128 multiplies fp8e4m3 or fp8e5m2");
  constexpr int kFormat = __is_same(T, fp8e4m3) ? 0 : 1;
  return __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(a, b, c, kFormat, kFormat, 0, 0, 0, 0);
}
#endif

}  // namespace wt

#endif
