// SPDX-License-Identifier: MIT
// A list of micro-ops is what an operation on tiles does, instruction by instruction, for a schedule to
// place.
//
// scope: wave; operands: lists; leaves: what its micro-ops leave; waits: as its micro-ops ask; LDS: none;
// registers: none; chips: both
#ifndef WT_OPS_LIST_H
#define WT_OPS_LIST_H

#include "../tiles/target.h"

namespace wt {

// This is a number that is known while compiling, as an argument: it may index registers.
template <int I>
struct index {
  static constexpr int value = I;
  consteval operator int() const { return I; }
};

// These are the numbers I... of a sequence; each(f) calls f(index<I>{}) for all of them.
template <class T, T... I>
struct indices {
  // Calls f with each of the numbers.
  template <class F>
  WT_DEVICE static void each(const F &f) {
    (f(index<I>{}), ...);
  }
};

// Calls f(index<0>{}), ..., f(index<N - 1>{}), always unrolled. A few calls stand in the function itself:
// another one between it and f takes the compiler longer.
template <int N, class F>
WT_DEVICE void unrolled(const F &f) {
  if constexpr (N <= 4) {
    if constexpr (N > 0) f(index<0>{});
    if constexpr (N > 1) f(index<1>{});
    if constexpr (N > 2) f(index<2>{});
    if constexpr (N > 3) f(index<3>{});
  } else {
    __make_integer_seq<indices, int, N>::each(f);
  }
}

// This is a list of Size micro-ops, of which issue<I>() emits number I. Lists refer to the tiles they were
// made from.
template <int Size, class F>
struct op_list {
  static constexpr int kSize = Size;
  F f;

  // Emits micro-op number I.
  template <int I>
  WT_DEVICE void issue() const {
    static_assert(I >= 0 && I < Size, "the list has fewer micro-ops: see kSize");
    f(index<I>{});
  }
};

// Returns the list whose micro-op number I is f(index<I>{}).
template <int Size, class F>
WT_DEVICE op_list<Size, F> list_of(const F &f) {
  return {f};
}

// This is the function of a list without micro-ops.
struct no_micro_ops {
  template <class I>
  WT_DEVICE void operator()(I) const {}
};

// Returns both lists, one after the other.
template <int M, class F, int N, class G>
WT_DEVICE auto operator+(const op_list<M, F> &first, const op_list<N, G> &second) {
  return list_of<M + N>([=](auto i) WT_INLINE {
    if constexpr (i < M) {
      first.f(i);
    } else {
      second.f(index<i - M>{});
    }
  });
}

// Returns the list whose micro-op number I is that of one list and then that of the other, of equal size.
template <int Size, class F, class G>
WT_DEVICE auto alongside(const op_list<Size, F> &first, const op_list<Size, G> &second) {
  return list_of<Size>([=](auto i) WT_INLINE {
    first.f(i);
    second.f(i);
  });
}

namespace detail {
// Returns how many of the first `at` micro-ops of two woven lists, of M and N, belong to the first list: its
// number n stands behind n * N / M of the second.
template <int M, int N>
consteval int woven_before(int at) {
  int count = 0;
  while (count < M && count + count * N / M < at) ++count;
  return count;
}
}  // namespace detail

// Returns both lists as one, in which the micro-ops of `second` stand evenly behind those of `first`.
template <int M, class F, int N, class G>
WT_DEVICE auto woven(const op_list<M, F> &first, const op_list<N, G> &second) {
  return list_of<M + N>([=](auto i) WT_INLINE {
    static constexpr int kAt = decltype(i)::value, kBefore = detail::woven_before<M, N>(kAt);
    if constexpr (kBefore < M && kBefore + kBefore * N / M == kAt) {
      first.f(index<kBefore>{});
    } else {
      second.f(index<kAt - kBefore>{});
    }
  });
}

// Returns the micro-ops From to To - 1 of a list.
template <int From, int To, int Size, class F>
WT_DEVICE auto part_of(const op_list<Size, F> &list) {
  static_assert(From >= 0 && From <= To && To <= Size, "the list has fewer micro-ops: see kSize");
  return list_of<To - From>([list](auto i) WT_INLINE { list.f(index<From + i>{}); });
}

// Returns the parts From to To - 1 of N parts of a list, which follow one another and share its micro-ops
// evenly; and one of them.
template <int From, int To, int N, int Size, class F>
WT_DEVICE auto shares_of(const op_list<Size, F> &list) {
  static_assert(From >= 0 && From <= To && To <= N, "a list's N shares are numbered 0 to N - 1");
  return part_of<From * Size / N, To * Size / N>(list);
}
template <int I, int N, int Size, class F>
WT_DEVICE auto share_of(const op_list<Size, F> &list) {
  return shares_of<I, I + 1, N>(list);
}

// Returns the list N times, one behind the other.
template <int N, int Size, class F>
WT_DEVICE auto repeated(const op_list<Size, F> &list) {
  return list_of<N * Size>([list](auto i) WT_INLINE { list.f(index<i % Size>{}); });
}

// This says whether something is done at a place: how many times.
enum class presence { absent = 0, present = 1 };

// Returns `present` where the condition holds.
consteval presence when(bool condition) { return condition ? presence::present : presence::absent; }

// Returns the list where it is present, else one without micro-ops: only<when(left >= 2)>(copies).
template <presence Here, int Size, class F>
WT_DEVICE op_list<static_cast<int>(Here) * Size, F> only(const op_list<Size, F> &list) {
  return {list.f};
}

// Issues the whole list at once.
template <int Size, class F>
WT_DEVICE void issue_all(const op_list<Size, F> &list) {
  unrolled<Size>(list.f);
}

namespace detail {
template <int From, int... N, class F>
WT_DEVICE void issue_range(indices<int, N...>, const F &f) {
  (f(index<From + N>{}), ...);
}
}  // namespace detail

// Issues part I of N parts that follow one another and share the list's micro-ops evenly.
template <int I, int N, int Size, class F>
WT_DEVICE void issue_share(const op_list<Size, F> &list) {
  static_assert(I >= 0 && I < N, "a list's N shares are numbered 0 to N - 1");
  static constexpr int kFrom = I * Size / N, kTo = (I + 1) * Size / N;
  if constexpr (kFrom < kTo) {
    detail::issue_range<kFrom>(__make_integer_seq<indices, int, kTo - kFrom>{}, list.f);
  }
}

}  // namespace wt

#endif
