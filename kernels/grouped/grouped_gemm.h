// SPDX-License-Identifier: MIT
// Grouped GEMM: the tiles of many products by persistent work-groups, each tile by a main loop of the GEMMs
// (kernels/gemm). All that is different is which product a tile belongs to (grouped_search.h).
#ifndef WT_KERNELS_GROUPED_GEMM_H
#define WT_KERNELS_GROUPED_GEMM_H

#include "grouped_loop.h"
#include "kernels/gemm/gemm_frame.h"

// Keeps what is known of a tile during its main loop: main loops with pinned accumulators leave no scalar
// registers for it, others no vector registers.
struct grouped_unparked {
  int value;
  WT_DEVICE explicit grouped_unparked(int uniform) : value(uniform) {}
  WT_DEVICE int get() const { return value; }
};
template <class Loop>
using grouped_kept =
    __type_pack_element<wt::is_pinned<__remove_all_extents(typename Loop::accumulators)> ? 0 : 1, wt::parked,
                        grouped_unparked>;

// Runs the kernel of a main loop. Tiles says which tiles there are: grouped_by_rows or grouped_by_depth. The
// loop over tiles is written out here: as a call of grouped_for_each_tile it makes clang 22 spill 20 to 36
// registers of tiles of 256 x 256.
template <class Loop, class Tiles>
WT_DEVICE void grouped_gemm() {
  using kept = grouped_kept<Loop>;
  WT_SHARED typename Loop::lds memory;
  typename Loop::accumulators c;
  fetch_arguments<sizeof(wt_grouped_args)>();
  for (int id = wt::workgroup_x();;) {
    const wt_grouped_args args = wt::read_arguments<wt_grouped_args>();
    const grouped_place place = Tiles::at(args, id);
    if (!place.exists()) return;
    Loop loop(Tiles::product(args, place.group, Tiles::rows_of(args, place)), place.tile);
    const kept now(id), tiles(place.tiles), group(place.group), row(loop.row), column(loop.column);
    loop.main_loop(c, memory.tiles);
    loop.rest(c, memory.tiles);
    loop.row = row.get(), loop.column = column.get();
    const wt_grouped_args again = wt::read_arguments<wt_grouped_args>();
    store_result<gemm_plain_rows::share_stores>(
        loop, Tiles::product(again, group.get(), grouped_rows_of(again, group.get())), c, memory.quadrant);
    id = now.get() + wt::read_arguments<wt_grouped_args>().product.groups;
    if (id >= tiles.get()) return;  // without another search
    wt::barrier();                  // before what others may still read is overwritten
  }
}

// Defines the kernel <stem>_<a>_<b>.
#define GROUPED_KERNEL(Loop, Tiles, stem, BM, BN, waves, waves_k, stages, waves_per_simd, a_name, TA, \
                       b_name, TB)                                                                    \
  WT_KERNEL_OF_WAVES(64 * waves, waves_per_simd)                                                      \
  stem##_##a_name##_##b_name(wt_grouped_args) { grouped_gemm<Loop<TA, TB, BM, BN, stages>, Tiles>(); }

#endif
