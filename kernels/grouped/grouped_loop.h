// SPDX-License-Identifier: MIT
// Runs the loop of a persistent work-group over its tiles.
#ifndef WT_KERNELS_GROUPED_LOOP_H
#define WT_KERNELS_GROUPED_LOOP_H

#include "grouped_search.h"
#include "kernels/fetch_arguments.h"

// Describes the arguments of kernels without scales of blocks.
struct grouped_plain_args {
  wt_grouped_args grouped;
};

// Describes what the end of a tile needs: the arguments, and the rows of its group.
template <class Args>
struct grouped_end {
  Args args;
  grouped_rows rows;
};

// Says when a work-group looks for its next tile. Loads that come after the stores of a tile wait for them,
// but not all kernels have registers for a search while the sums are still there.
enum class grouped_search_time { before_stores, after_stores };

// Calls compute(args, place, end) for each tile of the work-group. Tiles says which tiles there are
// (grouped_search.h), and Args has the type of the kernel's arguments, which begin with `grouped`. Between
// its main loop and its stores, `compute` calls end() once, which returns a grouped_end. All of that is read
// and looked up anew: kept, it would take more scalar registers than there are.
template <class Tiles, class Args, grouped_search_time Time, class Compute>
WT_DEVICE void grouped_for_each_tile(const Compute &compute) {
  static constexpr bool kEarly = Time == grouped_search_time::before_stores;
  fetch_arguments<sizeof(Args)>();
  int id = wt::workgroup_x();
  grouped_place place = Tiles::at(wt::read_arguments<Args>().grouped, id);
  while (place.exists()) {
    grouped_place next = grouped_no_place(place.tiles);
    compute(wt::read_arguments<Args>(), place, [&]() WT_INLINE {
      const Args args = wt::read_arguments<Args>();
      const grouped_rows rows = grouped_rows_of(args.grouped, place.group);
      id += args.grouped.product.groups;
      if (kEarly && id < place.tiles) next = Tiles::at(args.grouped, id);
      return grouped_end<Args>{args, rows};
    });
    if (id >= place.tiles) return;
    place = kEarly ? next : Tiles::at(wt::read_arguments<Args>().grouped, id);
    wt::barrier();  // before what others may still read is overwritten
  }
}

#endif
