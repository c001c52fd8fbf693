// SPDX-License-Identifier: MIT
// This header says which ops of a schedule take place in each row of its plan, as constants that all kernels
// with the schedule share.
#ifndef WT_SCHED_PIPELINE_ROWS_H
#define WT_SCHED_PIPELINE_ROWS_H

#include "pipeline_derive.h"

namespace wt::sched::detail {

// These are the ops whose lists a cluster issues together.
enum class ops_that { multiply, apply, make_fragments, read, move };

template <auto S>
struct plan_rows {
  static constexpr const auto &kPlan = derived<S>;
  static constexpr int kDepth = S.depth();

  static consteval bool is_one(ops_that kind, const op &o) {
    switch (kind) {
      case ops_that::multiply: return o.what == does::multiply;
      case ops_that::apply: return o.what == does::apply;
      case ops_that::make_fragments: return o.what == does::vector;
      case ops_that::read: return o.what == does::read;
      case ops_that::move: return !o.computes() && o.what != does::read;
    }
  }
  static consteval op_numbers<S> pick(ops_that kind, int row, int cluster) {
    return op_numbers<S>([=](int i) {
      const bool is_earlier = row < kDepth && S.comes_first(i);
      return S.ops[i].cluster == cluster && is_one(kind, S.ops[i]) && kPlan.issues(S.ops[i], row) &&
             !is_earlier;
    });
  }
  // Lists the numbers of a cluster's ops of one kind.
  template <ops_that Kind, int Row, int Cluster>
  static constexpr op_numbers<S> kPicked = evaluated<pick(Kind, Row, Cluster)>;

  // Whether multiply I is the first one of its step into a sum that a vector takes.
  template <int I>
  static constexpr bool kBeginsSum = evaluated<S.begins_sum(I)>;

  // Says how a wave's priority changes in front of the clusters, in ping-pong.
  struct priorities {
    // Says whether the wave multiplies by MFMAs here, and from here on before its next interval begins.
    bool multiplies[kPlan.kRows][S.clusters] = {}, multiplies_from[kPlan.kRows][S.clusters] = {};
    // Says whether the cluster is the last of several in an interval after which the wave multiplies. It ends
    // what the MFMAs wait for, so the wave is first in line from here on.
    bool is_urgent[kPlan.kRows][S.clusters] = {};

    consteval priorities() {
      for (int row = 0; row < kPlan.kRows; ++row) {
        for (int c = 0; c < S.clusters; ++c) multiplies[row][c] = pick(ops_that::multiply, row, c).count != 0;
      }
      for (int row = 0; row < kPlan.kRows; ++row) {
        for (int c = 0; c < S.clusters; ++c) multiplies_from[row][c] = look_ahead(row, c);
        for (int c = 0; c + 1 < S.clusters; ++c) {
          is_urgent[row][c] = !S.begins_interval(c) && S.begins_interval(c + 1) && !multiplies[row][c] &&
                              look_ahead(row, c + 1);
        }
      }
    }
    consteval bool look_ahead(int row, int cluster) const {
      do {
        if (multiplies[row][cluster]) return true;
        if (++cluster == S.clusters) cluster = 0, row = row + 1 < kPlan.kRows ? row + 1 : kPlan.kBody;
      } while (!S.begins_interval(cluster));
      return false;
    }
  };
  static constexpr priorities kPriorities = evaluated<priorities{}>;
};

}  // namespace wt::sched::detail

#endif
