// SPDX-License-Identifier: MIT
// Brings rows of weights to the order in which 16 of them lie together, 16 bytes of each row after the other.
#include "../each_of_lines.h"
#include "shuffle_args.h"

WT_KERNEL(WT_SHUFFLE_THREADS) shuffle_weights(wt_shuffle_args args) {
  each_of_lines<WT_SHUFFLE_THREADS>(args, [&](unsigned slow, unsigned fast) WT_INLINE {
    const unsigned row = slow * WT_SHUFFLE_ROWS + fast % WT_SHUFFLE_ROWS;
    const long long byte = static_cast<long long>(fast / WT_SHUFFLE_ROWS) * WT_SHUFFLE_PIECE_BYTES;
    wt::global_store(
        args.to + slow * args.to_line_bytes + static_cast<long long>(fast) * WT_SHUFFLE_PIECE_BYTES,
        wt::global_load<wt::u32x4>(args.from + row * args.from_row_bytes + byte));
  });
}
