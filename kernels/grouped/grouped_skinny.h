// SPDX-License-Identifier: MIT
// This is grouped GEMM for groups of few rows, in narrow tiles whose waves share K
// (kernels/gemm/gemm_skinny.h).
#ifndef WT_KERNELS_GROUPED_SKINNY_H
#define WT_KERNELS_GROUPED_SKINNY_H

#include "grouped_loop.h"
#include "kernels/gemm/gemm_pairs.h"
#include "kernels/gemm/gemm_skinny.h"

// Describes the product of a group without scales of blocks.
struct grouped_plain_product {
  using args = grouped_plain_args;
  WT_DEVICE static wt_gemm_args of(const args &, const wt_gemm_args &product, int, int) { return product; }
};

// Runs the kernel. Skinny multiplies a tile of a product, which Product makes of the arguments.
template <class Skinny, class Product, int BM>
WT_DEVICE void grouped_of_few_rows() {
  using tiles = grouped_by_rows<BM, grouped_search_paths::offsets>;
  using args_type = typename Product::args;
  WT_SHARED typename Skinny::lds memory[Skinny::kWaves];
  grouped_for_each_tile<tiles, args_type, grouped_search_time::before_stores>(
      [&](const args_type &args, const grouped_place &place, const auto &end) WT_INLINE {
        const auto product_of = [&](const args_type &from, const grouped_rows &rows) WT_INLINE {
          return Product::of(from, tiles::product(from.grouped, place.group, rows), place.group, rows.first);
        };
        const Skinny work(product_of(args, place.rows), place.tile);
        typename Skinny::c_tile c;
        wt::zero(c);
        work.main_loop(c, memory[wt::wave_id()]);
        const auto [again, rows] = end();
        work.finish(product_of(again, rows), c, memory);
      });
}

// Defines the kernel <stem>_<a>_<b>.
#define GROUPED_SKINNY_KERNEL(Skinny, Product, stem, BM, waves, waves_per_simd, a_name, b_name) \
  static_assert(Skinny::kWaves == waves, "instances.def has another number of waves");          \
  WT_KERNEL_OF_WAVES(64 * waves, waves_per_simd)                                                \
  stem##_##a_name##_##b_name(Product::args) { grouped_of_few_rows<Skinny, Product, BM>(); }
#define GROUPED_PLAIN_SKINNY_KERNEL(stem, BM, BN, waves, waves_k, stages, waves_per_simd, a_name, TA, \
                                    b_name, TB)                                                       \
  static_assert(waves_k == waves, "all waves share K: instances.def has another number of them");     \
  using stem##_##a_name##_##b_name##_tile = gemm_skinny<TA, TB, BM, BN, stages>;                      \
  GROUPED_SKINNY_KERNEL(stem##_##a_name##_##b_name##_tile, grouped_plain_product, stem, BM, waves,    \
                        waves_per_simd, a_name, b_name)
#define GROUPED_SKINNY_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_PLAIN_SKINNY_KERNEL, __VA_ARGS__)

#endif
