// SPDX-License-Identifier: MIT
// Runs grouped GEMM that stores tiles under the next tile's MFMAs (kernels/gemm/gemm_4wave_persistent.h).
#ifndef WT_KERNELS_GROUPED_4WAVE_PERSISTENT_H
#define WT_KERNELS_GROUPED_4WAVE_PERSISTENT_H

#include "grouped_gemm.h"
#include "kernels/gemm/gemm_4wave_persistent.h"

// The tiles of all groups, as gemm_persistent asks for them.
template <int BM>
struct grouped_tiles : grouped_by_rows<BM> {
  using args = wt_grouped_args;
  using place = grouped_place;

  WT_DEVICE static bool exists(const wt_grouped_args &, const grouped_place &place, int) {
    return place.exists();
  }
  WT_DEVICE static wt_gemm_args product(const wt_grouped_args &args, const grouped_place &place) {
    return grouped_by_rows<BM>::product(args, place.group, grouped_rows_of(args, place.group));
  }
  WT_DEVICE static int groups(const wt_grouped_args &args) { return args.product.groups; }
};

#define GROUPED_PERSISTENT_KERNEL(stem, BM, BN, waves, waves_k, stages, waves_per_simd, a_name, TA, b_name, \
                                  TB, c_name, TC)                                                           \
  WT_KERNEL_OF_WAVES(64 * waves, waves_per_simd)                                                            \
  stem##_##a_name##_##b_name##_##c_name(wt_grouped_args) {                                                  \
    gemm_persistent<gemm_4wave_frame<TA, TB, BM, BN, stages>, TC, grouped_tiles<BM>>();                     \
  }
// Defines the kernels <stem>_<a>_<b>_<c> for pairs of input types (kernels/gemm/gemm_pairs.h) and both types
// of C.
#define GROUPED_PERSISTENT_PAIR(...)                     \
  GROUPED_PERSISTENT_KERNEL(__VA_ARGS__, bf16, wt::bf16) \
  GROUPED_PERSISTENT_KERNEL(__VA_ARGS__, f16, wt::f16)
#define GROUPED_4WAVE_PERSISTENT_KERNELS(pairs, ...) GEMM_PAIRS_##pairs(GROUPED_PERSISTENT_PAIR, __VA_ARGS__)

#endif
