// SPDX-License-Identifier: MIT
// A pipeline is a value: LDS buffers with their stages, and the ops of one iteration in clusters. It says
// what moves where and for which K step; when to wait and where waves meet is derived from it
// (pipeline_derive.h).
#ifndef WT_SCHED_PIPELINE_SCHEDULE_H
#define WT_SCHED_PIPELINE_SCHEDULE_H

#include "../ops/isa/sync.h"

namespace wt::sched {

// This is what an op does.
enum class does {
  copy,     // global memory -> LDS, by all waves together
  read,     // LDS -> a fragment of this wave
  multiply  // two fragments, into a sum
};

// This is a fragment that is multiplied, and the buffer whose data it must hold by then.
struct operand {
  int fragment, buffer;
};

// This is one op of an iteration. Buffers, fragments and sums are numbers from 0 on; what they stand for is
// the kernel's business.
struct op {
  does what = does::copy;
  int buffer = 0;          // that a copy fills, or a read takes from
  int fragment = 0;        // that a read loads
  operand a = {}, b = {};  // that a multiply takes
  int sum = 0;             // that a multiply adds to
  int ahead = 0;           // K steps: iteration i does the op for step i + ahead
  int events = 0;  // instructions that the wave's counter counts: vmcnt for a copy, lgkmcnt for a read
  int cluster = 0;
};

// Return the op that copies to a buffer, reads from it into a fragment, or multiplies two fragments into a
// sum. `events` is the size of its list of micro-ops.
consteval op copy(int buffer, int ahead, int events) {
  return {.what = does::copy, .buffer = buffer, .ahead = ahead, .events = events};
}
consteval op read(int buffer, int fragment, int ahead, int events) {
  return {.what = does::read, .buffer = buffer, .fragment = fragment, .ahead = ahead, .events = events};
}
consteval op multiply(int sum, operand a, operand b, int ahead = 0) {
  return {.what = does::multiply, .a = a, .b = b, .sum = sum, .ahead = ahead};
}

// These are ops between which the wave waits for nothing. In step, they run at the same time: reads and
// copies go between the MFMAs. In ping-pong, a cluster either multiplies or moves data, first its reads, then
// its copies.
template <int Ops>
struct ops_together {
  op ops[Ops];
};
// Returns the cluster of these ops.
template <class... Op>
consteval ops_together<sizeof...(Op)> cluster(Op... ops) {
  static_assert(sizeof...(Op) > 0, "a cluster needs an op: leave an empty one out");
  return {{ops...}};
}

// These are the numbers of stages of buffer 0, buffer 1, ...: step s is kept in stage s mod stages.
template <int Buffers>
struct buffers {
  int stages[Buffers];
};
template <class... Int>
buffers(Int...) -> buffers<sizeof...(Int)>;

// This is a schedule. It is a structural type, so that it can be a template argument.
template <int Buffers, int Ops>
struct schedule {
  static constexpr int kBuffers = Buffers, kOps = Ops;
  int clusters = 0;
  // In ping-pong, this is the first wave that lags one barrier behind, as all after it do; in step, it is 0.
  int lag_from = 0;
  int stages[Buffers] = {};
  op ops[Ops] = {};

  // Returns whether half of the waves lag behind the others.
  constexpr bool is_ping_pong() const { return lag_from > 0; }
  // Returns how many steps the earliest op is ahead. The prologue and the epilogue have as many iterations
  // each, and a run has at least as many steps.
  constexpr int depth() const {
    int most = 0;
    for (const op &o : ops) most = o.ahead > most ? o.ahead : most;
    return most;
  }
  // Returns after how many steps all buffers are in the same stages again.
  constexpr int period() const {
    int steps = 1;
    while (!returns_after(steps)) ++steps;
    return steps;
  }
  constexpr bool returns_after(int steps) const {
    for (int count : stages) {
      if (steps % count != 0) return false;
    }
    return true;
  }
  // Return whether op i fills or reads the buffer, loads or takes the fragment, and whether cluster c
  // multiplies.
  constexpr bool fills(int i, int buffer) const {
    return ops[i].what == does::copy && ops[i].buffer == buffer;
  }
  constexpr bool reads_from(int i, int buffer) const {
    return ops[i].what == does::read && ops[i].buffer == buffer;
  }
  constexpr bool loads(int i, int fragment) const {
    return ops[i].what == does::read && ops[i].fragment == fragment;
  }
  constexpr bool takes(int i, int fragment) const {
    return ops[i].what == does::multiply && (ops[i].a.fragment == fragment || ops[i].b.fragment == fragment);
  }
  constexpr bool multiplies(int c) const {
    for (const op &o : ops) {
      if (o.cluster == c && o.what == does::multiply) return true;
    }
    return false;
  }
};

namespace detail {
template <int Buffers, int... Ops>
consteval auto assemble(int lag_from, buffers<Buffers> in, ops_together<Ops>... clusters) {
  schedule<Buffers, (Ops + ... + 0)> s;
  s.lag_from = lag_from;
  for (int i = 0; i < Buffers; ++i) s.stages[i] = in.stages[i];
  int count = 0;
  const auto add = [&](const auto &cluster) {
    for (op o : cluster.ops) {
      o.cluster = s.clusters;
      s.ops[count++] = o;
    }
    ++s.clusters;
  };
  (add(clusters), ...);
  return s;
}
}  // namespace detail

// Returns the schedule in which all waves are in step. Barriers stand only where they are needed.
template <int Buffers, int... Ops>
consteval auto pipeline_in_step(buffers<Buffers> in, ops_together<Ops>... clusters) {
  return detail::assemble(0, in, clusters...);
}

// Returns the schedule in which waves lag_from and up run one cluster behind the others: while half of the
// waves multiply, the others move data. A barrier stands between any two clusters.
template <int Buffers, int... Ops>
consteval auto pipeline_ping_pong(int lag_from, buffers<Buffers> in, ops_together<Ops>... clusters) {
  return detail::assemble(lag_from, in, clusters...);
}

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
  negative_ahead,
  no_events,
  never_copied,
  never_read,
  never_loaded,
  never_multiplied,
  mixed_cluster,
  read_too_early,
  overwritten_too_early,
  fragment_overwritten,
  fragment_stale,
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
// body, Depth of epilogue.
template <int Depth, int Clusters>
struct plan {
  static constexpr int kDepth = Depth, kClusters = Clusters, kRows = 2 * Depth + 1, kBody = Depth;
  boundary rows[kRows][Clusters] = {};
  waits settled;  // at the end of the prologue, before some waves begin to lag
  finding found;

  // Returns the row of iteration number `count` of a run of `steps` steps. Its iterations are counted from
  // the first of the prologue; there are steps + Depth.
  static constexpr int row_of(int count, int steps) {
    return count < Depth ? count : count < steps ? kBody : count - steps + kBody + 1;
  }
  // Returns whether ops that are `ahead` steps ahead have a step to work for in a row.
  static constexpr bool has_step(int row, int ahead) {
    return ahead >= Depth - row && ahead <= kRows - 1 - row + (row <= kBody ? Depth : 0);
  }
};

}  // namespace wt::sched

#endif
