// SPDX-License-Identifier: MIT
// Runs products one after the other, each with the reads of what the next one multiplies between its MFMAs;
// and spreads lists over the MFMAs of a product. Backward attention in one kernel is written by hand with it.
#ifndef WT_KERNELS_ATTENTION_PHASES_H
#define WT_KERNELS_ATTENTION_PHASES_H

#include "wavetile_device.h"

// Returns the plan that spreads lists of these sizes evenly over all slots. Lists begin at different places
// in the first slot, so that the micro-ops of several do not meet in every other slot.
template <int Slots, int... Sizes>
consteval auto attention_spread() {
  const int sizes[] = {Sizes...};
  return wt::sched::plan_by<Slots, (Sizes + ...)>(sizes, [&](int list, int i) {
    const int eighths = list * 5 % 8;
    return (i * 8 + eighths) * Slots / (sizes[list] * 8);
  });
}
template <int Slots, int... Sizes>
inline constexpr auto attention_plan = wt::evaluated<attention_spread<Slots, Sizes...>()>;

// Issues MFMAs with the other lists spread evenly, from the first MFMA to the last one. The micro-ops of
// `first` stand right behind an MFMA: this is the place for waits and scalar instructions, as others wait
// there while the MFMA reads its operands (docs/timing.md).
//
// scope: wave; operands: lists; leaves: what its lists leave; waits: as its lists ask; LDS: none; registers:
// none; chips: both
template <class Mfmas, class First, class... Lists>
WT_DEVICE void attention_interleave(const Mfmas &mfmas, const First &first, const Lists &...lists) {
  constexpr auto &kPlan = attention_plan<Mfmas::kSize, First::kSize, Lists::kSize...>;
  static_assert(kPlan.complete,
                "there is no MFMA to place the micro-ops behind: give a longer list of MFMAs");
  const auto apart = wt::list_of<First::kSize>([first](auto i) WT_INLINE {
    first.f(i);
    wt::sched_barrier();
  });
  wt::sched::interleave_as<kPlan>(mfmas, apart, lists...);
}

// Returns waits for LDS, one to stand behind each of Mfmas MFMAs (attention_interleave), for what the next
// MFMA multiplies: its share of Before reads, which were issued in the order of the MFMAs during the phase
// before. Now is how many reads are issued evenly between these MFMAs; behind the last MFMA, the wait is for
// the first share of them. Without such a wait the compiler has one in front of the MFMA, where it takes a
// slot of its own.
//
// scope: wave; operands: none; leaves: none; waits: nobody; LDS: none; registers: none; chips: both
template <int Mfmas, int Before, int Now>
WT_DEVICE auto attention_waits_for_next() {
  return wt::list_of<Mfmas>([](auto k) WT_INLINE {
    constexpr auto share_of = [](int reads, int mfmas) { return (mfmas * reads + Mfmas - 1) / Mfmas; };
    // The last reads of a phase of two MFMAs have only just been issued: the next phase waits for them.
    static constexpr bool kForNextPhase = k + 1 == Mfmas && Mfmas > 2;
    static constexpr int kNeeded = kForNextPhase   ? Before + share_of(Now, 1)
                                   : k + 1 < Mfmas ? share_of(Before, k + 2)
                                                   : Before;
    static constexpr int kLeft = Before + share_of(Now, k) - kNeeded;
    static_assert(kLeft >= 0, "reads that are waited for have been issued");
    if constexpr (kLeft < wt::kAnyLds) wt::wait_lds<kLeft>();
  });
}

// Runs phases From to To - 1 with their lists spread together (attention_interleave). Phase n issues the
// MFMAs of products(index<n>{}) with its share of `first` right behind them, then the LDS reads of
// reads(index<n + 1>{}), which are those for phase n + 1, and its share of each of the other lists.
//
// Two sets of fragments used alternately are enough, because no phase reads what it multiplies.
//
// scope: wave; operands: functions that return lists, lists; leaves: what its lists leave; waits: as its
// lists ask; LDS: none; registers: none; chips: both
template <int From, int To, class Products, class First, class Reads, class... Lists>
WT_DEVICE void attention_run_phases(const Products &products, const First &first, const Reads &reads,
                                    const Lists &...lists) {
  wt::unrolled<To - From>([&](auto i) WT_INLINE {
    attention_interleave(products(wt::index<From + i>{}), wt::share_of<i, To - From>(first),
                         reads(wt::index<From + i + 1>{}), wt::share_of<i, To - From>(lists)...);
  });
}

// Returns the reads of a tile's fragments, a row of them after the other, in the order in which MFMAs take
// them: a column after the other.
template <class Tile, int Size, class F>
WT_DEVICE auto attention_column_by_column(const wt::op_list<Size, F> &reads) {
  static constexpr int kEach = Size / (Tile::kTall * Tile::kWide);
  return wt::list_of<Size>([reads](auto n) WT_INLINE {
    static constexpr int kFragment = n / kEach, kI = kFragment % Tile::kTall, kJ = kFragment / Tile::kTall;
    reads.template issue<(kI * Tile::kWide + kJ) * kEach + n % kEach>();
  });
}

#endif
