// SPDX-License-Identifier: MIT
// Phases are products one after the other, each with the reads of what the next one multiplies.
#ifndef WT_SCHED_PHASES_H
#define WT_SCHED_PHASES_H

#include "interleave.h"

namespace wt::sched {

// This says what the last of several phases reads: the operands of the phase that comes next, or nothing.
enum class last_phase { reads_next, reads_nothing };

// Runs phases From to To - 1. Phase n issues the MFMAs of products(index<n>{}) with the LDS reads of
// reads(index<n + 1>{}) between them, which are those for phase n + 1, and its share of each of the other
// lists. The last phase reads for
// phase To, or reads nothing.
//
// Two sets of fragments used alternately are enough, because no phase reads what it multiplies.
//
// scope: wave; operands: functions that return lists, lists; leaves: what its lists leave; waits: as its
// lists ask; LDS: none; registers: none; chips: both
template <int From, int To, last_phase Last = last_phase::reads_next, class Products, class Reads,
          class... Lists>
WT_DEVICE void run_phases(const Products &products, const Reads &reads, const Lists &...lists) {
  unrolled<To - From>([&](auto i) WT_INLINE {
    const auto mfmas = products(index<From + i>{});
    if constexpr (Last == last_phase::reads_next || From + i + 1 < To) {
      interleave(mfmas, reads(index<From + i + 1>{}), share_of<i, To - From>(lists)...);
    } else {
      interleave(mfmas, share_of<i, To - From>(lists)...);
    }
  });
}

// Runs phases From to To - 1 with their lists spread together (interleave_together). Phase n has its share of
// `first` right behind its MFMAs, then the reads for phase n + 1, and its share of each of the other lists.
//
// scope: wave; operands: functions that return lists, lists; leaves: what its lists leave; waits: as its
// lists ask; LDS: none; registers: none; chips: both
template <int From, int To, class Products, class First, class Reads, class... Lists>
WT_DEVICE void run_phases_together(const Products &products, const First &first, const Reads &reads,
                                   const Lists &...lists) {
  unrolled<To - From>([&](auto i) WT_INLINE {
    interleave_together(products(index<From + i>{}), share_of<i, To - From>(first),
                        reads(index<From + i + 1>{}), share_of<i, To - From>(lists)...);
  });
}

}  // namespace wt::sched

#endif
