// SPDX-License-Identifier: MIT
// Copies tokens to the places of their pairs, so that the tokens of an expert lie together. A row is read
// once and written top_k times, with neither its type nor its values looked at.
#include "experts_args.h"
#include "kernels/row_kernel.h"

namespace experts {

template <class T, class Row>
WT_DEVICE void store_bits(T *row, const wt::row_slice<Row> &slice, const wt::team_bits<T, Row> &bits) {
  wt::each_piece<Row>([&](auto p) WT_INLINE {
    if (!slice.template has<p>()) return;
    T *const to = row + slice.first + slice.template offset<p>();
    if constexpr (p < Row::kChunks) {
      wt::global_store(to, bits.chunk[p]);
    } else {
      *to = bits.rest;
    }
  });
}

template <class Team, int Values, class T>
WT_DEVICE void dispatch(const wt_experts_move_args &args, Team team) {
  using row = rows::row_of<T, Team, Values>;
  const int used = args.offsets[args.experts];
  rows::each_piece_of<row>(
      team, args.tokens, args.columns, args.teams, [&](int token, const auto &slice) WT_INLINE {
        wt::team_bits<T, row> bits;
        load(bits, static_cast<const T *>(args.from) + token * args.token_row, slice);
        for (int slot = 0; slot < args.top_k; ++slot) {
          const int place = args.places[token * args.top_k + slot];
          if (place >= used) continue;
          store_bits(static_cast<T *>(args.to) + static_cast<long long>(place) * args.columns, slice, bits);
        }
      });
}

}  // namespace experts

#define SHAPE(shape, threads, values) \
  WT_ROW_KERNEL(experts_dispatch, shape, threads, values, wt_experts_move_args, experts::dispatch, wt::u16)
SHAPE(16x8, 16, 8)
SHAPE(64x16, 64, 16)
