// SPDX-License-Identifier: MIT
// This header takes parts of vectors, which are consecutive elements, out of them or replaces them, by one
// shuffle each. A loop over the elements gives the same instructions, but costs the compiler many times the
// work.
//
// scope: lane; operands: vectors; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
#ifndef WT_OPS_VECTOR_PART_H
#define WT_OPS_VECTOR_PART_H

#include "list.h"

namespace wt {
namespace detail {

template <class V>
constexpr int kElementsOf = 1;
template <class T, int N>
constexpr int kElementsOf<T __attribute__((ext_vector_type(N)))> = N;

template <class Part, int First, class Whole, int... I>
WT_DEVICE Part shuffled_part(Whole whole, indices<int, I...>) {
  return __builtin_shufflevector(whole, whole, First + I...);
}

// Shuffles take vectors of one size, so the part is widened first.
template <int First, int Count, class Whole, class Part, int... I>
WT_DEVICE Whole with_part(Whole whole, Part part, indices<int, I...>) {
  return __builtin_shufflevector(
      whole, __builtin_shufflevector(part, part, (I < Count ? I : -1)...),
      (I < First || I >= First + Count ? I : static_cast<int>(sizeof...(I)) + I - First)...);
}

}  // namespace detail

// Returns elements First, First + 1, ... of a vector, as many as the vector type Part has. It emits no
// instruction of its own.
template <class Part, int First, class Whole>
WT_DEVICE Part vector_part(Whole whole) {
  static constexpr int kCount = detail::kElementsOf<Part>;
  static_assert(First >= 0 && First + kCount <= detail::kElementsOf<Whole>,
                "the part reaches past the vector: choose an earlier first element, or a shorter part");
  return detail::shuffled_part<Part, First>(whole, __make_integer_seq<indices, int, kCount>{});
}

// Replaces the elements First, First + 1, ... of a vector by those of `part`. It emits no instruction
// of its own.
template <int First, class Whole, class Part>
WT_DEVICE void put_part(Whole &whole, Part part) {
  static constexpr int kCount = detail::kElementsOf<Part>, kAll = detail::kElementsOf<Whole>;
  static_assert(First >= 0 && First + kCount <= kAll,
                "the part reaches past the vector: choose an earlier first element, or a shorter part");
  whole = detail::with_part<First, kCount>(whole, part, __make_integer_seq<indices, int, kAll>{});
}

}  // namespace wt

#endif
