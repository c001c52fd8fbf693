// SPDX-License-Identifier: MIT
// This header reduces tiles to vectors and vectors to numbers, in registers and between lanes only. Results
// are computed in f32 (i32 tiles in i32), in an order that depends on the shape and the layout alone.
//
// scope: wave; operands: rt and rv of one layout; leaves: none; waits: nobody; LDS: none; registers: a
// fragment; chips: both
#ifndef WT_OPS_REDUCE_H
#define WT_OPS_REDUCE_H

#include "functions.h"
#include "lanes.h"
#include "map.h"
#include "vector_part.h"

namespace wt {

namespace detail {

// Returns whether the halves of a vector fall into the same slots. Sums then add the halves as vectors, which
// packs the arithmetic.
template <class Map, int Elements>
constexpr bool halves_meet() {
  if (Elements % 2 != 0) return false;
  for (int e = 0; e < Elements / 2; ++e) {
    if (Map::slot(e) != Map::slot(e + Elements / 2)) return false;
  }
  return true;
}

// Says how op combines many numbers fast: two f32 are packed into an instruction (v_pk_add_f32), or two in a
// chain are one instruction (v_max3_f32).
enum class combines { packed, chained };
// Says where a reduction ends: within each lane, or with all lanes that share a row.
enum class extent { lane, row };

// Reduces the elements of each slot, with those of `more` (nothing, or a vector like `values`) among them.
template <combines How, class Map, class C, int N, class Op, class... More>
WT_DEVICE vector<C, Map::kSlots> reduce_slots(vector<C, N> values, const Op &op, More... more) {
  if constexpr (How == combines::packed && halves_meet<Map, N>()) {
    using half = vector<C, N / 2>;
    return reduce_slots<How, Map, C, N / 2>(
        op(vector_part<half, 0>(values), vector_part<half, N / 2>(values)), op);
  } else {
    vector<C, Map::kSlots> result;
    unrolled<N>([&](auto e) WT_INLINE {
      static constexpr int kSlot = Map::slot(e);
      if constexpr (Map::kTable.first[kSlot] == e.value) {
        result[kSlot] = values[e.value];
      } else {
        result[kSlot] = op(result[kSlot], values[e.value]);
      }
      ((result[kSlot] = op(result[kSlot], more[e.value])), ...);
    });
    return result;
  }
}

// Sets to = op of each row's (column's) elements, and of what `to` held before where the reduction begins
// with it. For chains the fragments are taken an odd number at a time, the last of an even number together
// with the elements, so that all chains are of odd length until the last.
template <combines How, begins_with Begins, extent Extent = extent::row, class Op, class T, int Length,
          class Layout, axis Axis, class Tile>
WT_DEVICE void reduce(rv<T, Length, Layout, Axis> &to, const Tile &from, const Op &op) {
  using map = axis_map<Layout, Axis>;
  using C = compute_t<typename Tile::element>;
  static_assert(__is_same(C, compute_t<T>),
                "the vector must be of floats for a tile of floats, of i32 for one of i32: change its type");
  static_assert(__is_same(typename Tile::layout, Layout) &&
                    Length == (Axis == axis::row ? Tile::kRows : Tile::kColumns),
                "the vector does not belong to this tile: row reductions fill a col_vec<T, Tile>, column "
                "reductions a row_vec<T, Tile>");
  static constexpr int kAlong = Axis == axis::row ? Tile::kTall : Tile::kWide;
  static constexpr int kAcross = Axis == axis::row ? Tile::kWide : Tile::kTall;
  unrolled<kAlong>([&](auto along) WT_INLINE {
    const auto part = [&](auto across) WT_INLINE {
      static constexpr int kI = Axis == axis::row ? along : across, kJ = Axis == axis::row ? across : along;
      return widened<C>(from.fragment[kI][kJ]);
    };
    static constexpr bool kLastApart = How == combines::chained && kAcross % 2 == 0;
    auto total = part(index<0>{});
    unrolled<kAcross - 1 - kLastApart>([&](auto n) WT_INLINE { total = op(total, part(index<n + 1>{})); });
    vector<C, map::kSlots> slots;
    if constexpr (kLastApart) {
      slots = reduce_slots<How, map>(total, op, part(index<kAcross - 1>{}));
    } else {
      slots = reduce_slots<How, map>(total, op);
    }
    unrolled<map::kSlots>([&](auto s) WT_INLINE {
      static constexpr int kAt = along * map::kSlots + s;
      C result =
          reduce_lanes<Extent == extent::row ? map::kSharedLanes : 0>(static_cast<C>(slots[s.value]), op);
      if constexpr (Begins == begins_with::result) result = op(static_cast<C>(to.values[kAt]), result);
      to.values[kAt] = static_cast<T>(result);
    });
  });
}

// Returns op of all values of a vector, the same in all lanes.
template <class Op, class T, int Length, class Layout, axis Axis>
WT_DEVICE compute_t<T> reduce(const rv<T, Length, Layout, Axis> &from, const Op &op) {
  using C = compute_t<T>;
  C result = static_cast<C>(from.values[0]);
  unrolled<rv<T, Length, Layout, Axis>::kElements - 1>(
      [&](auto i) WT_INLINE { result = op(result, static_cast<C>(from.values[i.value + 1])); });
  return reduce_lanes<(target::kWaveLanes - 1) & ~axis_map<Layout, Axis>::kSharedLanes>(result, op);
}

}  // namespace detail

// row_sum, row_max and row_min set a column vector of the tile to one value per row; col_sum, col_max and
// col_min set a row vector to one value per column. The form with three arguments starts from what the vector
// of the third argument holds, which may be `to`.
//
// sum, max and min of a vector return one number, in every lane.
#define WT_REDUCTION(name, expression, how)                                                                 \
  template <class T, int Length, class Layout, axis Axis, map_result Tile>                                  \
  WT_DEVICE void row_##name(rv<T, Length, Layout, Axis> &to, const Tile &from) {                            \
    static_assert(Axis == axis::row,                                                                        \
                  "row_" #name " fills one value per row: pass a col_vec<T, Tile>, or use col_" #name       \
                  " for the row_vec");                                                                      \
    const auto op = [](auto a, auto b) WT_INLINE { return expression; };                                    \
    if constexpr (Axis == axis::row)                                                                        \
      detail::reduce<detail::combines::how, detail::begins_with::element>(to, from, op);                    \
  }                                                                                                         \
  template <class T, int Length, class Layout, axis Axis, int StartLength, axis StartAxis, map_result Tile> \
  WT_DEVICE void row_##name(rv<T, Length, Layout, Axis> &to, const Tile &from,                              \
                            const rv<T, StartLength, Layout, StartAxis> &start) {                           \
    static_assert(Axis == axis::row && StartAxis == axis::row,                                              \
                  "row_" #name " fills one value per row: pass col_vec<T, Tile>s, or use col_" #name        \
                  " for row_vecs");                                                                         \
    const auto op = [](auto a, auto b) WT_INLINE { return expression; };                                    \
    if constexpr (Axis == axis::row && StartAxis == axis::row) {                                            \
      to = start;                                                                                           \
      detail::reduce<detail::combines::how, detail::begins_with::result>(to, from, op);                     \
    }                                                                                                       \
  }                                                                                                         \
  template <class T, int Length, class Layout, axis Axis, map_result Tile>                                  \
  WT_DEVICE void col_##name(rv<T, Length, Layout, Axis> &to, const Tile &from) {                            \
    static_assert(Axis == axis::column,                                                                     \
                  "col_" #name " fills one value per column: pass a row_vec<T, Tile>, or use row_" #name    \
                  " for the col_vec");                                                                      \
    const auto op = [](auto a, auto b) WT_INLINE { return expression; };                                    \
    if constexpr (Axis == axis::column)                                                                     \
      detail::reduce<detail::combines::how, detail::begins_with::element>(to, from, op);                    \
  }                                                                                                         \
  template <class T, int Length, class Layout, axis Axis, int StartLength, axis StartAxis, map_result Tile> \
  WT_DEVICE void col_##name(rv<T, Length, Layout, Axis> &to, const Tile &from,                              \
                            const rv<T, StartLength, Layout, StartAxis> &start) {                           \
    static_assert(Axis == axis::column && StartAxis == axis::column,                                        \
                  "col_" #name " fills one value per column: pass row_vec<T, Tile>s, or use row_" #name     \
                  " for col_vecs");                                                                         \
    const auto op = [](auto a, auto b) WT_INLINE { return expression; };                                    \
    if constexpr (Axis == axis::column && StartAxis == axis::column) {                                      \
      to = start;                                                                                           \
      detail::reduce<detail::combines::how, detail::begins_with::result>(to, from, op);                     \
    }                                                                                                       \
  }                                                                                                         \
  template <class T, int Length, class Layout, axis Axis>                                                   \
  WT_DEVICE auto name(const rv<T, Length, Layout, Axis> &from) {                                            \
    const auto op = [](auto a, auto b) WT_INLINE { return expression; };                                    \
    return detail::reduce(from, op);                                                                        \
  }
WT_REDUCTION(sum, a + b, packed)
WT_REDUCTION(max, wt::max(a, b), chained)
WT_REDUCTION(min, wt::min(a, b), chained)
#undef WT_REDUCTION

// Reduce rows in two steps. First, row_sum_in_lanes and row_max_in_lanes reduce within lanes: each lane has
// the sum (the maximum) of its own part of a row, and the sum is added to what `start` holds. In the end,
// sum_between_lanes adds the values of the lanes that share a row.
template <class T, int Length, class Layout, map_result Tile>
WT_DEVICE void row_sum_in_lanes(rv<T, Length, Layout, axis::row> &to, const Tile &from,
                                const rv<T, Length, Layout, axis::row> &start) {
  const auto op = [](auto a, auto b) WT_INLINE { return a + b; };
  to = start;
  detail::reduce<detail::combines::packed, detail::begins_with::result, detail::extent::lane>(to, from, op);
}
template <class T, int Length, class Layout, map_result Tile>
WT_DEVICE void row_max_in_lanes(rv<T, Length, Layout, axis::row> &to, const Tile &from) {
  const auto op = [](auto a, auto b) WT_INLINE { return wt::max(a, b); };
  detail::reduce<detail::combines::chained, detail::begins_with::element, detail::extent::lane>(to, from, op);
}
template <class T, int Length, class Layout, axis Axis>
WT_DEVICE void sum_between_lanes(rv<T, Length, Layout, Axis> &values) {
  using map = axis_map<Layout, Axis>;
  const auto op = [](auto a, auto b) WT_INLINE { return a + b; };
  unrolled<rv<T, Length, Layout, Axis>::kElements>([&](auto e) WT_INLINE {
    values.values[e.value] = static_cast<T>(
        reduce_lanes<map::kSharedLanes>(static_cast<detail::compute_t<T>>(values.values[e.value]), op));
  });
}

}  // namespace wt

#endif
