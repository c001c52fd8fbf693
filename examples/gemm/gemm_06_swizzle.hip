// SPDX-License-Identifier: MIT
// Rung 06, swizzle. Idea: the 16-byte columns of a row of LDS are permuted, differently from row to row, so
// that the 16 lanes which read one column of 16 rows meet in no bank. Copies fill LDS lane after lane, so it
// is their addresses in global memory that are permuted; reads undo it. The reader refuses to compile with a
// conflict left. Published for this step: 497.43 TFLOP/s at M = N = K = 4096 on MI355X, less than without:
// LDS is not yet what limits (ROCm blogs, FP8 GEMM on CDNA4, 2026).
#include "gemm_tile_128.h"

namespace {

using namespace gemm_tile_128;

template <class In>
struct swizzled_loader {
  using tile = gemm_tile_128::tile<In, wt::swizzle_for_row<kStep>>;
  using copier =
      wt::lds_copier<tile, kThreads / wt::target::kWaveLanes>;  // rung 05's, as it is in the library
  static constexpr int kAlignment = copier::kLaneBytes;

  wt::buffer a_memory, b_memory;
  copier copy_a, copy_b;

  WT_DEVICE swizzled_loader(const wt::gl<const In> &a, const wt::gl<const In> &b)
      : a_memory(wt::memory_of(a, kTile)),
        b_memory(wt::memory_of(b, kTile)),
        copy_a(a.row_bytes(), 0, a.rows),
        copy_b(b.row_bytes(), 0, b.rows) {}

  WT_DEVICE void load(tile &a_tile, tile &b_tile, int k0) const {
    issue_all(copy_a.copies(a_memory, k0, wt::lds_address(&a_tile)) +
              copy_b.copies(b_memory, k0, wt::lds_address(&b_tile)));
    wt::wait_vmem<0>();
  }
};

template <class In, class Out>
WT_DEVICE void gemm_06_swizzle(const wt_gemm_args &args) {
  gemm<swizzled_loader, In, Out>(args);
}

}  // namespace

GEMM_KERNELS(gemm_06_swizzle, kThreads)
