// SPDX-License-Identifier: MIT
// Block scales on their way from global memory to registers: the work-group brings the scales of several K
// steps to registers together and puts those of one step to LDS, from where each wave reads its own.
//
// Scales of a row lie together and are few: 4 or 8 bytes a K step. A line of memory holds those of many
// steps, and would be fetched once more for each, as L1 is too small to keep a line for every row.
#ifndef WT_OPS_SCALE_TILE_H
#define WT_OPS_SCALE_TILE_H

#include "../tiles/lds_access.h"
#include "../tiles/rs.h"
#include "../tiles/st.h"
#include "isa/forget.h"
#include "isa/global.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "isa/permute.h"
#include "lds_place.h"
#include "list.h"
#include "vector_part.h"

namespace wt {

// Reads the scales of an operand tile from ST, an LDS tile of e8m0 with a column for every 32 columns of the
// operand, from one row on. The scales of a fragment are one read of as many bytes as it has MFMAs.
//
// scope: wave; operands: st of e8m0, rs; leaves: none; waits: nobody; LDS: none; registers: 1; chips: gfx950
template <class ST, class Scales>
struct scale_reader {
  using layout = typename Scales::layout;
  static constexpr int kBytes = Scales::kSteps, kBlocks = layout::kColumns / kScaleBlock;
  static constexpr int kReads = Scales::kTall * Scales::kWide;  // of all scales of the tile
  using bytes = __type_pack_element<kBytes / 2, unsigned char, unsigned short, u32>;
  static_assert(__is_same(typename ST::element, e8m0), "scales are read from an LDS tile of e8m0");
  static_assert(ST::kSwizzle == no_swizzle, "rows of scales are short and need no swizzle");
  static_assert(ST::kColumns >= Scales::kWide * kBlocks,
                "the LDS tile has fewer scales in a row than the operand: one is for 32 columns");

  static constexpr int offset(int lane) { return ST::linear(lane % layout::kRows, Scales::block(lane, 0)); }
  static constexpr bool follow_each_other() {
    for (int lane = 0; lane < target::kWaveLanes; ++lane) {
      for (int step = 0; step < kBytes; ++step) {
        if (Scales::block(lane, step) != Scales::block(lane, 0) + step) return false;
      }
    }
    return true;
  }
  static_assert(kBytes != 3 && follow_each_other(),
                "the scales of a lane must be 1, 2 or 4 that follow each other: use scaled_operand");
  static_assert(conflict_free(
                    target::kChip, lds_op::read_b32, [](int lane) { return offset(lane) / 4 * 4; },
                    no_swizzle),
                "these reads of scales would have bank conflicts: make the rows 4 or 8 bytes long");

  u32 base[1];

  // Makes a reader of a tile in LDS, whose first row to read is `row`.
  WT_DEVICE scale_reader(lds_place<ST> tile, int row)
      : base{tile.address + static_cast<u32>(offset(lane_id()) + ST::linear(row, 0))} {}

  // Returns the reads from the tile that lies `further` bytes further on.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the tile; registers: none
  WT_DEVICE auto reads(Scales &to, u32 further = 0) const {
    return list_of<kReads>([from = base[0] + further, &to](auto n) WT_INLINE {
      static constexpr int kI = n % Scales::kTall, kJ = n / Scales::kTall;
      to.scale[kI][kJ] = ds_read<bytes>(from, ST::linear(kI * layout::kRows, kJ * kBlocks));
    });
  }
};

// This is a matrix of block scales: a byte for each row and 32 columns, from one row on.
struct scale_matrix {
  const unsigned char *data;
  long long row_bytes;  // from one row to the next
  int rows;             // rows that exist, at least 1
  int blocks;           // bytes of a row that exist

  // Returns whether scale_copier may fetch up to `most` rows of it: it has the bytes of a fetch at least, and
  // from the first row to the last one there are less than 2^31. Rows may begin anywhere.
  //
  // scope: lane; operands: number of rows; leaves: none; waits: nobody; LDS: none; registers: none; chips:
  // both
  WT_DEVICE bool is_fetchable(int most) const {
    return row_bytes < (1ll << 31) / most && (rows - 1) * row_bytes + blocks >= kMostFetchedBytes;
  }
  static constexpr int kMostFetchedBytes = 16;
};

// Fills Count rows of an LDS tile of e8m0, from row first_row on, from the leading part of a matrix with at
// least one block. Outside it, scales are 1. The matrix may begin anywhere. The work-group's Threads threads
// share the work, each with four loads in flight; a barrier must follow.
//
// scope: work-group; operands: st of e8m0, scale_matrix; leaves: lgkmcnt; waits: caller; LDS: writes the
// rows; registers: one for each load; chips: both
template <int Threads, int Count, class ST>
WT_DEVICE void load_masked_scales(ST &to, int first_row, const scale_matrix &from) {
  constexpr unsigned char kOne = 127;  // the byte of the scale 1 (OCP Microscaling specification v1.0)
  static constexpr int kAll = Count * ST::kColumns, kEach = (kAll + Threads - 1) / Threads;
  static constexpr int kAtOnce = kEach < 4 ? kEach : 4;
#pragma unroll 1
  for (int first = thread_id(); first < kAll; first += kAtOnce * Threads) {
    u32 moved[kAtOnce];
    unrolled<kAtOnce>([&](auto n) WT_INLINE {
      const int i = first + n * Threads, row = i / ST::kColumns, block = i % ST::kColumns;
      const bool exists = row < from.rows && block < from.blocks;
      const u32 scale = from.data[exists ? row * from.row_bytes + block : 0];
      moved[n] = exists ? scale : kOne;
    });
    unrolled<kAtOnce>([&](auto n) WT_INLINE {
      const int i = first + n * Threads;
      if (kAll % (kAtOnce * Threads) == 0 || i < kAll)
        to.template at<unsigned char>(ST::linear(first_row + i / ST::kColumns, i % ST::kColumns)) =
            static_cast<unsigned char>(moved[n]);
    });
  }
}

// Fills ST, an LDS tile of e8m0 with the scales of one K step, Split rows from one matrix and the others from
// a second one, by Threads threads together. Each has whole rows; it fetches the scales of Steps steps of a
// row at once, from any address: with K = 2880 a row has 90 bytes, and every second one begins between two
// dwords. Rows past the end of a matrix read its last row again. No fetch goes past the end of a matrix;
// those that may go past the end of a row have functions of their own. The tile comes in kPieces pieces, one
// row for each thread, which are fetched and put one by one.
//
// scope: work-group; operands: two scale_matrix, st of e8m0; leaves: none; waits: nobody; LDS: none;
// registers: 3 scalar and 1 for each row, and the scales; chips: gfx950
template <class ST, int Split, int Threads, int Steps>
struct scale_copier {
  using tile = ST;
  static constexpr int kRowBytes = ST::kRowBytes, kSteps = Steps, kPieces = ST::kRows / Threads;
  static constexpr int kCopies = 1;  // writes of a thread, of a piece
  using held_row = registers<u32, Steps * kRowBytes / 4>;
  using row = registers<u32, kRowBytes / 4>;
  static_assert(
      ST::kRows % Threads == 0 && Split % target::kWaveLanes == 0,
      "each thread fills whole rows, each wave rows of one matrix: use more rows, or fewer threads");
  static_assert(kRowBytes == 4 || kRowBytes == 8, "a step has the scales of 128 or 256 columns");
  static constexpr int kHeld = Steps * kRowBytes;
  static_assert(kHeld <= scale_matrix::kMostFetchedBytes,
                "a lane loads at most 16 bytes at once: fetch fewer steps together");

  __UINTPTR_TYPE__ from[kPieces];
  u32 offset[kPieces];
  int furthest_bytes[kPieces];  // from the lane's row to the last fetch that stays within the matrix
  int blocks;                   // of a row
  held_row held[kPieces];

  // Makes a copier of the scales of `first`, for rows 0 to Split - 1 of the tile, and of `second`, for the
  // others.
  WT_DEVICE scale_copier(const scale_matrix &first, const scale_matrix &second) : blocks(first.blocks) {
    unrolled<kPieces>([&](auto i) WT_INLINE {
      const int begins = i * Threads + wave_id() * target::kWaveLanes;  // the wave's first row
      const bool is_first = (i + 1) * Threads <= Split || (i * Threads < Split && begins < Split);
      const scale_matrix &matrix = is_first ? first : second;
      const int most = is_first ? Split : ST::kRows - Split;
      const int at = (is_first ? begins : begins - Split) + lane_id();
      const int last_row = (matrix.rows < most ? matrix.rows : most) - 1;
      from[i] = reinterpret_cast<__UINTPTR_TYPE__>(matrix.data);
      offset[i] = static_cast<u32>(at < last_row ? at : last_row) * static_cast<u32>(matrix.row_bytes);
      furthest_bytes[i] =
          last_row * static_cast<int>(matrix.row_bytes) + blocks - kHeld - static_cast<int>(offset[i]);
    });
  }

  // Returns the load of a piece of Steps steps, of which the first is number `step`.
  //
  // leaves: vmcnt; waits: compiler; registers: none
  template <int Piece = 0>
  WT_DEVICE auto fetches(int step) {
    return list_of<1>([this, advance = step * kRowBytes](auto) WT_INLINE {
      forget(offset[Piece]);  // or the compiler keeps sums of 64 bits of the address and the offset
      const auto address = from[Piece] + static_cast<u32>(advance);
      held[Piece] = global_load<held_row>(as_global<const unsigned char>(address) + offset[Piece]);
    });
  }

  // Returns the same load for steps of which the first begins within the rows, and others may be past their
  // end. At the end of the matrix it begins earlier, and settle moves what it loaded to its place.
  //
  // leaves: vmcnt; waits: compiler; registers: 2
  template <int Piece = 0>
  WT_DEVICE auto fetches_tail(int step) {
    return list_of<1>([this, advance = step * kRowBytes](auto) WT_INLINE {
      const int begins = advance < furthest_bytes[Piece] ? advance : furthest_bytes[Piece];
      early_bytes[Piece] = static_cast<u32>(advance - begins);
      left = blocks - advance;
      held[Piece] = global_load<held_row>(as_global<const unsigned char>(from[Piece]) +
                                          (offset[Piece] + static_cast<u32>(begins)));
    });
  }

  // Sets what fetches_tail loaded from past the end of a row to the least scale, 2^-127: the elements there
  // are zero, and any scale that is a number leaves them so.
  //
  // scope: lane; operands: piece; leaves: none; waits: compiler; LDS: none; registers: a few; chips: gfx950
  template <int Piece>
  WT_DEVICE void settle() {
    static constexpr int kWords = kHeld / 4;
    held_row &row = held[Piece];
    const auto moved_down = [&](int words) WT_INLINE {
      const bool is_moved = (early_bytes[Piece] & static_cast<u32>(4 * words)) != 0;
      unrolled<kWords>([&](auto i) WT_INLINE {
        const u32 above = i + words < kWords ? row[(i + words) % kWords] : 0;
        row[i.value] = is_moved ? above : row[i.value];
      });
    };
    if constexpr (kWords > 2) moved_down(2);
    if constexpr (kWords > 1) moved_down(1);
    unrolled<kWords>([&](auto i) WT_INLINE {
      const u32 above = i + 1 < kWords ? row[(i + 1) % kWords] : 0;
      const u32 word = bytes_from(row[i.value], above, early_bytes[Piece]);
      const int bytes = left - 4 * i;
      const u32 mask = bytes >= 4 ? ~0u : bytes <= 0 ? 0u : ~(~0u << (8 * bytes));
      row[i.value] = word & mask;
    });
  }

  // Returns the write of a piece of the Nth of these steps to LDS.
  //
  // leaves: lgkmcnt; waits: caller; LDS: writes the tile; registers: 1
  template <int Nth, int Piece = 0>
  WT_DEVICE auto puts(lds_place<ST> to) const {
    const u32 address = to.address + static_cast<u32>(thread_id() * kRowBytes);
    return list_of<1>([=, this](auto) WT_INLINE {
      ds_write(address, vector_part<row, Nth * kRowBytes / 4>(held[Piece]), Piece * Threads * kRowBytes);
    });
  }
  // Returns the same after fetches_tail, which it settles with the first of its steps.
  //
  // leaves: lgkmcnt; waits: caller; LDS: writes the tile; registers: a few
  template <int Nth, int Piece = 0>
  WT_DEVICE auto puts_tail(lds_place<ST> to) {
    const u32 address = to.address + static_cast<u32>(thread_id() * kRowBytes);
    return list_of<1>([=, this](auto) WT_INLINE {
      if constexpr (Nth == 0) {
        if (left < kHeld) settle<Piece>();
      }
      ds_write(address, vector_part<row, Nth * kRowBytes / 4>(held[Piece]), Piece * Threads * kRowBytes);
    });
  }

 private:
  u32 early_bytes[kPieces];  // that a lane's fetch of a tail begins earlier
  int left;                  // scales of a row from that fetch on
};

}  // namespace wt

#endif
