// SPDX-License-Identifier: MIT
// This header has MFMA on pinned registers, as inline assembly: the accumulator is tied to its place, so the
// register allocator can neither move it nor split it into operand and result.
//
// The compiler sees no MFMA here and inserts no wait states for it. So two things must hold around these:
// operands come from loads (waited for), not from vector instructions right before; and nothing but MFMAs of
// the same shape reads the result until mfma_result_wait.
#ifndef WT_OPS_ISA_MFMA_PINNED_H
#define WT_OPS_ISA_MFMA_PINNED_H

#include "asm_text.h"
#include "mfma.h"

#if !__has_extension(gnu_asm_constexpr_strings)
#error "wavetile's device headers name registers in inline assembly by constant expressions: use clang >= 21"
#endif

namespace wt {

// This says what an MFMA adds its product to: what the accumulator holds, or zero, whatever it holds.
enum class addend { accumulator, zero };

// This names one half of the register file.
enum class register_kind { vgpr, agpr };

namespace detail {

template <class T>
constexpr const char *kMfmaTypeName = __is_same(T, f16)       ? "f16"
                                      : __is_same(T, bf16)    ? "bf16"
                                      : __is_same(T, f32)     ? "f32"
                                      : __is_same(T, i8)      ? "i8"
                                      : __is_same(T, fp8e4m3) ? "fp8"
                                                              : "bf8";

// This stands for the number of a byte of scales where an MFMA takes none.
constexpr int kNoScaleByte = -1;

// Returns the instruction, such as "v_mfma_f32_16x16x32_bf16 %0, %1, %2, %0", in the names of LLVM's
// assembler for gfx942 and gfx950. Added to zero, the product replaces %0. With byte numbers it takes scales,
// of A from byte ByteA of %3 and of B from byte ByteB of %4.
template <class A, class B, int M, int N, int K, addend To = addend::accumulator, int ByteA = kNoScaleByte,
          int ByteB = kNoScaleByte>
constexpr asm_text<> mfma_text() {
  constexpr bool kScaled = ByteA != kNoScaleByte;
  constexpr int kFormats[2] = {kNarrowFormat<A>, kNarrowFormat<B>};
  asm_text<> text;
  text.add(kScaled ? "v_mfma_scale_f32_" : __is_same(sum_t<A>, i32) ? "v_mfma_i32_" : "v_mfma_f32_");
  text.add(M), text.add("x"), text.add(N), text.add("x");
  if (K >= 100) text.add(K / 100), text.add(K / 10 % 10), text.add(K % 10);
  if (K < 100) text.add(K);
  text.add("_");
  if (is_f8f6f4<A, B, K>) {
    text.add(To == addend::zero ? "f8f6f4 %0, %1, %2, 0" : "f8f6f4 %0, %1, %2, %0");
    if (kScaled) {
      text.add(", %3, %4 op_sel:["), text.add(ByteA & 1), text.add(","), text.add(ByteB & 1);
      text.add(",0] op_sel_hi:["), text.add(ByteA >> 1), text.add(","), text.add(ByteB >> 1);
      text.add(",0]");
    }
    if (kFormats[0] != 0) text.add(" cbsz:"), text.add(kFormats[0]);
    if (kFormats[1] != 0) text.add(" blgp:"), text.add(kFormats[1]);
  } else {
    text.add(kMfmaTypeName<A>);
    if (is_fp8<A>) text.add("_"), text.add(kMfmaTypeName<B>);
    text.add(To == addend::zero ? " %0, %1, %2, 0" : " %0, %1, %2, %0");
  }
  return text;
}

// Returns where an operand of inline assembly is to be: in a register file, or in registers from a number on,
// which may be kAnyRegister. `role` is "+" for result and operand in one, "=&" for
// a result that shares no register with an operand, and empty for an operand.
constexpr asm_text<> register_constraint(register_kind file, int first, int count, const char *role) {
  asm_text<> text;
  text.add(role);
  if (first != kAnyRegister) {
    text.add(file == register_kind::agpr ? "{a" : "{v");
    if (count > 1) text.add("[");
    text.add(first);
    if (count > 1) text.add(":"), text.add(first + count - 1), text.add("]");
    text.add("}");
  } else {
    text.add(file == register_kind::agpr ? "a" : "v");
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

// This is a place for inline assembly: a half of the register file, and there the first register's number.
template <register_kind File, int First = kAnyRegister>
struct register_place {
  template <class V>
  static constexpr detail::asm_text<> constraint(const char *role) {
    return detail::register_constraint(File, First, static_cast<int>(sizeof(V)) / 4, role);
  }
};

// Adds a * b to c, each in its place, or to zero, which sets c. Nothing but MFMAs of the same shape may
// read c before mfma_result_wait.
//
// scope: wave; operands: operand for A and B, accumulator for C, in their places; leaves: none; waits:
// caller; LDS: none; registers: none; chips: both
template <class A, class B, int M, int N, int K, class PlaceC,
          class PlaceA = register_place<register_kind::vgpr>,
          class PlaceB = register_place<register_kind::vgpr>, addend To = addend::accumulator>
WT_DEVICE void mfma_pinned(mfma_operand<A, M, K> a, mfma_operand<B, N, K> b, mfma_result<A, M, N> &c) {
  static_assert(is_one_of<A, f16, bf16, f32, i8, fp8e4m3, fp8e5m2>,
                "mfma_pinned multiplies f16, bf16, f32, i8 and 8-bit floats: use mfma for other types");
  if constexpr (detail::check_mfma<A, B, M, N, K, 1>()) {
    if constexpr (To == addend::zero) {
      // A result that overlaps an operand in part is not defined (CDNA4 ISA 7.1, dependencies of MFMA).
      asm volatile((detail::mfma_text<A, B, M, N, K, addend::zero>())
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

// Does the same with E8M0 scales, as mfma_scaled does (mfma.h): byte ByteA of scale_a, byte ByteB of scale_b.
//
// scope: wave; operands: operand for A and B, accumulator for C, in their places, a register of scales each;
// leaves: none; waits: caller; LDS: none; registers: none; chips: gfx950
template <class A, class B, int M, int N, int K, int ByteA, int ByteB, class PlaceC,
          class PlaceA = register_place<register_kind::vgpr>,
          class PlaceB = register_place<register_kind::vgpr>, addend To = addend::accumulator>
WT_DEVICE void mfma_scaled_pinned(mfma_operand<A, M, K> a, mfma_operand<B, N, K> b, mfma_result<A, M, N> &c,
                                  u32 scale_a, u32 scale_b) {
  static_assert(detail::is_f8f6f4<A, B, K>,
                "mfma_scaled_pinned multiplies narrow floats in 16x16x128 or 32x32x64: apply scales of other "
                "types to C");
  static_assert(ByteA >= 0 && ByteA < 4 && ByteB >= 0 && ByteB < 4,
                "a scale register holds bytes 0 to 3: choose ByteA and ByteB among them");
  if constexpr (detail::check_mfma<A, B, M, N, K, 1>()) {
    if constexpr (To == addend::zero) {
      asm volatile((detail::mfma_text<A, B, M, N, K, addend::zero, ByteA, ByteB>())
                   : (PlaceC::template constraint<mfma_result<A, M, N>>("=&"))(c)
                   : (PlaceA::template constraint<mfma_operand<A, M, K>>(""))(detail::asm_operand(a)),
                     (PlaceB::template constraint<mfma_operand<B, N, K>>(""))(detail::asm_operand(b)),
                     "v"(scale_a), "v"(scale_b));
    } else {
      asm volatile((detail::mfma_text<A, B, M, N, K, addend::accumulator, ByteA, ByteB>())
                   : (PlaceC::template constraint<mfma_result<A, M, N>>("+"))(c)
                   : (PlaceA::template constraint<mfma_operand<A, M, K>>(""))(detail::asm_operand(a)),
                     (PlaceB::template constraint<mfma_operand<B, N, K>>(""))(detail::asm_operand(b)),
                     "v"(scale_a), "v"(scale_b));
    }
  }
}

// Waits for the wait states after which any instruction may read any MFMA's result: 20 after one of 16 passes
// on gfx950, which is the longest (CDNA4 ISA, table 38).
//
// scope: wave; operands: none; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
WT_DEVICE void mfma_result_wait() { asm volatile("s_nop 15\n\ts_nop 3"); }

// Returns a value that is in an AGPR in a VGPR.
//
// scope: lane; operands: a value of one register; leaves: none; waits: nobody; LDS: none; registers: 1;
// chips: both
template <class V>
WT_DEVICE V agpr_read(V value) {
  static_assert(sizeof(V) == 4, "agpr_read reads one register: read the elements of a larger value");
  V read;
  asm volatile("v_accvgpr_read_b32 %0, %1" : "=v"(read) : "a"(value));
  return read;
}

// Makes sure that the value is in its place at this point of the program, and that what uses it below is not
// moved above. It emits no instruction.
//
// scope: wave; operands: a value of whole registers; leaves: none; waits: nobody; LDS: none; registers: none;
// chips: both
template <class Place, class V>
WT_DEVICE void keep_in_place(V &value) {
  asm volatile("" : (Place::template constraint<V>("+"))(value));
}

}  // namespace wt

#endif
