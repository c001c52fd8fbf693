// SPDX-License-Identifier: MIT
// A work-group brings a tile from global memory to LDS through registers, in two halves: the loads of the
// next tile can be in flight while this one is used, and their data can be transposed in between
// (brings_to_lds.h).
#ifndef WT_OPS_STAGERS_H
#define WT_OPS_STAGERS_H

#include "../tiles/gl.h"
#include "../tiles/lds_access.h"
#include "../tiles/st.h"
#include "isa/global.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "lds_place.h"
#include "list.h"
#include "transposing_blocks.h"

namespace wt {

// Fills tiles of type ST from rows of memory, 16 bytes per access: one global_load_dwordx4 and one
// ds_write_b128 per 16 bytes and thread.
//
// A load takes a whole vector from any address, so a matrix may be unaligned. Rows past its end are read
// elsewhere in it. A vector that begins inside the matrix and goes past the end of its columns reads what
// follows in memory: the caller makes sure that this is the matrix, too, and that nothing depends on the
// values.
//
// scope: work-group; operands: gl of row-major rows, st of type ST; leaves: none; waits: nobody; LDS: none;
// registers: 6 * kLoads + 1; chips: both
template <class ST, int Threads>
struct row_stager {
  using tile = ST;
  using T = typename ST::element;
  static constexpr int kVector = 16 * 8 / kBits<T>;  // elements of an access
  static constexpr int kLoads = ST::kBytes / 16 / Threads, kCopies = kLoads;
  static_assert(
      kLoads * 16 * Threads == ST::kBytes && 16 * Threads % ST::kSwizzle.period() == 0,
      "the tile must divide evenly into 16 bytes per thread, and the swizzle repeat with them: use a "
      "larger tile or fewer threads");
  static constexpr int place_of(int thread) { return thread * 16; }

  const char *from[kLoads];
  u32 place;  // of the thread's first byte in the tile
  u32x4 held[kLoads];

  // Makes a stager for the leading tile of `matrix`, which must have column_stride 1 and at least one row and
  // column.
  WT_DEVICE explicit row_stager(const gl<const T> &matrix)
      : place(static_cast<u32>(swizzled<ST::kSwizzle>(place_of(thread_id())))) {
    static_assert(conflict_free(target::kChip, lds_op::write_b128, place_of, ST::kSwizzle),
                  "these writes would have bank conflicts: name row_stager's write to solve_swizzle");
    unrolled<kLoads>([&](auto i) WT_INLINE {
      const int at = place_of(thread_id()) + i * 16 * Threads;
      const int row = at / ST::kRowBytes, column = at % ST::kRowBytes * 8 / kBits<T>;
      from[i] = reinterpret_cast<const char *>(
          matrix.data + (row < matrix.rows ? row : matrix.rows - 1) * matrix.row_stride +
          (column < matrix.columns ? column : 0));
    });
  }

  // Returns the loads into the registers, which also move on by `advance` bytes for the next time.
  //
  // leaves: vmcnt; waits: compiler; registers: none
  WT_DEVICE auto fetches(long long advance) {
    return list_of<kLoads>([this, advance](auto i) WT_INLINE {
      held[i] = global_load<u32x4>(from[i]);
      from[i] += advance;
    });
  }
  // Returns the writes of the registers to LDS.
  //
  // leaves: lgkmcnt; waits: caller; LDS: writes the tile; registers: none
  template <int Nth = 0>
  WT_DEVICE auto puts(lds_place<ST> to) const {
    static_assert(Nth == 0, "row_stager fetches one tile at a time: put number 0");
    return list_of<kCopies>([this, to](auto i)
                                WT_INLINE { ds_write(to.address + place, held[i], i * 16 * Threads); });
  }
};

// Fills tiles of type ST with the transpose of rows of memory, for elements of 8 and 16 bits, block by block
// (transposing_blocks): a load brings the 4 rows of one column.
//
// A load takes a whole vector from any address, so a matrix may be unaligned. Rows past its end are read
// elsewhere in it. A vector that begins inside the matrix and goes past the end of its rows reads what
// follows in memory: the caller makes sure that this is the matrix, too, and that nothing depends on the
// values.
//
// scope: work-group; operands: gl of column-major columns, st of type ST; leaves: none; waits: nobody; LDS:
// none; registers: those of held, place and from; chips: both
template <class ST, int Threads>
struct transposing_stager : transposing_blocks<ST, Threads> {
  using blocks = transposing_blocks<ST, Threads>;
  using blocks::kBlocks, blocks::kColumns, blocks::kLoads;
  using typename blocks::T, typename blocks::vector;

  const char *from[kBlocks];  // the first column of a block
  long long column_bytes;     // bytes from a column to the next

  // Makes a stager for the leading tile of `matrix`, which must have row_stride 1, at least one row, and as
  // many columns as the tile has.
  WT_DEVICE explicit transposing_stager(const gl<const T> &matrix)
      : column_bytes(matrix.column_stride * static_cast<long long>(sizeof(T))) {
    unrolled<kBlocks>([&](auto b) WT_INLINE {
      const int row = blocks::row_of(thread_id(), b), byte = blocks::byte_of(thread_id(), b);
      from[b] = reinterpret_cast<const char *>(matrix.data + (row < matrix.rows ? row : 0) +
                                               byte * 8 / kBits<T> * matrix.column_stride);
    });
  }

  // Returns the loads into the registers, which also move on by `advance` bytes for the next time.
  //
  // leaves: vmcnt; waits: compiler; registers: none
  WT_DEVICE auto fetches(long long advance) {
    return list_of<kLoads>([this, advance](auto n) WT_INLINE {
      static constexpr int kB = n / kColumns, kC = n % kColumns;
      this->held[kB][kC] = global_load<vector>(from[kB] + kC * column_bytes);
      if constexpr (kC == kColumns - 1) from[kB] += advance;
    });
  }
};

// These are the accesses of the stagers' writes, for solve_swizzle.
template <class ST, int Threads>
struct write_of_row_stager {
  static constexpr lds_access access = lds_access_of<lds_op::write_b128, row_stager<ST, Threads>::place_of>();
};
template <class ST, int Threads>
struct write_of_transposing_stager {
  static constexpr lds_access access =
      lds_access_of<lds_op::write_b64, transposing_stager<ST, Threads>::place_of>();
};

}  // namespace wt

#endif
