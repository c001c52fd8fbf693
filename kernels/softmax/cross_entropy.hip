// SPDX-License-Identifier: MIT
// Computes the cross-entropy of rows of logits with a label each, its gradient in the same pass, and the
// losses' total.
#include "softmax_args.h"
#include "softmax_row.h"

namespace softmax {

// Holds what is known of row i before its logits are read.
template <class T>
struct labelled_row {
  int i;
  bool ignored, wrong;
  int label;
  float target;  // the label's logit

  WT_DEVICE labelled_row(const wt_cross_entropy_args &args, int row_number) : i(row_number) {
    label = args.labels[i];
    ignored = label == args.ignore_index;
    wrong = label < 0 || label >= args.columns;
    target = wt::to_f32(from(args)[wrong ? 0 : label]);
  }

  // This comes before the team meets: dx may be x, and another thread then writes the gradient where the
  // logit was.
  WT_DEVICE void wait_for_target() { wt::keep_in_place<wt::register_place<wt::register_kind::vgpr>>(target); }

  WT_DEVICE const T *from(const wt_cross_entropy_args &args) const {
    return static_cast<const T *>(args.x) + i * args.x_row;
  }
  WT_DEVICE T *to(const wt_cross_entropy_args &args) const {
    return static_cast<T *>(args.dx) + i * args.dx_row;
  }
};

// Writes the zeros of a row whose label is ignored; its logits are not read.
template <class Row, class T>
WT_DEVICE void put_ignored(const wt_cross_entropy_args &args, const labelled_row<T> &row, int rank) {
  if (rank == 0) {
    args.loss[row.i] = 0.0f;
    if (args.lse != nullptr) args.lse[row.i] = 0.0f;
  }
  if (args.dx == nullptr) return;
  rows::each_slice<Row>(rank, args.columns, [&](const wt::row_slice<Row> &slice) WT_INLINE {
    store(row.to(args), slice, Row{});
  });
}

// Stores the loss from a row's statistics and, where labels are smoothed, the sum of its logits.
template <class T>
WT_DEVICE void put_loss(const wt_cross_entropy_args &args, const labelled_row<T> &row, const statistics &s,
                        float sum_of_x) {
  const float log_sum = wt::log(s.sum), smoothing = args.label_smoothing;
  float loss = log_sum - (1.0f - smoothing) * (row.target - s.max);
  if (smoothing != 0.0f) loss -= smoothing * (sum_of_x / static_cast<float>(args.columns) - s.max);
  // The label has probability 0; smoothed, that is so whatever its weight.
  if (row.target == -__builtin_inff() && !__builtin_isnan(s.sum)) loss = __builtin_inff();
  if (row.wrong) loss = __builtin_nanf("");
  args.loss[row.i] = loss;
  if (args.lse != nullptr) args.lse[row.i] = s.max + log_sum;
}

// Makes the gradient: every logit's part, factor * exp(x - max) - everywhere, and what the label has on top.
struct gradient_parts {
  float factor, everywhere, at_label;
  template <class T>
  WT_DEVICE gradient_parts(const wt_cross_entropy_args &args, const labelled_row<T> &row,
                           const statistics &s) {
    float scale = args.share != nullptr ? args.grad_scale * *args.share : args.grad_scale;
    if (row.wrong) scale = __builtin_nanf("");
    factor = scale * s.scale();
    everywhere = scale * (args.label_smoothing / static_cast<float>(args.columns));
    at_label = scale * (1.0f - args.label_smoothing);
  }
};

// Returns the gradient of a piece, from its exp(x - max).
template <int Piece, class Row>
WT_DEVICE auto gradient_piece(float v, const wt::row_slice<Row> &slice, const gradient_parts &g, int label) {
  const float all = v * g.factor - g.everywhere;
  return label == slice.template column<Piece>() ? all - g.at_label : all;
}
template <int Piece, class Row, int N>
WT_DEVICE auto gradient_piece(wt::vector<float, N> v, const wt::row_slice<Row> &slice,
                              const gradient_parts &g, int label) {
  const int own = label - slice.template column<Piece>();
  v = v * g.factor - g.everywhere;
  wt::unrolled<N>([&](auto e) WT_INLINE { v[e.value] -= own == e.value ? g.at_label : 0.0f; });
  return v;
}
template <class T, class Row>
WT_DEVICE void store_gradient(T *to, const Row &exponentials, const wt::row_slice<Row> &slice,
                              const gradient_parts &g, int label) {
  wt::each_piece<Row>([&](auto p) WT_INLINE {
    wt::store_piece<p>(to, slice, gradient_piece<p>(exponentials.template piece<p>(), slice, g, label));
  });
}

// Returns the sum of this thread's logits.
template <class T, class Row>
WT_DEVICE float sum_own_bits(wt::team_bits<T, Row> &x, const wt::row_slice<Row> &slice) {
  float sum = 0;
  wt::each_piece<Row>([&](auto p) WT_INLINE {
    const float more = wt::sum_piece(wt::widened<p>(x));
    sum += slice.template has<p>() ? more : 0.0f;
  });
  forget(x);
  return sum;
}

// Computes a row per team, in its registers.
template <class Team, int Values, class T>
WT_DEVICE void cross_entropy(const wt_cross_entropy_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int i = args.first + wt::workgroup_x() * Team::kTeams + team.number;
  if (i >= args.rows) return;
  labelled_row<T> own(args, i);
  if (own.ignored) return put_ignored<row>(args, own, team.rank);
  const wt::row_slice<row> slice(team.rank, args.columns);
  row x;
  load(x, own.from(args), slice);
  own.wait_for_target();
  const float sum_of_x = args.label_smoothing != 0.0f ? team.sum(sum_own(x, slice)) : 0.0f;
  const statistics s = exponentiate_row(x, slice, team);
  if (team.rank == 0) put_loss(args, own, s, sum_of_x);
  if (args.dx == nullptr) return;
  store_gradient(own.to(args), x, slice, gradient_parts(args, own, s), own.label);
}

// Does the same where the team holds the row in its own type, which takes half the registers.
template <class Team, int Values, class T>
WT_DEVICE void cross_entropy_packed(const wt_cross_entropy_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  labelled_row<T> own(args, args.first + wt::workgroup_x());
  if (own.ignored) return put_ignored<row>(args, own, team.rank);
  const wt::row_slice<row> slice(team.rank, args.columns);
  wt::team_bits<T, row> x;
  load(x, own.from(args), slice);
  own.wait_for_target();
  float sum_of_x = 0;
  if (args.label_smoothing != 0.0f) sum_of_x = team.sum(sum_own_bits(x, slice));
  const statistics s = statistics_of(x, slice, team);
  if (team.rank == 0) put_loss(args, own, s, sum_of_x);
  if (args.dx == nullptr) return;
  const gradient_parts parts(args, own, s);
  wt::each_piece<row>([&](auto p) WT_INLINE {
    wt::store_piece<p>(own.to(args), slice,
                       gradient_piece<p>(exponentials<p>(x, s.max), slice, parts, own.label));
  });
}

// Computes a row of any length per team.
template <class Team, int Values, class T>
WT_DEVICE void cross_entropy_long(const wt_cross_entropy_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  labelled_row<T> own(args, args.first + wt::workgroup_x());
  if (own.ignored) return put_ignored<row>(args, own, team.rank);
  float sum_of_x = 0;
  const statistics s =
      online<T, row>(own.from(args), args.columns, team, [&](const row &x, const auto &slice) WT_INLINE {
        own.wait_for_target();
        if (args.label_smoothing != 0.0f) sum_of_x += sum_own(x, slice);
      });
  if (args.label_smoothing != 0.0f) sum_of_x = team.sum(sum_of_x);
  if (team.rank == 0) put_loss(args, own, s, sum_of_x);
  if (args.dx == nullptr) return;
  const gradient_parts parts(args, own, s);
  rows::each_slice<row>(team.rank, args.columns, [&](const wt::row_slice<row> &slice) WT_INLINE {
    row x;
    load(x, own.from(args), slice);
    exponentiate(x, s.max);
    store_gradient(own.to(args), x, slice, parts, own.label);
  });
}

}  // namespace softmax

#define SHAPE(type, shape, threads, values, body) \
  WT_ROW_KERNEL(cross_entropy_##type, shape, threads, values, wt_cross_entropy_args, softmax::body, wt::type)
#define SHAPES(type)                            \
  SHAPE(type, 16x8, 16, 8, cross_entropy)       \
  SHAPE(type, 64x16, 64, 16, cross_entropy)     \
  SHAPE(type, 256x16, 256, 16, cross_entropy)   \
  SHAPE(type, 1024x16, 1024, 16, cross_entropy) \
  SHAPE(type, 1024x32, 1024, 32, cross_entropy) \
  SHAPE(type, 1024x64, 1024, 64, cross_entropy) \
  SHAPE(type, any, 1024, 16, cross_entropy_long)
SHAPES(f32)
SHAPES(bf16)
SHAPES(f16)
#define PACKED_SHAPES(type)                              \
  SHAPE(type, 1024x128, 1024, 128, cross_entropy_packed) \
  SHAPE(type, 1024x160, 1024, 160, cross_entropy_packed)
PACKED_SHAPES(bf16)
PACKED_SHAPES(f16)
