// SPDX-License-Identifier: MIT
// This header says which ops of a schedule take place in each row of its plan, as constants that all kernels
// with the schedule share.
#ifndef WT_SCHED_PIPELINE_ROWS_H
#define WT_SCHED_PIPELINE_ROWS_H

#include "../ops/isa/mfma_pinned.h"
#include "../ops/list.h"
#include "pipeline_derive.h"

namespace wt::sched::detail {

// These are the ops whose lists a cluster issues together.
enum class ops_that { multiply, apply, make_fragments, read, share, move };

// This is op I of a schedule where it takes place; Nth and To are those of op_constant.
template <int I, int Nth, addend To>
struct op_in_row {};

template <class... Op>
struct op_set {
  static constexpr int kCount = sizeof...(Op);
};

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
      case ops_that::share: return o.what == does::share;
      case ops_that::move: return !o.computes() && o.what != does::read && o.what != does::share;
    }
  }
  static consteval op_numbers<S> pick(ops_that kind, int row, int cluster) {
    return op_numbers<S>([=](int i) {
      const bool is_earlier = row < kDepth && S.comes_first(i, row - kDepth + S.ops[i].ahead);
      return S.ops[i].cluster == cluster && is_one(kind, S.ops[i]) && kPlan.issues(S.ops[i], row) &&
             !is_earlier;
    });
  }
  // Lists the numbers of a cluster's ops of one kind.
  template <ops_that Kind, int Row, int Cluster>
  static constexpr op_numbers<S> kPicked = evaluated<pick(Kind, Row, Cluster)>;

  static consteval int events_of(const op_numbers<S> &some) {
    int events = 0;
    for (int i : some) events += S.ops[i].events;
    return events;
  }
  // Returns how many reads the cluster before has issued, if all are of what this one multiplies as a whole.
  static consteval int reads_before(int row, int cluster) {
    const int row_before = cluster > 0 || row == kPlan.kBody || row == 0 ? row : row - 1;
    const int before = cluster > 0 ? cluster - 1 : S.clusters - 1;
    const op_numbers<S> reads = pick(ops_that::read, row_before, before);
    for (int i : reads) {
      bool is_taken = false;
      for (int j : clusters_of<S>.of[cluster]) {
        is_taken = is_taken ||
                   (S.ops[j].what == does::multiply && S.ops[j].number == 0 && S.takes(j, S.ops[i].fragment));
      }
      if (!is_taken) return 0;
    }
    return events_of(reads);
  }
  template <int Row, int Cluster>
  static constexpr int kReadsBefore = reads_before(Row, Cluster);

  // Lists the numbers of a cluster's ops whose sums are complete afterwards, in the last row.
  static consteval op_numbers<S> complete(int row, int cluster) {
    return op_numbers<S>(
        [=](int i) { return row == kPlan.kRows - 1 && S.ops[i].cluster == cluster && completes(i); });
  }
  // Returns whether op i is the last of an iteration that adds to its sum.
  static consteval bool completes(int i) {
    for (int j = i + 1; j < S.kOps; ++j) {
      if (S.ops[j].adds() && S.ops[j].sum == S.ops[i].sum) return false;
    }
    return S.ops[i].adds();
  }
  template <int Row, int Cluster>
  static constexpr op_numbers<S> kCompleted = evaluated<complete(Row, Cluster)>;

  // Lists the numbers of the ops that come before all else in a prologue, in the iteration of `Row`.
  static consteval op_numbers<S> pick_first(int row) {
    return op_numbers<S>([=](int i) {
      return S.comes_first(i, row - kDepth + S.ops[i].ahead) && kPlan.issues(S.ops[i], row);
    });
  }
  template <int Row>
  static constexpr op_numbers<S> kFirst = evaluated<pick_first(Row)>;

  // Says of each multiply whether it is the first one of its step into a sum that a vector takes and no
  // fragment starts.
  struct starts {
    bool begins[S.kOps] = {};
    consteval starts() {
      for (int i = 0; i < S.kOps; ++i) begins[i] = S.begins_sum(i) && S.ops[i].start.is_absent();
    }
  };
  static constexpr starts kStarts = evaluated<starts{}>;
  static constexpr bool kStores = evaluated<S.storing() != 0>;

  // This is op I as it takes place in a row. Rows share it where it does the same in both, so that its list
  // is compiled once.
  static consteval int nth_of(const op &o, int row) {
    return o.what == does::put     ? (row + o.ahead) % S.together(o.buffer)
           : o.what == does::store ? row - kDepth
                                   : 0;
  }
  static consteval addend addend_of(int i, int row) {
    const bool begins_run = kStores && row == kDepth && S.ops[i].adds();
    return kStarts.begins[i] || begins_run ? addend::zero : addend::accumulator;
  }
  template <int I, int Row>
  using op_of = op_in_row<I, nth_of(S.ops[I], Row), addend_of(I, Row)>;

  // These are the ops of `Picked` in a row: op_set<op_in_row...>.
  template <const auto &Picked, int Row, int... N>
  static op_set<op_of<Picked.op[N], Row>...> as_set(indices<int, N...>);
  template <const auto &Picked, int Row>
  using set_of = decltype(as_set<Picked, Row>(__make_integer_seq<indices, int, Picked.count>{}));

  template <ops_that Kind, int Row, int Cluster>
  using picked = set_of<kPicked<Kind, Row, Cluster>, Row>;
  template <int Row, int Cluster>
  using completed = set_of<kCompleted<Row, Cluster>, Row>;
  template <int Row>
  using first = set_of<kFirst<Row>, Row>;

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
