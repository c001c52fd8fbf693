// SPDX-License-Identifier: MIT
// rv is a vector in the registers of one wave, with one value per row or per column of a tile. A lane keeps
// the values of exactly the rows (columns) of which it holds elements; lanes that share a row hold the same
// value.
#ifndef WT_TILES_RV_H
#define WT_TILES_RV_H

#include "rt.h"

namespace wt {

// Says whether a vector has one value per row or one per column.
enum class axis { row, column };

// Says how the rows (columns) of a fragment are spread over the lanes and their elements.
template <class Layout, axis Axis>
struct axis_map {
  static constexpr int kExtent = Axis == axis::row ? Layout::kRows : Layout::kColumns;
  static constexpr int coordinate(int lane, int element) {
    return Axis == axis::row ? Layout::row(lane, element) : Layout::column(lane, element);
  }

  // A slot is one distinct row of a lane. Slots are numbered in the order in which the lane's elements first
  // meet them.
  struct slot_table {
    int count = 0;
    int of[Layout::kElements] = {};     // the slot of an element
    int first[Layout::kElements] = {};  // the first element of a slot
  };
  static constexpr slot_table slots() {
    slot_table table;
    for (int e = 0; e < Layout::kElements; ++e) {
      int s = 0;
      while (s < table.count && coordinate(0, table.first[s]) != coordinate(0, e)) ++s;
      if (s == table.count) table.first[table.count++] = e;
      table.of[e] = s;
    }
    return table;
  }
  static constexpr slot_table kTable = slots();
  static constexpr int kSlots = kTable.count;
  static constexpr int slot(int element) { return kTable.of[element]; }
  static constexpr int slot_coordinate(int lane, int s) { return coordinate(lane, kTable.first[s]); }

  // Returns the bits of a lane's number that lead to the lanes with the other elements of the same rows.
  static constexpr int shared() {
    int mask = 0;
    for (int bit = 1; bit < target::kWaveLanes; bit *= 2) {
      bool same = true;
      for (int lane = 0; lane < target::kWaveLanes; ++lane) {
        for (int s = 0; s < kSlots; ++s)
          same = same && slot_coordinate(lane, s) == slot_coordinate(lane ^ bit, s);
      }
      if (same) mask |= bit;
    }
    return mask;
  }
  static constexpr int kSharedLanes = shared();

  // Returns whether the layout is what the functions above rely on: elements share rows alike in every lane,
  // and each row has its lanes and its slot.
  static constexpr bool regular() {
    for (int lane = 0; lane < target::kWaveLanes; ++lane) {
      for (int e = 0; e < Layout::kElements; ++e) {
        if (coordinate(lane, e) != slot_coordinate(lane, slot(e))) return false;
      }
    }
    return kSlots * target::kWaveLanes == kExtent * (1 << __builtin_popcount(kSharedLanes));
  }
  static_assert(regular(),
                "this layout does not spread its rows and columns by bits of the lane: reduce another");
};

// This is a vector of Length values of T along Axis of tiles made of Layout. A lane holds the values of the
// first fragment, then those of the next.
template <class T, int Length, class Layout, axis Axis>
struct rv {
  using element = T;
  using layout = Layout;
  using map = axis_map<Layout, Axis>;
  static_assert(
      is_one_of<T, f32, i32, f16, bf16>,
      "register vectors hold f32, i32, f16 or bf16: keep narrower values in tiles, or convert them");
  static_assert(Length % map::kExtent == 0,
                "the vector's length must be a multiple of the fragment's: see Layout::kRows and kColumns");
  static constexpr int kLength = Length;
  static constexpr axis kAxis = Axis;
  static constexpr int kSlots = map::kSlots;  // values that a lane holds per fragment
  static constexpr int kElements = Length / map::kExtent * kSlots;

  vector<T, kElements> values;

  // Returns which value of the vector the element number `element` of a lane is.
  static constexpr int position(int lane, int element) {
    return element / kSlots * map::kExtent + map::slot_coordinate(lane, element % kSlots);
  }
};

// These are the vectors that go with a tile. A column vector has one value per row, a row vector one value
// per column.
template <class T, class Tile>
using col_vec = rv<T, Tile::kRows, typename Tile::layout, axis::row>;
template <class T, class Tile>
using row_vec = rv<T, Tile::kColumns, typename Tile::layout, axis::column>;

// Sets every value of the vector to zero.
//
// scope: wave; operands: rv of any layout; leaves: none; waits: nobody; LDS: none; registers: none; chips:
// both
template <class T, int Length, class Layout, axis Axis>
WT_DEVICE void zero(rv<T, Length, Layout, Axis> &values) {
  values = {};
}

}  // namespace wt

#endif
