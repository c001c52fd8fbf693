// SPDX-License-Identifier: MIT
// This header has the element types of matrices, their sizes, and the register vectors they travel in.
#ifndef WT_TILES_TYPES_H
#define WT_TILES_TYPES_H

#include "compiler.h"
#include "target.h"

namespace wt {

// These are the element types that C++ knows.
using f32 = float;
using f16 = _Float16;
using bf16 = __bf16;
using i8 = signed char;
using i32 = int;

// These are narrow floats. gfx950 reads the 8-bit ones in the OCP encodings, gfx942 in the FNUZ encodings;
// byte 0 is zero in both. The 6- and 4-bit ones (OCP MX: E2M3, E3M2, E2M1) and their E8M0 block scales exist
// on gfx950 only, and only packed: one `bits` holds one element here, a register vector holds 32 / kBits of
// them per dword.
struct fp8e4m3 {
  unsigned char bits;
};
struct fp8e5m2 {
  unsigned char bits;
};
struct fp6e2m3 {
  unsigned char bits;
};
struct fp6e3m2 {
  unsigned char bits;
};
struct fp4e2m1 {
  unsigned char bits;
};
struct e8m0 {
  unsigned char bits;
};

// This stands for the number of a register that the compiler chooses.
constexpr int kAnyRegister = -1;

// Holds when T is one of the types Us.
template <class T, class... Us>
constexpr bool is_one_of = (__is_same(T, Us) || ...);

// Hold for the 8-, 6- and 4-bit floats.
template <class T>
constexpr bool is_fp8 = is_one_of<T, fp8e4m3, fp8e5m2>;
template <class T>
constexpr bool is_fp6 = is_one_of<T, fp6e2m3, fp6e3m2>;
template <class T>
constexpr bool is_fp4 = is_one_of<T, fp4e2m1>;

// These are the bits of one element as it lies in memory and in registers.
template <class T>
constexpr int kBits = is_fp4<T>   ? 4
                      : is_fp6<T> ? 6
                                  : 8 * static_cast<int>(sizeof(T));

// `type` is the type in which products of T are summed: i32 for i8, f64 for f64, f32 for all others.
template <class T>
struct sum_of {
  using type = f32;
};
template <>
struct sum_of<i8> {
  using type = i32;
};
// This is sum_of<T>::type.
template <class T>
using sum_t = typename sum_of<T>::type;

// These are register vectors. They are may_alias because they carry elements of any type to and from memory.
using u8 = unsigned char __attribute__((may_alias));
using u16 = unsigned short __attribute__((may_alias));
using u32 = unsigned int __attribute__((may_alias));
using u64 = unsigned long long __attribute__((may_alias));
using u32x2 = unsigned int __attribute__((ext_vector_type(2), may_alias));
using u32x3 = unsigned int __attribute__((ext_vector_type(3), may_alias));
using u32x4 = unsigned int __attribute__((ext_vector_type(4), may_alias));
using u32x6 = unsigned int __attribute__((ext_vector_type(6)));
using u32x8 = unsigned int __attribute__((ext_vector_type(8)));
using f32x2 = float __attribute__((ext_vector_type(2)));
using f32x4 = float __attribute__((ext_vector_type(4)));
using f32x16 = float __attribute__((ext_vector_type(16)));
using f32x32 = float __attribute__((ext_vector_type(32)));
using i32x4 = int __attribute__((ext_vector_type(4)));
using i32x8 = int __attribute__((ext_vector_type(8)));
using i32x16 = int __attribute__((ext_vector_type(16)));
using i32x32 = int __attribute__((ext_vector_type(32)));
using i16x2 = short __attribute__((ext_vector_type(2)));
using f16x2 = f16 __attribute__((ext_vector_type(2)));
using f16x4 = f16 __attribute__((ext_vector_type(4)));
using f16x8 = f16 __attribute__((ext_vector_type(8)));
using bf16x2 = bf16 __attribute__((ext_vector_type(2)));
using bf16x4 = bf16 __attribute__((ext_vector_type(4)));
using bf16x8 = bf16 __attribute__((ext_vector_type(8)));
// This is a vector of N elements of T in registers.
template <class T, int N>
using vector = T __attribute__((ext_vector_type(N)));

// `type` is the registers that hold N elements of T of one lane: a vector of T where the language has one,
// else packed dwords with the first element in the lowest bits.
template <class T, int N>
struct registers_of {
  static_assert(N * kBits<T> % 32 == 0, "a lane's elements must fill whole registers: hold more of them");
  static constexpr int kCount = N * kBits<T> / 32;
  using type = unsigned int __attribute__((ext_vector_type(kCount)));
};
template <int N>
struct registers_of<f32, N> {
  using type = f32 __attribute__((ext_vector_type(N)));
};
template <int N>
struct registers_of<i32, N> {
  using type = i32 __attribute__((ext_vector_type(N)));
};
template <int N>
struct registers_of<f16, N> {
  using type = f16 __attribute__((ext_vector_type(N)));
};
template <int N>
struct registers_of<bf16, N> {
  using type = bf16 __attribute__((ext_vector_type(N)));
};
// This is registers_of<T, N>::type.
template <class T, int N>
using registers = typename registers_of<T, N>::type;

}  // namespace wt

#endif
