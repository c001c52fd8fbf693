// SPDX-License-Identifier: MIT
// A team holds a row of any length in its registers: 16 bytes at a time where whole runs of elements lie in
// it, and the few elements after them one per thread. Rows may begin anywhere (see global_load).
//
// Thread t holds chunks t, Threads + t, 2 * Threads + t ... of Each elements, and one element of the rest. A
// row that is longer than that is taken in slices, one after the other.
//
// scope: lane; operands: team_row, team_bits and row_slice; leaves: none; waits: nobody; LDS: none;
// registers: none; chips: both
#ifndef WT_OPS_TEAM_ROW_H
#define WT_OPS_TEAM_ROW_H

#include "../tiles/rv.h"
#include "functions.h"
#include "isa/convert.h"
#include "isa/forget.h"
#include "isa/global.h"
#include "list.h"
#include "vector_part.h"

namespace wt {

// These are the values of a row that a thread holds, in f32: Values of them in chunks of Each, and one of the
// rest. They are numbered as pieces, the rest last. Each is usually 16 bytes of the narrowest type in play.
//
// registers: Values + 1
template <int Threads, int Values, int Each>
struct team_row {
  static_assert(Values % Each == 0, "a thread holds whole chunks: make Values a multiple of Each");
  static_assert(Each <= Threads, "the rest has one element per thread: use a larger team or shorter chunks");
  static_assert(Each <= 16, "a chunk has up to 16 elements: 16 bytes of the narrowest type");
  static constexpr int kThreads = Threads, kEach = Each, kChunks = Values / Each, kPieces = kChunks + 1;
  static constexpr int kCapacity = Threads * Values;  // elements that the team holds

  vector<f32, Each> chunk[kChunks];
  f32 rest;

  // Returns chunk number Piece, or the rest.
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

// These are the elements of T of a row that a thread holds, as they lie in memory.
//
// registers: the bytes of Values + 1 elements
template <class T, class Row>
struct team_bits {
  registers<T, Row::kEach> chunk[Row::kChunks];
  T rest;
};

// Says which elements of a row of `length`, 1 to 2^30, are held: those from column `first` on, which is a
// multiple of kCapacity below the length, as far as registers go. There is no rest when the row goes on.
//
// registers: 4
template <class Row>
struct row_slice {
  int rank;    // rank of this thread in its team
  int first;   // column of the first element
  int chunks;  // whole chunks of the team
  int rest;    // elements after the chunks

  // Makes the slice of the thread with this rank in its team.
  WT_DEVICE row_slice(int rank_in_team, int length, int first_column = 0)
      : rank(rank_in_team), first(first_column) {
    const int left = length - first, held = left < Row::kCapacity ? left : Row::kCapacity;
    chunks = held / Row::kEach, rest = held % Row::kEach;
  }

  // Return whether a piece of this thread lies in the row, the column of its first element, and that column
  // counted from `first`.
  template <int Piece>
  WT_DEVICE bool has() const {
    int own = rank;
    forget(own);  // a comparison each time, or every piece's mask would occupy two scalar registers
    return Piece < Row::kChunks ? Piece * Row::kThreads + own < chunks : own < rest;
  }
  template <int Piece>
  WT_DEVICE int column() const {
    return first + static_cast<int>(offset<Piece>());
  }
  template <int Piece>
  WT_DEVICE u32 offset() const {
    return static_cast<u32>(Piece < Row::kChunks ? (Piece * Row::kThreads + rank) * Row::kEach
                                                 : chunks * Row::kEach + rank);
  }
};

// Calls f(index<P>{}) for each piece P.
template <class Row, class F>
WT_DEVICE void each_piece(const F &f) {
  unrolled<Row::kPieces>(f);
}

// ---- memory
namespace detail {
// This is read where there is nothing to read, so that no branch parts the loads of several rows.
static __attribute__((device)) const u32x4 kNothing[4] = {};

template <class T>
WT_DEVICE const T *or_nothing(bool some, const T *from) {
  const void *address = some ? static_cast<const void *>(from) : kNothing;
  return as_global<const T>(reinterpret_cast<__UINTPTR_TYPE__>(address));
}

template <class T, class Row>
WT_DEVICE void load(team_bits<T, Row> &to, const T *row, const row_slice<Row> &slice, bool exists) {
  const bool some = exists && slice.chunks > 0, rest = exists && slice.rest > 0;
  const T *first = or_nothing(some, row + slice.first);
  const u32 rank = static_cast<u32>(slice.rank), last = some ? static_cast<u32>(slice.chunks - 1) : 0;
  unrolled<Row::kChunks>([&](auto c) WT_INLINE {
    const u32 own = c * Row::kThreads + rank, at = own < last ? own : last;
    to.chunk[c] = global_load<registers<T, Row::kEach>>(first + at * Row::kEach);
  });
  const T *rest_first = or_nothing(rest, row + slice.first + slice.chunks * Row::kEach);
  const u32 most = rest ? static_cast<u32>(slice.rest - 1) : 0;
  to.rest = rest_first[rank < most ? rank : most];
}
}  // namespace detail

// Loads the thread's elements of a row whose column 0 `row` points to. Loads are not masked: a thread reads
// the last chunk again for those it does not have, so that all loads are in flight together, and its values
// there mean nothing. Reductions leave them out, stores drop them.
//
// scope: team; leaves: vmcnt; waits: compiler; registers: addresses
template <class T, class Row>
WT_DEVICE void load(team_bits<T, Row> &to, const T *row, const row_slice<Row> &slice) {
  detail::load(to, row, slice, true);
}
// Loads the same, or zeros when `row` is null.
//
// scope: team; leaves: vmcnt; waits: compiler; registers: addresses
template <class T, class Row>
WT_DEVICE void load_if_any(team_bits<T, Row> &to, const T *row, const row_slice<Row> &slice) {
  detail::load(to, row, slice, row != nullptr);
}

// Returns a piece in f32, exactly.
template <int Piece, class T, class Row>
WT_DEVICE auto widened(const team_bits<T, Row> &from) {
  if constexpr (Piece == Row::kChunks) {
    return to_f32(from.rest);
  } else if constexpr (is_fp8<T> || __is_same(T, i8)) {
    return to_f32<T>(from.chunk[Piece]);
  } else {
    return to_f32(from.chunk[Piece]);
  }
}
// Writes a piece of f32 to memory, rounded to nearest even, if this thread has it. Overflow is for FP8.
//
// scope: team; leaves: vmcnt; waits: nobody; registers: addresses
template <int Piece, overflow Overflow = overflow::saturate, class T, class Row, class V>
WT_DEVICE void store_piece(T *row, const row_slice<Row> &slice, V value) {
  if (!slice.template has<Piece>()) return;
  T *const to = row + slice.first + slice.template offset<Piece>();
  if constexpr (Piece < Row::kChunks) {
    global_store(to, from_f32<T, Overflow>(value));
  } else {
    *to = from_f32<T, Overflow>(value);
  }
}

// Widens all pieces. To have several rows in flight, load their bits first and widen them after; load of a
// team_row does both.
template <class T, int Threads, int Values, int Each>
WT_DEVICE void widen(team_row<Threads, Values, Each> &to,
                     const team_bits<T, team_row<Threads, Values, Each>> &from) {
  each_piece<team_row<Threads, Values, Each>>([&](auto p)
                                                  WT_INLINE { to.template piece<p>() = widened<p>(from); });
}
// Loads the thread's elements of a row and widens them.
//
// scope: team; registers: the loaded bits
template <class T, int Threads, int Values, int Each>
WT_DEVICE void load(team_row<Threads, Values, Each> &to, const T *row,
                    const row_slice<team_row<Threads, Values, Each>> &slice) {
  team_bits<T, team_row<Threads, Values, Each>> bits;
  load(bits, row, slice);
  widen(to, bits);
}
// Writes the thread's elements of a row, rounded to nearest even.
//
// scope: team; leaves: vmcnt; waits: nobody; registers: addresses
template <class T, int Threads, int Values, int Each>
WT_DEVICE void store(T *row, const row_slice<team_row<Threads, Values, Each>> &slice,
                     const team_row<Threads, Values, Each> &from) {
  each_piece<team_row<Threads, Values, Each>>(
      [&](auto p) WT_INLINE { store_piece<p>(row, slice, from.template piece<p>()); });
}

// ---- arithmetic
// Returns op over the elements of a piece, by halves.
template <class Op>
WT_DEVICE f32 reduce_piece(f32 x, const Op &) {
  return x;
}
template <class Op, int N>
WT_DEVICE f32 reduce_piece(vector<f32, N> x, const Op &op) {
  if constexpr (N == 1) {
    return x[0];
  } else {
    using half = vector<f32, N / 2>;
    return reduce_piece(op(vector_part<half, 0>(x), vector_part<half, N / 2>(x)), op);
  }
}
// Returns the sum of the elements of a piece.
template <class V>
WT_DEVICE f32 sum_piece(V x) {
  return reduce_piece(x, [](auto a, auto b) WT_INLINE { return a + b; });
}

// Returns f(elements...) for the elements of pieces, one by one. If f took whole vectors, the compiler would
// hold a number that f captures once per element. Pairs are packed all the same.
template <class F, class... Floats>
WT_DEVICE f32 each_element(const F &f, f32 x, Floats... more) {
  return f(x, more...);
}
template <int I, class F, class... Vectors>
WT_DEVICE f32 one_element(const F &f, Vectors... vectors) {
  return f(static_cast<f32>(vectors[I])...);
}
template <class F, int... I, class... Vectors>
WT_DEVICE vector<f32, sizeof...(I)> each_element_of(const F &f, indices<int, I...>, Vectors... vectors) {
  return vector<f32, sizeof...(I)>{one_element<I>(f, vectors...)...};
}
template <class F, int N, class... Vectors>
WT_DEVICE vector<f32, N> each_element(const F &f, vector<f32, N> x, Vectors... more) {
  return each_element_of(f, __make_integer_seq<indices, int, N>{}, x, more...);
}

// Sets to = f(rows...), element by element.
template <int Threads, int Values, int Each, class F, class... Rows>
WT_DEVICE void map(team_row<Threads, Values, Each> &to, const F &f, const Rows &...rows) {
  using Row = team_row<Threads, Values, Each>;
  static_assert((__is_same(Rows, Row) && ...), "the rows of a map must be spread alike: use one team_row");
  each_piece<Row>([&](auto p)
                      WT_INLINE { to.template piece<p>() = each_element(f, rows.template piece<p>()...); });
}

// Sets values that do not lie in the row to `value`.
template <int Threads, int Values, int Each>
WT_DEVICE void fill_outside(team_row<Threads, Values, Each> &row,
                            const row_slice<team_row<Threads, Values, Each>> &slice, f32 value) {
  using Row = team_row<Threads, Values, Each>;
  each_piece<Row>([&](auto p) WT_INLINE {
    auto &x = row.template piece<p>();
    x = slice.template has<p>() ? x : value;
  });
}

// Returns op over the elements that this thread has, with `start` among them; a team's reduce combines the
// threads. op takes vectors and floats.
template <class Op, int Threads, int Values, int Each>
WT_DEVICE f32 reduce_own(const team_row<Threads, Values, Each> &row,
                         const row_slice<team_row<Threads, Values, Each>> &slice, f32 start, const Op &op) {
  each_piece<team_row<Threads, Values, Each>>([&](auto p) WT_INLINE {
    const f32 with = op(start, reduce_piece(row.template piece<p>(), op));
    start = slice.template has<p>() ? with : start;
  });
  return start;
}
// Returns how many elements this thread has.
template <class Row>
WT_DEVICE int count_own(const row_slice<Row> &slice) {
  int count = 0;
  each_piece<Row>(
      [&](auto p) WT_INLINE { count += slice.template has<p>() ? (p < Row::kChunks ? Row::kEach : 1) : 0; });
  return count;
}
// Returns the sum of the elements that this thread has.
template <int Threads, int Values, int Each>
WT_DEVICE f32 sum_own(const team_row<Threads, Values, Each> &row,
                      const row_slice<team_row<Threads, Values, Each>> &slice) {
  return reduce_own(row, slice, 0.0f, [](auto a, auto b) WT_INLINE { return a + b; });
}
// Returns the largest of the elements that this thread has and `start`; it prefers a number to a NaN.
template <int Threads, int Values, int Each>
WT_DEVICE f32 max_own(const team_row<Threads, Values, Each> &row,
                      const row_slice<team_row<Threads, Values, Each>> &slice, f32 start) {
  return reduce_own(row, slice, start, [](auto a, auto b) WT_INLINE { return wt::max(a, b); });
}

}  // namespace wt

#endif
