// SPDX-License-Identifier: MIT
// Says whether the plan of a schedule has nothing to spare: with one wait weaker by one, or one barrier less,
// the schedule goes wrong. (In ping-pong every barrier must stand, so that the waves keep their distance.)
#ifndef WT_TESTS_KERNELS_PIPELINE_TIGHT_H
#define WT_TESTS_KERNELS_PIPELINE_TIGHT_H

#include "sched/pipeline.h"

namespace pipelines {

// A part of what stands in front of a cluster, numbered in this order; and the waits at the end of the
// prologue, which belong to no cluster.
enum class part { before_vmem, before_lds, after_vmem, after_lds, barrier, settled_vmem, settled_lds };
constexpr int kPartsOfCluster = 5;

constexpr bool weaken(int &count, int any) {
  if (count == any) return false;
  count = count + 1;
  return true;
}
// Weakens a part; returns whether there is anything to weaken.
constexpr bool weaken(wt::sched::boundary &b, part which) {
  switch (which) {
    case part::before_vmem: return weaken(b.before.vmem, wt::kAnyVmem);
    case part::before_lds: return weaken(b.before.lds, wt::kAnyLds);
    case part::after_vmem: return weaken(b.after.vmem, wt::kAnyVmem);
    case part::after_lds: return weaken(b.after.lds, wt::kAnyLds);
    default: break;
  }
  const bool was = b.barrier;
  b.barrier = false;
  return was;
}

// Names a part of a plan by its place.
struct plan_part {
  int row = -1, cluster = -1;
  part what = part::barrier;
  friend constexpr bool operator==(const plan_part &, const plan_part &) = default;
};
template <class Plan>
constexpr bool weaken(Plan &p, const plan_part &x) {
  switch (x.what) {
    case part::settled_vmem: return weaken(p.settled.vmem, wt::kAnyVmem);
    case part::settled_lds: return weaken(p.settled.lds, wt::kAnyLds);
    default: return weaken(p.rows[x.row][x.cluster], x.what);
  }
}

// Lists the parts of a plan that can be weakened.
template <auto S>
struct weakenable_parts {
  static constexpr int kOfRow = S.clusters * kPartsOfCluster,
                       kMost = wt::sched::derived<S>.kRows * kOfRow + 2;
  plan_part at[kMost] = {};
  int count = 0;

  consteval weakenable_parts() {
    auto p = wt::sched::derived<S>;
    const auto add = [&](const plan_part &x) {
      const bool must_stand = S.is_ping_pong() && x.what == part::barrier;
      if (!must_stand && weaken(p, x)) at[count++] = x;
    };
    for (int n = 0; n < kMost - 2; ++n) {
      add({n / kOfRow, n % kOfRow / kPartsOfCluster, static_cast<part>(n % kPartsOfCluster)});
    }
    add({.what = part::settled_vmem});
    add({.what = part::settled_lds});
  }
};
template <auto S>
constexpr const auto &weakenable = wt::evaluated<weakenable_parts<S>{}>;

// Returns whether the schedule goes wrong when part N of these is weaker.
template <auto S, int N>
consteval bool is_needed() {
  auto p = wt::sched::derived<S>;
  weaken(p, weakenable<S>.at[N]);
  return wt::sched::check_plan<S>(p).is_problem();
}

// Says what the plan of S can spare: how many parts, and the last of them. Each part has a constant of its
// own, as compilers bound what one may cost.
struct spare_parts {
  int count = 0;
  plan_part last = {};
};
template <auto S, int... N>
consteval spare_parts spare(wt::indices<int, N...>) {
  spare_parts spare;
  ((wt::evaluated<is_needed<S, N>()> ? 0 : (spare.last = weakenable<S>.at[N], ++spare.count)), ...);
  return spare;
}
template <auto S>
consteval spare_parts spare() {
  return spare<S>(__make_integer_seq<wt::indices, int, weakenable<S>.count>{});
}

// Returns whether the plan of S has waits or barriers that can be weakened, and all of them are needed.
template <auto S>
consteval bool is_tight() {
  return weakenable<S>.count > 0 && spare<S>().count == 0;
}
// Returns whether all of them are needed but for this one.
template <auto S>
consteval bool spares(plan_part only) {
  constexpr spare_parts kSpare = spare<S>();
  return kSpare.count == 1 && kSpare.last == only;
}

}  // namespace pipelines

#endif
