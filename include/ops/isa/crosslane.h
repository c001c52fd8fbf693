// SPDX-License-Identifier: MIT
// The lanes of a wave exchange values: single lanes, votes, arbitrary exchange through the LDS network (which
// uses no LDS), and the swaps of gfx950. Within rows of 16 lanes, dpp.h is cheaper.
//
// scope: wave; operands: a value of 4 bytes per lane; leaves: none; waits: nobody; LDS: none; registers:
// none; chips: both
#ifndef WT_OPS_ISA_CROSSLANE_H
#define WT_OPS_ISA_CROSSLANE_H

#include "../../tiles/types.h"

namespace wt {

namespace detail {
// Clang has no builtin for this intrinsic; the name reaches it all the same.
__attribute__((device)) int writelane(int value, int lane, int old) __asm("llvm.amdgcn.writelane.i32");

template <class T>
WT_DEVICE int lane_bits(T value) {
  static_assert(sizeof(T) == 4, "lanes exchange 4 bytes: move larger values in parts, widen smaller ones");
  return __builtin_bit_cast(int, value);
}
}  // namespace detail

// ---- one lane
// Returns the value of lane number `lane`, which must be the same in all lanes.
template <class T>
WT_DEVICE T readlane(T value, int lane) {
  return __builtin_bit_cast(T, __builtin_amdgcn_readlane(detail::lane_bits(value), lane));
}
// Returns the value of the first active lane, in a scalar register. It tells the compiler that the value is
// uniform.
template <class T>
WT_DEVICE T readfirstlane(T value) {
  return __builtin_bit_cast(T, __builtin_amdgcn_readfirstlane(detail::lane_bits(value)));
}
// Returns `vector` with `value` put into lane number `lane`; both must be the same in all lanes.
template <class T>
WT_DEVICE T writelane(T vector, T value, int lane) {
  return __builtin_bit_cast(T, detail::writelane(detail::lane_bits(value), lane, detail::lane_bits(vector)));
}

// ---- votes of the active lanes
// Return in which active lanes the condition holds (bit l for lane l), and whether it holds in any or in all.
WT_DEVICE unsigned long ballot(bool condition) { return __builtin_amdgcn_ballot_w64(condition); }
WT_DEVICE bool any_lane(bool condition) { return ballot(condition) != 0; }
WT_DEVICE bool all_lanes(bool condition) { return ballot(!condition) == 0; }

// ---- any lane to any lane
// Returns the value that lane number `from` holds.
//
// leaves: lgkmcnt; waits: compiler
template <class T>
WT_DEVICE T ds_bpermute(int from, T value) {
  return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(from * 4, detail::lane_bits(value)));
}
// Sends this lane's value to lane number `to`. When several lanes send to one, the highest of them wins; a
// lane that gets no value gets 0.
//
// leaves: lgkmcnt; waits: compiler
template <class T>
WT_DEVICE T ds_permute(int to, T value) {
  return __builtin_bit_cast(T, __builtin_amdgcn_ds_permute(to * 4, detail::lane_bits(value)));
}

// Returns the pattern of ds_swizzle in which lane i of 32 reads lane ((i & and_mask) | or_mask) ^ xor_mask
// (CDNA4 ISA, DS_SWIZZLE_B32).
constexpr int swizzle_bits(int and_mask, int or_mask, int xor_mask) {
  return and_mask | or_mask << 5 | xor_mask << 10;
}
// Returns the pattern of ds_swizzle in which the lanes of each four read lanes a, b, c, d of the four.
constexpr int swizzle_quad(int a, int b, int c, int d) { return 0x8000 | a | b << 2 | c << 4 | d << 6; }
// Returns the value of the lane that Pattern names: a fixed exchange within 32 lanes or within four.
//
// leaves: lgkmcnt; waits: compiler
template <int Pattern, class T>
WT_DEVICE T ds_swizzle(T value) {
  static_assert(Pattern >= 0 && Pattern < 0x8100,
                "no such exchange: form the pattern with swizzle_bits or swizzle_quad");
  return __builtin_bit_cast(T, __builtin_amdgcn_ds_swizzle(detail::lane_bits(value), Pattern));
}

// ---- swaps (gfx950)
// Swaps lanes 32-63 of `a` with lanes 0-31 of `b`.
//
// chips: gfx950
template <class T>
WT_DEVICE void permlane32_swap(T &a, T &b) {
  static_assert(target::kGfx950, "gfx942 has no permlane32_swap: use ds_bpermute");
  if constexpr (target::kGfx950) {
    const auto swapped =
        __builtin_amdgcn_permlane32_swap(static_cast<unsigned>(detail::lane_bits(a)),
                                         static_cast<unsigned>(detail::lane_bits(b)), false, false);
    a = __builtin_bit_cast(T, static_cast<unsigned>(swapped[0]));
    b = __builtin_bit_cast(T, static_cast<unsigned>(swapped[1]));
  }
}
// Swaps rows 1 and 3 of `a` with rows 0 and 2 of `b`, a row being 16 lanes.
//
// chips: gfx950
template <class T>
WT_DEVICE void permlane16_swap(T &a, T &b) {
  static_assert(target::kGfx950, "gfx942 has no permlane16_swap: use ds_bpermute or ds_swizzle");
  if constexpr (target::kGfx950) {
    const auto swapped =
        __builtin_amdgcn_permlane16_swap(static_cast<unsigned>(detail::lane_bits(a)),
                                         static_cast<unsigned>(detail::lane_bits(b)), false, false);
    a = __builtin_bit_cast(T, static_cast<unsigned>(swapped[0]));
    b = __builtin_bit_cast(T, static_cast<unsigned>(swapped[1]));
  }
}

// Do so with element I of two vectors of u32.
//
// chips: gfx950
template <int I, class V>
WT_DEVICE void permlane32_swap(V &a, V &b) {
  static_assert(target::kGfx950, "gfx942 has no permlane32_swap: use ds_bpermute");
  if constexpr (target::kGfx950) {
    const auto swapped = __builtin_amdgcn_permlane32_swap(a[I], b[I], false, false);
    a[I] = swapped[0], b[I] = swapped[1];
  }
}
template <int I, class V>
WT_DEVICE void permlane16_swap(V &a, V &b) {
  static_assert(target::kGfx950, "gfx942 has no permlane16_swap: use ds_bpermute or ds_swizzle");
  if constexpr (target::kGfx950) {
    const auto swapped = __builtin_amdgcn_permlane16_swap(a[I], b[I], false, false);
    a[I] = swapped[0], b[I] = swapped[1];
  }
}

}  // namespace wt

#endif
