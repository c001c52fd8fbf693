// SPDX-License-Identifier: MIT
// MFMA on pinned registers, as inline assembly: the accumulator is tied to its place, which the register
// allocator can neither move nor split into operand and result.
//
// The compiler sees no MFMA here and inserts no wait states for it. What must be true around these:
// operands come from loads (waited for), not from VALU instructions right before; the result is read by
// nothing but MFMAs of the same shape until mfma_result_wait.
#ifndef WT_OPS_ISA_MFMA_PINNED_H
#define WT_OPS_ISA_MFMA_PINNED_H

#include "mfma.h"

#if !__has_extension(gnu_asm_constexpr_strings)
#error "wavetile's device headers name registers in inline assembly by constant expressions: use clang >= 21"
#endif

namespace wt {
namespace detail {

// Text made while compiling, in the form that inline assembly takes.
struct asm_text {
  char text[96] = {};
  int length = 0;
  constexpr const char *data() const { return text; }
  constexpr __SIZE_TYPE__ size() const { return static_cast<__SIZE_TYPE__>(length); }
  constexpr void add(const char *more) {
    while (*more) text[length++] = *more++;
  }
  constexpr void add(int number) {
    if (number >= 10) add(number / 10);
    text[length++] = static_cast<char>('0' + number % 10);
  }
};

template <class T>
constexpr const char *kMfmaTypeName = __is_same(T, f16)       ? "f16"
                                      : __is_same(T, bf16)    ? "bf16"
                                      : __is_same(T, f32)     ? "f32"
                                      : __is_same(T, i8)      ? "i8"
                                      : __is_same(T, fp8e4m3) ? "fp8"
                                                              : "bf8";

// "v_mfma_f32_16x16x32_bf16 %0, %1, %2, %0": the names as LLVM's assembler has them for gfx942 and gfx950.
// FromZero: to a * b, whatever %0 held.
template <class A, class B, int M, int N, int K, bool FromZero = false>
constexpr asm_text mfma_text() {
  constexpr int kFormats[2] = {kNarrowFormat<A>, kNarrowFormat<B>};
  asm_text text;
  text.add(__is_same(sum_t<A>, i32) ? "v_mfma_i32_" : "v_mfma_f32_");
  text.add(M), text.add("x"), text.add(N), text.add("x");
  if (K >= 100) text.add(K / 100), text.add(K / 10 % 10), text.add(K % 10);
  if (K < 100) text.add(K);
  text.add("_");
  if (is_f8f6f4<A, B, K>) {
    text.add(FromZero ? "f8f6f4 %0, %1, %2, 0" : "f8f6f4 %0, %1, %2, %0");
    if (kFormats[0] != 0) text.add(" cbsz:"), text.add(kFormats[0]);
    if (kFormats[1] != 0) text.add(" blgp:"), text.add(kFormats[1]);
  } else {
    text.add(kMfmaTypeName<A>);
    if (is_fp8<A>) text.add("_"), text.add(kMfmaTypeName<B>);
    text.add(FromZero ? " %0, %1, %2, 0" : " %0, %1, %2, %0");
  }
  return text;
}

// Where an operand of inline assembly is to be: a register file, or registers from a number on. A negative
// number leaves the choice to the compiler. `role`: "+" for result and operand in one, "=&" for a result that
// shares no register with an operand, nothing for an operand.
constexpr asm_text register_constraint(bool agpr, int first, int count, const char *role) {
  asm_text text;
  text.add(role);
  if (first >= 0) {
    text.add(agpr ? "{a" : "{v");
    if (count > 1) text.add("[");
    text.add(first);
    if (count > 1) text.add(":"), text.add(first + count - 1), text.add("]");
    text.add("}");
  } else {
    text.add(agpr ? "a" : "v");
  }
  return text;
}

// Inline assembly takes no vectors of one element.
template <class V>
WT_DEVICE auto asm_operand(V value) {
  if constexpr (sizeof(V) == 4) {
    return __builtin_bit_cast(unsigned, value);
  } else {
    return value;
  }
}

}  // namespace detail

// A place for inline assembly: File is true for AGPRs, First a register number or negative.
template <bool Agpr, int First = -1>
struct register_place {
  template <class V>
  static constexpr detail::asm_text constraint(const char *role) {
    return detail::register_constraint(Agpr, First, static_cast<int>(sizeof(V)) / 4, role);
  }
};

// c += a * b, each in its place; FromZero: c = a * b.
template <class A, class B, int M, int N, int K, class PlaceC, class PlaceA = register_place<false>,
          class PlaceB = register_place<false>, bool FromZero = false>
WT_DEVICE void mfma_pinned(mfma_operand<A, M, K> a, mfma_operand<B, N, K> b, mfma_result<A, M, N> &c) {
  static_assert(is_one_of<A, f16, bf16, f32, i8, fp8e4m3, fp8e5m2>,
                "mfma_pinned multiplies f16, bf16, f32, i8 and 8-bit floats: use mfma for other types");
  if constexpr (detail::check_mfma<A, B, M, N, K, 1>()) {
    if constexpr (FromZero) {
      // A result that overlaps an operand in part is not defined (CDNA4 ISA 7.1, dependencies of MFMA).
      asm volatile((detail::mfma_text<A, B, M, N, K, true>())
                   : (PlaceC::template constraint<mfma_result<A, M, N>>("=&"))(c)
                   : (PlaceA::template constraint<mfma_operand<A, M, K>>(""))(detail::asm_operand(a)),
                     (PlaceB::template constraint<mfma_operand<B, N, K>>(""))(detail::asm_operand(b)));
    } else {
      asm volatile((detail::mfma_text<A, B, M, N, K>())
                   : (PlaceC::template constraint<mfma_result<A, M, N>>("+"))(c)
                   : (PlaceA::template constraint<mfma_operand<A, M, K>>(""))(detail::asm_operand(a)),
                     (PlaceB::template constraint<mfma_operand<B, N, K>>(""))(detail::asm_operand(b)));
    }
  }
}

// The wait states after which any MFMA's result may be read by any instruction: 20 after one of 16 passes on
// gfx950, the longest (CDNA4 ISA, table 38).
WT_DEVICE void mfma_result_wait() { asm volatile("s_nop 15\n\ts_nop 3"); }

// The value is in its place at this point of the program, and what uses it below stays below; no instruction.
template <class Place, class V>
WT_DEVICE void keep_in_place(V &value) {
  asm volatile("" : (Place::template constraint<V>("+"))(value));
}

}  // namespace wt

#endif
