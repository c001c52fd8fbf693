// SPDX-License-Identifier: MIT
// This header runs a pipeline: prologue, body and epilogue of a schedule, with the waits and barriers derived
// from it.
//
//   constexpr auto kSchedule = pipeline_in_step(buffers{3}, cluster(read(0, 0, 0, 8), copy(0, 2, 4)),
//                                               cluster(multiply(0, {0, 0}, {0, 0})));
//   run<kSchedule>(steps, copies, reads, multiplies, [] {});
//
// Buffer 0 has three stages. Iteration i reads step i into fragment 0 (8 LDS reads) while it copies step i +
// 2 (4 copies), then multiplies. The pipeline does the following, where v and l are what vmcnt and lgkmcnt
// may still count:
//
//   prologue, 2 iterations   copy; copy
//   body, steps - 2 times    v 4, barrier, read and copy; l 0, multiply
//   epilogue, 2 iterations   v 4, barrier, read; l 0, multiply; v 0, barrier, read; l 0, multiply
#ifndef WT_SCHED_PIPELINE_H
#define WT_SCHED_PIPELINE_H

#include "../ops/isa/ids.h"
#include "../tiles/types.h"
#include "interleave.h"
#include "pipeline_check.h"

namespace wt::sched {

// This is an op of the schedule as an argument: op.value is known while compiling.
template <op Op>
struct op_constant {
  static constexpr op value = Op;
};

namespace detail {

template <waits Waits>
WT_DEVICE void wait() {
  if constexpr (Waits != waits{}) wait_counts<Waits.vmem, Waits.lds>();
}

template <auto S, class Copies, class Reads, class Multiplies>
struct pipeline {
  static constexpr auto kPlan = derived<S>;
  static constexpr int kDepth = S.depth();

  const Copies &copies;
  const Reads &reads;
  const Multiplies &multiplies;
  int step;               // K step of the iteration
  u32 stage[S.kBuffers];  // of that step; kept for the first of the buffers with as many stages

  static constexpr int keeper(int buffer) {
    int first = 0;
    while (S.stages[first] != S.stages[buffer]) ++first;
    return first;
  }

  // Returns the stage Ahead steps after `now`.
  template <int Stages, int Ahead>
  WT_DEVICE static u32 later(u32 now) {
    constexpr u32 kAhead = Ahead % Stages, kStages = Stages;
    if constexpr (kAhead == 0) {
      return now;
    } else if constexpr (kStages == 2) {
      return now ^ 1;
    } else if constexpr ((kStages & (kStages - 1)) == 0) {
      return (now + kAhead) & (kStages - 1);
    } else {
      return now + kAhead < kStages ? now + kAhead : now + kAhead - kStages;
    }
  }

  // Sets the stages to those of step `Step`, which may be negative.
  template <int Step>
  WT_DEVICE void lies_as() {
    unrolled<S.kBuffers>([&](auto buffer) WT_INLINE {
      constexpr int kStages = S.stages[buffer];
      stage[buffer.value] = (Step % kStages + kStages) % kStages;
    });
  }
  WT_DEVICE void begin() {
    step = -kDepth;
    lies_as<-kDepth>();
  }
  WT_DEVICE void advance() {
    ++step;
    unrolled<S.kBuffers>([&](auto buffer) WT_INLINE {
      if constexpr (keeper(buffer) == buffer) {
        stage[buffer.value] = later<S.stages[buffer], 1>(stage[buffer.value]);
      }
    });
  }

  template <int I>
  WT_DEVICE auto list() const {
    constexpr op kOp = S.ops[I];
    if constexpr (kOp.what == does::multiply) {
      return multiplies(op_constant<kOp>{});
    } else {
      constexpr int kKeeper = keeper(kOp.buffer);
      const u32 in = later<S.stages[kOp.buffer], kOp.ahead>(stage[kKeeper]);
      if constexpr (kOp.what == does::read) {
        return checked<kOp>(reads(op_constant<kOp>{}, in));
      } else {
        return checked<kOp>(copies(op_constant<kOp>{}, step + kOp.ahead, in));
      }
    }
  }
  template <op Op, class List>
  WT_DEVICE static List checked(const List &list) {
    static_assert(List::kSize == Op.events,
                  "an op's list has another size than the events that the schedule gives it: use the list's "
                  "kSize there");
    return list;
  }

  static constexpr bool is_issued(int row, int cluster, does what, int i) {
    return S.ops[i].what == what && S.ops[i].cluster == cluster && kPlan.has_step(row, S.ops[i].ahead);
  }
  static constexpr bool any_issued(int row, int cluster, does what) {
    for (int i = 0; i < S.kOps; ++i) {
      if (is_issued(row, cluster, what, i)) return true;
    }
    return false;
  }

  // Returns the lists of one kind in a cluster as one, from op First on.
  template <does What, int Row, int Cluster, int First = 0>
  WT_DEVICE auto lists() const {
    if constexpr (First == S.kOps) {
      return list_of<0>([](auto) WT_INLINE {});
    } else if constexpr (!is_issued(Row, Cluster, What, First)) {
      return lists<What, Row, Cluster, First + 1>();
    } else {
      const auto rest = lists<What, Row, Cluster, First + 1>();
      if constexpr (rest.kSize == 0) {
        return list<First>();
      } else {
        return list<First>() + rest;
      }
    }
  }

  template <int Row, int Cluster>
  WT_DEVICE void cluster() const {
    constexpr boundary kEdge = kPlan.rows[Row][Cluster];
    const auto reading = lists<does::read, Row, Cluster>();
    const auto copying = lists<does::copy, Row, Cluster>();
    wait<kEdge.before>();
    // In ping-pong nothing but the barrier stands between the MFMAs of the two halves of the waves.
    constexpr bool kMultiplies = any_issued(Row, Cluster, does::multiply);
    if constexpr (S.is_ping_pong() && kMultiplies) s_setprio<1>();
    if constexpr (kEdge.barrier) {
      if constexpr (S.is_ping_pong()) sched_barrier();
      raw_barrier();
    }
    wait<kEdge.after>();
    if constexpr (!kMultiplies) {
      if constexpr (S.is_ping_pong()) s_setprio<0>();
      sched_barrier();
      issue_all(reading);
      issue_all(copying);
      sched_barrier();
    } else if constexpr (S.is_ping_pong()) {
      sched_barrier();
      issue_all(lists<does::multiply, Row, Cluster>());
      sched_barrier();
    } else {
      interleave_early(lists<does::multiply, Row, Cluster>(), reading, copying);
    }
  }

  template <int Row>
  WT_DEVICE void iteration() {
    unrolled<S.clusters>([&](auto c) WT_INLINE { this->template cluster<Row, c>(); });
    advance();
  }
};

}  // namespace detail

// These are the fewest steps that a run of the schedule may have.
template <auto Schedule>
constexpr int least_steps = Schedule.depth() > 0 ? Schedule.depth() : 1;

// Runs `steps` K steps, at least least_steps<Schedule>. Functions of the caller return the lists of
// micro-ops:
//
//   copies(op, step, stage)    global memory -> stage `stage` of buffer op.value.buffer, K step `step`
//   reads(op, stage)           that stage -> fragment op.value.fragment
//   multiplies(op)             fragments op.value.a.fragment and op.value.b.fragment into op.value.sum
//
// An iteration of the loop does as many steps as all buffers take to be back in the same stages, so that
// these are known while compiling; it begins with at_loop_start().
//
// No other memory operation of the wave that vmcnt counts may be in flight. Afterwards its copies and reads
// have landed, but other waves may still read: take a barrier before LDS is used anew.
//
// scope: work-group; operands: functions that return lists; leaves: none; waits: nobody; LDS: the
// buffers; registers: scalars for step and stages; chips: both
template <auto Schedule, class Copies, class Reads, class Multiplies, class AtLoopStart>
WT_DEVICE void run(int steps, const Copies &copies, const Reads &reads, const Multiplies &multiplies,
                   const AtLoopStart &at_loop_start) {
  static_assert(check_schedule<Schedule>());
  constexpr auto kPlan = derived<Schedule>;
  constexpr int kDepth = kPlan.kDepth;
  detail::pipeline<Schedule, Copies, Reads, Multiplies> p{copies, reads, multiplies, 0, {}};
  p.begin();
  unrolled<kDepth>([&](auto row) WT_INLINE { p.template iteration<row>(); });
  detail::wait<kPlan.settled>();
  if constexpr (Schedule.is_ping_pong()) barrier_if(wave_id() >= Schedule.lag_from);
  constexpr int kPeriod = Schedule.period();
  const int periods = (steps - kDepth) / kPeriod, rest = (steps - kDepth) % kPeriod;
#pragma unroll 1
  for (int i = 0; i < periods; ++i) {
    at_loop_start();
    unrolled<kPeriod>([&](auto phase) WT_INLINE {
      p.template lies_as<phase>();
      p.template iteration<kPlan.kBody>();
    });
  }
  p.template lies_as<0>();
#pragma unroll 1
  for (int i = 0; i < rest; ++i) p.template iteration<kPlan.kBody>();
  unrolled<kDepth>([&](auto row) WT_INLINE { p.template iteration<kPlan.kBody + 1 + row>(); });
  if constexpr (Schedule.is_ping_pong()) barrier_if(wave_id() < Schedule.lag_from);  // back in step
}

}  // namespace wt::sched

#endif
