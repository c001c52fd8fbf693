// SPDX-License-Identifier: MIT
// GEMM with F32 scales for blocks of 128 that are powers of two: the loop of kernels/gemm_mx, whose MFMAs
// apply them. A block is four of those that an MFMA scales, and its scale has four bytes, as theirs have. So
// scales come as E8M0 ones do, for four K steps at once, and become bytes on the way to LDS.
#ifndef WT_KERNELS_GEMM_BLOCK_POWERS_H
#define WT_KERNELS_GEMM_BLOCK_POWERS_H

#include "../gemm_mx/gemm_mx.h"

// This is a matrix of scales, from one row on, with one for 128 columns.
struct gemm_block_power_matrix {
  const unsigned char *data;
  long long row_bytes, block_bytes;  // from one row, or block of 128 columns, to the next
  int rows, blocks;                  // that exist, at least 1

  // Returns the scale of a row and block, as bits.
  WT_DEVICE wt::u32 at(int row, int block) const {
    return wt::global_load<wt::u32>(data + row * row_bytes + block * block_bytes);
  }
  // Returns whether offsets of 31 bits reach up to `most` rows and all blocks.
  WT_DEVICE bool is_fetchable(int most) const {
    return row_bytes < (1ll << 31) / most && block_bytes < (1ll << 31) / blocks;
  }
};

// Returns the E8M0 byte of a power of two four times, for the four blocks of an MFMA that are 128 columns.
// The byte is the exponent of an f32. Sign and fraction are dropped, so that 0 and all subnormal numbers
// become 2^-127, and infinities NaN.
WT_DEVICE wt::u32 gemm_block_exponents(wt::u32 bits) { return wt::permute_bytes<0>(bits >> 23, 0); }

// Fills Tile, an LDS tile of e8m0 with the scales of one K step, Split rows from one matrix and the others,
// of which Shared together have a row of scales, from a second one. Each of Threads threads fetches the
// scales of a row, in each of kPieces pieces, for kSteps steps at once: by one load where they follow each
// other, by several elsewhere. Rows past the end of a matrix read its last row again.
template <class Tile, int Split, int Threads, int Shared>
struct gemm_block_power_copier {
  using tile = Tile;
  static constexpr int kSteps = 4, kPieces = Tile::kRows / Threads, kScaleBytes = 4;
  static constexpr int kCopies = 1;  // writes of a thread, of a piece
  using held_row = wt::registers<wt::u32, kSteps>;
  static_assert(Tile::kRowBytes == kScaleBytes, "a K step is a block of 128 columns");
  static_assert(
      Tile::kRows % Threads == 0 && Split % wt::target::kWaveLanes == 0,
      "each thread fills whole rows, each wave rows of one matrix: use more rows, or fewer threads");

  __UINTPTR_TYPE__ from[kPieces];
  wt::u32 offset[kPieces];  // of the lane's row
  wt::u32 row_place;        // of the thread's row in the LDS tile
  int block_bytes[kPieces], last_block;
  held_row held[kPieces];

  WT_DEVICE gemm_block_power_copier(const gemm_block_power_matrix &first,
                                    const gemm_block_power_matrix &second)
      : row_place(static_cast<wt::u32>(wt::thread_id() * kScaleBytes)), last_block(first.blocks - 1) {
    wt::unrolled<kPieces>([&](auto i) WT_INLINE {
      const int begins = i * Threads + wt::wave_id() * wt::target::kWaveLanes;  // the wave's first row
      const bool is_first = (i + 1) * Threads <= Split || (i * Threads < Split && begins < Split);
      const gemm_block_power_matrix &matrix = is_first ? first : second;
      const int row = (is_first ? begins : begins - Split) + wt::lane_id(),
                at = is_first ? row : row / Shared;
      const int last = matrix.rows - 1;
      from[i] = reinterpret_cast<__UINTPTR_TYPE__>(matrix.data);
      block_bytes[i] = static_cast<int>(matrix.block_bytes);
      offset[i] = static_cast<wt::u32>(at < last ? at : last) * static_cast<wt::u32>(matrix.row_bytes);
    });
  }

  // Returns the loads of a piece for kSteps steps from number `step` on: one micro-op, which issues one load
  // at least.
  template <int Piece = 0>
  WT_DEVICE auto fetches(int step) {
    return wt::list_of<1>([=, this](auto) WT_INLINE {
      forget_offset<Piece>();
      if (block_bytes[Piece] == kScaleBytes) {
        held[Piece] = wt::global_load<held_row>(place<Piece>(step));
      } else {
        fetch_each<Piece>(step);
      }
    });
  }
  // Returns the same for steps that may be past the end of K, which take the last block's scales again: their
  // elements are zero.
  template <int Piece = 0>
  WT_DEVICE auto fetches_tail(int step) {
    return wt::list_of<1>([=, this](auto) WT_INLINE {
      forget_offset<Piece>();
      fetch_each<Piece>(step);
    });
  }

  // Return the write of a piece of the Nth of these steps to LDS.
  template <int Nth, int Piece = 0>
  WT_DEVICE auto puts(wt::lds_place<Tile> to) {
    return wt::list_of<1>([=, this](auto) WT_INLINE {
      const wt::u32 bits = held[Piece][Nth];
      wt::ds_write(place_of_row() + to.address, gemm_block_exponents(bits), Piece * Threads * kScaleBytes);
    });
  }
  template <int Nth, int Piece = 0>
  WT_DEVICE auto puts_tail(wt::lds_place<Tile> to) {
    return puts<Nth, Piece>(to);
  }

 private:
  // Returns row_place as the compiler does not know it, or it keeps a place for each stage, as the loads
  // branch. Kernels that forget threads (ops/isa/ids.h) compute it anew, as they have no register for it.
  WT_DEVICE wt::u32 place_of_row() {
#ifdef WT_FORGET_THREADS
    return static_cast<wt::u32>(wt::thread_id() * kScaleBytes);
#else
    wt::forget(row_place);
    return row_place;
#endif
  }
  // Makes the compiler forget the offset, or it keeps sums of 64 bits of the address and the offset.
  template <int Piece>
  WT_DEVICE void forget_offset() {
    wt::forget(offset[Piece]);
  }
  template <int Piece>
  WT_DEVICE auto place(int step) const {
    const auto address = from[Piece] + static_cast<wt::u32>(step * block_bytes[Piece]);
    return wt::as_global<const unsigned char>(address) + offset[Piece];
  }
  template <int Piece>
  WT_DEVICE void fetch_each(int step) {
    wt::unrolled<kSteps>([&](auto n) WT_INLINE {
      const int block = step + n < last_block ? step + n : last_block;
      held[Piece][n.value] = wt::global_load<wt::u32>(place<Piece>(block));
    });
  }
};

// Reads the scales of an operand from Tile, from one row on. As the four bytes of a row are alike, a lane
// reads them all. If it read the two that it needs, the compiler would extend them by a vector instruction
// right in front of an MFMA, wherever the branch at the loads comes between: it does not see that inline
// assembly needs wait states there.
template <class Tile, class Scales>
struct gemm_block_power_reader {
  using layout = typename Scales::layout;
  static constexpr int kReads = Scales::kTall;
  static_assert(Scales::kWide == 1, "an operand is as wide as a fragment");
  static_assert(wt::conflict_free(
                    wt::target::kChip, wt::lds_op::read_b32,
                    [](int lane) { return Tile::linear(lane % layout::kRows, 0); }, wt::no_swizzle),
                "these reads of scales would have bank conflicts");

  wt::u32 base[1];

  WT_DEVICE gemm_block_power_reader(wt::lds_place<Tile> tile, int row)
      : base{tile.address + static_cast<wt::u32>(Tile::linear(row + wt::lane_id() % layout::kRows, 0))} {}

  // Returns the reads from the tile that lies `further` bytes further on.
  WT_DEVICE auto reads(Scales &to, wt::u32 further = 0) const {
    return wt::list_of<kReads>([from = base[0] + further, &to](auto n) WT_INLINE {
      to.scale[n][0] = wt::ds_read<wt::u32>(from, Tile::linear(n * layout::kRows, 0));
    });
  }
};

// Describes the scales of A, one for each row and block, and of B, one for RowsOfB rows and block.
template <int BM, int BN, int Step, int Threads, int RowsOfB>
struct gemm_block_power_scales : gemm_mx_row_scales<BM, BN, Step, Threads> {
  static_assert(Step == 128, "a K step is a block: choose types of which it has 128 columns");
  static_assert(BN % RowsOfB == 0, "a scale is for all of RowsOfB rows: choose tiles of whole ones");
  using typename gemm_mx_row_scales<BM, BN, Step, Threads>::tile;
  using matrix = gemm_block_power_matrix;
  using copier = gemm_block_power_copier<tile, BM, Threads, RowsOfB>;
  template <class Operand>
  using reader = gemm_block_power_reader<tile, wt::rs<Operand>>;
  static constexpr int kRowsOfB = RowsOfB, kBlocks = Step / wt::kScaleBlock;  // of 32 columns
  static_assert(copier::kSteps == gemm_mx_row_scales<BM, BN, Step, Threads>::kTogether);

  // Returns the scales of rows from `row` on, of which `rows` exist, for so many blocks of 32 columns.
  WT_DEVICE static matrix from(const unsigned char *data, long long row_bytes, long long block_bytes, int row,
                               int rows, int blocks) {
    return {data + row * row_bytes, row_bytes, block_bytes, rows, (blocks + kBlocks - 1) / kBlocks};
  }
  WT_DEVICE static bool is_fetchable(const matrix &m, int rows) { return m.is_fetchable(rows); }

  // Fills Count rows of the LDS tile, those of A, which are its first ones, or those of B, with the scales of
  // the K step that begins at a block of 32 columns. Where rows do not exist, scales are 1.
  template <int Count>
  WT_DEVICE static void load_masked(tile &to, int first_row, const matrix &m, int block) {
    static constexpr wt::u32 kOne = 0x3f800000;  // bits of 1
    const int shared = first_row == 0 ? 1 : kRowsOfB;
    for (int row = wt::thread_id(); row < Count; row += Threads) {
      const int at = row / shared;
      const wt::u32 bits = at < m.rows ? m.at(at, block / kBlocks) : kOne;
      to.template at<wt::u32>(tile::linear(first_row + row, 0)) = gemm_block_exponents(bits);
    }
  }
};
template <int BM, int BN, int Step, int Threads>
using gemm_block_powers_of_tiles = gemm_block_power_scales<BM, BN, Step, Threads, 128>;
template <int BM, int BN, int Step, int Threads>
using gemm_block_powers_of_rows = gemm_block_power_scales<BM, BN, Step, Threads, 1>;

// Defines the kernel `name` (instances.def), which takes the arguments of kernels/gemm_mx.
#define GEMM_BLOCK_POWERS_KERNEL(name, T, of_b, BM, BN, stages) \
  GEMM_MX_KERNEL(name, T, T, BM, BN, stages, gemm_block_powers_of_##of_b)

#endif
