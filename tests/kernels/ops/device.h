// SPDX-License-Identifier: MIT
// This is the device side of the tests of ops/: layouts by name, and tiles to and from memory as they lie in
// registers.
#ifndef WT_TESTS_KERNELS_OPS_DEVICE_H
#define WT_TESTS_KERNELS_OPS_DEVICE_H

#include "cases.h"
#include "wavetile_device.h"

namespace layouts {
template <class T>
using a16 = wt::natural_operand<T, 16>;
template <class T>
using a32 = wt::natural_operand<T, 32>;
template <class T>
using c16 = wt::accumulator<16, 16>;
template <class T>
using c32 = wt::accumulator<32, 32>;
template <class T>
using at16 = wt::transposed<a16<T>>;
template <class T>
using at32 = wt::transposed<a32<T>>;
template <class T>
using ct16 = wt::transposed<c16<T>>;
template <class T>
using ct32 = wt::transposed<c32<T>>;
}  // namespace layouts

// Loads and stores a tile as the host lays it out (ops_host.h): fragment after fragment, in each the elements
// of lane after lane.
template <class Tile>
WT_DEVICE void take(Tile &tile, const void *from) {
  const auto *fragments = static_cast<const typename Tile::fragment_type *>(from) + wt::lane_id();
  wt::unrolled<Tile::kTall * Tile::kWide>(
      [&](auto n) WT_INLINE { tile.fragment[n / Tile::kWide][n % Tile::kWide] = fragments[n * OPS_LANES]; });
}
template <class Tile>
WT_DEVICE void give(void *to, const Tile &tile) {
  auto *fragments = static_cast<typename Tile::fragment_type *>(to) + wt::lane_id();
  wt::unrolled<Tile::kTall * Tile::kWide>(
      [&](auto n) WT_INLINE { fragments[n * OPS_LANES] = tile.fragment[n / Tile::kWide][n % Tile::kWide]; });
}

// Where a kernel of several results has a tile of OPS_ROWS x OPS_COLUMNS.
template <class T>
WT_DEVICE T *result_of(T *out, int number) {
  return out + number * OPS_SIZE;
}

// Returns the row (column) numbers of a tile's elements, from 1, as the vector that goes with it.
template <class T, class Tile>
WT_DEVICE auto row_numbers(const Tile &) {
  wt::col_vec<T, Tile> numbers;
  wt::unrolled<numbers.kElements>([&](auto i) WT_INLINE {
    numbers.values[i.value] = static_cast<T>(numbers.position(wt::lane_id(), i) + 1);
  });
  return numbers;
}
template <class T, class Tile>
WT_DEVICE auto column_numbers(const Tile &) {
  wt::row_vec<T, Tile> numbers;
  wt::unrolled<numbers.kElements>([&](auto i) WT_INLINE {
    numbers.values[i.value] = static_cast<T>(numbers.position(wt::lane_id(), i) + 1);
  });
  return numbers;
}

#endif
