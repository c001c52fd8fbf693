// SPDX-License-Identifier: MIT
// Computes the softmax of a row: its largest entry and the sum of exponentials, in one pass over memory.
//
// The largest entry is looked for from the lowest finite number on, so that it is finite where no entry is
// plus infinity: minus infinity gives exp(-infinity) = 0, and a row of nothing else a sum of 0. NaN reaches
// the sum, and so all of the row.
#ifndef WT_KERNELS_SOFTMAX_ROW_H
#define WT_KERNELS_SOFTMAX_ROW_H

#include "kernels/row_kernel.h"

namespace softmax {

constexpr float kLowest = -3.40282347e38f;

// An entry x has the probability exp(x - max) * scale, where scale is 1 / sum, or 0 if no entry is above
// minus infinity. lse - max is log(sum).
struct statistics {
  float max, sum;
  WT_DEVICE float scale() const { return sum == 0.0f ? 0.0f : wt::rcp(sum); }
};

// Returns exp(x - max), of a piece of a row's bits.
template <int Piece, class T, class Row>
WT_DEVICE auto exponentials(const wt::team_bits<T, Row> &x, float max) {
  return wt::each_element([=](float v) WT_INLINE { return wt::exp(v - max); }, wt::widened<Piece>(x));
}

template <class T, class Row>
WT_DEVICE void forget(wt::team_bits<T, Row> &x) {
  wt::unrolled<Row::kChunks>([&](auto c) WT_INLINE { wt::forget(x.chunk[c]); });
}

// Every x becomes exp(x - max).
template <class Row>
WT_DEVICE void exponentiate(Row &x, float max) {
  const auto exponential = [&](float v) WT_INLINE { return wt::exp(v - max); };
  map(x, exponential, x);
}

// Returns the statistics of the row that the team holds; x becomes exp(x - max).
template <class Team, class Row>
WT_DEVICE statistics exponentiate_row(Row &x, const wt::row_slice<Row> &slice, Team &team) {
  statistics s;
  s.max = team.max(max_own(x, slice, kLowest));
  exponentiate(x, s.max);
  s.sum = team.sum(sum_own(x, slice));
  return s;
}

// Returns the statistics of a row that the team holds in its own type, which takes half the registers for
// 16-bit types. The widened values are computed again for each use.
template <class T, class Row, class Team>
WT_DEVICE statistics statistics_of(wt::team_bits<T, Row> &x, const wt::row_slice<Row> &slice, Team &team) {
  const auto largest_of = [](auto v) WT_INLINE {
    return wt::reduce_piece(v, [](auto a, auto b) WT_INLINE { return wt::max(a, b); });
  };
  float max = kLowest, sum = 0;
  wt::each_piece<Row>([&](auto p) WT_INLINE {
    const float larger = wt::max(max, largest_of(wt::widened<p>(x)));
    max = slice.template has<p>() ? larger : max;
  });
  statistics s;
  s.max = team.max(max);
  forget(x);
  wt::each_piece<Row>([&](auto p) WT_INLINE {
    const float more = wt::sum_piece(exponentials<p>(x, s.max));
    sum += slice.template has<p>() ? more : 0.0f;
  });
  s.sum = team.sum(sum);
  forget(x);
  return s;
}

// Returns the statistics of a row of any length, read once. Each thread keeps the largest entry that it has
// seen and scales its sum down whenever it finds a larger one. also(x, slice) is called for each slice.
template <class T, class Row, class Team, class F>
WT_DEVICE statistics online(const T *row, int columns, Team &team, const F &also) {
  float max = kLowest, sum = 0;
  rows::each_slice<Row>(team.rank, columns, [&](const wt::row_slice<Row> &slice) WT_INLINE {
    Row x;
    load(x, row, slice);
    also(x, slice);
    const float larger = max_own(x, slice, max);
    exponentiate(x, larger);
    sum = sum * wt::exp(max - larger) + sum_own(x, slice);
    max = larger;
  });
  statistics s;
  s.max = team.max(max);
  s.sum = team.sum(sum * wt::exp(max - s.max));
  return s;
}

}  // namespace softmax

#endif
