// SPDX-License-Identifier: MIT
// Holds what persistent work-groups have rounded of a tile of C but not yet stored (gemm_4wave_persistent.h).
#ifndef WT_KERNELS_GEMM_LEFTOVER_H
#define WT_KERNELS_GEMM_LEFTOVER_H

#include "gemm_epilogue.h"

// Holds the lower quadrants of a tile of C. A main loop spreads their stores over its first K steps, one in
// each cluster. As many stores, of the upper quadrants, come before it.
template <class Frame, class Out>
struct gemm_leftover {
  using writer = wt::row_writer<Out, typename Frame::c_tile, gemm_row_order<Frame>>;
  static constexpr int kOfQuadrant = writer::kStoresOfTile, kStores = 2 * kOfQuadrant;
  static constexpr int kGroups = kOfQuadrant / writer::kTogether;  // of stores that are made of the same sums

  writer to[2];
  typename writer::bits held[kStores];

  // Nothing: the stores are dropped.
  WT_DEVICE explicit gemm_leftover(const gemm_output &out) : to{writer(none(out)), writer(none(out))} {
    wt::unrolled<kStores>([&](auto i) WT_INLINE { hold(held[i], {}); });
  }

  // Stores the upper quadrants of c, and takes the lower ones.
  WT_DEVICE void take(const Frame &tile, const gemm_output &out, typename Frame::accumulators &c) {
    wt::unrolled<2>([&](auto j) WT_INLINE {
      const writer above(out.part<Out>(tile, 0, j));
      to[j] = writer(out.part<Out>(tile, 1, j));
      const typename Frame::c_tile upper = wt::release(c[0][j]), lower = wt::release(c[1][j]);
      const auto stores =
          rounding(upper, out.args.alpha,
                   [&](auto n, typename writer::bits values) WT_INLINE { above.template store<n>(values); });
      const auto takes = rounding(lower, out.args.alpha, [&](auto n, typename writer::bits values) WT_INLINE {
        hold(held[j * kOfQuadrant + n], values);
      });
      wt::sched::interleave(stores, takes);
    });
  }

  // The function of the schedule (sched/pipeline.h), and all stores at once.
  WT_DEVICE auto stores() const {
    return [self = this](auto op) WT_INLINE {
      static constexpr int kN = 4 * op.nth + op.value.cluster;
      return wt::list_of<1>([self](auto) WT_INLINE { self->template store<kN>(); });
    };
  }
  WT_DEVICE void store_all() const {
    wt::unrolled<kStores>([&](auto n) WT_INLINE { this->template store<n>(); });
  }

 private:
  // Returns the list that rounds `scale` times a quadrant, a group of stores at a time, and passes what store
  // number n writes on to then(n, values).
  template <class Then>
  WT_DEVICE static auto rounding(const typename Frame::c_tile &quadrant, float scale, const Then &then) {
    return wt::list_of<kGroups>([&, scale, then](auto group) WT_INLINE {
      typename writer::together all;
      writer::template round_together<group>(all, typename writer::fragments_of{quadrant},
                                             typename writer::scaled{scale});
      wt::unrolled<writer::kTogether>(
          [&](auto part) WT_INLINE { then(wt::index<writer::number_of(group, part)>{}, all[part.value]); });
    });
  }
  template <int N>
  WT_DEVICE void store() const {
    to[N / kOfQuadrant].template store<N % kOfQuadrant>(held[N]);
  }
  // In AGPRs, which stores can take them from: the main loop fills the VGPRs.
  WT_DEVICE static void hold(typename writer::bits &place, typename writer::bits values) {
    place = values;
    wt::keep_in_place<wt::register_place<wt::register_kind::agpr>>(place);
  }
  WT_DEVICE static wt::gl<Out> none(const gemm_output &out) {
    wt::gl<Out> matrix = out.matrix<Out>();
    matrix.rows = 0;
    return matrix;
  }
};

#endif
