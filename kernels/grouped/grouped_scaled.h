// SPDX-License-Identifier: MIT
// This is grouped GEMM with scales for blocks of columns. It does what grouped_gemm does, for the main loops
// of GEMMs whose operands have scales.
#ifndef WT_KERNELS_GROUPED_SCALED_H
#define WT_KERNELS_GROUPED_SCALED_H

#include "grouped_loop.h"
#include "kernels/gemm/gemm_epilogue.h"

// Runs the kernel of a main loop. Product has the type of the arguments and makes the product of a group of
// them. Operands are made anew for the end of K and for the store, as what is kept takes scalar registers.
template <class Loop, class Product, int BM, grouped_search_time Time = grouped_search_time::before_stores>
WT_DEVICE void grouped_scaled() {
  using tiles = grouped_by_either<BM, Product::kBlock>;
  using args_type = typename Product::args;
  WT_SHARED typename Loop::lds memory;
  typename Loop::accumulators c;
  grouped_for_each_tile<tiles, args_type, Time>([&](const args_type &args, const grouped_place &place,
                                                    const auto &end) WT_INLINE {
    const auto loop_of = [&](const args_type &from, const wt_gemm_args &product, const grouped_rows &rows)
                             WT_INLINE {
                               const int before = tiles::tokens_before(from.grouped, rows);
                               return Loop(Product::of(from, product, place.group, before), place.tile);
                             };
    const grouped_rows before = tiles::rows_of(args.grouped, place);
    const wt_gemm_args first = tiles::product(args.grouped, place.group, before);
    loop_of(args, first, before).multiply(c, memory.tiles);
    const auto [again, rows] = end();
    const wt_gemm_args product = tiles::product(again.grouped, place.group, rows);
    store_result<gemm_plain_rows::share_stores>(loop_of(again, product, rows), product, c, memory.quadrant);
  });
}

#endif
