// SPDX-License-Identifier: MIT
// Brings rows of scales to the order in which MFMAs take them (ops/shuffled_scales.h).
#include "../each_of_lines.h"
#include "shuffle_args.h"

namespace {

// Returns the scales that become dword number `fast` of a line: of rows r and r + 16 and blocks b and b + 4.
WT_DEVICE wt::u32 four_scales(const wt_shuffle_args &args, unsigned slow, unsigned fast) {
  static constexpr unsigned kDwords = wt::kShuffledBytes / 4, kOne = 127;
  const unsigned within = fast % kDwords, r = slow * wt::kShuffledRows + within % 16;
  const unsigned b = fast / kDwords * wt::kShuffledScales + within / 16;
  wt::u32 four = 0;
#pragma unroll
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned row = r + i % 2 * 16, block = b + i / 2 * 4;
    const bool exists = row < args.rows && block < args.blocks;
    const unsigned char *const at = args.from + static_cast<long long>(row) * args.from_row_bytes;
    four |= (exists ? at[block] : kOne) << (8 * i);
  }
  return four;
}

}  // namespace

WT_KERNEL(WT_SHUFFLE_THREADS) shuffle_scales(wt_shuffle_args args) {
  each_of_lines<WT_SHUFFLE_THREADS>(args, [&](unsigned slow, unsigned fast) WT_INLINE {
    wt::global_store(args.to + slow * args.to_line_bytes + static_cast<long long>(fast) * 4,
                     four_scales(args, slow, fast));
  });
}
