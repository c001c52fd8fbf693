// SPDX-License-Identifier: MIT
// A work-group holds a tile in registers in small blocks that it transposes on the way to LDS.
#ifndef WT_OPS_TRANSPOSING_BLOCKS_H
#define WT_OPS_TRANSPOSING_BLOCKS_H

#include "../tiles/lds_access.h"
#include "../tiles/st.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "isa/permute.h"
#include "lds_place.h"
#include "list.h"

namespace wt {

// Holds a tile of type ST of elements of 8 or 16 bits that comes column by column. A thread takes blocks of 4
// rows of the tile and 8 bytes of each: the 4 rows of one column come together, v_perm_b32 transposes (8 per
// block and 4 bytes of a row), and each row's 8 bytes are one ds_write_b64.
//
// scope: work-group; operands: st of type ST; leaves: none; waits: nobody; LDS: none; registers: those of
// held and place; chips: both
template <class ST, int Threads>
struct transposing_blocks {
  using tile = ST;
  using T = typename ST::element;
  static_assert(kBits<T> == 8 || kBits<T> == 16,
                "transposing_blocks transposes elements of 8 or 16 bits: store wider ones one by one");
  static constexpr int kVector = 4;                  // rows of a block
  static constexpr int kColumns = 8 * 8 / kBits<T>;  // columns of a block
  static constexpr int kBlocks = ST::kBytes / 32 / Threads;
  static constexpr int kLoads = kBlocks * kColumns;
  static constexpr int kCopies = kBlocks * kVector;  // writes of a thread
  using vector = registers<T, kVector>;              // one column of a block
  static_assert(kBlocks * 32 * Threads == ST::kBytes && ST::kRowBytes >= 32 && ST::kRows >= 64,
                "the tile must divide evenly into blocks of 4 rows by 8 bytes per thread: use a larger tile "
                "or fewer threads");

  // Return the row and the byte of a row at which a block of a thread begins. 16 lanes take 4x4 blocks, so
  // that a wave's load touches runs of 64 rows and its write all banks.
  static constexpr int row_of(int thread, int block) {
    const int group = thread / 16 + block * Threads / 16;
    return 4 * (thread % 4) + group % (ST::kRows / 16) * 16;
  }
  static constexpr int byte_of(int thread, int block) {
    const int group = thread / 16 + block * Threads / 16;
    return thread / 4 % 4 * 8 + group / (ST::kRows / 16) * 32;
  }
  static constexpr int place_of(int thread) { return row_of(thread, 0) * ST::kRowBytes + byte_of(thread, 0); }

  u32 place[kBlocks][kVector];
  vector held[kBlocks][kColumns];

  // Finds the thread's places in the tile.
  WT_DEVICE transposing_blocks() {
    static_assert(
        conflict_free(target::kChip, lds_op::write_b64, place_of, ST::kSwizzle),
        "these writes would have bank conflicts: name write_of_transposing_stager to solve_swizzle");
    unrolled<kBlocks>([&](auto b) WT_INLINE {
      const int row = row_of(thread_id(), b), byte = byte_of(thread_id(), b);
      unrolled<kVector>([&](auto r) WT_INLINE {
        place[b][r] = static_cast<u32>(swizzled<ST::kSwizzle>((row + r) * ST::kRowBytes + byte));
      });
    });
  }

  // Returns the writes of the transposed registers to LDS.
  //
  // leaves: lgkmcnt; waits: caller; LDS: writes the tile; registers: none
  template <int Nth = 0>
  WT_DEVICE auto puts(lds_place<ST> to) const {
    static_assert(Nth == 0, "transposing_blocks hold one tile at a time: put number 0");
    return list_of<kCopies>([this, to](auto n) WT_INLINE {
      static constexpr int kB = n / kVector, kR = n % kVector;
      ds_write(to.address + place[kB][kR], row_of_block<kB, kR>());
    });
  }

 protected:
  // Returns row number Row of a block.
  template <int Block, int Row>
  WT_DEVICE u32x2 row_of_block() const {
    return {dword<Block, Row, 0>(), dword<Block, Row, 1>()};
  }

 private:
  // Returns dword number Half of row number Row of a block.
  template <int Block, int Row, int Half>
  WT_DEVICE u32 dword() const {
    const auto &columns = held[Block];
    if constexpr (kBits<T> == 8) {
      static constexpr int kFirst = 4 * Half;
      return transposed_bytes<Row>(columns[kFirst][0], columns[kFirst + 1][0], columns[kFirst + 2][0],
                                   columns[kFirst + 3][0]);
    } else {
      const auto first = __builtin_bit_cast(u32x2, columns[2 * Half]);
      const auto second = __builtin_bit_cast(u32x2, columns[2 * Half + 1]);
      return transposed_halves<Row % 2>(first[Row / 2], second[Row / 2]);
    }
  }
};

}  // namespace wt

#endif
