// SPDX-License-Identifier: MIT
// This header interleaves lists: micro-ops are placed between the MFMAs of another list, slot by slot, and
// held there.
#ifndef WT_SCHED_INTERLEAVE_H
#define WT_SCHED_INTERLEAVE_H

#include "../ops/isa/sync.h"
#include "../ops/list.h"
#include "../tiles/evaluated.h"

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

// Returns the plan in which micro-op i of list d, of lists of these sizes, is in slot slot_of(d, i).
template <int Slots, int Ops, int Lists, class SlotOf>
consteval slot_plan<Slots, Ops> plan_by(const int (&sizes)[Lists], const SlotOf &slot_of) {
  slot_plan<Slots, Ops> plan;
  int count = 0;
  for (int slot = 0; slot < Slots; ++slot) {
    plan.first[slot] = count;
    for (int list = 0; list < Lists; ++list) {
      for (int i = 0; i < sizes[list]; ++i) {
        if (slot_of(list, i) != slot) continue;
        plan.list[count] = list;
        plan.index[count++] = i;
      }
    }
  }
  plan.first[Slots] = count;
  plan.complete = count == Ops;
  return plan;
}

// Returns the plan that spreads lists of these sizes evenly over the slots; list 0 ends before slot
// first_ends.
template <int Slots, int Ops, int Lists>
consteval slot_plan<Slots, Ops> plan_evenly(const int (&sizes)[Lists], int first_ends = Slots) {
  return plan_by<Slots, Ops>(sizes, [&](int list, int i) {
    // The slots from the list's first one on are shared evenly. A list that would begin after the last slot
    // begins in it.
    const int start = list < Slots ? list : Slots - 1;
    const int end = list == 0 ? first_ends : Slots;
    return start + i * (end - start) / sizes[list];
  });
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

namespace detail {

template <pattern Pattern, int Slots, int... Sizes>
consteval auto plan_lists() {
  constexpr int kLists = sizeof...(Sizes);
  const int sizes[kLists ? kLists : 1] = {Sizes...};
  return plan_slots<Slots, (Sizes + ... + 0)>(Pattern, sizes);
}
template <int Slots, int... Sizes>
consteval auto plan_lists_early() {
  const int sizes[] = {Sizes...};
  return plan_evenly<Slots, (Sizes + ...)>(sizes, (3 * Slots + 3) / 4);
}
// The plans are variables so that the names of instances do not spell them out, which takes time to compile.
template <pattern Pattern, int Slots, int... Sizes>
inline constexpr auto plan_of = evaluated<plan_lists<Pattern, Slots, Sizes...>()>;
template <int Slots, int... Sizes>
inline constexpr auto early_plan = evaluated<plan_lists_early<Slots, Sizes...>()>;

// These are the MFMAs and micro-ops of a plan in one row: of list list[i], number index[i]. Nothing moves
// across a slot's bounds, neither in the compiler's scheduler nor in its register allocator.
enum : int { kFence, kMfmas, kFirstList };
template <int Steps>
struct sequence {
  int list[Steps] = {}, index[Steps] = {};
};
template <int Slots, int Ops>
consteval auto in_sequence(const slot_plan<Slots, Ops> &plan) {
  sequence<3 * Slots + Ops + 1> all;
  int count = 0;
  const auto add = [&](int list, int index) { all.list[count] = list, all.index[count++] = index; };
  for (int slot = 0; slot < Slots; ++slot) {
    add(kFence, 0), add(kMfmas, slot), add(kFence, 0);
    for (int op = plan.first[slot]; op < plan.first[slot + 1]; ++op) {
      add(kFirstList + plan.list[op], plan.index[op]);
    }
  }
  add(kFence, 0);
  return all;
}
template <const auto &Plan>
inline constexpr auto sequence_of = evaluated<in_sequence(Plan)>;

// This is the list of what keeps the slots apart.
struct fence {
  WT_DEVICE static void f(index<0>) { sched_barrier(); }
};
// All is issued by one function: one for each slot, or one that finds a list, would take the compiler longer
// than what they issue.
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wc++26-extensions"  // lists...[I]
template <const auto &Sequence, int... Step, class... Lists>
WT_DEVICE void issue_steps(indices<int, Step...>, const Lists &...lists) {
  (lists...[Sequence.list[Step]].f(index<Sequence.index[Step]>{}), ...);
}
#pragma clang diagnostic pop
template <const auto &Sequence>
using steps_of_sequence = __make_integer_seq<indices, int, sizeof(Sequence.list) / sizeof(int)>;

}  // namespace detail

// Issues the MFMAs in order with the micro-ops of the other lists between them, as Plan says: a slot_plan, of
// which slot i is behind MFMA i.
//
// scope: wave; operands: lists; leaves: what its lists leave; waits: as its lists ask; LDS: none; registers:
// none; chips: both
template <const auto &Plan, class Mfmas, class... Lists>
WT_DEVICE void interleave_as(const Mfmas &mfmas, const Lists &...lists) {
  constexpr auto &kSequence = detail::sequence_of<Plan>;
  detail::issue_steps<kSequence>(detail::steps_of_sequence<kSequence>{}, detail::fence{}, mfmas, lists...);
}

// Issues the MFMAs in order with the micro-ops of the other lists between them, as Pattern says.
//
// scope: wave; operands: lists; leaves: what its lists leave; waits: as its lists ask; LDS: none; registers:
// none; chips: both
template <pattern Pattern = "", class Mfmas, class... Lists>
WT_DEVICE void interleave(const Mfmas &mfmas, const Lists &...lists) {
  constexpr auto &kPlan = detail::plan_of<Pattern, Mfmas::kSize, Lists::kSize...>;
  static_assert(
      kPlan.known,
      "the pattern names a list that is not given: digits count the lists from 0, a dot issues nothing");
  static_assert(
      kPlan.complete || !kPlan.known,
      "the pattern ends before every micro-op is issued: put more digits into it, or leave it empty");
  interleave_as<kPlan>(mfmas, lists...);
}

// Issues the same, every list spread evenly, but the first one over three quarters of the MFMAs: the last
// quarter is the time in which what it reads from LDS can arrive.
//
// scope: wave; operands: lists; leaves: what its lists leave; waits: as its lists ask; LDS: none; registers:
// none; chips: both
template <class Mfmas, class First, class... Lists>
WT_DEVICE void interleave_early(const Mfmas &mfmas, const First &first, const Lists &...lists) {
  interleave_as<detail::early_plan<Mfmas::kSize, First::kSize, Lists::kSize...>>(mfmas, first, lists...);
}

}  // namespace wt::sched

#endif
