// SPDX-License-Identifier: MIT
// Runs products one after the other, each with the reads of what the next one multiplies between its MFMAs.
#ifndef WT_KERNELS_ATTENTION_PHASES_H
#define WT_KERNELS_ATTENTION_PHASES_H

#include "wavetile_device.h"

// Runs phases From to To - 1 with their lists spread together (sched/interleave.h). Phase n issues the MFMAs
// of products(index<n>{}) with its share of `first` right behind them, then the LDS reads of
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
    wt::sched::interleave_together(products(wt::index<From + i>{}), wt::share_of<i, To - From>(first),
                                   reads(wt::index<From + i + 1>{}), wt::share_of<i, To - From>(lists)...);
  });
}

// Returns the reads of a tile's fragments, a row of them after the other, in the order in which MFMAs take
// them: a column after the other.
template <class Tile, int Size, class F>
WT_DEVICE auto attention_column_by_column(const wt::op_list<Size, F> &reads) {
  constexpr int kEach = Size / (Tile::kTall * Tile::kWide);
  return wt::list_of<Size>([reads](auto n) WT_INLINE {
    constexpr int kFragment = n / kEach, kI = kFragment % Tile::kTall, kJ = kFragment / Tile::kTall;
    reads.template issue<(kI * Tile::kWide + kJ) * kEach + n % kEach>();
  });
}

#endif
