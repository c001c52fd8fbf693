// SPDX-License-Identifier: MIT
// C = A * B^T in bf16: copies, LDS reads and MFMAs overlap, and the waits and barriers between them are
// derived from a schedule. docs/guide/scheduling.md explains it step by step.
#include <wavetile_device.h>

using namespace wt::sched;
using wt::bf16, wt::u32;

// A work-group of 4 waves computes 256 x 256 elements of C, and each wave four parts of 64 x 64. LDS holds
// two K steps of A and B in halves of 128 rows: 128 KB on gfx950 and, with half the step, 64 KB on gfx942.
constexpr int kTile = 256, kHalf = kTile / 2, kPart = 64, kWaves = 4, kStages = 2;
constexpr int kStep = wt::target::kGfx950 ? 64 : 32;

using half_tile = wt::st<bf16, kHalf, kStep, wt::swizzle_for_row<2 * kStep>>;
using fragment = wt::rt_a<bf16, kPart, kStep>;
using sums = wt::rt_ct<float, kPart, kPart>;
using copier = wt::lds_copier<half_tile, kWaves>;
using reader = wt::lds_reader<half_tile, fragment::layout>;

// The buffers are the halves of A and B. Fragment i is read from buffer i.
enum : int { kA0, kA1, kB0, kB1 };
constexpr operand a0{kA0, kA0}, a1{kA1, kA1}, b0{kB0, kB0}, b1{kB1, kB1};
constexpr int kReads = fragment::kTall * fragment::kWide * reader::kReads, kCopies = copier::kCopies;
constexpr auto kSchedule =
    pipeline_in_step(buffers{kStages, kStages, kStages, kStages}.named("A0", "A1", "B0", "B1"),
                     cluster(multiply(0, a0, b0), read(kB1, kB1, 0, kReads), copy(kA0, 2, kCopies)),
                     cluster(multiply(1, a0, b1), read(kA1, kA1, 0, kReads), copy(kB0, 2, kCopies)),
                     cluster(multiply(2, a1, b0), read(kA0, kA0, 1, kReads), copy(kB1, 2, kCopies)),
                     cluster(multiply(3, a1, b1), read(kB0, kB0, 1, kReads), copy(kA1, 2, kCopies)));

WT_KERNEL(64 * kWaves)
pipelined_gemm(const bf16 *a, const bf16 *b, bf16 *c, int m, int n, int k, wt_grid_map grid) {
  WT_SHARED half_tile lds[4][kStages];
  const wt_grid_tile tile = wt_grid_tile_of(grid, wt::workgroup_x());
  const int row = kTile * tile.m, column = kTile * tile.n;
  const int wave_row = wt::wave_id() / 2 * kPart, wave_column = wt::wave_id() % 2 * kPart;
  const auto A = wt::row_major(a, m, k).from(row, 0);
  const auto B = wt::row_major(b, n, k).from(column, 0);
  const wt::buffer memory[] = {wt::memory_of(A, kTile), wt::memory_of(B, kTile)};
  const copier copiers[] = {{A, 0}, {A, kHalf}, {B, 0}, {B, kHalf}};
  const reader readers[] = {reader(wave_row), reader(wave_column)};
  fragment fragments[4];
  wt::pinned_t<sums> sum[4];
  wt::zero(sum);

  const auto place = [&](int buffer, u32 stage) WT_INLINE {
    return wt::lds_parts<half_tile>(lds)[static_cast<u32>(buffer * kStages) + stage];
  };
  const auto copies = [&](auto op, int step, u32 stage) WT_INLINE {
    constexpr int kTo = op.value.buffer;
    return copiers[kTo].copies(memory[kTo / 2], step, place(kTo, stage));
  };
  const auto reads = [&](auto op, u32 stage) WT_INLINE {
    constexpr int kFrom = op.value.buffer;
    return readers[kFrom / 2].at(place(kFrom, stage)).reads(fragments[op.value.fragment]);
  };
  const auto multiplies = [&](auto op) WT_INLINE {
    return mma_ABt_list(sum[op.value.sum], fragments[op.value.a.fragment], fragments[op.value.b.fragment]);
  };
  run<kSchedule>(k / kStep, lists{.copy = copies, .read = reads, .multiply = multiplies});

  wt::unrolled<4>([&](auto i) WT_INLINE {
    wt::rt_ct<bf16, kPart, kPart> result;
    wt::copy(result, wt::release(sum[i.value]));
    wt::store(wt::row_major(c, m, n), result, row + wave_row + i / 2 * kHalf,
              column + wave_column + i % 2 * kHalf);
  });
}
