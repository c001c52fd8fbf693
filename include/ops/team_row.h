// SPDX-License-Identifier: MIT
// A row of any length, in the registers of a team: 16 bytes at a time where whole runs of elements lie in it,
// the few elements after them one per thread. Rows may begin anywhere (see global_load).
//
// Thread t holds chunks t, Threads + t, 2 * Threads + t ... of Each elements, and one element of the rest. A
// row longer than that is taken in slices, one after the other.
#ifndef WT_OPS_TEAM_ROW_H
#define WT_OPS_TEAM_ROW_H

#include "../tiles/rv.h"
#include "isa/convert.h"
#include "isa/global.h"
#include "list.h"

namespace wt {

// The values of a row that a thread holds, in f32: Values of them in chunks of Each, and one of the rest.
// They are numbered as pieces, the rest last. Each is usually 16 bytes of the narrowest type in play.
template <int Threads, int Values, int Each>
struct team_row {
  static_assert(Values % Each == 0, "a thread holds whole chunks: make Values a multiple of Each");
  static_assert(Each <= Threads, "the rest has one element per thread: use a larger team or shorter chunks");
  static_assert(Each <= 16, "a chunk has up to 16 elements: 16 bytes of the narrowest type");
  static constexpr int kThreads = Threads, kEach = Each, kChunks = Values / Each, kPieces = kChunks + 1;
  static constexpr int kCapacity = Threads * Values;  // elements that the team holds

  vector<f32, Each> chunk[kChunks];
  f32 rest;

  // Chunk Piece, or the rest.
  template <int Piece>
  WT_DEVICE auto &piece() {
    if constexpr (Piece < kChunks) {
      return chunk[Piece];
    } else {
      return rest;
    }
  }
  template <int Piece>
  WT_DEVICE const auto &piece() const {
    return const_cast<team_row *>(this)->template piece<Piece>();
  }
};

// Elements of T of a row, as they lie in memory.
template <class T, class Row>
struct team_bits {
  registers<T, Row::kEach> chunk[Row::kChunks];
  T rest;
};

// Which elements of a row of `length`, 1 to 2^30, are held: those from column `first` on, a multiple of
// kCapacity below the length, as far as registers go. There is no rest when the row goes on.
template <class Row>
struct row_slice {
  int rank;    // of this thread in its team
  int first;   // column
  int chunks;  // whole ones, of the team
  int rest;    // elements after them

  WT_DEVICE row_slice(int rank_in_team, int length, int first_column = 0)
      : rank(rank_in_team), first(first_column) {
    const int left = length - first, held = left < Row::kCapacity ? left : Row::kCapacity;
    chunks = held / Row::kEach, rest = held % Row::kEach;
  }

  // Whether a piece of this thread lies in the row, and the column of its first element.
  template <int Piece>
  WT_DEVICE bool has() const {
    return Piece < Row::kChunks ? Piece * Row::kThreads + rank < chunks : rank < rest;
  }
  template <int Piece>
  WT_DEVICE int column() const {
    return first +
           (Piece < Row::kChunks ? (Piece * Row::kThreads + rank) * Row::kEach : chunks * Row::kEach + rank);
  }
};

// f(index<P>{}) for each piece P.
template <class Row, class F>
WT_DEVICE void each_piece(const F &f) {
  unrolled<Row::kPieces>(f);
}

// ---- memory. `row` points to column 0.
//
// Loads are not masked: a thread reads the last chunk again for those it does not have, so that all loads are
// in flight together, and its values there mean nothing. Reductions leave them out, stores drop them.
namespace detail {
// What a row without a whole chunk reads instead: with no branch around them, the loads of several rows stay
// together.
static __attribute__((device)) const u32x4 kNoChunk[4] = {};
}  // namespace detail

template <class T, class Row>
WT_DEVICE void load(team_bits<T, Row> &to, const T *row, const row_slice<Row> &slice) {
  const bool some = slice.chunks > 0;
  const T *chunks = as_global<const T>(reinterpret_cast<__UINTPTR_TYPE__>(
      some ? static_cast<const void *>(row + slice.first) : detail::kNoChunk));
  const int last = some ? slice.chunks - 1 : 0;
  unrolled<Row::kChunks>([&](auto c) WT_INLINE {
    const int own = c * Row::kThreads + slice.rank, at = own < last ? own : last;
    to.chunk[c] = global_load<registers<T, Row::kEach>>(chunks + at * Row::kEach);
  });
  const int own = slice.rank < slice.rest ? slice.rank : 0;
  const int column = slice.first + (slice.rest > 0 ? slice.chunks * Row::kEach + own : 0);
  to.rest = row[column];
}

template <class T, class Row>
WT_DEVICE void store(T *row, const row_slice<Row> &slice, const team_bits<T, Row> &from) {
  unrolled<Row::kChunks>([&](auto c) WT_INLINE {
    if (slice.template has<c>()) {
      global_store(row + slice.template column<c>(), registers<T, Row::kEach>(from.chunk[c]));
    }
  });
  constexpr int kRest = Row::kChunks;
  if (slice.template has<kRest>()) row[slice.template column<kRest>()] = from.rest;
}

// To f32, exactly; from f32, rounded to nearest even (FP8 saturates). load and store do both at once: to have
// several rows in flight, load their bits first and widen them after.
template <class T, class Row>
WT_DEVICE void widen(Row &to, const team_bits<T, Row> &from) {
  unrolled<Row::kChunks>([&](auto c) WT_INLINE {
    if constexpr (is_fp8<T> || __is_same(T, i8)) {
      to.chunk[c] = to_f32<T>(from.chunk[c]);
    } else {
      to.chunk[c] = to_f32(from.chunk[c]);
    }
  });
  to.rest = to_f32(from.rest);
}
template <class T, class Row>
WT_DEVICE void narrow(team_bits<T, Row> &to, const Row &from) {
  unrolled<Row::kChunks>([&](auto c) WT_INLINE { to.chunk[c] = from_f32<T>(from.chunk[c]); });
  to.rest = from_f32<T>(from.rest);
}

template <class T, int Threads, int Values, int Each>
WT_DEVICE void load(team_row<Threads, Values, Each> &to, const T *row,
                    const row_slice<team_row<Threads, Values, Each>> &slice) {
  team_bits<T, team_row<Threads, Values, Each>> bits;
  load(bits, row, slice);
  widen(to, bits);
}
template <class T, int Threads, int Values, int Each>
WT_DEVICE void store(T *row, const row_slice<team_row<Threads, Values, Each>> &slice,
                     const team_row<Threads, Values, Each> &from) {
  team_bits<T, team_row<Threads, Values, Each>> bits;
  narrow(bits, from);
  store(row, slice, bits);
}

// ---- arithmetic
namespace detail {
// op over a thread's elements of a piece, by halves.
template <class Op>
WT_DEVICE f32 within_piece(f32 x, const Op &) {
  return x;
}
template <class Op, int N>
WT_DEVICE f32 within_piece(vector<f32, N> x, const Op &op) {
  if constexpr (N == 1) {
    return x[0];
  } else {
    vector<f32, N / 2> low, high;
    unrolled<N / 2>([&](auto i) WT_INLINE { low[i.value] = x[i.value], high[i.value] = x[i.value + N / 2]; });
    return within_piece(op(low, high), op);
  }
}
}  // namespace detail

// to = f(rows...), piece by piece: f takes and returns vectors of f32 for chunks and a float for the rest.
template <int Threads, int Values, int Each, class F, class... Rows>
WT_DEVICE void map(team_row<Threads, Values, Each> &to, const F &f, const Rows &...rows) {
  using Row = team_row<Threads, Values, Each>;
  static_assert((__is_same(Rows, Row) && ...), "the rows of a map must be spread alike: use one team_row");
  each_piece<Row>([&](auto p) WT_INLINE { to.template piece<p>() = f(rows.template piece<p>()...); });
}

// Values that do not lie in the row become `value`.
template <int Threads, int Values, int Each>
WT_DEVICE void fill_outside(team_row<Threads, Values, Each> &row,
                            const row_slice<team_row<Threads, Values, Each>> &slice, f32 value) {
  using Row = team_row<Threads, Values, Each>;
  each_piece<Row>([&](auto p) WT_INLINE {
    auto &x = row.template piece<p>();
    x = slice.template has<p>() ? x : value;
  });
}

// op over the elements that this thread has, `start` among them; a team's reduce does the rest. op takes
// vectors and floats.
template <class Op, int Threads, int Values, int Each>
WT_DEVICE f32 reduce_own(const team_row<Threads, Values, Each> &row,
                         const row_slice<team_row<Threads, Values, Each>> &slice, f32 start, const Op &op) {
  each_piece<team_row<Threads, Values, Each>>([&](auto p) WT_INLINE {
    const f32 with = op(start, detail::within_piece(row.template piece<p>(), op));
    start = slice.template has<p>() ? with : start;
  });
  return start;
}
template <int Threads, int Values, int Each>
WT_DEVICE f32 sum_own(const team_row<Threads, Values, Each> &row,
                      const row_slice<team_row<Threads, Values, Each>> &slice) {
  return reduce_own(row, slice, 0.0f, [](auto a, auto b) WT_INLINE { return a + b; });
}

}  // namespace wt

#endif
