// SPDX-License-Identifier: MIT
// These are the waits and barriers of a schedule as a table, and what can be wrong with a schedule.
#ifndef WT_SCHED_PIPELINE_PLAN_H
#define WT_SCHED_PIPELINE_PLAN_H

#include "../ops/isa/sync.h"
#include "pipeline_ops.h"

namespace wt::sched {

// These are the waits of a wave, as counts of vmcnt and lgkmcnt that may remain.
struct waits {
  int vmem = kAnyVmem, lds = kAnyLds;
  friend constexpr bool operator==(const waits &, const waits &) = default;
};

// This is what stands in front of a cluster: waits, a barrier and waits after it.
struct boundary {
  waits before = {};
  bool barrier = false;
  waits after = {};
  friend constexpr bool operator==(const boundary &, const boundary &) = default;
};

// This says why a schedule is refused; the sentences are in pipeline_check.h.
enum class problem {
  none,
  unknown_buffer,
  unknown_number,
  nobody_follows,
  negative_ahead,
  past_the_end,
  crowded_vector,
  no_events,
  never_copied,
  never_read,
  never_loaded,
  never_multiplied,
  never_summed,
  start_untaken,
  never_fetched,
  never_put,
  never_pointed,
  never_advanced,
  uneven_fetches,
  apart_from_put,
  mixed_cluster,
  read_too_early,
  overwritten_too_early,
  put_too_early,
  refilled_too_early,
  fragment_overwritten,
  fragment_stale,
  sum_incomplete,
  sum_overwritten,
  advanced_elsewhere,
  multiplied_too_early,
  too_many_in_flight,
};

// This is what was found to be wrong with a schedule, and where.
struct finding {
  problem what = problem::none;
  int op = 0;         // the op of the schedule that comes too early
  int iteration = 0;  // negative in the prologue
  constexpr bool is_problem() const { return what != problem::none; }
};

// These are the boundaries of a schedule in rows: Depth iterations of prologue (numbered -Depth .. -1), the
// first Storing iterations, the body, whose iterations repeat after Phases, and Drains of epilogue, as many
// as Depth or none.
template <int Depth, int Storing, int Phases, int Clusters, int Drains = Depth>
struct plan {
  static constexpr int kDepth = Depth, kClusters = Clusters, kBody = Depth + Storing, kPhases = Phases;
  static constexpr int kEpilogue = kBody + Phases, kDrains = Drains, kRows = kEpilogue + Drains;
  boundary rows[kRows][Clusters] = {};
  waits settled;  // at the end of the prologue, before some waves begin to lag
  finding found;

  // Returns the row of iteration number `count` of a run of `steps` steps. Its iterations are counted from
  // the first of the prologue; there are steps + Depth.
  static constexpr int row_of(int count, int steps) {
    if (count < kBody) return count;
    return count < steps + Depth - Drains ? kBody + (count - kBody) % Phases : count - steps + kEpilogue;
  }
  static constexpr bool is_body(int row) { return row >= kBody && row < kEpilogue; }
  // Returns whether the op takes place in a row.
  static constexpr bool issues(const op &o, int row) {
    if (row < Depth && o.lead() < Depth - row) return false;
    if (row >= kEpilogue && o.ahead >= kRows - row) return false;
    // Depth, Storing and Phases are multiples of what fetches load together.
    return o.what == does::store ? row >= Depth && row < Depth + o.iterations
                                 : (row + o.ahead) % o.steps == 0;
  }
};

}  // namespace wt::sched

#endif
