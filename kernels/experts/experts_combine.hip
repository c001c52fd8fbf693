// SPDX-License-Identifier: MIT
// Adds up what a token's experts made of it, with their weights, in f32 and in the order of the slots: the
// bits do not depend on where the rows lie.
#include "experts_args.h"
#include "kernels/row_kernel.h"

namespace experts {

// Adds AtOnce slots of a token from `first` on, whose rows are loaded together.
template <int AtOnce, class T, class Row>
WT_DEVICE void add_slots(Row &sum, const wt_experts_move_args &args, int used, int token, int first,
                         const wt::row_slice<Row> &slice) {
  int places[AtOnce];
  float weights[AtOnce];
  wt::unrolled<AtOnce>([&](auto i) WT_INLINE {
    const int pair = token * args.top_k + (first + i < args.top_k ? first + i : first);
    places[i] = args.places[pair];
    weights[i] = args.weights[pair];
  });
  wt::team_bits<T, Row> bits[AtOnce];
  wt::unrolled<AtOnce>([&](auto i) WT_INLINE {
    const bool some = first + i < args.top_k && places[i] < used;
    const T *const from =
        static_cast<const T *>(args.from) + static_cast<long long>(places[i]) * args.columns;
    load_if_any(bits[i], some ? from : nullptr, slice);
    weights[i] = some ? weights[i] : 0.0f;
  });
  wt::unrolled<AtOnce>([&](auto i) WT_INLINE {
    Row x;
    widen(x, bits[i]);
    const float weight = weights[i];
    map(sum, [=](float s, float v) WT_INLINE { return wt::fma(weight, v, s); }, sum, x);
  });
}

template <class Team, int Values, class T>
WT_DEVICE void combine(const wt_experts_move_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int used = args.offsets[args.experts];
  rows::each_piece_of<row>(team, args.tokens, args.columns, args.teams,
                           [&](int token, const auto &slice) WT_INLINE {
                             T *const to = static_cast<T *>(args.to) + token * args.token_row;
                             row sum;
                             if (args.begin == WT_EXPERTS_FROM_RESULT) {
                               load(sum, to, slice);
                             } else {
                               wt::each_piece<row>([&](auto p) WT_INLINE { sum.template piece<p>() = 0.0f; });
                             }
                             int slot = 0;
                             for (; args.top_k - slot > 4; slot += 8)
                               add_slots<8, T>(sum, args, used, token, slot, slice);
                             for (; args.top_k - slot > 2; slot += 4)
                               add_slots<4, T>(sum, args, used, token, slot, slice);
                             for (; args.top_k - slot > 0; slot += 2)
                               add_slots<2, T>(sum, args, used, token, slot, slice);
                             store(to, slice, sum);
                           });
}

}  // namespace experts

#define SHAPE(type, shape, threads, values)                                                             \
  WT_ROW_KERNEL(experts_combine_##type, shape, threads, values, wt_experts_move_args, experts::combine, \
                wt::type)
#define SHAPES(type) SHAPE(type, 16x8, 16, 8) SHAPE(type, 64x16, 64, 16)
SHAPES(bf16)
SHAPES(f16)
