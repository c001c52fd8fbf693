// SPDX-License-Identifier: MIT
// Computes the gradients of norm_forward. With n = (z - mean) * rstd and g = dy * weight,
//   dz = rstd * (g - mean(g) - n * mean(g * n)) + dsum      (RMS norm: without mean(g)),
// and the gradients of weight and bias are the sums over rows of dy * n and dy. Each work-group sums
// over its own rows, in their order; norm_reduce adds up the work-groups.
#ifndef WT_KERNELS_NORM_BACKWARD_H
#define WT_KERNELS_NORM_BACKWARD_H

#include "norm_row.h"

namespace norm {

// Describes a slice of a row: its inputs, and the gradients computed from them.
template <class T, class W, kind Kind, class Row>
struct gradient {
  const wt_norm_backward_args &a;
  wt::team_bits<T, Row> z, dy, dsum;
  wt::team_bits<W, Row> weight;
  long long number;
  wt::f32 mean = 0, rstd = 1;

  WT_DEVICE explicit gradient(const wt_norm_backward_args &arguments) : a(arguments) {}

  WT_DEVICE void begin_row(long long row) {
    number = row;
    if constexpr (Kind == kind::layer) mean = a.mean[row];
    rstd = a.rstd[row];
  }
  WT_DEVICE void load(const wt::row_slice<Row> &slice) {
    wt::load(z, static_cast<const T *>(a.z) + number * a.z_row, slice);
    wt::load(dy, static_cast<const T *>(a.dy) + number * a.dy_row, slice);
  }
  WT_DEVICE void load_weight(const wt::row_slice<Row> &slice) {
    wt::load_if_any(weight, static_cast<const W *>(a.weight), slice);
  }
  WT_DEVICE void load_dsum(const wt::row_slice<Row> &slice) {
    wt::load_if_any(dsum, row_of<const T>(a.dsum, number, a.dsum_row), slice);
  }

  template <int P>
  WT_DEVICE auto n() const {
    const wt::f32 from = mean, by = rstd;
    return wt::each_element([=](wt::f32 v) WT_INLINE { return (v - from) * by; }, wt::widened<P>(z));
  }
  template <int P>
  WT_DEVICE auto g() const {
    return wt::widened<P>(dy) * weight_of<P>(weight, a.weight);
  }

  // Returns the sums of g * n and g over this thread's elements.
  WT_DEVICE wt::f32x2 own_sums(const wt::row_slice<Row> &slice) const {
    wt::f32x2 sums = {};
    wt::each_piece<Row>([&](auto p) WT_INLINE {
      const wt::f32x2 more = {wt::sum_piece(g<p>() * n<p>()),
                              Kind == kind::layer ? wt::sum_piece(g<p>()) : 0.0f};
      sums += slice.template has<p>() ? more : wt::f32x2{};
    });
    return sums;
  }

  // n and g are computed again: kept from the sums on, they would take more registers than there are.
  WT_DEVICE void forget_sums() {
    wt::unrolled<Row::kChunks>([&](auto c) WT_INLINE { wt::forget(z.chunk[c]), wt::forget(dy.chunk[c]); });
  }

  // Writes piece P of the gradients, given the means of g * n and g.
  template <int P>
  WT_DEVICE void store(wt::f32x2 means, const wt::row_slice<Row> &slice) const {
    const wt::f32 mean_gn = means[0], mean_g = means[1], by = rstd;
    const auto dz = wt::each_element([=](wt::f32 gp, wt::f32 np, wt::f32 more)
                                         WT_INLINE { return (gp - mean_g - np * mean_gn) * by + more; },
                                     g<P>(), n<P>(), wt::widened<P>(dsum));
    if (a.dresidual) wt::store_piece<P>(static_cast<T *>(a.dresidual) + number * a.dresidual_row, slice, dz);
    if (a.dx)
      wt::store_piece<P>(static_cast<T *>(a.dx) + number * a.dx_row, slice,
                         dropped<P>(dz, a.dropout, number, slice));
  }

  // Adds piece P of what the row gives to the gradients of weight and bias.
  template <int P>
  WT_DEVICE void add_to(Row &dweight, Row &dbias) const {
    dweight.template piece<P>() += wt::widened<P>(dy) * n<P>();
    dbias.template piece<P>() += wt::widened<P>(dy);
  }
};

// Writes this work-group's row of the parts from its teams' sums.
template <class Team, class Row>
WT_DEVICE void store_part(float *parts, Row &sums, const wt_norm_backward_args &a, const Team &team,
                          const wt::row_slice<Row> &slice) {
  using over_teams = wt::team_sum<Team, Row>;
  WT_SHARED typename over_teams::memory memory;
  if (!parts) return;
  over_teams::to_first(sums, team, memory);
  if (team.number == 0) wt::store(parts + static_cast<long long>(wt::workgroup_y()) * a.columns, slice, sums);
}

// Takes rows that fit into registers; the sums for weight and bias are held there, too.
template <class Team, int Values, class T, class W, kind Kind>
WT_DEVICE void backward(const wt_norm_backward_args &a, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const wt::row_slice<row> slice(team.rank, a.columns);
  gradient<T, W, Kind, row> grad(a);
  grad.load_weight(slice);
  row dweight = {}, dbias = {};
  const int first = wt::workgroup_y() * Team::kTeams + team.number;
#pragma unroll 1
  for (long long number = first; number < a.rows; number += a.groups * Team::kTeams) {
    grad.begin_row(number);
    grad.load(slice);
    grad.load_dsum(slice);
    const wt::f32x2 means = team.sum(grad.own_sums(slice)) / static_cast<wt::f32>(a.columns);
    grad.forget_sums();
    wt::each_piece<row>([&](auto p) WT_INLINE {
      grad.template store<p>(means, slice);
      grad.template add_to<p>(dweight, dbias);
    });
  }
  store_part(a.dweight_parts, dweight, a, team, slice);
  store_part(a.dbias_parts, dbias, a, team, slice);
}

// Computes rows of any length, in slices. This kernel computes dz of one row.
template <class Team, int Values, class T, class W, kind Kind>
WT_DEVICE void backward_long(const wt_norm_backward_args &a, Team team) {
  using row = rows::row_of<T, Team, Values>;
  gradient<T, W, Kind, row> grad(a);
  grad.begin_row(a.first + wt::workgroup_x());
  wt::f32x2 sums = {};
  rows::each_slice<row>(team.rank, a.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    grad.load(slice);
    grad.load_weight(slice);
    sums += grad.own_sums(slice);
  });
  const wt::f32x2 means = team.sum(sums) / static_cast<wt::f32>(a.columns);
  rows::each_slice<row>(team.rank, a.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    grad.load(slice);
    grad.load_weight(slice);
    grad.load_dsum(slice);
    wt::each_piece<row>([&](auto p) WT_INLINE { grad.template store<p>(means, slice); });
  });
}

// This kernel computes the sums for weight and bias in the columns of slice workgroup_x.
template <class Team, int Values, class T, class W, kind Kind>
WT_DEVICE void backward_weight(const wt_norm_backward_args &a, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const wt::row_slice<row> slice(team.rank, a.columns, wt::workgroup_x() * row::kCapacity);
  gradient<T, W, Kind, row> grad(a);
  row dweight = {}, dbias = {};
#pragma unroll 1
  for (long long number = wt::workgroup_y(); number < a.rows; number += a.groups) {
    grad.begin_row(number);
    grad.load(slice);
    wt::each_piece<row>([&](auto p) WT_INLINE { grad.template add_to<p>(dweight, dbias); });
  }
  store_part(a.dweight_parts, dweight, a, team, slice);
  store_part(a.dbias_parts, dbias, a, team, slice);
}

}  // namespace norm

#define NORM_BACKWARD(shape, threads, values, body) \
  NORM_KERNELS(norm_backward, wt_norm_backward_args, shape, threads, values, body)

#endif
