// SPDX-License-Identifier: MIT
// F32 scales of blocks of 128 columns on their way from memory to registers: the work-group brings the scales
// of several K steps to registers together and puts those of one step to LDS, from where each wave reads its
// own.
#ifndef WT_KERNELS_GEMM_BLOCK_SCALES_H
#define WT_KERNELS_GEMM_BLOCK_SCALES_H

#include "wavetile_device.h"

// What has a scale of its own in B: 128 rows, or each row. A has one for each row.
enum class gemm_block_b { tiles, rows };

// This is a matrix of scales, from one row on.
struct gemm_block_scales {
  const float *data;
  long long row, block;  // elements from one row, or block of 128 columns, to the next
  int rows, blocks;      // that exist, at least 1

  WT_DEVICE float at(int r, int b) const {
    return data[(r < rows ? r : rows - 1) * row + (b < blocks ? b : blocks - 1) * block];
  }

  // The last element of `tall` rows, and whether their bytes can be addressed by a buffer.
  WT_DEVICE long long last(int tall) const {
    return ((rows < tall ? rows : tall) - 1) * row + (blocks - 1) * block;
  }
  WT_DEVICE bool fits_buffer(int tall) const { return last(tall) < 0x1fffffffll; }
  WT_DEVICE wt::buffer memory(int tall) const {
    return wt::make_buffer(data, static_cast<int>(last(tall) + 1) * 4);
  }
};

// One thread's scales of one row, of Steps blocks that it fetches together: by one load where they follow each
// other, by several elsewhere.
//
// Steps that lie past the last block are fetched as well, from whatever follows there: nobody uses them.
template <int Steps>
struct gemm_block_row {
  wt::buffer from;
  int offset, block_bytes;
  wt::registers<wt::u32, Steps> held;

  // For row number `row` of the leading `tall` ones.
  WT_DEVICE gemm_block_row(const gemm_block_scales &scales, int row, int tall)
      : from(scales.memory(tall)), block_bytes(static_cast<int>(scales.block) * 4) {
    const int last = (scales.rows < tall ? scales.rows : tall) - 1;
    offset = (row < last ? row : last) * static_cast<int>(scales.row) * 4;
  }

  template <int Step>
  WT_DEVICE float scale() const {
    const wt::u32 bits = held[Step];  // clang 22 takes element 0 of a vector whose element it casts
    return __builtin_bit_cast(float, bits);
  }

  // The place is the lane's own offset in full: past the end, every reading of the range check then agrees.
  WT_DEVICE void fetch(int block) {
    if (block_bytes == 4) {
      held = wt::buffer_load<wt::registers<wt::u32, Steps>>(from, offset + block * 4);
    } else {
      wt::unrolled<Steps>([&](auto step) WT_INLINE {
        held[step.value] = wt::buffer_load<wt::u32>(from, offset + (block + step) * block_bytes);
      });
    }
  }
};

// Fills the scales of one K step in LDS: BM of A and, where each row of B has one, BN of B. Where 128 rows of
// B have one, A's are multiplied by it on the way: there are BM of them for each 128 columns of C.
//
// Runs have more steps than there are: the others have the scale zero.
template <int BM, int BN, gemm_block_b Of, int Threads, int Steps>
struct gemm_block_scale_copier {
  static constexpr bool kRowsOfB = Of == gemm_block_b::rows;
  static constexpr int kTiles = kRowsOfB ? 1 : BN / 128;  // that BM scales are for
  static constexpr int kOfA = BM * kTiles, kOfB = kRowsOfB ? BN : 0, kRows = kOfA + kOfB;
  static constexpr int kStageBytes = kRows * 4;
  static constexpr int kPuts = kRowsOfB ? 2 : 1;
  static_assert(Threads % kOfA == 0 && (!kRowsOfB || Threads % BN == 0),
                "each thread brings the scales of a row: choose a smaller tile");
  static_assert(kRowsOfB || BN % 128 == 0,
                "a scale is for 128 rows of B: choose tiles of a multiple of 128 columns");
  using row = gemm_block_row<Steps>;
  static constexpr int kLoads = 2 / kPuts;  // of a put's scales, at least

  row a, b;
  int left;  // steps to be put that exist

  WT_DEVICE gemm_block_scale_copier(const gemm_block_scales &of_a, const gemm_block_scales &of_b, int steps)
      : a(of_a, wt::thread_id() % BM, BM), b(of_b, row_of_b(wt::thread_id()), kRowsOfB ? BN : kTiles), left(steps) {}

  // Returns the loads for Steps steps, from step `block` on.
  WT_DEVICE auto fetches(int block) {
    return wt::list_of<kPuts>([=, this](auto n) WT_INLINE {
      if constexpr (n == 0) a.fetch(block);
      if constexpr (n == kPuts - 1) b.fetch(block);
    });
  }

  // Returns the writes of step number Step of them to the scales at byte `address`. It is called once for
  // each step, in their order.
  template <int Step>
  WT_DEVICE auto puts(wt::u32 address) {
    const wt::u32 mask = left > 0 ? ~0u : 0u;
    --left;
    return wt::list_of<kPuts>([=, this](auto n) WT_INLINE {
      if constexpr (n == 1) {
        put<BN>(address + kOfA * 4, b.held[Step] & mask);
      } else if constexpr (kRowsOfB) {
        put<kOfA>(address, a.held[Step] & mask);
      } else {
        const float both = a.template scale<Step>() * b.template scale<Step>();
        put<kOfA>(address, __builtin_bit_cast(wt::u32, both) & mask);
      }
    });
  }

  // Writes the scales of block `block` at once, at any strides.
  WT_DEVICE static void put_block(wt::u32 address, const gemm_block_scales &of_a,
                                  const gemm_block_scales &of_b, int block) {
    int thread = wt::thread_id();
    wt::forget(thread);  // or a loop over blocks keeps both addresses beside the sums
    const float a = of_a.at(thread % BM, block), b = of_b.at(row_of_b(thread), block);
    put<kOfA>(address, __builtin_bit_cast(wt::u32, kRowsOfB ? a : a * b));
    if constexpr (kRowsOfB) put<BN>(address + kOfA * 4, __builtin_bit_cast(wt::u32, b));
  }

 private:
  WT_DEVICE static int row_of_b(int thread) {
    return kRowsOfB ? thread % BN : kTiles == 1 ? 0 : thread % kOfA / BM;
  }
  template <int Rows>
  WT_DEVICE static void put(wt::u32 address, wt::u32 bits) {
    wt::ds_write(address + static_cast<wt::u32>(wt::thread_id() % Rows * 4), bits, 0);
  }
};

// Reads the scales of a wave's part C of a quadrant, which is an rt_ct: a lane has one row of each fragment,
// and runs of four columns.
template <class C, int BM, int BN, class Copier>
struct gemm_block_scale_reader {
  using layout = typename C::layout;
  static constexpr int kRuns = layout::kElements / 4;  // of a fragment
  static_assert(layout::kRun >= 4, "a lane has runs of four columns: hold C as rt_ct");
  struct a_scales {
    float of[C::kTall];
  };
  struct b_scales {
    wt::f32x4 of[C::kWide][kRuns];
  };
  static constexpr int kReadsA = C::kTall, kReadsB = C::kWide * kRuns;
  wt::u32 base_a, base_b;

  // For the scales at LDS address `address`, and the wave's part that begins at (row, column) of a quadrant.
  WT_DEVICE gemm_block_scale_reader(wt::u32 address, int row, int column)
      : base_a(address + static_cast<wt::u32>(4 * (row + layout::row(wt::lane_id(), 0)))),
        base_b(address +
               static_cast<wt::u32>(4 * (Copier::kOfA + column + layout::column(wt::lane_id(), 0)))) {}

  // Return the reads for a half of A's rows, for 128 columns of C (`tile`) where they have their own, and for a
  // half of B's rows.
  WT_DEVICE auto reads_a(a_scales &to, int half, int tile, wt::u32 stage) const {
    const wt::u32 from = base_a + stage * Copier::kStageBytes;
    return wt::list_of<kReadsA>([=, &to](auto i) WT_INLINE {
      wt::sched_barrier();  // or the compiler makes one read of two, which the counts of waits do not know
      to.of[i] = wt::ds_read<float>(from, 4 * (tile * BM + half * BM / 2 + i * layout::kRows));
    });
  }
  WT_DEVICE auto reads_b(b_scales &to, int half, wt::u32 stage) const {
    const wt::u32 from = base_b + stage * Copier::kStageBytes;
    return wt::list_of<kReadsB>([=, &to](auto n) WT_INLINE {
      constexpr int kJ = n / kRuns, kRun = n % kRuns;
      to.of[kJ][kRun] = wt::ds_read<wt::f32x4>(
          from, 4 * (half * BN / 2 + kJ * layout::kColumns + layout::column(0, 4 * kRun)));
    });
  }
};

#endif
