// SPDX-License-Identifier: MIT
// A wave writes register vectors to LDS vectors and reads them back: this is how waves tell each other the
// sums of their rows.
#ifndef WT_OPS_LDS_VECTOR_H
#define WT_OPS_LDS_VECTOR_H

#include "../tiles/rv.h"
#include "../tiles/sv.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "lds_place.h"
#include "list.h"

namespace wt {

namespace detail {

// Returns how many values of a lane follow one another in the vector, up to 16 bytes of them: they are one
// access.
template <class Vector>
constexpr int vector_run() {
  constexpr int kMost = 16 / static_cast<int>(sizeof(typename Vector::element));
  int run = 1;
  while (run * 2 <= kMost && run * 2 <= Vector::kSlots && Vector::kSlots % (run * 2) == 0 &&
         Vector::position(0, run * 2 - 1) == Vector::position(0, 0) + run * 2 - 1) {
    run *= 2;
  }
  return run;
}

// Calls f(index of the first value, its LDS address) for each run of values of a lane.
template <class Vector, class Sv, class F>
WT_DEVICE void each_run(const Sv &memory, int first, const F &f) {
  static constexpr int kRun = vector_run<Vector>();
  static_assert(Vector::kLength <= Sv::kLength,
                "the register vector is longer than the LDS vector: make the LDS vector longer");
  const u32 base =
      lds_address(&memory) + static_cast<u32>(Sv::offset(first) + Sv::offset(Vector::position(lane_id(), 0)));
  unrolled<Vector::kElements / kRun>([&](auto run) WT_INLINE {
    static constexpr int kFrom = run * kRun;
    f(index<kFrom>{},
      base + static_cast<u32>(Sv::offset(Vector::position(0, kFrom) - Vector::position(0, 0))));
  });
}

}  // namespace detail

// Writes the wave's vector from position `first` on, a multiple of 16 bytes. One of the lanes that hold a
// value writes it. A barrier must come before other waves read.
//
// scope: wave; operands: sv, rv of any layout; leaves: lgkmcnt; waits: caller; LDS: writes the vector;
// registers: 1 address; chips: both
template <class T, class U, int Capacity, int Length, class Layout, axis Axis>
WT_DEVICE void store(sv<U, Capacity> &to, const rv<T, Length, Layout, Axis> &from, int first = 0) {
  static_assert(
      __is_same(U, T),
      "the register vector and the LDS vector differ in type: copy the register vector to one of the "
      "LDS vector's type first, and store that");
  using vector_type = rv<T, Length, Layout, Axis>;
  static constexpr int kRun = detail::vector_run<vector_type>();
  if ((lane_id() & vector_type::map::kSharedLanes) != 0) return;
  detail::each_run<vector_type>(to, first, [&](auto at, u32 address) WT_INLINE {
    if constexpr (kRun == 1) {
      ds_write(address, static_cast<T>(from.values[at.value]));
    } else {
      vector<T, kRun> run;
      unrolled<kRun>([&](auto i) WT_INLINE { run[i.value] = from.values[at + i]; });
      ds_write(address, run);
    }
  });
}

// Reads the wave's vector, or another wave's, from position `first` on, in any layout.
//
// scope: wave; operands: rv of any layout, sv; leaves: lgkmcnt; waits: compiler; LDS: reads the vector;
// registers: 1 address; chips: both
template <class T, class U, int Capacity, int Length, class Layout, axis Axis>
WT_DEVICE void load(rv<T, Length, Layout, Axis> &to, const sv<U, Capacity> &from, int first = 0) {
  static_assert(
      __is_same(U, T),
      "the register vector and the LDS vector differ in type: load the LDS vector's type, then copy");
  using vector_type = rv<T, Length, Layout, Axis>;
  static constexpr int kRun = detail::vector_run<vector_type>();
  detail::each_run<vector_type>(from, first, [&](auto at, u32 address) WT_INLINE {
    if constexpr (kRun == 1) {
      to.values[at.value] = ds_read<T>(address);
    } else {
      const auto run = ds_read<vector<T, kRun>>(address);
      unrolled<kRun>([&](auto i) WT_INLINE { to.values[at + i] = run[i.value]; });
    }
  });
}

// Reads vectors of f32 in LDS into whole tiles of accumulators: every element becomes its row's value. A
// product that has one number per row added to it begins with such a tile.
//
// scope: wave; operands: vectors of f32 in LDS, rt of accumulator; leaves: none; waits: nobody; LDS: none;
// registers: 1; chips: both
template <class Layout>
struct row_filler {
  static_assert(is_accumulator<Layout>,
                "row_filler fills tiles whose lanes have runs of 4 rows of one column: use rt_c");
  static constexpr int kRuns = Layout::kElements / 4;

  u32 base;

  // Makes a filler for vectors in LDS.
  template <class Vectors>
  WT_DEVICE explicit row_filler(lds_place<Vectors> vectors)
      : base(vectors.address + static_cast<u32>(Layout::row(lane_id(), 0)) * static_cast<u32>(sizeof(f32))) {}

  // Returns the reads of a tile of one column of fragments, 4 rows each, from the vector that lies `offset` +
  // MoreBytes further on. Values of one fragment follow each other; those of the next begin PitchBytes
  // after them.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the vector; registers: none
  template <int PitchBytes, int MoreBytes = 0, class Tile>
  WT_DEVICE auto reads(Tile &to, u32 offset) const {
    static_assert(__is_same(typename Tile::layout, Layout) && Tile::kWide == 1,
                  "the tile is not what this filler fills: one column of fragments of its layout");
    return list_of<Tile::kTall * kRuns>([place = base + offset, &to](auto n) WT_INLINE {
      static constexpr int kFragment = n / kRuns, kFirst = n % kRuns * 4;
      static constexpr int kFrom =
          kFragment * PitchBytes + Layout::row(0, kFirst) * static_cast<int>(sizeof(f32)) + MoreBytes;
      const auto values = ds_read<f32x4>(place, kFrom);
      unrolled<4>([&](auto e) WT_INLINE { to.fragment[kFragment][0][kFirst + e] = values[e.value]; });
    });
  }
};

}  // namespace wt

#endif
