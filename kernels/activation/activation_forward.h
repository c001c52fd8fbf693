// SPDX-License-Identifier: MIT
// Computes activations, with and without a gate, in one pass, with 16 bytes per load and store.
#ifndef WT_KERNELS_ACTIVATION_FORWARD_H
#define WT_KERNELS_ACTIVATION_FORWARD_H

#include "activation_args.h"
#include "kernels/block_scale/row_blocks.h"
#include "kernels/row_kernel.h"

namespace activation {

using row_blocks::output;

enum { kIdentity, kRelu, kGelu, kSilu };  // wt_activation (wavetile.h)

// Returns the function's value and slope at v.
template <int Kind, class V>
WT_DEVICE V value(V v) {
  if constexpr (Kind == kRelu) {
    return wt::relu(v);
  } else if constexpr (Kind == kGelu) {
    return wt::gelu(v);
  } else if constexpr (Kind == kSilu) {
    return wt::silu(v);
  } else {
    return v;
  }
}
template <int Kind, class V>
WT_DEVICE V slope(V v) {
  if constexpr (Kind == kRelu) {
    return wt::relu_slope(v);
  } else if constexpr (Kind == kGelu) {
    return wt::gelu_slope(v);
  } else if constexpr (Kind == kSilu) {
    return wt::silu_slope(v);
  } else {
    return wt::each([](float) WT_INLINE { return 1.0f; }, v);
  }
}

// f(index<activation>): the choice is uniform, once per piece.
template <class F>
WT_DEVICE void chosen(int activation, const F &f) {
  switch (activation) {
    case kRelu: return f(wt::index<kRelu>{});
    case kGelu: return f(wt::index<kGelu>{});
    case kSilu: return f(wt::index<kSilu>{});
    default: return f(wt::index<kIdentity>{});
  }
}

template <class Row, class T>
WT_DEVICE Row loaded(const void *from, long long stride, int i, const wt::row_slice<Row> &slice) {
  Row x;
  load(x, static_cast<const T *>(from) + i * stride, slice);
  return x;
}
template <class T, class Row>
WT_DEVICE void stored(void *to, long long stride, int i, const wt::row_slice<Row> &slice, const Row &x) {
  store(static_cast<T *>(to) + i * stride, slice, x);
}

// Whatever memory holds, rows are among those that the matrices have.
WT_DEVICE int rows_of(const wt_activation_args &args) {
  const int count = args.row_count ? *args.row_count : args.rows;
  return count < 0 ? 0 : count < args.rows ? count : args.rows;
}

template <class Team, int Values, class T, output Output = output::rounded>
WT_DEVICE void forward(const wt_activation_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  rows::each_piece_of<row>(
      team, rows_of(args), args.columns, args.teams, [&](int i, const auto &slice) WT_INLINE {
        const row x = loaded<row, T>(args.x, args.x_row, i, slice);
        row y;
        if (args.gate) {
          const row gate = loaded<row, T>(args.gate, args.gate_row, i, slice);
          chosen(args.activation, [&](auto kind) WT_INLINE {
            map(y, [](auto v, auto g) WT_INLINE { return value<decltype(kind)::value>(g) * v; }, x, gate);
          });
        } else {
          chosen(args.activation, [&](auto kind) WT_INLINE {
            map(y, [](auto v) WT_INLINE { return value<decltype(kind)::value>(v); }, x);
          });
        }
        if constexpr (Output == output::quantized) {
          row_blocks::store(args.blocks, i, slice, y);
        } else {
          stored<T>(args.y, args.y_row, i, slice, y);
        }
      });
}

}  // namespace activation

#endif
