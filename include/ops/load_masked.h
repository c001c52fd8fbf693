// SPDX-License-Identifier: MIT
// A work-group loads a tile from global memory into LDS, for any strides, alignment and size: this loader is
// slow, but always works.
#ifndef WT_OPS_LOAD_MASKED_H
#define WT_OPS_LOAD_MASKED_H

#include "../tiles/gl.h"
#include "../tiles/row_order.h"
#include "../tiles/st.h"
#include "isa/forget.h"
#include "isa/global.h"
#include "isa/ids.h"
#include "isa/sync.h"
#include "list.h"

namespace wt {

// Fills an LDS tile from the leading part of `from`, with zeros outside it; any strides, any alignment and
// any size are right. It moves sixteen bytes at a time where they lie together and inside, and one element at
// a time elsewhere, which is slow. The work-group's Threads threads share the work; a barrier must follow.
//
// scope: work-group; operands: st of elements of 1 or 2 bytes, gl; leaves: lgkmcnt; waits: caller; LDS:
// writes the tile; registers: addresses; chips: both
template <int Threads, class T, int Rows, int Columns, swizzle S>
WT_DEVICE void load_masked(st<T, Rows, Columns, S> &to, const gl<const T> &from) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2, "load_masked packs elements of 1 or 2 bytes");
  static constexpr int kBytes = static_cast<int>(sizeof(T)), kEach = 16 / kBytes, kPerDword = 4 / kBytes;
  static constexpr int kChunks = Rows * Columns / kEach, kPerRow = Columns / kEach;
  const bool wide = from.column_stride == 1;
#pragma unroll 1
  for (int chunk = thread_id(); chunk < kChunks; chunk += Threads) {
    const int row = chunk / kPerRow, column = chunk % kPerRow * kEach;
    u32x4 packed = {};
    if (wide && row < from.rows && column + kEach <= from.columns) {
      packed = global_load<u32x4>(from.data + row * from.row_stride + column);
    } else if (row < from.rows && column < from.columns) {
#pragma unroll
      for (int dword = 0; dword < 4; ++dword) {
        u32 bits = 0, inside = 0;
#pragma unroll
        for (int i = 0; i < kPerDword; ++i) {
          static constexpr u32 kOnes = kBytes == 1 ? 0xffu : 0xffffu;
          const T value = from.load_clamped(row, column + dword * kPerDword + i);
          u32 raw;
          if constexpr (kBytes == 1) {
            raw = __builtin_bit_cast(unsigned char, value);
          } else {
            raw = __builtin_bit_cast(unsigned short, value);
          }
          bits |= raw << (8 * kBytes * i);
          inside |= from.contains(row, column + dword * kPerDword + i) ? kOnes << (8 * kBytes * i) : 0;
        }
        packed[dword] = bits & inside;
      }
    }
    to.template at<u32x4>(swizzled<S>(chunk * 16)) = packed;
  }
}

// Fills an LDS tile from the leading part of `from`, with zeros outside it, where columns lie together and 16
// bytes of the matrix stand before each row's first column: so do the last columns of longer rows. All loads
// are of 16 bytes and in flight together. Loads that would go past the columns take as many bytes before
// instead, and their data are shifted. The work-group's Threads threads share the work; a barrier must
// follow.
//
// scope: work-group; operands: st of elements of 1 or 2 bytes, gl of contiguous columns and at least one row;
// leaves: lgkmcnt; waits: caller; LDS: writes the tile; registers: those of the loads; chips: both
template <int Threads, class T, int Rows, int Columns, swizzle S>
WT_DEVICE void load_row_ends(st<T, Rows, Columns, S> &to, const gl<const T> &from) {
  static_assert(sizeof(T) == 1 || sizeof(T) == 2, "load_row_ends moves elements of 1 or 2 bytes");
  static constexpr int kBytes = static_cast<int>(sizeof(T)), kEach = 16 / kBytes, kPerRow = Columns / kEach;
  static constexpr int kLoads = Rows * kPerRow / Threads;
  static_assert(kLoads * Threads == Rows * kPerRow,
                "the tile must divide evenly into 16 bytes per thread: use a larger tile or fewer threads");
  u32x4 held[kLoads];
  int past_bytes[kLoads];  // to be shifted out
  const int last_row = from.rows - 1, last = from.columns - kEach;
  unrolled<kLoads>([&](auto i) WT_INLINE {
    const int chunk = thread_id() + i * Threads, row = chunk / kPerRow, column = chunk % kPerRow * kEach;
    const int begin = column < last ? column : last;
    past_bytes[i] = row <= last_row ? (column - begin) * kBytes : 16;
    held[i] = global_load<u32x4>(from.data + (row <= last_row ? row : last_row) * from.row_stride + begin);
  });
  unrolled<kLoads>([&](auto i) WT_INLINE {
    const auto bits = __builtin_bit_cast(unsigned __int128, held[i]);
    const auto shifted = past_bytes[i] < 16 ? bits >> (8 * past_bytes[i]) : 0;
    to.template at<u32x4>(swizzled<S>((thread_id() + i * Threads) * 16)) = __builtin_bit_cast(u32x4, shifted);
  });
}

// Fills an LDS tile of 8-, 6- or 4-bit floats from the leading part of a matrix of whole blocks of 32, with
// zeros outside it. `from` has the matrix in bytes, as it is packed: gl, or another type with rows, columns
// (at least one of each) and address(row, byte). Rows may begin anywhere. Order is that of the tile's rows.
// The work-group's Threads threads share the work, each with four loads in flight; a barrier must follow.
//
// scope: work-group; operands: st of narrow floats, gl of bytes; leaves: lgkmcnt; waits: caller; LDS: writes
// the tile; registers: those of the loads; chips: both
template <int Threads, row_order Order = row_order::natural, class T, int Rows, int Columns, swizzle S,
          class Bytes>
WT_DEVICE void load_masked_blocks(st<T, Rows, Columns, S> &to, const Bytes &from) {
  static_assert(is_fp8<T> || is_fp6<T> || is_fp4<T> || __is_same(T, bf16),
                "blocks of 32 are of 8-, 6- or 4-bit floats, or of bf16 that is multiplied by them");
  using tile = st<T, Rows, Columns, S>;
  static constexpr int kUnitBytes = is_fp6<T> ? 8 : 16;  // a block has whole ones
  static constexpr int kEach = (tile::kBytes + Threads * kUnitBytes - 1) / (Threads * kUnitBytes);
  static constexpr int kAtOnce = kEach < 4 ? kEach : 4;
  using unit = vector<u32, kUnitBytes / 4>;
#pragma unroll 1
  for (int first = thread_id() * kUnitBytes; first < tile::kBytes; first += kAtOnce * Threads * kUnitBytes) {
    unit moved[kAtOnce];
    int exists[kAtOnce];  // all bits or none: as conditions, they would take two scalar registers each
    unrolled<kAtOnce>([&](auto i) WT_INLINE {
      const int at = tile::byte_at(first + i * Threads * kUnitBytes), byte = at % tile::kRowBytes;
      const int row = ordered_row<Order>(at / tile::kRowBytes);
      exists[i] = row < from.rows && byte < from.columns ? -1 : 0;
      forget(exists[i]);
      moved[i] = global_load<unit>(from.address(row & exists[i], byte & exists[i]));
    });
    sched_barrier();  // or the compiler masks what the first load brings before it issues the others
    unrolled<kAtOnce>([&](auto i) WT_INLINE {
      const int place = first + i * Threads * kUnitBytes;
      if (tile::kBytes % (kAtOnce * Threads * kUnitBytes) == 0 || place < tile::kBytes)
        to.template at<unit>(place) = moved[i] & static_cast<u32>(exists[i]);
    });
  }
}

}  // namespace wt

#endif
