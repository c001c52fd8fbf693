// SPDX-License-Identifier: MIT
// expect: an operand's loader needs copies\(from, step, to\), or fetches\(from, step\) and puts<Nth>\(to\)
#include "kernels/gemm/gemm_loop.h"

// This one brings the tiles that lie so many bytes further on, and takes an address for a place.
template <class Copier>
struct by_bytes {
  using tile = typename Copier::tile;
  static constexpr int kCopies = Copier::kCopies, kCopyBytes = Copier::kCopyBytes;
  WT_DEVICE by_bytes(const wt::gl<const wt::bf16> &, int) {}
  WT_DEVICE auto loads(wt::buffer from, int bytes, wt::u32 address) const {
    return wt::list_of<kCopies>(
        [=](auto i) WT_INLINE { wt::buffer_load_to_lds<4>(from, bytes, 0, address + i * kCopyBytes); });
  }
};
struct rows_by_bytes : gemm_rows<wt::bf16> {
  template <class Copier>
  using copier = by_bytes<Copier>;
};
using frame = gemm_frame<wt::bf16, wt::bf16, 64, 64, 2, 2, wt::placement::compiler, 128, 2,
                         wt::swizzle_for_row<128>, rows_by_bytes>;

WT_KERNEL(256) kernel(int *to) { *to = sizeof(gemm_paths<frame>); }
