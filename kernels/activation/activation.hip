// SPDX-License-Identifier: MIT
// Activations, with and without a gate, and their gradients: one pass, 16 bytes per load and store.
#include "activation_args.h"
#include "kernels/row_kernel.h"

namespace activation {

enum { kIdentity, kRelu, kGelu, kSilu };  // wt_activation (wavetile.h)

// The function's value and slope at v.
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

template <class Team, int Values, class T>
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
        stored<T>(args.y, args.y_row, i, slice, y);
      });
}

template <class Team, int Values, class T>
WT_DEVICE void backward(const wt_activation_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  rows::each_piece_of<row>(
      team, rows_of(args), args.columns, args.teams, [&](int i, const auto &slice) WT_INLINE {
        const row x = loaded<row, T>(args.x, args.x_row, i, slice);
        const row dy = loaded<row, T>(args.dy, args.dy_row, i, slice);
        row dx;
        if (args.gate) {
          const row gate = loaded<row, T>(args.gate, args.gate_row, i, slice);
          row dgate;
          chosen(args.activation, [&](auto kind) WT_INLINE {
            map(dx, [](auto d, auto g) WT_INLINE { return value<decltype(kind)::value>(g) * d; }, dy, gate);
            map(
                dgate,
                [](auto d, auto g, auto v) WT_INLINE { return slope<decltype(kind)::value>(g) * v * d; }, dy,
                gate, x);
          });
          stored<T>(args.dgate, args.dgate_row, i, slice, dgate);
        } else {
          chosen(args.activation, [&](auto kind) WT_INLINE {
            map(dx, [](auto d, auto v) WT_INLINE { return slope<decltype(kind)::value>(v) * d; }, dy, x);
          });
        }
        stored<T>(args.dx, args.dx_row, i, slice, dx);
      });
}

}  // namespace activation

#define SHAPE(body, type, shape, threads, values)                                                         \
  WT_ROW_KERNEL(activation_##body##_##type, shape, threads, values, wt_activation_args, activation::body, \
                wt::type)
#define SHAPES(type)                  \
  SHAPE(forward, type, 16x8, 16, 8)   \
  SHAPE(forward, type, 64x16, 64, 16) \
  SHAPE(backward, type, 16x8, 16, 8)  \
  SHAPE(backward, type, 64x16, 64, 16)
SHAPES(f32)
SHAPES(bf16)
SHAPES(f16)
