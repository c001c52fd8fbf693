// SPDX-License-Identifier: MIT
// Computes activations, with and without a gate, and their gradients.
#include "activation_forward.h"

namespace activation {

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
