// SPDX-License-Identifier: MIT
// Brings the streamed rows, K and V or Q and dO, to LDS. A work-group keeps its own rows in registers and
// meets the streamed ones block by block.
#ifndef WT_KERNELS_ATTENTION_STREAM_H
#define WT_KERNELS_ATTENTION_STREAM_H

#include "attention_frame.h"

// Names a block of rows of K or Q in LDS, for reads of operands along the head dimension.
template <class T, int Rows, int D>
using attention_row_lds = wt::st<T, Rows, D, wt::swizzle_for_row<D * wt::kBits<T> / 8>>;

// Describes P as the left operand of P V, and V^T as the right one. With 16 bits it lies as the accumulator
// that it comes from, in runs of 4 keys; transposed reads of 8 bits give runs of 8.
template <class T>
struct attention_p {
  using layout = wt::operand<32, 16, 4>;
};
template <class T>
  requires(wt::kBits<T> == 8)
struct attention_p<T> {
  using layout = wt::operand<32, 64, 8>;
};

// A block of rows of V in LDS, read across, as operands of Layout that run along the keys.
template <class T, int D>
constexpr int kAttentionRowBytes = D * wt::kBits<T> / 8;
template <class T, int Rows, int D, class Layout>
using attention_v_lds =
    wt::st<T, Rows, D,
           wt::solve_row_swizzle<kAttentionRowBytes<T, D>, wt::direct_copy_access,
                                 wt::read_of_transposed_operand<T, Layout, kAttentionRowBytes<T, D>>>>;

// Says how blocks of a matrix's rows come to LDS. `direct` takes rows at multiples of 16 bytes, near enough
// to each other; `any` takes all others through registers, slowly.
enum class attention_path { direct, any };

// Copies any block of rows. Direct copies are counted by vmcnt, those of attention_path::any by lgkmcnt. The
// lanes' addresses are formed anew for each block: registers are dearer.
template <class ST, int Waves, attention_path Path, attention_variant Variant>
struct attention_copier {
  using tile = ST;
  using T = typename ST::element;
  using copier = wt::lds_copier<ST, Waves>;
  static constexpr int kThreads = Waves * wt::target::kWaveLanes;
  static constexpr int kChunks = ST::kBytes / 16, kPerRow = ST::kRowBytes / 16;
  static constexpr int kCopies =
      Path == attention_path::direct ? copier::kCopies : (kChunks - 1) / kThreads + 1;
  wt::gl<const T> from;

  WT_DEVICE explicit attention_copier(const wt::gl<const T> &matrix) : from(matrix) {}

  // Returns the copies of block j of the rows, from Column on.
  template <int Column = 0>
  WT_DEVICE auto copies(int j, wt::lds_place<ST> to) const {
    if constexpr (Path == attention_path::direct) {
      static_assert(Variant == attention_variant::plain,
                    "narrower rows are copied one block after the other");
      const int first = j * ST::kRows, left = from.rows - first;
      const wt::buffer block = wt::make_buffer(from.data + first * from.row_stride + Column,
                                               (ST::kRows - 1) * from.row_bytes() + ST::kRowBytes);
      return copier(from.row_bytes(), 0, left).copies(block, 0, to);
    } else {
      return wt::list_of<kCopies>([this, j, to](auto i) WT_INLINE {
        int thread = wt::thread_id();
        wt::forget(thread);
        // Where chunks are fewer than threads, some are copied twice: each wave has the same number of
        // events.
        const int nth = thread + i * kThreads, chunk = kChunks % kThreads == 0 ? nth : nth % kChunks;
        const int row = j * ST::kRows + chunk / kPerRow, last = from.rows - 1;
        const auto *const data = from.data + (row < last ? row : last) * from.row_stride + Column;
        const int byte = chunk % kPerRow * 16;
        wt::u32x4 bits = {};
        if (Variant == attention_variant::plain ||
            byte < (from.columns - Column) * static_cast<int>(sizeof(T)))
          bits = wt::global_load<wt::u32x4>(reinterpret_cast<const char *>(data) + byte);
        wt::ds_write(to.byte(wt::swizzled<ST::kSwizzle>(chunk * 16)), bits);
      });
    }
  }
};

// Describes the blocks of a matrix's rows one after the other, from block `first` on. A block is Parts tiles
// side by side. Rows past the end of the matrix become zeros, so that a loop may copy ahead of its end; with
// attention_path::any they are copies of the last row.
//
// In general kernels the matrix may have fewer columns than the block. The others become zeros: in V they go
// to columns of O that do not exist, and anything would do, but in K they meet zeros of Q, and must not be
// NaN.
template <class ST, int Parts, int Waves, attention_path Path, attention_variant Variant>
struct attention_sequel {
  using tile = ST;
  using T = typename ST::element;
  using copier = attention_copier<ST, Waves, Path, Variant>;
  using lds_copier = wt::lds_copier<ST, Waves>;
  static constexpr bool kIsDirect = Path == attention_path::direct;
  static constexpr int kCopies = copier::kCopies;  // of a part
  static constexpr bool kIsCut = Path == attention_path::direct && Variant == attention_variant::general;
  copier next;  // of the rows from the next block on
  lds_copier lanes;
  // Where the lanes' copies of each part begin, out of range past the end of a row and of the matrix.
  int cut[kIsCut ? Parts * lds_copier::kCopies : 1];
  int row_end_bytes;  // in a register of the lanes, as scalar ones are scarcer

  WT_DEVICE attention_sequel(const wt::gl<const T> &matrix, int first)
      : next(matrix.from(first * ST::kRows, 0)),
        lanes(next.from.row_bytes(), 0, ST::kRows),
        row_end_bytes(next.from.columns * static_cast<int>(sizeof(T))) {
    if constexpr (kIsCut) wt::forget(row_end_bytes);
    cut_off();
  }

  // Returns the copies of the next block to LDS.
  WT_DEVICE auto copies(wt::lds_place<ST> to) const {
    static_assert(Parts == 1,
                  "copies() is for blocks of one part: bring those of several by an attention_ring");
    if constexpr (kIsCut) {
      return wt::list_of<lds_copier::kCopies>([this, block = described(), to](auto i)
                                                  WT_INLINE { this->template copy_cut<0, i>(block, to); });
    } else if constexpr (kIsDirect) {
      return lanes.copies(described(), 0, to);
    } else {
      return next.copies(0, to);
    }
  }

  // Advances by one block, in two micro-ops that fit between other instructions; advances_data is the first.
  WT_DEVICE auto advances_data() {
    return wt::list_of<1>([this](auto) WT_INLINE {
      next.from.data += ST::kRows * next.from.row_stride;
      wt::forget_uniform(next.from.data);
    });
  }
  WT_DEVICE auto advances() {
    return wt::list_of<2>([this](auto i) WT_INLINE {
      if constexpr (i == 0) {
        advances_data().template issue<0>();
      } else {
        const int left = next.from.rows - ST::kRows;
        next.from.rows = kIsDirect && left < 0 ? 0 : left;
        wt::forget_uniform(next.from.rows);
        if (kIsCut && __builtin_expect(next.from.rows < ST::kRows, false)) cut_off();
      }
    });
  }

  // Returns how many bytes of the next block the matrix has, from its first to its last one in memory; where
  // copies are cut, those of a whole block.
  WT_DEVICE int length_bytes() const {
    const int rows = kIsCut || next.from.rows > ST::kRows ? ST::kRows : next.from.rows;
    const int bytes = rows * next.from.row_bytes() + (Parts * ST::kRowBytes - next.from.row_bytes());
    return bytes > 0 ? bytes : 0;
  }

 protected:
  WT_DEVICE wt::buffer described() const { return wt::make_buffer(next.from.data, length_bytes()); }
  WT_DEVICE void cut_off() {
    if constexpr (kIsCut) {
      int thread = wt::thread_id();
      wt::forget(thread);  // or what follows from it is kept from block to block
      wt::unrolled<Parts * lds_copier::kCopies>([&](auto n) WT_INLINE {
        static constexpr int kCopy = n % lds_copier::kCopies, kPart = n / lds_copier::kCopies;
        const int place = ST::byte_at(thread * lds_copier::kLaneBytes + kCopy * lds_copier::kStepBytes);
        const int row = place / ST::kRowBytes, in_row = place % ST::kRowBytes;
        const bool exists = row < next.from.rows && kPart * ST::kRowBytes + in_row < row_end_bytes;
        cut[n] = exists ? row * next.from.row_bytes() + in_row : wt::kOutOfRange;
      });
    }
  }
  // Issues copy I of part Part of the rows in `block`, to LDS.
  template <int Part, int I>
  WT_DEVICE void copy_cut(wt::buffer block, wt::lds_place<ST> to) const {
    wt::buffer_load_to_lds<lds_copier::kLaneBytes>(block, cut[Part * lds_copier::kCopies + I],
                                                   Part * ST::kRowBytes,
                                                   to.byte(lanes.place + I * lds_copier::kStepBytes));
  }
};

// Does the same for blocks of several parts, into a ring of LDS stages, which it knows. The micro-ops are
// small, and everything that a copy needs is ready before it is issued, but for an addition.
template <class ST, int Parts, int Stages, int Waves, attention_path Path, attention_variant Variant>
struct attention_ring : attention_sequel<ST, Parts, Waves, Path, Variant> {
  using sequel = attention_sequel<ST, Parts, Waves, Path, Variant>;
  using typename sequel::T, sequel::next, sequel::lanes;
  using tile = ST[Parts];
  static constexpr int kEach = sequel::kCopies;
  static constexpr int kCopies = Parts * kEach;  // of a block
  static constexpr wt::u32 kStageBytes = sizeof(tile);
  const wt::lds_place<tile> stages;
  wt::u32 ahead_bytes;  // from the first of them to that of the next block
  int bytes;            // of the next block
  wt::buffer rows;      // the next block's

  WT_DEVICE attention_ring(const wt::gl<const T> &matrix, int first, wt::lds_place<tile> lds)
      : sequel(matrix, first), stages(lds), ahead_bytes(0), rows(sequel::described()) {}

  // Return where the next block goes, and its copies.
  WT_DEVICE wt::lds_place<tile> place() const { return stages.at(ahead_bytes); }
  WT_DEVICE auto copies(wt::lds_place<tile> to) const {
    return wt::list_of<kCopies>([this, parts = wt::lds_parts<ST>(to)](auto i) WT_INLINE {
      static constexpr int kPart = i / kEach, kColumn = kPart * ST::kColumns, kElementBytes = sizeof(T);
      const wt::lds_place<ST> part = parts[kPart];
      // Not lanes.copies, which copies the copier: the compiler joins a place, which all lanes share, with
      // the one offset of a small tile, and takes both for different from lane to lane.
      if constexpr (sequel::kIsCut) {
        this->template copy_cut<kPart, i % kEach>(rows, part);
      } else if constexpr (Path == attention_path::direct) {
        lanes.template copy<i % kEach>(rows, kColumn * kElementBytes, part);
      } else {
        next.template copies<kColumn>(0, part).template issue<i % kEach>();
      }
    });
  }

  WT_DEVICE auto advances() {
    return wt::list_of<5>([this](auto i) WT_INLINE {
      if constexpr (i < 2) {
        sequel::advances().template issue<i>();
      } else if constexpr (i == 2) {
        bytes = this->length_bytes();
        wt::forget_uniform(bytes);
      } else if constexpr (i == 3) {
        rows = wt::make_buffer(next.from.data, bytes);
      } else {
        ahead_bytes = (ahead_bytes + kStageBytes) % (Stages * kStageBytes);
        wt::forget_uniform(ahead_bytes);
      }
    });
  }
};

// Lists the vectors of numbers per row that come with blocks of rows.
enum class attention_vectors { none, two };

// Describes blocks of the rows of two matrices (attention_staged_blocks), and two numbers per row, if they
// are wanted, which lie in memory for 32 rows after 32: first the ones, then the others.
template <class Blocks, int Waves, attention_path Path, attention_vectors Vectors, attention_variant Variant>
struct attention_stream {
  using T = typename Blocks::block::element;
  using copier = attention_copier<typename Blocks::block, Waves, Path, Variant>;
  using numbers = float[2 * Blocks::block::kRows];  // of a block
  static constexpr int kOf32 = 32 * sizeof(float), kVectorBytes = sizeof(numbers);
  // Each wave has the numbers for itself, so that none needs a branch to copy them.
  static constexpr int kStageOfVectors = Waves * kVectorBytes;
  // Count the copies that a wave issues for the numbers of a block, and the reads for one of the two.
  static constexpr int kVectorCopies = kVectorBytes / 256, kVectorReads = Blocks::block::kRows / 8;
  struct lds {
    typename Blocks::memory rows;
    alignas(16) numbers vectors[Vectors == attention_vectors::two ? Blocks::kStages : 1][Waves];
  };

  lds &memory;
  const copier copy[2];
  const float *const vectors;
  const Blocks blocks;
  const wt::u32 own_vectors;  // in a stage
  const wt::row_filler<wt::accumulator<32, 32>> filler;

  WT_DEVICE attention_stream(lds &to, const wt::gl<const T> &first, const wt::gl<const T> &second,
                             const float *per_row)
      : memory(to),
        copy{copier(first), copier(second)},
        vectors(per_row),
        blocks(to.rows),
        own_vectors(place_of_vectors()),
        filler(own_numbers(to.vectors[0])) {}

  // Returns where the stage of block j begins.
  WT_DEVICE static wt::u32 offset_of(int j) {
    return Blocks::stage_of(j) * static_cast<wt::u32>(sizeof memory.rows.stage[0]);
  }
  // Returns the copies of the vectors of block j into the stage of block `to`.
  WT_DEVICE auto vector_copies(int j, int to) const {
    const wt::buffer from = wt::make_buffer(vectors + j * 2 * Blocks::block::kRows, kVectorBytes);
    return wt::wave_copies(from, own_numbers(memory.vectors[Blocks::stage_of(to)]), attention_lane());
  }

  // Returns the reads that make each element of a tile, whose rows are those of block j, number I of its row.
  template <int I, class Tile>
  WT_DEVICE auto vector_reads(Tile &to, int j) const {
    return filler.template reads<2 * kOf32, I * kOf32>(to, Blocks::stage_of(j) * kStageOfVectors);
  }

 private:
  // Returns where the wave's numbers are in a stage.
  WT_DEVICE wt::lds_place<numbers> own_numbers(const numbers (&stage)[Waves]) const {
    return wt::lds_place(stage[0]).at(own_vectors);
  }
  WT_DEVICE static wt::u32 place_of_vectors() {
    wt::u32 place =
        Vectors == attention_vectors::two ? static_cast<wt::u32>(wt::wave_id() * kVectorBytes) : 0;
    wt::forget_uniform(place);  // or it is formed anew for each copy
    return place;
  }
};

#endif
