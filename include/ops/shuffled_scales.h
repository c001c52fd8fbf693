// SPDX-License-Identifier: MIT
// Shuffled block scales on their way from global memory to registers. They lie in memory as MFMAs take them,
// so that direct copies bring them to LDS as they are, and every byte that a wave reads from there is used.
//
// A group of 256 bytes is for 32 rows and 8 scales of each: that of row r and number s is byte
// 64 * (s mod 4) + 4 * (r mod 16) + 2 * (s / 4) + r / 16. The groups of 32 rows follow each other along the
// row. Rows and scales are padded to whole groups, with scales of 1. hipBLASLt calls this layout
// BLK32_UE8M0_32_8_EXT (rocm-libraries pull request 6499), and ROCm/aiter makes it (aiter/ops/shuffle.py).
#ifndef WT_OPS_SHUFFLED_SCALES_H
#define WT_OPS_SHUFFLED_SCALES_H

#include "../tiles/lds_access.h"
#include "../tiles/rs.h"
#include "isa/buffer.h"
#include "isa/forget.h"
#include "isa/global.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "lds_place.h"
#include "list.h"

namespace wt {

// Rows of a group of shuffled scales, the scales that it has of each, and its bytes.
inline constexpr int kShuffledRows = 32, kShuffledScales = 8;
inline constexpr int kShuffledBytes = kShuffledRows * kShuffledScales;

// This is an LDS tile of shuffled scales: one group for every 32 of Rows rows. In groups with an odd number,
// the four quarters stand in reverse order, so that what a wave reads together of two groups lies in
// different banks.
template <int Rows>
struct shuffled_scale_tile {
  static_assert(Rows % kShuffledRows == 0, "shuffled scales are for 32 rows together: use a multiple of 32");
  static constexpr int kRows = Rows, kBytes = Rows * kShuffledScales;
  alignas(16) unsigned char bytes[kBytes];

  // Returns the byte of the tile where byte `byte` of group `group` lies.
  static constexpr int place(int group, int byte) {
    return group * kShuffledBytes + (byte ^ group % 2 * (kShuffledBytes * 3 / 4));
  }

  // Returns the vector of type V at a place, which must be a multiple of its size.
  //
  // scope: lane; operands: byte offset of the lane; leaves: lgkmcnt; waits: compiler; LDS: the tile;
  // registers: none; chips: both
  template <class V>
  WT_DEVICE V &at(int place) {
    return *reinterpret_cast<V *>(bytes + place);
  }
};

// This is a matrix of shuffled scales, from one group of rows and one K step on.
struct shuffled_scale_matrix {
  const unsigned char *data;
  long long group_bytes;  // from 32 rows to the next 32
  int groups;             // of rows that exist, at least 1

  // Returns whether shuffled_scale_copier may copy `most` groups: they lie in 2 GB, which offsets reach.
  //
  // scope: lane; operands: shuffled_scale_matrix; leaves: none; waits: nobody; LDS: none; registers: none;
  // chips: both
  WT_DEVICE bool is_fetchable(int most) const { return group_bytes < (1ll << 31) / most; }
};

// Reads the scales of an operand tile, of type Scales (rs_shuffled), from an LDS tile, from row `row` on, a
// multiple of 64. A read brings those of two fragments.
//
// scope: wave; operands: shuffled_scale_tile, rs_shuffled; leaves: none; waits: nobody; LDS: none;
// registers: 2; chips: gfx950
template <class Tile, class Scales>
struct shuffled_scale_reader {
  static constexpr int kSteps = Scales::kSteps, kOfPair = Scales::kRegisters, kPairRows = 64;
  static constexpr int kReads = Scales::kTall / 2 * kOfPair;  // of all scales of the operand
  using bytes = __type_pack_element<kSteps == 4, unsigned short, u32>;

  static constexpr int offset(int lane, int which) {
    const int row = lane % 32, block = Scales::block(lane, which);
    return Tile::place(row / 16, 64 * (block % 4) + 4 * (row % 16));
  }
  static constexpr bool is_free() {
    return conflict_free(
               target::kChip, lds_op::read_b32, [](int lane) { return offset(lane, 0); }, no_swizzle) &&
           conflict_free(
               target::kChip, lds_op::read_b32, [](int lane) { return offset(lane, 1); }, no_swizzle);
  }
  static_assert(is_free(), "these reads of scales would have bank conflicts: change Tile::place");

  u32 base[kOfPair];

  // Makes a reader of a tile in LDS, whose first row to read is `row`.
  WT_DEVICE shuffled_scale_reader(lds_place<Tile> tile, int row) {
    const u32 from = tile.address + static_cast<u32>(row * kShuffledScales);
    unrolled<kOfPair>(
        [&](auto which) WT_INLINE { base[which.value] = from + static_cast<u32>(offset(lane_id(), which)); });
  }

  // Returns the reads from the tile that lies `further` bytes further on. Where a group has the scales of two
  // K steps of 128 columns, two bytes more take those of the second.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the tile; registers: none
  WT_DEVICE auto reads(Scales &to, u32 further = 0) const {
    return list_of<kReads>([self = *this, further, &to](auto n) WT_INLINE {
      static constexpr int kPair = n / kOfPair, kWhich = n % kOfPair;
      to.scale[kPair][kWhich] =
          ds_read<bytes>(self.base[kWhich] + further, kPair * kPairRows * kShuffledScales);
    });
  }
};

// Fills a Tile of the scales of one K step, the groups of Split rows from one matrix and the others from a
// second one, by Waves waves together. Groups past the end of a matrix are those of its last rows again. A
// group is for GroupSteps K steps, and is copied for each of them.
//
// scope: work-group; operands: two shuffled_scale_matrix, shuffled_scale_tile; leaves: none; waits: nobody;
// LDS: none; registers: 5 scalar and kCopies; chips: gfx950
template <class Tile, int Split, int Waves, int GroupSteps = 1>
struct shuffled_scale_copier {
  using tile = Tile;
  static constexpr int kLaneBytes = 16, kCopyBytes = kLaneBytes * target::kWaveLanes;
  static constexpr int kCopies = Tile::kBytes / (kCopyBytes * Waves);  // of a wave
  static constexpr int kWaveGroups = kCopies * kCopyBytes / kShuffledBytes;
  static_assert(kCopies * kCopyBytes * Waves == Tile::kBytes,
                "the tile must divide evenly into 16 bytes per lane: use more rows or fewer waves");
  static_assert(Split / kShuffledRows % kWaveGroups == 0,
                "each wave copies groups of one matrix: split the tile at a multiple of a wave's rows");

  buffer from;
  u32 place;  // byte in the tile of this wave's first copy
  int offset[kCopies];

  // Makes a copier of the scales of `first`, for rows 0 to Split - 1 of the tile, and of `second`, for the
  // others.
  WT_DEVICE shuffled_scale_copier(const shuffled_scale_matrix &first, const shuffled_scale_matrix &second)
      : place(static_cast<u32>(wave_id() * kCopies * kCopyBytes)) {
    static constexpr int kSplit = Split / kShuffledRows, kMost = Tile::kRows / kShuffledRows;
    const int begins = wave_id() * kWaveGroups;
    const bool is_first = begins < kSplit;
    const shuffled_scale_matrix &matrix = is_first ? first : second;
    const int most = is_first ? kSplit : kMost - kSplit;
    const int last = (matrix.groups < most ? matrix.groups : most) - 1;
    const int stride = static_cast<int>(matrix.group_bytes);
    from = make_buffer(matrix.data, (last + 1) * stride);
    unrolled<kCopies>([&](auto i) WT_INLINE {
      const int byte = (i.value * target::kWaveLanes + lane_id()) * kLaneBytes;
      const int group = byte / kShuffledBytes, at = (is_first ? begins : begins - kSplit) + group;
      offset[i.value] =
          (at < last ? at : last) * stride + Tile::place(group, byte % kShuffledBytes) % kShuffledBytes;
    });
  }

  // Makes the compiler forget the place, as lds_copier::forget_place does.
  WT_DEVICE void forget_place() { forget_uniform(place); }

  // Returns the bytes from the first K step's groups to another's.
  //
  // scope: lane; operands: number of the step; leaves: none; waits: nobody; LDS: none; registers: none;
  // chips: both
  WT_DEVICE static int bytes_to(int step) { return step / GroupSteps * kShuffledBytes; }

  // Returns the copies of K step number `step` to LDS.
  //
  // leaves: vmcnt; waits: caller; LDS: the tile; registers: none
  WT_DEVICE auto copies(int step, lds_place<Tile> to) const {
    return list_of<kCopies>([=, self = *this, advance = bytes_to(step)](auto i) WT_INLINE {
      buffer_load_to_lds<kLaneBytes>(self.from, self.offset[i.value], advance,
                                     to.address + self.place + i.value * kCopyBytes);
    });
  }
};

// Fills Count rows of an LDS tile, from row first_row on, with the groups that lie `advance` bytes further
// on, wherever these are in memory. The work-group's Threads threads share the work, each with all its loads
// in flight; a barrier must follow.
//
// scope: work-group; operands: shuffled_scale_tile, shuffled_scale_matrix; leaves: lgkmcnt; waits: caller;
// LDS: writes the rows; registers: one for each load; chips: both
template <int Threads, int Count, class Tile>
WT_DEVICE void load_masked_scales(Tile &to, int first_row, const shuffled_scale_matrix &from, int advance) {
  static constexpr int kUnit = 4, kEach = Count * kShuffledScales / (Threads * kUnit);
  static_assert(kEach * Threads * kUnit == Count * kShuffledScales,
                "each thread moves whole dwords of scales: use a larger tile or fewer threads");
  u32 moved[kEach];
  unrolled<kEach>([&](auto n) WT_INLINE {
    const int i = (thread_id() + n * Threads) * kUnit, group = i / kShuffledBytes, last = from.groups - 1;
    const unsigned char *const at = from.data + (group < last ? group : last) * from.group_bytes + advance;
    moved[n] = global_load<u32>(at + i % kShuffledBytes);
  });
  unrolled<kEach>([&](auto n) WT_INLINE {
    const int i = (thread_id() + n * Threads) * kUnit;
    to.template at<u32>(Tile::place(first_row / kShuffledRows + i / kShuffledBytes, i % kShuffledBytes)) =
        moved[n];
  });
}

}  // namespace wt

#endif
