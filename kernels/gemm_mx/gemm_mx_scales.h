// SPDX-License-Identifier: MIT
// Brings the scales of a GEMM from memory to the waves: row by row, or shuffled beforehand.
#ifndef WT_KERNELS_GEMM_MX_SCALES_H
#define WT_KERNELS_GEMM_MX_SCALES_H

#include "wavetile_device.h"

// An MFMA's operands have so many rows. One of 32x32x64 does the work of two of 16x16x128 in the same time,
// and leaves the issue slots of the second one to what goes between.
inline constexpr int kMxFragmentRows = 32;

// Whether a matrix of these elements has scales: A of bf16 has none, and B is widened to multiply it
// (ops/mma_widened.h).
template <class T>
constexpr bool kMxHasScales = !__is_same(T, wt::bf16);

// A K step has so many columns: rows of LDS have 64 to 128 bytes, those of bf16 256.
template <class TA, class TB>
constexpr int kMxStep = wt::is_fp4<TA> && wt::is_fp4<TB> ? 256 : 128;

enum class gemm_mx_scale_path { through_registers, direct };

// The rows of scales that a K step brings, of A and of B. Every thread fetches a row: where A has none, and B
// fewer than there are threads, the last ones are not read.
template <class TA, int BM>
constexpr int kMxScaleRowsOfA = kMxHasScales<TA> ? BM : 0;
template <class TA, int BN, int Threads>
constexpr int kMxScaleRowsOfB = kMxHasScales<TA> || BN > Threads ? BN : Threads;

// Describes a row of scales for each row of A and B, of which a K step of Step columns takes 4 or 8 bytes.
template <int Step>
struct gemm_mx_rows_of_scales {
  static constexpr int kStep = Step, kStepBytes = Step / wt::kScaleBlock;
  static constexpr int kRowsOfB = 1;  // of B that share a row of scales
  using matrix = wt::scale_matrix;

  // The scales of rows from `row` on, of which `rows` exist, with `blocks` scales each. From one block to the
  // next there is a byte, whatever block_bytes says.
  WT_DEVICE static matrix from(const unsigned char *data, long long row_bytes, long long /*block_bytes*/,
                               int row, int rows, int blocks) {
    return {data + row * row_bytes, row_bytes, rows, blocks};
  }
  // Returns the bytes from the first K step's scales to another's in memory.
  WT_DEVICE static int bytes_to(int step) { return step * kStepBytes; }
};

// Scales of rows that are fetched to registers for 16 bytes together, and put to LDS from there. A lane reads
// all its scales of a fragment at once.
template <int BM, int BN, int Step, int Threads>
struct gemm_mx_row_scales : gemm_mx_rows_of_scales<Step> {
  using rows_of_scales = gemm_mx_rows_of_scales<Step>;
  using rows_of_scales::kStepBytes, typename rows_of_scales::matrix;
  static constexpr auto kPath = gemm_mx_scale_path::through_registers;
  static constexpr wt::row_order kOrder = wt::row_order::natural;
  static constexpr int kTogether = 16 / kStepBytes;
  static constexpr int kRowBytes = kStepBytes;         // of a row of the LDS tile
  using tile = wt::st<wt::e8m0, BM + BN, kStepBytes>;  // of A, then of B
  using copier = wt::scale_copier<tile, BM, Threads, kTogether>;
  static constexpr int kPieces = copier::kPieces;
  static_assert(kPieces == 1 || kPieces * Threads == 2 * BM,
                "a piece of the scales must be those of A or of B, or all: choose a tile of 128 or 256 rows "
                "and columns");
  template <class T>
  using layout = wt::scaled_operand<T, Step, kMxFragmentRows>;
  template <class Operand>
  using scales = wt::rs<Operand>;
  template <class Operand>
  using reader = wt::scale_reader<tile, scales<Operand>>;

  WT_DEVICE static bool is_fetchable(const matrix &m, int rows) { return m.is_fetchable(rows); }
  template <int Count>
  WT_DEVICE static void load_masked(tile &to, int first_row, const matrix &m, int block) {
    wt::load_masked_scales<Threads, Count>(
        to, first_row, wt::scale_matrix{m.data + block, m.row_bytes, m.rows, m.blocks - block});
  }
  // Returns the bytes from where an LDS tile begins to what is read of it for a K step.
  WT_DEVICE static wt::u32 within_group(int) { return 0; }
};

// Scales that were shuffled beforehand (ops/shuffled_scales.h). A K step's groups are copied to LDS as they
// are; where the step has 128 columns, a group is for two steps and is copied for each of them.
template <int BM, int BN, int Step, int Threads>
struct gemm_mx_shuffled_scales {
  static constexpr int kStep = Step;
  static constexpr auto kPath = gemm_mx_scale_path::direct;
  static constexpr wt::row_order kOrder = wt::row_order::interleaved;
  static constexpr int kTogether = 1, kPieces = 1, kRowsOfB = 1;
  static constexpr int kRowBytes = wt::kShuffledScales;
  static constexpr int kGroupSteps = wt::kShuffledScales * wt::kScaleBlock / Step;  // K steps of a group
  using tile = wt::shuffled_scale_tile<BM + BN>;
  using matrix = wt::shuffled_scale_matrix;
  using copier = wt::shuffled_scale_copier<tile, BM, Threads / wt::target::kWaveLanes, kGroupSteps>;
  static_assert(BM % 256 == 0 && BN % 256 == 0,
                "a wave's part of a quadrant must have whole 64 rows and columns: use tiles of 256 x 256");
  template <class T>
  using layout = wt::shuffled_operand<T, Step>;
  template <class Operand>
  using scales = wt::rs_shuffled<Operand>;
  template <class Operand>
  using reader = wt::shuffled_scale_reader<tile, scales<Operand>>;

  WT_DEVICE static matrix from(const unsigned char *data, long long group_bytes, long long, int row, int rows,
                               int) {
    static constexpr int kRows = wt::kShuffledRows;
    return {data + row / kRows * group_bytes, group_bytes, (rows + kRows - 1) / kRows};
  }
  WT_DEVICE static bool is_fetchable(const matrix &m, int rows) {
    return m.is_fetchable(rows / wt::kShuffledRows);
  }
  template <int Count>
  WT_DEVICE static void load_masked(tile &to, int first_row, const matrix &m, int block) {
    wt::load_masked_scales<Threads, Count>(to, first_row, m,
                                           block / wt::kShuffledScales * wt::kShuffledBytes);
  }
  // Return the bytes from the first K step's scales to another's in memory, and from where an LDS tile begins
  // to what is read of it for that step.
  WT_DEVICE static int bytes_to(int step) { return copier::bytes_to(step); }
  // The scales 4 to 7 of a group are two bytes further on.
  WT_DEVICE static wt::u32 within_group(int step) {
    return kGroupSteps == 1 ? 0 : static_cast<wt::u32>(2 * (step % kGroupSteps));
  }
};

#endif
