// SPDX-License-Identifier: MIT
// These reductions carry an index: which column of a row, or which row of a column, holds the greatest or the
// least element, in registers and between lanes only.
//
// The lowest index wins among equal elements, so the result does not depend on the layout. -0 counts as 0 and
// is returned as 0. A NaN loses against every number, as in row_max; where all elements are NaN, the result
// is NaN and the lowest index.
//
// scope: wave; operands: rt of f32, f16, bf16 or i32, and two rv of it; leaves: none; waits: nobody; LDS:
// none; registers: 4 per value of the vector; chips: both
#ifndef WT_OPS_ARG_REDUCE_H
#define WT_OPS_ARG_REDUCE_H

#include "isa/sync.h"
#include "lanes.h"
#include "list.h"
#include "map.h"

namespace wt {

// This is a value and its position, which is the index of a row, of a column, or in a vector.
template <class C>
struct indexed {
  C value;
  i32 position;
};

namespace detail {

// Values are compared as integers in the same order, so that a NaN needs no comparison of its own. The
// greatest integer belongs to the element that is sought: the greatest element for Sign = 1, the least for
// -1.
template <int Sign>
WT_DEVICE i32 ordered(i32 value) {
  return Sign > 0 ? value : ~value;
}
constexpr i32 kSignificant = 0x7fffffff, kOrderedNan = -kSignificant - 1;
template <int Sign>
WT_DEVICE i32 ordered(f32 value) {
  const i32 bits = __builtin_bit_cast(i32, value + 0.0f);  // no -0
  const i32 order = ordered<Sign>(bits ^ (bits >> 31 & kSignificant));
  return value == value ? order : kOrderedNan;
}
template <int Sign, class C>
WT_DEVICE C value_of(i32 order) {
  const i32 value = ordered<Sign>(order);
  if constexpr (__is_same(C, i32)) {
    return value;
  } else {
    const f32 number = __builtin_bit_cast(f32, value ^ (value >> 31 & kSignificant));
    return order == kOrderedNan ? __builtin_nanf("") : number;
  }
}

// Both halves as one number.
using candidate = long long;
WT_DEVICE candidate candidate_of(i32 order, i32 index) {
  const u64 upper = static_cast<u32>(order);
  return static_cast<candidate>(upper << 32 | (static_cast<u32>(kSignificant) - static_cast<u32>(index)));
}
template <int Sign, class C>
WT_DEVICE indexed<C> indexed_of(candidate x) {
  const u32 index = static_cast<u32>(kSignificant) - static_cast<u32>(x);
  return {value_of<Sign, C>(static_cast<i32>(x >> 32)), static_cast<i32>(index)};
}
WT_DEVICE candidate better(candidate a, candidate b) { return a > b ? a : b; }

// Returns the best of what the lanes hold whose numbers differ only in bits of Mask, in each of them.
template <int Mask, int Done = 0>
WT_DEVICE candidate best_of_lanes(candidate x) {
  if constexpr (Mask == 0) {
    return x;
  } else {
    static constexpr int kBit = Mask & -Mask;
    u32 low = static_cast<u32>(x), high = static_cast<u32>(x >> 32), other_low, other_high;
    meet_lanes<kBit, Done>(low, other_low);
    meet_lanes<kBit, Done>(high, other_high);
    const candidate mine = static_cast<candidate>(static_cast<u64>(high) << 32 | low);
    const candidate other = static_cast<candidate>(static_cast<u64>(other_high) << 32 | other_low);
    return best_of_lanes<Mask ^ kBit, Done | kBit>(better(mine, other));
  }
}

// Returns whether a lane's elements of one slot lie in the order of their index, as far apart in every lane.
template <class Layout, axis Axis>
constexpr bool indices_rise() {
  using map = axis_map<Layout, Axis>;
  const auto index = [](int lane, int e) {
    return Axis == axis::row ? Layout::column(lane, e) : Layout::row(lane, e);
  };
  for (int e = 0; e < Layout::kElements; ++e) {
    for (int lane = 0; lane < target::kWaveLanes; ++lane) {
      if (index(lane, e) - index(lane, 0) != index(0, e) - index(0, 0)) return false;
    }
    for (int f = 0; f < e; ++f) {
      if (map::slot(e) == map::slot(f) && index(0, f) >= index(0, e)) return false;
    }
  }
  return true;
}

// Sets values and indices to the best element of each row (column) and its index, counted from `start` on;
// what they hold already takes part where the reduction begins with it.
template <int Sign, begins_with Begins, class Tile, class T, int Length, class Layout, axis Axis>
WT_DEVICE void arg_reduce(rv<T, Length, Layout, Axis> &values, rv<i32, Length, Layout, Axis> &indices,
                          const Tile &from, int start) {
  using map = axis_map<Layout, Axis>;
  using C = compute_t<typename Tile::element>;
  static constexpr bool kByRow = Axis == axis::row;
  static constexpr int kAlong = kByRow ? Tile::kTall : Tile::kWide,
                       kAcross = kByRow ? Tile::kWide : Tile::kTall;
  static_assert(indices_rise<Layout, Axis>(),
                "this layout does not hold a lane's elements in the order of their index: convert it first");
  const int lane = lane_id(), first = start + (kByRow ? Layout::column(lane, 0) : Layout::row(lane, 0));
  unrolled<kAlong>([&](auto along) WT_INLINE {
    i32 best[map::kSlots], place[map::kSlots];  // the order of the best element, and its place in lane 0
    unrolled<kAcross>([&](auto across) WT_INLINE {
      static constexpr int kI = kByRow ? along : across, kJ = kByRow ? across : along;
      const auto part = widened<C>(from.fragment[kI][kJ]);
      unrolled<Layout::kElements>([&](auto e) WT_INLINE {
        static constexpr int kSlot = map::slot(e);
        static constexpr int kPlace =
            kByRow ? kJ * Layout::kColumns + Layout::column(0, e) : kI * Layout::kRows + Layout::row(0, e);
        static constexpr bool kFirst = across == 0 && map::kTable.first[kSlot] == e.value;
        const i32 order = ordered<Sign>(static_cast<C>(part[e.value]));
        if (kFirst || order > best[kSlot]) {
          best[kSlot] = order;
          place[kSlot] = kPlace;
        }
      });
    });
    unrolled<map::kSlots>([&](auto s) WT_INLINE {
      static constexpr int kTo = along * map::kSlots + s;
      candidate found = best_of_lanes<map::kSharedLanes>(candidate_of(best[s], first + place[s]));
      if constexpr (Begins == begins_with::result) {
        const C held = static_cast<C>(values.values[kTo]);
        found = better(found, candidate_of(ordered<Sign>(held), indices.values[kTo]));
      }
      const indexed<C> result = indexed_of<Sign, C>(found);
      values.values[kTo] = static_cast<T>(result.value);
      indices.values[kTo] = result.position;
      // Comparisons take masks in scalar registers: few slots are reduced side by side.
      if constexpr (s % 4 == 3) sched_barrier();
    });
  });
}

template <int Sign, class T, int Length, class Layout, axis Axis>
WT_DEVICE indexed<compute_t<T>> arg_reduce(const rv<T, Length, Layout, Axis> &from) {
  using vector = rv<T, Length, Layout, Axis>;
  using C = compute_t<T>;
  const int lane = lane_id();
  candidate best = candidate_of(ordered<Sign>(static_cast<C>(from.values[0])), vector::position(lane, 0));
  unrolled<vector::kElements - 1>([&](auto i) WT_INLINE {
    const C value = static_cast<C>(from.values[i.value + 1]);
    best = better(best, candidate_of(ordered<Sign>(value), vector::position(lane, i + 1)));
  });
  static constexpr int kOthers = (target::kWaveLanes - 1) & ~axis_map<Layout, Axis>::kSharedLanes;
  return indexed_of<Sign, C>(best_of_lanes<kOthers>(best));
}

template <axis Wanted, class Tile, class T, class I, int Length, class Layout, axis Axis, axis IndexAxis>
constexpr bool check_indexed() {
  constexpr bool kAxes = Axis == Wanted && IndexAxis == Wanted;
  constexpr bool kPlace = __is_same(typename Tile::layout, Layout) &&
                          Length == (Wanted == axis::row ? Tile::kRows : Tile::kColumns);
  constexpr bool kValues = is_one_of<T, typename Tile::element, compute_t<typename Tile::element>>;
  static_assert(kAxes,
                "row_argmax and row_argmin fill a col_vec<T, Tile> and a col_vec<i32, Tile>, col_argmax "
                "and col_argmin a row_vec of each");
  static_assert(!kAxes || kPlace,
                "the vectors do not belong to this tile: use col_vec<T, Tile> for one value "
                "per row, row_vec<T, Tile> for one per column");
  static_assert(kValues, "the values' vector holds the tile's element type, or f32 (i32 for an i32 tile)");
  static_assert(__is_same(I, i32), "indices are i32: use col_vec<i32, Tile> or row_vec<i32, Tile> for them");
  return kAxes && kPlace && kValues && __is_same(I, i32);
}

}  // namespace detail

// row_argmax(values, indices, from, column) finds the greatest element. For each row of the tile, values =
// its greatest element and indices = the column of it, counted from `column` on, which is where the tile's
// first column lies in the matrix. col_argmax does the same for each column, with rows counted from `row` on;
// row_argmin and col_argmin take the least element.
//
// values and indices are column vectors (col_vec<T, Tile>, col_vec<i32, Tile>) for rows, row vectors for
// columns; every lane that holds elements of a row gets its result. The values are exact in the tile's own
// type and in f32.
//
// For rows that span several tiles, row_argmax_more(values, indices, from, column) takes what values and
// indices hold already among the tile's elements. The tiles may come in any order.
//
// argmax and argmin of a vector return its greatest (least) value and its position, the same in every lane.
#define WT_ARG_REDUCTION(name, sign)                                                                         \
  template <class T, class I, int Length, class Layout, axis Axis, axis IndexAxis, map_result Tile>          \
  WT_DEVICE void row_##name(rv<T, Length, Layout, Axis> &values, rv<I, Length, Layout, IndexAxis> &indices,  \
                            const Tile &from, int column = 0) {                                              \
    static constexpr bool kFits =                                                                            \
        detail::check_indexed<axis::row, Tile, T, I, Length, Layout, Axis, IndexAxis>();                     \
    if constexpr (kFits)                                                                                     \
      detail::arg_reduce<sign, detail::begins_with::element>(values, indices, from, column);                 \
  }                                                                                                          \
  template <class T, class I, int Length, class Layout, axis Axis, axis IndexAxis, map_result Tile>          \
  WT_DEVICE void row_##name##_more(rv<T, Length, Layout, Axis> &values,                                      \
                                   rv<I, Length, Layout, IndexAxis> &indices, const Tile &from,              \
                                   int column = 0) {                                                         \
    static constexpr bool kFits =                                                                            \
        detail::check_indexed<axis::row, Tile, T, I, Length, Layout, Axis, IndexAxis>();                     \
    if constexpr (kFits)                                                                                     \
      detail::arg_reduce<sign, detail::begins_with::result>(values, indices, from, column);                  \
  }                                                                                                          \
  template <class T, class I, int Length, class Layout, axis Axis, axis IndexAxis, map_result Tile>          \
  WT_DEVICE void col_##name(rv<T, Length, Layout, Axis> &values, rv<I, Length, Layout, IndexAxis> &indices,  \
                            const Tile &from, int row = 0) {                                                 \
    static constexpr bool kFits =                                                                            \
        detail::check_indexed<axis::column, Tile, T, I, Length, Layout, Axis, IndexAxis>();                  \
    if constexpr (kFits) detail::arg_reduce<sign, detail::begins_with::element>(values, indices, from, row); \
  }                                                                                                          \
  template <class T, class I, int Length, class Layout, axis Axis, axis IndexAxis, map_result Tile>          \
  WT_DEVICE void col_##name##_more(rv<T, Length, Layout, Axis> &values,                                      \
                                   rv<I, Length, Layout, IndexAxis> &indices, const Tile &from,              \
                                   int row = 0) {                                                            \
    static constexpr bool kFits =                                                                            \
        detail::check_indexed<axis::column, Tile, T, I, Length, Layout, Axis, IndexAxis>();                  \
    if constexpr (kFits) detail::arg_reduce<sign, detail::begins_with::result>(values, indices, from, row);  \
  }                                                                                                          \
  template <class T, int Length, class Layout, axis Axis>                                                    \
  WT_DEVICE auto name(const rv<T, Length, Layout, Axis> &from) {                                             \
    return detail::arg_reduce<sign>(from);                                                                   \
  }
WT_ARG_REDUCTION(argmax, 1)
WT_ARG_REDUCTION(argmin, -1)
#undef WT_ARG_REDUCTION

}  // namespace wt

#endif
