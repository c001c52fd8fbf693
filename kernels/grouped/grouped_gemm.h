// SPDX-License-Identifier: MIT
// Grouped GEMM: the tiles of many products by persistent work-groups, each tile by a main loop of the GEMMs
// (kernels/gemm). All that is different is which product a tile belongs to (grouped_search.h).
#ifndef WT_KERNELS_GROUPED_GEMM_H
#define WT_KERNELS_GROUPED_GEMM_H

#include "grouped_loop.h"
#include "kernels/gemm/gemm_frame.h"

// Holds what is known of a tile during its main loop: main loops with pinned accumulators leave no scalar
// registers for it, others no vector registers.
template <class Loop>
using grouped_parked = wt::parked<wt::is_pinned<__remove_all_extents(typename Loop::accumulators)>
                                      ? wt::parked_in::vector_registers
                                      : wt::parked_in::scalar_registers,
                                  int>;

// Runs the kernel of a main loop. Tiles says which tiles there are: grouped_by_rows or grouped_by_depth. The
// loop over tiles is written out here: as a call of grouped_for_each_tile it makes clang 22 spill 20 to 36
// registers of tiles of 256 x 256.
template <class Loop, class Tiles>
WT_DEVICE void grouped_gemm() {
  using parked = grouped_parked<Loop>;
  WT_SHARED typename Loop::lds memory;
  typename Loop::accumulators c;
  fetch_arguments<sizeof(wt_grouped_args)>();
  for (int id = wt::workgroup_x();;) {
    const wt_grouped_args args = wt::read_arguments<wt_grouped_args>();
    const grouped_place place = Tiles::at(args, id);
    if (!place.exists()) return;
    Loop loop(Tiles::product(args, place.group, Tiles::rows_of(args, place)), place.tile);
    const parked now(id), tiles(place.tiles), group(place.group), row(loop.row), column(loop.column);
    loop.main_loop(c, memory.tiles);
    loop.rest(c, memory.tiles);
    loop.row = row.value(), loop.column = column.value();
    const wt_grouped_args again = wt::read_arguments<wt_grouped_args>();
    store_result<gemm_plain_rows::share_stores>(
        loop, Tiles::product(again, group.value(), grouped_rows_of(again, group.value())), c,
        memory.quadrant);
    id = now.value() + wt::read_arguments<wt_grouped_args>().product.groups;
    if (id >= tiles.value()) return;  // without another search
    wt::barrier();                    // before what others may still read is overwritten
  }
}

// Defines the kernel <stem>_<a>_<b>.
#define GROUPED_KERNEL(Loop, Tiles, stem, BM, BN, waves, waves_k, stages, waves_per_simd, a_name, TA, \
                       b_name, TB)                                                                    \
  WT_KERNEL_OF_WAVES(64 * waves, waves_per_simd)                                                      \
  stem##_##a_name##_##b_name(wt_grouped_args) { grouped_gemm<Loop<TA, TB, BM, BN, stages>, Tiles>(); }

#endif
