// SPDX-License-Identifier: MIT
// GEMM with block scales by persistent work-groups, each of which stores a tile under the next tile's MFMAs
// (kernels/gemm/gemm_4wave_persistent.h). K is a multiple of WT_GEMM_MX_GRAIN, and neither split nor of a
// batch.
#ifndef WT_KERNELS_GEMM_MX_PERSISTENT_H
#define WT_KERNELS_GEMM_MX_PERSISTENT_H

#include "../gemm/gemm_4wave_persistent.h"
#include "gemm_mx.h"

// Describes the tiles of a product, which a die takes in windows whose columns are rotated.
struct gemm_mx_tiles : gemm_tiles<wt_gemm_mx_args> {
  WT_DEVICE static place at(const args &all, int id) {
    const place here = gemm_tiles<wt_gemm_mx_args>::at(all, id);
    return {wt_grid_rotated(all.rotation, all.gemm.grid, here.tile)};
  }
};

// Runs the kernel of a frame. The host passes no K below LeastK.
template <class Frame, class Out, int LeastK>
WT_DEVICE void gemm_mx_persistent() {
  using loop = gemm_mx_loop<Frame, gemm_leftover<Frame, Out>::kStores>;
  static_assert(
      LeastK % WT_GEMM_MX_GRAIN == 0 && wt::sched::least_steps<loop::kSchedule> * Frame::kStep <= LeastK,
      "the schedule needs a longer K: raise least_k in instances.def");
  gemm_persistent_loop<Frame, Out, gemm_mx_loop, gemm_mx_tiles>();
}

// Defines the kernels <name>_<c> for both types of C.
#define GEMM_MX_PERSISTENT_OF(least_k, name, TA, TB, BM, BN, stages, Scales, c_name, TC) \
  WT_KERNEL_OF_WAVES((gemm_mx_frame<TA, TB, BM, BN, stages, Scales>::kThreads), 1)       \
  name##_##c_name(wt_gemm_mx_args) {                                                     \
    gemm_mx_persistent<gemm_mx_frame<TA, TB, BM, BN, stages, Scales>, TC, least_k>();    \
  }
#define GEMM_MX_PERSISTENT_KERNEL(...)               \
  GEMM_MX_PERSISTENT_OF(__VA_ARGS__, bf16, wt::bf16) \
  GEMM_MX_PERSISTENT_OF(__VA_ARGS__, f16, wt::f16)

#endif
