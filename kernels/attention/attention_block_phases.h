// SPDX-License-Identifier: MIT
// This header runs two products, one after the other, with the same blocks of rows: first with the rows of
// each matrix, whose results become weights, then sums of its rows by these weights. Attention has this form,
// and so has its gradient.
#ifndef WT_KERNELS_ATTENTION_BLOCK_PHASES_H
#define WT_KERNELS_ATTENTION_BLOCK_PHASES_H

#include "attention_staged_blocks.h"

// Multiplies a block B_i of each matrix (attention_staged_blocks.h), in phases of a few fragments, which
// a schedule has as clusters, or attention_run_phases runs one after the other:
//
//   made_i = B_i own_i^T        for each matrix: kRowParts phases, own_i in parts of RowPart columns
//   sum_i += weights_i^T B_i    for the first Sums matrices, the last of them first: kOfSum phases, half of
//                               the rows of B_i and ColumnPart of its columns in each
//
// To says what the made_i are added to: zero, or what they hold beforehand.
//
// scope: wave; operands: attention_staged_blocks, tiles of operand and accumulator that may be pinned;
// leaves: none; waits: compiler, for pinned tiles the caller by release; LDS: none; registers: two row tiles
// and two column tiles; chips: both
template <class Blocks, int Sums, wt::addend To>
struct attention_block_phases {
  static constexpr int kRowParts = Blocks::kRowParts, kFirstSum = Blocks::kMatrices * kRowParts;
  static constexpr int kColumnParts = Blocks::kColumnParts, kOfSum = 2 * kColumnParts;
  static constexpr int kPhases = kFirstSum + Sums * kOfSum;
  static_assert(Sums <= Blocks::kMatrices,
                "a sum is over the rows of a matrix: give at most as many as matrices");

  // There are two sets of fragments: one is multiplied while the other one is read.
  typename Blocks::row_tile rows[2];
  typename Blocks::column_tile columns[2];

  // This is what phase N works on: the matrix, the part, and which half of the rows.
  template <int N>
  struct phase {
    static constexpr bool kMakes = N < kFirstSum;
    static constexpr int kAt = N - kFirstSum;
    static constexpr int kI = kMakes ? N / kRowParts : Sums - 1 - kAt / kOfSum;
    static constexpr int kPart = kMakes ? N % kRowParts : kAt % kColumnParts;
    static constexpr int kHalf = kAt % kOfSum / kColumnParts;
  };

  // Returns the MFMAs of phase N. `made` has a tile per matrix; `own` has an array of parts per matrix;
  // `weights` has halves per sum; `sum` has an array of parts per sum. These tiles may be pinned.
  //
  // registers: none
  template <int N, class Made, class Own, class Weights, class Sum>
  WT_DEVICE auto products(Made &made, const Own &own, const Weights &weights, Sum &sum) {
    using now = phase<N>;
    if constexpr (now::kMakes) {
      static constexpr wt::addend kTo = now::kPart == 0 ? To : wt::addend::accumulator;
      return wt::mma_ABt_list<kTo>(made[now::kI], rows[N % 2], own[now::kI][now::kPart]);
    } else {
      auto &to = sum[now::kI][now::kPart];
      if constexpr (wt::is_pinned<__remove_reference_t(decltype(to))>) wt::settle_transposed(columns[N % 2]);
      return wt::mma_ABt_list(to, weights[now::kI][now::kHalf], columns[N % 2]);
    }
  }
  // Returns what phase N reads of block j before.
  //
  // leaves: lgkmcnt; waits: compiler; LDS: reads the block; registers: none
  template <int N>
  WT_DEVICE auto reads(const Blocks &from, int j) {
    using now = phase<N>;
    if constexpr (now::kMakes) {
      return from.template row_reads<now::kI, now::kPart>(rows[N % 2], j);
    } else {
      return from.template column_reads<now::kI, now::kPart, now::kHalf>(columns[N % 2], j);
    }
  }
};

#endif
