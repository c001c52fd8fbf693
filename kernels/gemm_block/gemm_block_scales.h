// SPDX-License-Identifier: MIT
// F32 scales of blocks of 128 columns on their way from memory to registers: the work-group brings the scales
// of several K steps to registers together and puts those of one step to LDS, from where each wave reads its
// own.
#ifndef WT_KERNELS_GEMM_BLOCK_SCALES_H
#define WT_KERNELS_GEMM_BLOCK_SCALES_H

#include "wavetile_device.h"

// Says what has a scale of its own in B: 128 rows, or each row. A has one for each row.
enum class gemm_block_b { tiles, rows };

// Says whether a register keeps the place in LDS of a thread's scale, or the thread computes it for each
// step, where registers are few.
enum class gemm_block_place { kept, computed };

// This is a matrix of scales, from one row on.
struct gemm_block_scales {
  const float *data;
  long long row, block;  // elements from one row, or block of 128 columns, to the next
  int rows, blocks;      // that exist, at least 1

  WT_DEVICE float at(int r, int b) const {
    return data[(r < rows ? r : rows - 1) * row + (b < blocks ? b : blocks - 1) * block];
  }

  // Return the last element of `tall` rows, and whether their bytes can be addressed by a buffer.
  WT_DEVICE long long last(int tall) const {
    return ((rows < tall ? rows : tall) - 1) * row + (blocks - 1) * block;
  }
  WT_DEVICE bool fits_buffer(int tall) const { return last(tall) < 0x1fffffffll; }
  WT_DEVICE wt::buffer memory(int tall) const {
    return wt::make_buffer(data, static_cast<int>(last(tall) + 1) * 4);
  }
};

// Fills the scales of one K step in LDS: of BM rows of A, then of B's rows or of its tiles of 128 rows. Each
// of Threads threads brings those of one row, for Steps blocks at once: by one load where they follow each
// other, by several elsewhere.
//
// Steps that lie past the last block are fetched as well, from whatever follows there. Runs have more steps
// than there are: the others get the scale zero.
template <int BM, int BN, gemm_block_b Of, int Threads, int Steps, gemm_block_place Place>
struct gemm_block_scale_copier {
  using tile = float[Threads];
  static constexpr int kCopies = 1;  // writes of a thread
  static constexpr int kRowsB = Of == gemm_block_b::rows ? BN : BN / 128;
  static_assert(Of == gemm_block_b::rows || BN % 128 == 0,
                "a scale is for 128 rows of B: choose tiles of a multiple of 128 columns");
  static_assert(
      BM + kRowsB <= Threads && BM % wt::target::kWaveLanes == 0,
      "each thread brings the scales of a row, each wave those of one matrix: choose a smaller tile");

  wt::buffer from;
  int offset, block_bytes;
  wt::registers<wt::u32, Steps> held;
  wt::u32 place;  // of the thread's scale in a stage, where a register keeps it
  int left;       // steps to be put that exist

  WT_DEVICE gemm_block_scale_copier(const gemm_block_scales &a, const gemm_block_scales &b, int steps)
      : place(static_cast<wt::u32>(wt::thread_id() * 4)), left(steps) {
    const int first = wt::wave_id() * wt::target::kWaveLanes;  // thread of the wave
    const gemm_block_scales &scales = first < BM ? a : b;
    const int most = first < BM ? BM : kRowsB, at = (first < BM ? first : first - BM) + wt::lane_id();
    const int last = (scales.rows < most ? scales.rows : most) - 1;
    from = scales.memory(most);
    offset = (at < last ? at : last) * static_cast<int>(scales.row) * 4;
    block_bytes = static_cast<int>(scales.block) * 4;
  }

  // Returns the loads for Steps steps, from number `step` on: one micro-op, which issues one load at least.
  //
  // The place is the lane's own offset in full: past the end, every reading of the range check then agrees.
  WT_DEVICE auto fetches(int step) {
    return wt::list_of<1>([=, this](auto) WT_INLINE {
      int bytes = step * block_bytes;
      wt::forget_uniform(bytes);  // or the lane's place counts along, in a register that the loop has to copy
      if (block_bytes == 4) {
        held = wt::buffer_load<wt::registers<wt::u32, Steps>>(from, offset + bytes);
      } else {
        wt::unrolled<Steps>([&](auto n) WT_INLINE {
          held[n.value] = wt::buffer_load<wt::u32>(from, offset + bytes + n * block_bytes);
        });
      }
    });
  }

  // Returns the write of the Nth of these steps to LDS. It is called once for each step, in their order.
  template <int Nth>
  WT_DEVICE auto puts(wt::lds_place<tile> to) {
    const wt::u32 mask = left > 0 ? ~0u : 0u;
    --left;
    return wt::list_of<1>([=, this](auto) WT_INLINE {
      const wt::u32 bits = held[Nth];
      wt::ds_write(to.byte(place_of_thread()), bits & mask, 0);
    });
  }

  // Writes the scales of block `block` at once, at any strides.
  WT_DEVICE static void put_block(wt::lds_place<tile> to, const gemm_block_scales &a,
                                  const gemm_block_scales &b, int block) {
    int thread = wt::thread_id();
    wt::forget(thread);  // or a loop over blocks keeps the place of the scale beside the sums
    const float scale = thread < BM ? a.at(thread, block) : b.at(thread - BM, block);
    wt::ds_write(to.byte(static_cast<wt::u32>(thread * 4)), scale, 0);
  }

 private:
  WT_DEVICE wt::u32 place_of_thread() const {
    if constexpr (Place == gemm_block_place::kept) {
      return place;
    } else {
      int shift = 2;
      wt::forget_uniform(shift);  // or the compiler keeps the place
      return static_cast<wt::u32>(wt::thread_id() << shift);
    }
  }
};

// Reads the scales of a wave's part C of a quadrant, which is an rt_ct: a lane has one row of each fragment,
// and runs of four columns.
template <class C, int BM, int BN, gemm_block_b Of, class Stage>
struct gemm_block_scale_reader {
  using layout = typename C::layout;
  static constexpr bool kRowsOfB = Of == gemm_block_b::rows;
  static constexpr int kRuns = layout::kElements / 4;  // of a fragment
  static_assert(layout::kRun >= 4, "a lane has runs of four columns: hold C as rt_ct");
  struct a_scales {
    float of[C::kTall];
    float tile;  // that of B, unless its rows have their own
  };
  struct b_scales {
    wt::f32x4 of[C::kWide][kRuns];
  };
  static constexpr wt::u32 kStageBytes = sizeof(Stage);
  static constexpr int kReadsA = C::kTall + (kRowsOfB ? 0 : 1), kReadsB = C::kWide * kRuns;
  wt::u32 base_a, base_b;

  // Reads the scales of the wave's part that begins at (row, column) of a quadrant, from a stage on.
  WT_DEVICE gemm_block_scale_reader(wt::lds_place<Stage> first, int row, int column)
      : base_a(first.byte(static_cast<wt::u32>(4 * (row + layout::row(wt::lane_id(), 0))))),
        base_b(first.byte(
            static_cast<wt::u32>(4 * (BM + (kRowsOfB ? column + layout::column(wt::lane_id(), 0) : 0))))) {}

  // Return the reads for quadrant (i, j), and for the rows of B's half j.
  WT_DEVICE auto reads_a(a_scales &to, int i, int j, wt::u32 stage) const {
    const wt::u32 a = base_a + stage * kStageBytes, b = base_b + stage * kStageBytes;
    return wt::list_of<kReadsA>([=, &to](auto n) WT_INLINE {
      wt::sched_barrier();  // or the compiler makes one read of two, which the counts of waits do not know
      if constexpr (n < C::kTall) {
        to.of[n] = wt::ds_read<float>(a, 4 * (i * BM / 2 + n * layout::kRows));
      } else {
        to.tile = wt::ds_read<float>(b, BN == 128 ? 0 : 4 * j);
      }
    });
  }
  WT_DEVICE auto reads_b(b_scales &to, int j, wt::u32 stage) const {
    const wt::u32 from = base_b + stage * kStageBytes;
    return wt::list_of<kReadsB>([=, &to](auto n) WT_INLINE {
      static constexpr int kJ = n / kRuns, kRun = n % kRuns;
      to.of[kJ][kRun] = wt::ds_read<wt::f32x4>(
          from, 4 * (j * BN / 2 + kJ * layout::kColumns + layout::column(0, 4 * kRun)));
    });
  }
};

#endif
