// SPDX-License-Identifier: MIT
// Defines what kernels over rows have in common: how many threads share a row and how many values each holds,
// and their entry points.
#ifndef WT_KERNELS_ROW_KERNEL_H
#define WT_KERNELS_ROW_KERNEL_H

#include "fetch_arguments.h"

namespace rows {

// Names a row that a team holds in registers, in chunks of 16 bytes of T.
template <class T, class Team, int Values>
using row_of = wt::team_row<Team::kThreads, Values, 16 / static_cast<int>(sizeof(T))>;

// Calls f(slice) for each slice of a row, from left to right.
template <class Row, class F>
WT_DEVICE void each_slice(int rank, int columns, const F &f) {
  for (int first = 0; first < columns; first += Row::kCapacity) f(wt::row_slice<Row>(rank, columns, first));
}

// Calls f(row number, slice) for each piece of `count` rows that belongs to this team; a piece is as much of
// a row as a team's registers hold. Team t of the `teams` of a launch takes the pieces t, t + teams, ...
template <class Row, class Team, class F>
WT_DEVICE void each_piece_of(const Team &team, int count, int columns, int teams, const F &f) {
  const unsigned per_row = static_cast<unsigned>(columns - 1) / Row::kCapacity + 1;
  const unsigned step = static_cast<unsigned>(teams), rows = static_cast<unsigned>(count);
  const unsigned own = static_cast<unsigned>(wt::workgroup_x() * Team::kTeams + team.number);
  unsigned row = own / per_row, piece = own % per_row;
  while (row < rows) {
    const int first = static_cast<int>(piece) * Row::kCapacity;
    f(static_cast<int>(row), wt::row_slice<Row>(team.rank, columns, first));
    row += step / per_row, piece += step % per_row;
    if (piece >= per_row) piece -= per_row, ++row;
  }
}

template <class Row>
WT_DEVICE void scale(Row &x, float factor) {
  const auto product = [&](float v) WT_INLINE { return v * factor; };
  map(x, product, x);
}

// Returns how many threads a work-group has whose teams have `threads`.
constexpr int workgroup_of(int threads) { return threads < 256 ? 256 : threads; }

}  // namespace rows

// Defines the kernel NAME_SHAPE, which is function<parameters...>(args, team) for a Team of `threads` threads
// that hold `values` values each. The host side of the family knows the shapes (src/core/rows.h).
#define WT_ROW_KERNEL(name, shape, threads, values, arguments, function, ...) \
  WT_KERNEL(rows::workgroup_of(threads)) name##_##shape(arguments args) {     \
    fetch_arguments<sizeof(arguments)>();                                     \
    using team_of = wt::team<threads, rows::workgroup_of(threads)>;           \
    WT_SHARED typename team_of::memory memory;                                \
    function<team_of, values, __VA_ARGS__>(args, team_of(memory));            \
  }

#endif
