// SPDX-License-Identifier: MIT
// mma_ABt: a wave multiplies register tiles, C += A * B^T.
#ifndef WT_OPS_MMA_H
#define WT_OPS_MMA_H

#include "isa/mfma.h"

namespace wt {

// One 16x16 block, 32 deep.
template <class T>
WT_DEVICE void mma_ABt(f32x4 &c, u32x2 a, u32x2 b) {
  c = mfma<T, T, 16, 16, 32>(a, b, c);
}

// One 16x16 block, 128 deep. gfx942 has no such instruction: four 16x16x32 take 8 of the lane's 32 bytes
// each. They meet the k of mfma_16x16x128_operand in another order, but the same for A and for B, so the sum
// has the same terms.
template <class T>
WT_DEVICE void mma_ABt(f32x4 &c, i32x8 a, i32x8 b) {
  if constexpr (has_mfma<T, T, 16, 16, 128>) {
    c = mfma<T, T, 16, 16, 128>(__builtin_bit_cast(u32x8, a), __builtin_bit_cast(u32x8, b), c);
  } else {
    struct quarters {
      u32x2 part[4];
    };
    const quarters qa = __builtin_bit_cast(quarters, a), qb = __builtin_bit_cast(quarters, b);
#pragma unroll
    for (int i = 0; i < 4; ++i) c = mfma<T, T, 16, 16, 32>(qa.part[i], qb.part[i], c);
  }
}

// An I x J arrangement of blocks.
template <class T, class Operand, int I, int J>
WT_DEVICE void mma_ABt(f32x4 (&c)[I][J], const Operand (&a)[I], const Operand (&b)[J]) {
#pragma unroll
  for (int i = 0; i < I; ++i) {
#pragma unroll
    for (int j = 0; j < J; ++j) mma_ABt<T>(c[i][j], a[i], b[j]);
  }
}

}  // namespace wt

#endif
