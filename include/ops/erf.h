// SPDX-License-Identifier: MIT
// This header has the error function, erf(x) = 2 / sqrt(pi) * integral of exp(-t^2) from 0 to x: of a number,
// of each element of a register vector, and of whole tiles and vectors. The GELU of its definition is x / 2 *
// (1 + erf(x / sqrt(2))); functions.h has the tanh form.
//
// scope: lane; operands: f32, a vector of f32, or rt and rv of f32, f16 and bf16; leaves: none; waits:
// nobody; LDS: none; registers: 4; chips: both
#ifndef WT_OPS_ERF_H
#define WT_OPS_ERF_H

#include "define_maps.h"
#include "functions.h"
#include "map.h"

namespace wt {

// Returns erf(x) within 2 ulp of f32 for every f32; it is +-1 from 4 on, where erf rounds to that. It keeps
// the sign of zero and is NaN for NaN. Below 1 it is x + x * P(x^2), above 1 - 2^Q(|x|), where P and Q are
// minimax fits made for this file, with relative errors of 2^-29 (of erf) and 2^-35 (of 1 - erf).
template <real V>
WT_DEVICE V erf(V x) {
  return each(
      [](f32 v) WT_INLINE {
        constexpr f32 kMost = 4.0f;
        const f32 magnitude = abs(v), square = v * v;
        f32 p = 0x1.496a30p-14f;
        p = __builtin_fmaf(p, square, -0x1.a3f700p-11f);
        p = __builtin_fmaf(p, square, 0x1.5405b2p-8f);
        p = __builtin_fmaf(p, square, -0x1.b7f90cp-6f);
        p = __builtin_fmaf(p, square, 0x1.ce2cf8p-4f);
        p = __builtin_fmaf(p, square, -0x1.81273ep-2f);
        p = __builtin_fmaf(p, square, 0x1.06eba8p-3f);
        const f32 inner = __builtin_fmaf(p, v, v);
        const f32 at = magnitude > kMost ? kMost : magnitude;  // a NaN stays one
        f32 q = -0x1.067518p-15f;
        q = __builtin_fmaf(q, at, 0x1.4dd208p-11f);
        q = __builtin_fmaf(q, at, -0x1.8d88c2p-8f);
        q = __builtin_fmaf(q, at, 0x1.29eccep-5f);
        q = __builtin_fmaf(q, at, -0x1.405674p-3f);
        q = __builtin_fmaf(q, at, -0x1.d3bbf0p-1f);
        q = __builtin_fmaf(q, at, -0x1.a12fe6p+0f);
        q = __builtin_fmaf(q, at, 0x1.1c74f2p-12f);
        const f32 outer = 1.0f - exp2(q);
        return magnitude < 1.0f ? inner : __builtin_copysignf(outer, v);
      },
      x);
}

// Does the same for tiles and vectors of f32, f16 and bf16: to = erf(from) of each element. 16-bit types are
// computed in f32 and rounded once.
WT_UNARY_MAP(erf, floats)

}  // namespace wt

#endif
