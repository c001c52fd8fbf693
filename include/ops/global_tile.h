// SPDX-License-Identifier: MIT
// A wave loads register tiles and vectors from global memory and stores them there, in any layout. Accesses
// are as wide as the layout's runs and the alignment allow; outside a matrix, zeros are read and nothing is
// written.
//
// scope: wave; operands: rt of any layout, gl; leaves: vmcnt; waits: compiler; LDS: none; registers:
// addresses; chips: both
#ifndef WT_OPS_GLOBAL_TILE_H
#define WT_OPS_GLOBAL_TILE_H

#include "../tiles/rt.h"
#include "../tiles/rv.h"
#include "isa/ids.h"
#include "list.h"
#include "memory_of.h"
#include "tile_chunks.h"

namespace wt {

namespace detail {

// Returns whether a tile's chunks of Bytes can be reached as such behind a buffer descriptor: the matrix has
// rows of whole, aligned chunks, at least as far as the tile goes.
template <class Tile, int Bytes, class T>
WT_DEVICE bool chunks_fit(const gl<T> &matrix) {
  static constexpr int kElements = Bytes / static_cast<int>(sizeof(T));
  return matrix.column_stride == 1 && matrix.rows_aligned(Bytes) && matrix.fits_buffer(Tile::kRows) &&
         (matrix.columns >= Tile::kColumns || matrix.columns % kElements == 0);
}

// Says what is done with a tile and a matrix.
enum class transfer { load, store };
template <transfer What, class Tile, class T>
constexpr bool check_matrix() {
  static_assert(What == transfer::store || __is_same(const T, const typename Tile::element),
                "the tile and the matrix differ in type: load the matrix's type, then convert");
  static_assert(What == transfer::load || __is_same(T, typename Tile::element),
                "the tile and the matrix differ in type: copy the tile to one of the matrix's type first "
                "(elementwise.h; convert for 8 bits), and store that");
  static_assert(kBits<T> >= 8, "load and store move elements of 8 bits or more: move packed ones as bytes");
  return true;
}

}  // namespace detail

// Sets `to` to the part of a matrix that begins at element (row, column), with zeros outside the matrix. Any
// strides, alignment and size are right. Where columns lie together, aligned to the layout's runs and not cut
// by the matrix's end, a run is one buffer_load; else elements are loaded one by one, which is slow. The
// choice is uniform.
template <class T, int Rows, int Columns, class Layout, class U>
WT_DEVICE void load(rt<T, Rows, Columns, Layout> &to, const gl<U> &matrix, int row, int column) {
  using tile = rt<T, Rows, Columns, Layout>;
  static_assert(detail::check_matrix<detail::transfer::load, tile, U>());
  static constexpr int kBytes = detail::run_bytes<tile>();
  const gl<U> from = matrix.from(row, column);
  zero(to);
  if (from.rows <= 0 || from.columns <= 0) return;
  if (detail::chunks_fit<tile, kBytes>(from)) {
    using chunks = detail::chunks<tile, kBytes>;
    const buffer memory = memory_of(from, Rows);
    chunks::each(to, [&](auto c, auto &fragment, int r, int col) WT_INLINE {
      const int at = r * from.row_bytes() + col * static_cast<int>(sizeof(T));
      chunks::template put<c>(
          fragment, buffer_load<typename chunks::value>(memory, col < from.columns ? at : kOutOfRange));
    });
  } else {
    using chunks = detail::chunks<tile, sizeof(T)>;
    chunks::each(to, [&](auto c, auto &fragment, int r, int col) WT_INLINE {
      const auto value = __builtin_bit_cast(typename chunks::value, from.load_clamped(r, col));
      chunks::template put<c>(fragment, from.contains(r, col) ? value : typename chunks::value{});
    });
  }
}

// Writes the tile to the part of a matrix that begins at element (row, column), and drops what lies outside.
// It is as wide as load.
//
// waits: nobody
template <class U, class T, int Rows, int Columns, class Layout>
WT_DEVICE void store(const gl<U> &matrix, const rt<T, Rows, Columns, Layout> &from, int row, int column) {
  using tile = rt<T, Rows, Columns, Layout>;
  static_assert(detail::check_matrix<detail::transfer::store, tile, U>());
  static constexpr int kBytes = detail::run_bytes<tile>();
  const gl<U> to = matrix.from(row, column);
  if (to.rows <= 0 || to.columns <= 0) return;
  if (detail::chunks_fit<tile, kBytes>(to)) {
    using chunks = detail::chunks<tile, kBytes>;
    const buffer memory = memory_of(to, Rows);
    chunks::each(from, [&](auto c, const auto &fragment, int r, int col) WT_INLINE {
      const int at = r * to.row_bytes() + col * static_cast<int>(sizeof(T));
      buffer_store(memory, col < to.columns ? at : kOutOfRange, chunks::template get<c>(fragment));
    });
  } else {
    using chunks = detail::chunks<tile, sizeof(T)>;
    chunks::each(from, [&](auto c, const auto &fragment, int r, int col) WT_INLINE {
      if (to.contains(r, col)) {
        to.data[r * to.row_stride + col * to.column_stride] =
            __builtin_bit_cast(T, chunks::template get<c>(fragment));
      }
    });
  }
}

// Loads tiles that lie side by side in the matrix, the first of them at element (row, column).
template <class Tile, int N, class U>
WT_DEVICE void load(Tile (&to)[N], const gl<U> &matrix, int row, int column) {
  unrolled<N>([&](auto i) WT_INLINE { load(to[i.value], matrix, row, column + i * Tile::kColumns); });
}

// ---- vectors
// Loads the vector from `data` on, where `count` values lie, and sets those beyond them to zero.
//
// operands: rv of any layout, pointer to global memory
template <class T, int Length, class Layout, axis Axis, class U>
WT_DEVICE void load(rv<T, Length, Layout, Axis> &to, const U *data, int count) {
  static_assert(__is_same(U, T),
                "the vector and the memory differ in type: load the memory's type, then copy");
  using vector = rv<T, Length, Layout, Axis>;
  const int lane = lane_id();
  unrolled<vector::kElements>([&](auto e) WT_INLINE {
    const int at = vector::position(lane, e);
    to.values[e.value] = at < count ? data[at] : T{};
  });
}
// Writes the vector from `data` on, and nothing beyond `count` values. Lanes that share a value all write it.
//
// operands: rv of any layout, pointer to global memory; waits: nobody
template <class T, int Length, class Layout, axis Axis, class U>
WT_DEVICE void store(U *data, const rv<T, Length, Layout, Axis> &from, int count) {
  static_assert(
      __is_same(U, T),
      "the vector and the memory differ in type: copy the vector to one of the memory's type first, "
      "and store that");
  using vector = rv<T, Length, Layout, Axis>;
  const int lane = lane_id();
  unrolled<vector::kElements>([&](auto e) WT_INLINE {
    const int at = vector::position(lane, e);
    if (at < count) data[at] = from.values[e.value];
  });
}

}  // namespace wt

#endif
