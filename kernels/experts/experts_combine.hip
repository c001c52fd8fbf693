// SPDX-License-Identifier: MIT
// Adds up what a token's experts made of it, with their weights, in f32 and in the order of the slots: the
// bits do not depend on where the rows lie.
#include "experts_args.h"
#include "kernels/row_kernel.h"

namespace experts {

constexpr int kAtOnce = 4;  // slots whose rows are loaded together

template <class Team, int Values, class T>
WT_DEVICE void combine(const wt_experts_move_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int used = args.offsets[args.experts];
  rows::each_piece_of<row>(
      team, args.tokens, args.columns, args.teams, [&](int token, const auto &slice) WT_INLINE {
        T *const to = static_cast<T *>(args.to) + token * args.token_row;
        row sum;
        if (args.begin == WT_EXPERTS_FROM_RESULT) {
          load(sum, to, slice);
        } else {
          wt::each_piece<row>([&](auto p) WT_INLINE { sum.template piece<p>() = 0.0f; });
        }
        for (int first = 0; first < args.top_k; first += kAtOnce) {
          wt::team_bits<T, row> bits[kAtOnce];
          float weights[kAtOnce];
          wt::unrolled<kAtOnce>([&](auto i) WT_INLINE {
            const bool exists = first + i < args.top_k;
            const int pair = token * args.top_k + (exists ? first + i : first);
            const int place = args.places[pair];
            const bool some = exists && place < used;
            const T *const from = static_cast<const T *>(args.from) + place * (long long)args.columns;
            load_if_any(bits[i], some ? from : nullptr, slice);
            weights[i] = some ? args.weights[pair] : 0.0f;
          });
          wt::unrolled<kAtOnce>([&](auto i) WT_INLINE {
            row x;
            widen(x, bits[i]);
            const float weight = weights[i];
            map(sum, [=](float s, float v) WT_INLINE { return wt::fma(weight, v, s); }, sum, x);
          });
        }
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
