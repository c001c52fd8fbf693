// SPDX-License-Identifier: MIT
// Makes random words one, four and eight at a time: three rows of out, which must be the same, of count * 8
// each.
#include "wavetile_device.h"

template <int Count>
WT_DEVICE void put(wt::u32 *out, unsigned long long seed, unsigned long long row, int first, int columns) {
  for (int column = wt::thread_id() * Count; column < columns; column += 64 * Count) {
    const auto words = wt::random_words<Count>(seed, row, first + column);
    wt::unrolled<Count>([&](auto i) WT_INLINE { out[column + i] = words[i.value]; });
  }
}

WT_KERNEL(64)
random_rows(wt::u32 *out, unsigned long long seed, unsigned long long row, int first, int columns) {
  put<1>(out, seed, row, first, columns);
  put<4>(out + columns, seed, row, first, columns);
  put<8>(out + 2 * columns, seed, row, first, columns);
}
