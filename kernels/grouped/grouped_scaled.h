// SPDX-License-Identifier: MIT
// Grouped GEMM with scales for blocks of columns: what grouped_gemm is, for the main loops of GEMMs whose
// operands have scales.
#ifndef WT_KERNELS_GROUPED_SCALED_H
#define WT_KERNELS_GROUPED_SCALED_H

#include "grouped_search.h"

// The kernel of a main loop. Product has the type of the arguments, which begin with `grouped`, and makes the
// product of a group of them. Operands are made anew for the end of K and for the store: kept, they would
// take more scalar registers than there are.
template <class Loop, class Product, int BM>
WT_DEVICE void grouped_scaled() {
  using tiles = grouped_by_either<BM, Product::kBlock>;
  using args = typename Product::args;
  WT_SHARED typename Loop::lds memory;
  typename Loop::accumulators c;
  for (int id = wt::workgroup_x();;) {
    const grouped_place place = tiles::at(wt::read_arguments<args>().grouped, id);
    if (!place.exists()) return;
    const auto loop_of = [&](const args &from, const wt_gemm_args &product) WT_INLINE {
      const int before = tiles::tokens_before(from.grouped, place.group);
      return Loop(Product::of(from, product, place.group, before), place.tile);
    };
    const args first = wt::read_arguments<args>();
    loop_of(first, tiles::product(first.grouped, place)).multiply(c, memory.tiles);
    const args again = wt::read_arguments<args>();
    const wt_gemm_args product = tiles::product(again.grouped, place);
    store_result(loop_of(again, product), product, c, memory.quadrant);
    id += again.grouped.product.groups;
    if (id >= place.tiles) return;  // without another search
    wt::barrier();                  // before what others may still read is overwritten
  }
}

#endif
