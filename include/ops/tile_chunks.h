// SPDX-License-Identifier: MIT
// Views a lane's share of a register tile as chunks of bytes that lie together in a row, which are what
// memory accesses move.
#ifndef WT_OPS_TILE_CHUNKS_H
#define WT_OPS_TILE_CHUNKS_H

#include "../tiles/rt.h"
#include "isa/ids.h"
#include "list.h"
#include "vector_part.h"

namespace wt {

namespace detail {

// Says what moves at once: Bytes bytes of a lane's registers, made of pieces that registers can be taken
// apart into.
template <int Bytes>
struct piece_of {
  using type = unsigned int;
};
template <>
struct piece_of<2> {
  using type = unsigned short;
};
template <>
struct piece_of<1> {
  using type = unsigned char;
};

template <class Tile, int Bytes>
struct chunks {
  using layout = typename Tile::layout;
  using piece = typename piece_of<Bytes>::type;
  static constexpr int kElementBytes = kBits<typename Tile::element> / 8;
  static constexpr int kElements = Bytes / kElementBytes;  // elements of a chunk
  static constexpr int kPerFragment = layout::kElements / kElements;
  static constexpr int kPieces = Bytes / static_cast<int>(sizeof(piece));
  using pieces = piece __attribute__((ext_vector_type(kPieces * kPerFragment)));
  using value = piece __attribute__((ext_vector_type(kPieces)));

  // Calls f(chunk's index in the fragment, fragment, row, column) for all chunks; the coordinates are the
  // lane's.
  template <class Fragments, class F>
  WT_DEVICE static void each(Fragments &tile, const F &f) {
    const int lane = lane_id();
    unrolled<Tile::kTall * Tile::kWide>([&](auto n) WT_INLINE {
      static constexpr int kI = n / Tile::kWide, kJ = n % Tile::kWide;
      unrolled<kPerFragment>([&](auto c) WT_INLINE {
        f(c, tile.fragment[kI][kJ], kI * layout::kRows + layout::row(lane, c * kElements),
          kJ * layout::kColumns + layout::column(lane, c * kElements));
      });
    });
  }
  template <int Chunk, class Fragment>
  WT_DEVICE static value get(const Fragment &fragment) {
    const auto all = __builtin_bit_cast(pieces, fragment);
    return vector_part<value, Chunk * kPieces>(all);
  }
  template <int Chunk, class Fragment>
  WT_DEVICE static void put(Fragment &fragment, value chunk) {
    auto all = __builtin_bit_cast(pieces, fragment);
    put_part<Chunk * kPieces>(all, chunk);
    fragment = __builtin_bit_cast(Fragment, all);
  }
};

// Returns the bytes of a lane that lie together in a row, up to what one instruction moves.
template <class Tile>
constexpr int run_bytes() {
  constexpr int kBytes = Tile::layout::kRun * kBits<typename Tile::element> / 8;
  return kBytes >= 16 ? 16 : kBytes;
}

}  // namespace detail

}  // namespace wt

#endif
