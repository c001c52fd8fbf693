// SPDX-License-Identifier: MIT
// This header interleaves lists: micro-ops are placed between the MFMAs of another list, slot by slot, and
// held there.
#ifndef WT_SCHED_INTERLEAVE_H
#define WT_SCHED_INTERLEAVE_H

#include "../ops/isa/sync.h"
#include "../ops/list.h"

namespace wt::sched {

// Says which op follows which MFMA. A pattern is text: one word per MFMA, repeated to the end; each digit of
// a word issues the next micro-op of that list (0 is the first one given), a dot issues none. "0 1 0 ."
// places a read, a copy, a read and nothing after four MFMAs when list 0 reads and list 1 copies. The empty
// pattern spreads each list evenly, and list d begins at MFMA d.
template <int N>
struct pattern {
  char text[N] = {};
  consteval pattern(const char (&source)[N]) {
    for (int i = 0; i < N; ++i) text[i] = source[i];
  }
};

// These are the micro-ops that follow each MFMA, in the order of issue.
template <int Slots, int Ops>
struct slot_plan {
  int first[Slots + 1] = {};      // the ops of slot i are first[i] .. first[i + 1] - 1
  int list[Ops ? Ops : 1] = {};   // the list of each op
  int index[Ops ? Ops : 1] = {};  // the number of each op in its list
  bool known = true;              // every digit is the number of a list
  bool complete = false;          // every micro-op has a place
};

// Returns the plan that spreads lists of these sizes evenly over the slots; list 0 ends before slot
// first_ends.
template <int Slots, int Ops, int Lists>
consteval slot_plan<Slots, Ops> plan_evenly(const int (&sizes)[Lists], int first_ends = Slots) {
  slot_plan<Slots, Ops> plan;
  int count = 0;
  for (int slot = 0; slot < Slots; ++slot) {
    plan.first[slot] = count;
    for (int list = 0; list < Lists; ++list) {
      for (int i = 0; i < sizes[list]; ++i) {
        // The slots from the list's first one on are shared evenly. A list that would begin after the last
        // slot begins in it.
        const int start = list < Slots ? list : Slots - 1;
        const int end = list == 0 ? first_ends : Slots;
        if (start + i * (end - start) / sizes[list] == slot) {
          plan.list[count] = list;
          plan.index[count++] = i;
        }
      }
    }
  }
  plan.first[Slots] = count;
  plan.complete = count == Ops;
  return plan;
}

// Returns the plan of a pattern for lists of these sizes.
template <int Slots, int Ops, int Lists, int N>
consteval slot_plan<Slots, Ops> plan_slots(const pattern<N> &pattern, const int (&sizes)[Lists]) {
  if (N == 1) return plan_evenly<Slots, Ops>(sizes);
  slot_plan<Slots, Ops> plan;
  int count = 0, at = 0, used[Lists] = {};
  for (int slot = 0; slot < Slots; ++slot) {
    plan.first[slot] = count;
    for (; pattern.text[at] != ' ' && pattern.text[at] != 0; ++at) {
      if (pattern.text[at] == '.') continue;
      const int list = pattern.text[at] - '0';
      plan.known = plan.known && list >= 0 && list < Lists;
      if (list >= 0 && list < Lists && used[list] < sizes[list]) {
        plan.list[count] = list;
        plan.index[count++] = used[list]++;
      }
    }
    at = pattern.text[at] == 0 ? 0 : at + 1;
  }
  plan.first[Slots] = count;
  plan.complete = count == Ops;
  return plan;
}

// Returns argument number I.
//
// scope: lane; operands: any; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
template <int I, class First, class... Rest>
WT_DEVICE const auto &nth(const First &first, const Rest &...rest) {
  if constexpr (I == 0) {
    return first;
  } else {
    return nth<I - 1>(rest...);
  }
}

namespace detail {
// Nothing moves across a slot's bounds, neither in the compiler's scheduler nor in its register allocator.
template <auto Plan, class Mfmas, class... Lists>
WT_DEVICE void interleave_as(const Mfmas &mfmas, const Lists &...lists) {
  unrolled<Mfmas::kSize>([&](auto slot) WT_INLINE {
    sched_barrier();
    mfmas.template issue<slot>();
    sched_barrier();
    if constexpr (sizeof...(Lists) > 0) {
      unrolled<Plan.first[slot + 1] - Plan.first[slot]>([&](auto i) WT_INLINE {
        constexpr int kOp = Plan.first[slot] + i;
        nth<Plan.list[kOp]>(lists...).template issue<Plan.index[kOp]>();
      });
    }
  });
  sched_barrier();
}
}  // namespace detail

// Issues the MFMAs in order with the micro-ops of the other lists between them, as Pattern says.
//
// scope: wave; operands: lists; leaves: what its lists leave; waits: as its lists ask; LDS: none; registers:
// none; chips: both
template <pattern Pattern = "", class Mfmas, class... Lists>
WT_DEVICE void interleave(const Mfmas &mfmas, const Lists &...lists) {
  constexpr int kLists = sizeof...(Lists), kOps = (Lists::kSize + ... + 0);
  constexpr int kSizes[kLists ? kLists : 1] = {Lists::kSize...};
  constexpr slot_plan<Mfmas::kSize, kOps> kPlan = plan_slots<Mfmas::kSize, kOps>(Pattern, kSizes);
  static_assert(
      kPlan.known,
      "the pattern names a list that is not given: digits count the lists from 0, a dot issues nothing");
  static_assert(
      kPlan.complete || !kPlan.known,
      "the pattern ends before every micro-op is issued: put more digits into it, or leave it empty");
  detail::interleave_as<kPlan>(mfmas, lists...);
}

// Issues the same, every list spread evenly, but the first one over three quarters of the MFMAs: the last
// quarter is the time in which what it reads from LDS can arrive.
//
// scope: wave; operands: lists; leaves: what its lists leave; waits: as its lists ask; LDS: none; registers:
// none; chips: both
template <class Mfmas, class First, class... Lists>
WT_DEVICE void interleave_early(const Mfmas &mfmas, const First &first, const Lists &...lists) {
  constexpr int kSlots = Mfmas::kSize, kSizes[] = {First::kSize, Lists::kSize...};
  constexpr auto kPlan =
      plan_evenly<kSlots, (Lists::kSize + ... + First::kSize)>(kSizes, (3 * kSlots + 3) / 4);
  detail::interleave_as<kPlan>(mfmas, first, lists...);
}

}  // namespace wt::sched

#endif
