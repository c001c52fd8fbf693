// SPDX-License-Identifier: MIT
// Residual add, dropout and layer norm or RMS norm in one pass over memory: a team of threads holds a row in
// registers, sums it, and writes it normalised. Rows longer than the registers are read twice.
#ifndef WT_KERNELS_NORM_FORWARD_H
#define WT_KERNELS_NORM_FORWARD_H

#include "kernels/block_scale/row_blocks.h"
#include "norm_row.h"

namespace norm {

using row_blocks::output;

// Loads a slice of z = dropout(x) + residual.
template <class T, class Row>
WT_DEVICE void load_sum(Row &z, const wt_norm_forward_args &a, long long number,
                        const wt::row_slice<Row> &slice) {
  wt::team_bits<T, Row> x, residual;
  wt::load(x, static_cast<const T *>(a.x) + number * a.x_row, slice);
  wt::load_if_any(residual, row_of<const T>(a.residual, number, a.residual_row), slice);
  wt::each_piece<Row>([&](auto p) WT_INLINE {
    z.template piece<p>() =
        dropped<p>(wt::widened<p>(x), a.dropout, number, slice) + wt::widened<p>(residual);
  });
}

// Returns the sum of (value - center)^2 over a thread's elements.
template <class Row>
WT_DEVICE wt::f32 squares_from(wt::f32 center, const Row &z, const wt::row_slice<Row> &slice) {
  Row squares;
  wt::map(squares, [=](auto v) WT_INLINE { return (v - center) * (v - center); }, z);
  return wt::sum_own(squares, slice);
}

// Holds the statistics of a thread's elements: their number, their mean, and the sum of the squared distances
// from it. Slices are added by the formula of Chan, Golub and LeVeque (1979), which never subtracts large
// sums. The threads' statistics are added in the same manner once the mean of all is known.
struct moments {
  wt::f32 count = 0, mean = 0, squares = 0;

  template <class Row>
  WT_DEVICE void add(const Row &z, const wt::row_slice<Row> &slice) {
    const wt::f32 more = static_cast<wt::f32>(wt::count_own(slice));
    if (more == 0) return;
    const wt::f32 other = wt::sum_own(z, slice) / more, apart = other - mean, part = more / (count + more);
    squares += squares_from(other, z, slice) + apart * apart * count * part;
    mean += apart * part;
    count += more;
  }

  // Turns the thread's statistics into those of all threads of the team.
  template <class Team>
  WT_DEVICE void combine(Team &team, wt::f32 columns) {
    const wt::f32 own = mean;
    mean = team.sum(own * count) / columns;
    squares = team.sum(squares + count * (own - mean) * (own - mean));
  }
};

// Returns whether the mean is subtracted: the layer norm. The others have the mean 0.
template <kind Kind>
WT_DEVICE bool has_mean(const wt_norm_forward_args &a) {
  return Kind == kind::layer || (Kind == kind::as_asked && a.subtracts_mean != 0);
}

WT_DEVICE wt::f32 rstd_of(wt::f32 squares, const wt_norm_forward_args &a) {
  return wt::rsq(squares / static_cast<wt::f32>(a.columns) + a.epsilon);
}

// Describes a slice of the weights and biases.
template <class W, class Row>
struct affine {
  const wt_norm_forward_args &a;
  wt::team_bits<W, Row> weight, bias;

  WT_DEVICE affine(const wt_norm_forward_args &arguments, const wt::row_slice<Row> &slice) : a(arguments) {
    wt::load_if_any(weight, static_cast<const W *>(a.weight), slice);
    wt::load_if_any(bias, static_cast<const W *>(a.bias), slice);
  }

  // Writes the outputs that are wanted for a slice of z.
  template <class T, output Output>
  WT_DEVICE void store(const Row &z, wt::f32 mean, wt::f32 rstd, long long number,
                       const wt::row_slice<Row> &slice) const {
    if (a.sum) wt::store(static_cast<T *>(a.sum) + number * a.sum_row, slice, z);
    const auto piece_of_y = [&](auto p) WT_INLINE {
      return wt::each_element([=](wt::f32 v, wt::f32 w, wt::f32 b)
                                  WT_INLINE { return (v - mean) * rstd * w + b; },
                              z.template piece<p>(), weight_of<p>(weight, a.weight), wt::widened<p>(bias));
    };
    if constexpr (Output == output::quantized) {
      Row y;
      wt::each_piece<Row>([&](auto p) WT_INLINE { y.template piece<p>() = piece_of_y(p); });
      row_blocks::store(a.blocks, number, slice, y);
    } else {
      wt::each_piece<Row>([&](auto p) WT_INLINE {
        wt::store_piece<p>(static_cast<T *>(a.y) + number * a.y_row, slice, piece_of_y(p));
      });
    }
    if (!a.mask) return;
    wt::each_piece<Row>([&](auto p) WT_INLINE {
      wt::sched_barrier();
      wt::store_piece<p>(reinterpret_cast<wt::i8 *>(a.mask) + number * a.mask_row, slice,
                         each_kept<p>(z.template piece<p>(), a.dropout, number, slice,
                                      [](wt::f32, bool kept) WT_INLINE { return kept ? 1.0f : 0.0f; }));
    });
  }
};

template <class Team>
WT_DEVICE void store_statistics(const wt_norm_forward_args &a, const Team &team, long long number,
                                wt::f32 mean, wt::f32 rstd) {
  if (team.rank != 0) return;
  if (a.mean) a.mean[number] = mean;
  if (a.rstd) a.rstd[number] = rstd;
}

// Computes a row per team, in its registers.
template <class Team, int Values, class T, class W, kind Kind, output Output = output::rounded>
WT_DEVICE void forward(const wt_norm_forward_args &a, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const long long number = a.first + wt::workgroup_x() * static_cast<long long>(Team::kTeams) + team.number;
  if (number >= a.rows) return;
  const wt::row_slice<row> slice(team.rank, a.columns);
  row z;
  load_sum<T>(z, a, number, slice);
  const affine<W, row> weights(a, slice);  // in flight while the row is summed
  wt::f32 mean = 0;
  if (has_mean<Kind>(a)) mean = team.sum(wt::sum_own(z, slice)) / static_cast<wt::f32>(a.columns);
  const wt::f32 rstd = rstd_of(team.sum(squares_from(mean, z, slice)), a);
  weights.template store<T, Output>(z, mean, rstd, number, slice);
  store_statistics(a, team, number, mean, rstd);
}

// Returns the arguments. Kernels that quantise read them anew: their formats need the scalar registers.
template <output Output>
WT_DEVICE wt_norm_forward_args arguments_again(const wt_norm_forward_args &a) {
  if constexpr (Output == output::quantized) {
    return wt::read_arguments<wt_norm_forward_args>();
  } else {
    return a;
  }
}

// Computes a row of any length per team.
template <class Team, int Values, class T, class W, kind Kind, output Output = output::rounded>
WT_DEVICE void forward_long(const wt_norm_forward_args &a, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int number = a.first + wt::workgroup_x();
  moments m;
  rows::each_slice<row>(team.rank, a.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    row z;
    load_sum<T>(z, a, number, slice);
    if (has_mean<Kind>(a)) {
      m.add(z, slice);
    } else {
      m.squares += squares_from(0, z, slice);
    }
  });
  if (has_mean<Kind>(a)) {
    m.combine(team, static_cast<wt::f32>(a.columns));
  } else {
    m.squares = team.sum(m.squares);
  }
  const wt::f32 rstd = rstd_of(m.squares, a);
  rows::each_slice<row>(team.rank, a.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    const wt_norm_forward_args again = arguments_again<Output>(a);
    row z;
    load_sum<T>(z, again, number, slice);
    affine<W, row>(again, slice).template store<T, Output>(z, m.mean, rstd, number, slice);
  });
  store_statistics(a, team, number, m.mean, rstd);
}

}  // namespace norm

#endif
