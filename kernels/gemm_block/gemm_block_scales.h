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

// One thread's scales of one row, of Steps blocks that it fetches together. Where they follow each other they
// are one load, and several loads elsewhere; the other kind of load is out of range and brings zeros. So
// nothing branches, and `bits` unites the two.
//
// Steps that lie past the last block are fetched as well, from whatever follows there: nobody uses them.
template <int Steps>
struct gemm_block_row {
  static constexpr int kLoads = 1 + Steps;
  wt::buffer from;
  int joined, apart, block_bytes;
  wt::registers<wt::u32, Steps> held;
  wt::u32 held_apart[Steps];

  // For row number `row` of the leading `tall` ones.
  WT_DEVICE gemm_block_row(const gemm_block_scales &scales, int row, int tall)
      : from(scales.memory(tall)), block_bytes(static_cast<int>(scales.block) * 4) {
    const int last = (scales.rows < tall ? scales.rows : tall) - 1;
    const int offset = (row < last ? row : last) * static_cast<int>(scales.row) * 4;
    joined = scales.block == 1 ? offset : wt::kOutOfRange;
    apart = scales.block == 1 ? wt::kOutOfRange : offset;
  }

  // The place is the lane's own offset in full: past the end, every reading of the range check then agrees.
  WT_DEVICE void fetch(int block) {
    held = wt::buffer_load<wt::registers<wt::u32, Steps>>(from, joined + block * 4);
    wt::unrolled<Steps>([&](auto step) WT_INLINE {
      held_apart[step] = wt::buffer_load<wt::u32>(from, apart + (block + step) * block_bytes);
    });
  }
  template <int Step>
  WT_DEVICE wt::u32 bits() const {
    return held[Step] | held_apart[Step];
  }
};

// Fills the scales of one K step in LDS: BM of A and, where each row of B has one, BN of B. Where B has one
// for all its BN rows, A's are multiplied by it on the way.
//
// Runs have more steps than there are: the others have the scale zero.
template <int BM, int BN, gemm_block_b Of, int Threads, int Steps>
struct gemm_block_scale_copier {
  static constexpr bool kRowsOfB = Of == gemm_block_b::rows;
  static constexpr int kRows = BM + (kRowsOfB ? BN : 0);
  static constexpr int kStageBytes = kRows * 4;
  static constexpr int kPuts = kRowsOfB ? 2 : 1;
  static_assert(Threads % BM == 0 && Threads % BN == 0, "each thread brings the scales of a row");
  static_assert(kRowsOfB || BN == 128, "a scale is for 128 rows of B: choose tiles of 128 columns");
  using row = gemm_block_row<Steps>;
  static constexpr int kLoads = 2 / kPuts * row::kLoads;  // of a put's scales

  row a, b;
  int left;  // steps to be put that exist

  WT_DEVICE gemm_block_scale_copier(const gemm_block_scales &of_a, const gemm_block_scales &of_b, int steps)
      : a(of_a, wt::thread_id() % BM, BM), b(of_b, kRowsOfB ? wt::thread_id() % BN : 0, BN), left(steps) {}

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
        put<BN>(address + BM * 4, b.template bits<Step>() & mask);
      } else if constexpr (kRowsOfB) {
        put<BM>(address, a.template bits<Step>() & mask);
      } else {
        const float of_a = __builtin_bit_cast(float, a.template bits<Step>());
        const float both = of_a * __builtin_bit_cast(float, b.template bits<Step>());
        put<BM>(address, __builtin_bit_cast(wt::u32, both) & mask);
      }
    });
  }

  // Writes the scales of block `block` at once, at any strides.
  WT_DEVICE static void put_block(wt::u32 address, const gemm_block_scales &of_a,
                                  const gemm_block_scales &of_b, int block) {
    const float a = of_a.at(wt::thread_id() % BM, block), b = of_b.at(wt::thread_id() % BN, block);
    put<BM>(address, __builtin_bit_cast(wt::u32, kRowsOfB ? a : a * b));
    if constexpr (kRowsOfB) put<BN>(address + BM * 4, __builtin_bit_cast(wt::u32, b));
  }

 private:
  template <int Rows>
  WT_DEVICE static void put(wt::u32 address, wt::u32 bits) {
    wt::ds_write(address + static_cast<wt::u32>(wt::thread_id() % Rows * 4), bits, 0);
  }
};

// Reads the scales of a wave's part C of a quadrant, which is an rt_ct: a lane has one row of each fragment,
// and runs of four columns.
template <class C, int BM, int BN, int StageBytes>
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
        base_b(address + static_cast<wt::u32>(4 * (BM + column + layout::column(wt::lane_id(), 0)))) {}

  WT_DEVICE auto reads_a(a_scales &to, int half, wt::u32 stage) const {
    return wt::list_of<kReadsA>([=, &to, from = base_a + stage * StageBytes](auto i) WT_INLINE {
      to.of[i] = wt::ds_read<float>(from + static_cast<wt::u32>(half * BM / 2 * 4), i * layout::kRows * 4);
    });
  }
  WT_DEVICE auto reads_b(b_scales &to, int half, wt::u32 stage) const {
    return wt::list_of<kReadsB>([=, &to, from = base_b + stage * StageBytes](auto n) WT_INLINE {
      constexpr int kJ = n / kRuns, kRun = n % kRuns;
      to.of[kJ][kRun] = wt::ds_read<wt::f32x4>(from + static_cast<wt::u32>(half * BN / 2 * 4),
                                               4 * (kJ * layout::kColumns + layout::column(0, 4 * kRun)));
    });
  }
};

#endif
