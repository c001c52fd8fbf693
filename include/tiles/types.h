// SPDX-License-Identifier: MIT
// Element types of matrices, and the register vectors they travel in.
#ifndef WT_TILES_TYPES_H
#define WT_TILES_TYPES_H

#include "target.h"

namespace wt {

// 8-bit floats. gfx950 reads them in the OCP encodings, gfx942 in the FNUZ encodings; in both, byte 0 is
// zero.
struct fp8e4m3 {
  unsigned char bits;
};
struct fp8e5m2 {
  unsigned char bits;
};
using bf16 = __bf16;

// Register vectors. may_alias: they carry elements of any type to and from memory.
using u32 = unsigned int __attribute__((may_alias));
using u32x2 = unsigned int __attribute__((ext_vector_type(2), may_alias));
using u32x4 = unsigned int __attribute__((ext_vector_type(4), may_alias));
using f32x2 = float __attribute__((ext_vector_type(2)));
using f32x4 = float __attribute__((ext_vector_type(4)));
using i32x8 = int __attribute__((ext_vector_type(8)));

template <class T>
constexpr bool is_fp8 = false;
template <>
inline constexpr bool is_fp8<fp8e4m3> = true;
template <>
inline constexpr bool is_fp8<fp8e5m2> = true;

}  // namespace wt

#endif
