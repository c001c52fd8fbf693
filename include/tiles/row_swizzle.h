// SPDX-License-Identifier: MIT
// The swizzle of a tile whose rows are read as MFMA operands, 16 bytes per lane.
#ifndef WT_TILES_ROW_SWIZZLE_H
#define WT_TILES_ROW_SWIZZLE_H

#include "swizzle.h"

namespace wt {

template <int RowBytes, target::chip Chip = target::kChip>
constexpr swizzle swizzle_for_row = Chip == target::chip::gfx942 ? xor_lines(RowBytes, 128)
                                    : RowBytes == 64             ? swizzle_bf16_16x32_read_b128
                                                                 : xor_lines(RowBytes, 256);

}  // namespace wt

#endif
