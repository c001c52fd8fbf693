// SPDX-License-Identifier: MIT
// This header runs a pipeline: prologue, body and epilogue of a schedule, with the waits and barriers derived
// from it.
//
//   constexpr auto kSchedule = pipeline_in_step(buffers{3}, cluster(read(0, 0, 0, 8), copy(0, 2, 4)),
//                                               cluster(multiply(0, {0, 0}, {0, 0})));
//   run<kSchedule>(steps, lists{.copy = copies, .read = reads, .multiply = multiplies});
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
#include "../ops/isa/mfma_pinned.h"
#include "interleave.h"
#include "pipeline_check.h"
#include "pipeline_note.h"
#include "pipeline_rows.h"

namespace wt::sched {

// This is op number I of a schedule as an argument; what it says is known while compiling.
template <const auto &S, int I, int Nth, addend To>
struct op_constant {
  static constexpr op value = S.ops[I];
  // This is the number of a put's step among those that were fetched together, or of a store's iteration,
  // and 0 for other ops.
  static constexpr int nth = Nth;
  // This is what a multiply adds to: zero in the first iteration of a run that stores, and where it begins a
  // sum that a vector takes and no fragment starts.
  static constexpr addend to = To;
};

// This stands for a function of `lists` that a schedule does not need.
struct no_list {};

// These are the functions that return the lists of micro-ops of a schedule's ops:
//
//   copy(op, step, stage)    global memory -> stage `stage` of buffer op.value.buffer, K step `step`
//   fetch(op, step)          op.value.steps K steps from `step` on -> registers of that buffer
//   put(op, stage)           step op.nth of those registers -> stage `stage` of the buffer
//   read(op, stage)          that stage -> fragment op.value.fragment
//   multiply(op)             fragments op.value.a.fragment and op.value.b.fragment into op.value.sum, added
//                            to op.to; also for the ops of `apply`
//   vector(op, step, others) no list: makes fragments op.value.makes from sums op.value.takes for K step
//                            `step`, and issues the list `others`, the rest of its cluster, between. Where
//                            MFMAs share the cluster, there are three lists: vector(op, step, multiplies,
//                            reads, others)
//   advance(op)              prepares the next copy of buffer op.value.buffer
//   advance(op, stage)       moves the addresses of op.value.pointer from the stage before to stage `stage`,
//                            if the op has a pointer
//   store(op)                the stores of iteration op.nth
//
// An iteration of the loop begins with at_loop_start(), if it is given.
//
// K need not be a multiple of what a run's steps have: its last steps are then its tail. If copy_tail,
// fetch_tail and put_tail are given, they bring data in place of copy, fetch and put wherever a step may be
// of the tail: in the prologue, in the epilogue and in one iteration before it, which a run without a tail
// skips. They mask what is past the end of K; the loop brings whole steps and need not.
//
// If finish(sum) is given, it returns the list of what is done with a sum when it is complete, at the end of
// the run: it is issued between the MFMAs of the cluster that follows, that of the last sums after all.
template <class Copy = no_list, class Fetch = no_list, class Put = no_list, class Read = no_list,
          class Multiply = no_list, class Vector = no_list, class Advance = no_list, class Store = no_list,
          class AtLoopStart = no_list, class Finish = no_list, class CopyTail = no_list,
          class FetchTail = no_list, class PutTail = no_list>
struct lists {
  Copy copy = {};
  Fetch fetch = {};
  Put put = {};
  Read read = {};
  Multiply multiply = {};
  Vector vector = {};
  Advance advance = {};
  Store store = {};
  AtLoopStart at_loop_start = {};
  Finish finish = {};
  CopyTail copy_tail = {};
  FetchTail fetch_tail = {};
  PutTail put_tail = {};
};

// These are the steps that an iteration brings data for: whole ones, or such as may be of the tail.
enum class steps_of { loop, tail };

namespace detail {

// Returns whether there are functions that bring the tail's data; either none is given, or those for all ops.
template <class Lists>
constexpr bool masks_tail = !__is_same(decltype(Lists::copy_tail), no_list);

template <waits Waits>
WT_DEVICE void wait() {
  if constexpr (Waits != waits{}) wait_counts<Waits.vmem, Waits.lds>();
}

// Returns whether the schedule has no op that does `what`, or there is a function for its lists.
template <const auto &S, class List>
consteval bool has_list(does what) {
  for (const op &o : S.ops) {
    if (o.what == what && __is_same(List, no_list)) return false;
  }
  return true;
}

// Refuses lists that lack a function for an op of the schedule.
template <const auto &S, class Lists>
consteval bool has_lists() {
  static_assert(has_list<S, decltype(Lists::copy)>(does::copy),
                "the schedule has a copy: give lists{} a function `copy` that returns its micro-ops");
  static_assert(has_list<S, decltype(Lists::fetch)>(does::fetch),
                "the schedule has a fetch: give lists{} a function `fetch` that returns its micro-ops");
  static_assert(has_list<S, decltype(Lists::put)>(does::put),
                "the schedule has a put: give lists{} a function `put` that returns its micro-ops");
  static_assert(has_list<S, decltype(Lists::read)>(does::read),
                "the schedule has a read: give lists{} a function `read` that returns its micro-ops");
  static_assert(
      has_list<S, decltype(Lists::multiply)>(does::multiply) &&
          has_list<S, decltype(Lists::multiply)>(does::apply),
      "the schedule has a multiply or an apply: give lists{} a function `multiply` that returns its "
      "micro-ops");
  static_assert(
      has_list<S, decltype(Lists::vector)>(does::vector),
      "the schedule has a vector: give lists{} a function `vector` that does it and issues the list "
      "of its cluster's other ops");
  static_assert(has_list<S, decltype(Lists::advance)>(does::advance),
                "the schedule has an advance: give lists{} a function `advance` that returns its micro-ops");
  static_assert(has_list<S, decltype(Lists::store)>(does::store),
                "the schedule has a store: give lists{} a function `store` that returns its micro-ops");
  static_assert(!masks_tail<Lists> || (has_list<S, decltype(Lists::fetch_tail)>(does::fetch) &&
                                       has_list<S, decltype(Lists::put_tail)>(does::put)),
                "lists{} has a function copy_tail: give it fetch_tail and put_tail as well, as the schedule "
                "fetches and puts");
  return true;
}

template <const auto &S, class Lists, steps_of Steps = steps_of::loop>
struct pipeline {
  using rows = plan_rows<S>;
  static constexpr steps_of kSteps = Steps;
  static constexpr const auto &kPlan = derived<S>;
  static constexpr int kDepth = S.depth();
  static constexpr int kLastRow = kPlan.kRows - 1, kNoRow = -1;
  static_assert(kPlan.kDrains > 0 || __is_same(decltype(Lists::finish), no_list),
                "sums are finished under the MFMAs of the epilogue, and an open-ended schedule, or one "
                "without ops that are ahead, has none: finish them after the run");
  // The position is the K step of the earliest ops, or in an open-ended run the iteration's own, from which
  // stages are taken.
  static constexpr int kPosition = S.is_open() ? 0 : kDepth;

  const Lists &of;
  int position;           // the iteration's K step and kPosition more
  u32 stage[S.kBuffers];  // of the iteration's step; kept for the first of the buffers with as many stages

  static constexpr __make_integer_seq<indices, int, S.kBuffers> kBuffers = {};

  template <class Other, int... Buffer>
  WT_DEVICE void takes_stages(const Other &other, indices<int, Buffer...>) {
    ((stage[Buffer] = other.stage[Buffer]), ...);
  }
  // Returns the pipeline at the same position that brings data of other steps: this one, if they are the
  // same.
  template <steps_of Others>
  WT_DEVICE decltype(auto) with() {
    if constexpr (Others == Steps) {
      return (*this);
    } else {
      pipeline<S, Lists, Others> other{of, position, {}};
      other.takes_stages(*this, kBuffers);
      return other;
    }
  }

  static consteval int keeper(int buffer) {
    int first = 0;
    while (S.stages[first] != S.stages[buffer]) ++first;
    return first;
  }

  // Returns the stage Ahead steps after `now`.
  template <int Stages, int Ahead>
  WT_DEVICE static u32 later(u32 now) {
    static constexpr u32 kAhead = Ahead % Stages, kStages = Stages;
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

  // Returns the stage of a buffer Ahead steps after the iteration's. Where a loop does not know it while
  // compiling, it is taken from the step if that is as cheap: one number less to carry.
  template <int Buffer, int Ahead>
  WT_DEVICE u32 stage_of() const {
    static constexpr u32 kStages = S.stages[Buffer];
    if constexpr (S.is_open() && (kStages & (kStages - 1)) == 0) {
      return static_cast<u32>(position + Ahead) % kStages;
    } else {
      static constexpr int kKeeper = keeper(Buffer);
      return later<S.stages[Buffer], Ahead>(stage[kKeeper]);
    }
  }

  // Returns the stage, of `stages`, of a step, which may be negative.
  static consteval int stage_in(int step, int stages) { return (step % stages + stages) % stages; }
  // Sets the stages to those of step `Step`.
  template <int Step>
  WT_DEVICE void lies_as() {
    lies_as<Step>(kBuffers);
  }
  template <int Step, int... Buffer>
  WT_DEVICE void lies_as(indices<int, Buffer...>) {
    ((stage[Buffer] = stage_in(Step, S.stages[Buffer])), ...);
  }
  WT_DEVICE void begin() {
    position = kPosition - kDepth;
    lies_as<-kDepth>();
  }
  WT_DEVICE void advance() {
    ++position;
    advance_stages(kBuffers);
  }
  template <int... Buffer>
  WT_DEVICE void advance_stages(indices<int, Buffer...>) {
    ((stage[Buffer] = keeper(Buffer) == Buffer ? later<S.stages[Buffer], 1>(stage[Buffer]) : stage[Buffer]),
     ...);
  }

  // Returns one of two functions: the one that masks what is past the end of K, or the other.
  template <class Whole, class Masking>
  WT_DEVICE static const auto &bringing(const Whole &whole, const Masking &masking) {
    if constexpr (Steps == steps_of::tail) {
      return masking;
    } else {
      return whole;
    }
  }

  template <int I, int Nth, addend To>
  WT_DEVICE auto list(op_in_row<I, Nth, To>) const {
    static constexpr const op &kOp = S.ops[I];
    static constexpr op_constant<S, I, Nth, To> kThis = {};
    if constexpr (kOp.adds()) {
      return of.multiply(kThis);
    } else if constexpr (kOp.what == does::advance && kOp.pointer != kNoPointer) {
      return of.advance(kThis, stage_of<kOp.buffer, kOp.ahead>());
    } else if constexpr (kOp.what == does::advance) {
      return of.advance(kThis);
    } else if constexpr (kOp.what == does::store) {
      return checked<I>(of.store(kThis));
    } else if constexpr (kOp.what == does::fetch) {
      return checked<I>(bringing(of.fetch, of.fetch_tail)(kThis, position + (kOp.ahead - kPosition)));
    } else {
      const u32 in = stage_of<kOp.buffer, kOp.ahead>();
      if constexpr (kOp.what == does::read && S.is_open()) {
        // The address of each read is formed where it stands: in front of all, that would delay the first
        // MFMA.
        return list_of<kOp.events>([this](auto i) WT_INLINE {
          static constexpr op_constant<S, I, 0, addend::accumulator> kRead = {};
          checked<I>(of.read(kRead, stage_of<S.ops[I].buffer, S.ops[I].ahead>())).template issue<i>();
        });
      } else if constexpr (kOp.what == does::read) {
        return checked<I>(of.read(kThis, in));
      } else if constexpr (kOp.what == does::put) {
        return apart(checked<I>(bringing(of.put, of.put_tail)(kThis, in)));
      } else {
        const auto copies =
            checked<I>(bringing(of.copy, of.copy_tail)(kThis, position + (kOp.ahead - kPosition), in));
        if constexpr (kOp.through_registers) {
          return apart(copies);
        } else {
          return copies;
        }
      }
    }
  }
  template <int I, class List>
  WT_DEVICE static List checked(const List &list) {
    static_assert(List::kSize * S.ops[I].each == S.ops[I].events,
                  "an op's list has another size than the events that the schedule gives it: use the list's "
                  "kSize there");
    return list;
  }

  // Returns the list with micro-ops that the compiler neither moves nor makes one of two: counts rely on
  // them.
  template <class List>
  WT_DEVICE static auto apart(const List &list) {
    return list_of<List::kSize>([list](auto i) WT_INLINE {
      sched_barrier();
      list.f(i);
    });
  }

  // Returns the lists of ops as one. A put and the fetch that refills its registers go together.
  WT_DEVICE op_list<0, no_micro_ops> together(op_set<>) const { return {}; }
  template <class Op>
  WT_DEVICE auto together(op_set<Op>) const {
    return list(Op{});
  }
  template <int I, int Nth, addend To, int Next, int NextNth, addend NextTo, class... Rest>
  WT_DEVICE auto together(op_set<op_in_row<I, Nth, To>, op_in_row<Next, NextNth, NextTo>, Rest...>) const {
    const auto one = list(op_in_row<I, Nth, To>{});
    using next = op_in_row<Next, NextNth, NextTo>;
    if constexpr (S.is_refilled(I) && Next == I + 1) {
      return joined(alongside(one, list(next{})), together(op_set<Rest...>{}));
    } else {
      return joined(one, together(op_set<next, Rest...>{}));
    }
  }
  // Returns the only vector of a cluster, whose list does not depend on the row.
  template <int I, int Nth, addend To>
  static consteval op_constant<S, I, 0, addend::accumulator> only_one(op_set<op_in_row<I, Nth, To>>) {
    return {};
  }
  // Returns both lists, one after the other for the compiler as well.
  template <class List, class Rest>
  WT_DEVICE static auto joined(const List &list, const Rest &rest) {
    if constexpr (Rest::kSize == 0) {
      return list;
    } else if constexpr (List::kSize == 0) {
      return rest;
    } else {
      return list + list_of<Rest::kSize>([rest](auto i) WT_INLINE {
               if constexpr (i == 0) sched_barrier();
               rest.f(i);
             });
    }
  }

  // Returns the MFMAs of a cluster with what its ops in op_set apply between them.
  template <class List>
  WT_DEVICE static List with_applied(const List &multiplying, op_list<0, no_micro_ops>, op_set<>) {
    return multiplying;
  }
  template <class List, class Applying, int I, int Nth, addend To, class... Rest>
  WT_DEVICE static auto with_applied(const List &multiplying, const Applying &applying,
                                     op_set<op_in_row<I, Nth, To>, Rest...>) {
    if constexpr (S.is_ping_pong()) {
      return multiplying;
    } else if constexpr (List::kSize == 0) {
      return applying;
    } else if constexpr (S.ops[I].place == beside_mfmas::before) {
      return woven(applying, multiplying);
    } else {
      return woven(multiplying, applying);
    }
  }

  // These are the ops whose sums are complete behind a cluster, if something is to be done with them.
  template <int Row, int Cluster>
  using completed =
      typename rows::template completed<__is_same(decltype(Lists::finish), no_list) ? kNoRow : Row, Cluster>;
  // Returns what is done with the sums of these ops.
  WT_DEVICE op_list<0, no_micro_ops> finishing(op_set<>) const { return {}; }
  template <int I, int Nth, addend To, class... Rest>
  WT_DEVICE auto finishing(op_set<op_in_row<I, Nth, To>, Rest...>) const {
    return joined(of.finish(index<S.ops[I].sum>{}), finishing(op_set<Rest...>{}));
  }

  // Issues vector instructions, and what moves data evenly between them: all but the reads that fill the
  // queue of LDS, which come first.
  template <class Applying, class Reading, class Moving>
  WT_DEVICE static void issue_beside(const Applying &applying, const Reading &reading, const Moving &moving) {
    static constexpr int kQueue = 8;  // reads of two SIMDs (docs/timing.md)
    static constexpr int kFirst = Reading::kSize < kQueue ? Reading::kSize : kQueue;
    unrolled<kFirst>([&](auto i) WT_INLINE { reading.f(i); });
    const auto others =
        list_of<Reading::kSize - kFirst>([reading](auto i) WT_INLINE { reading.f(index<kFirst + i>{}); });
    interleave(applying, joined(others, moving));
  }

  template <int Row, int Cluster>
  WT_DEVICE void cluster() const {
    static constexpr boundary kEdge = kPlan.rows[Row][Cluster];
    using multiplied = typename rows::template picked<ops_that::multiply, Row, Cluster>;
    using applied = typename rows::template picked<ops_that::apply, Row, Cluster>;
    using vectors = typename rows::template picked<ops_that::make_fragments, Row, Cluster>;
    const auto applying = together(applied{});
    const auto multiplying = with_applied(together(multiplied{}), applying, applied{});
    const auto reading = together(typename rows::template picked<ops_that::read, Row, Cluster>{});
    const auto moving = joined(together(typename rows::template picked<ops_that::move, Row, Cluster>{}),
                               finishing(completed<Row, Cluster - 1>{}));
    // What only multiplies may come before the barrier in some waves and behind it in others.
    static constexpr bool kOnlyMultiplies = decltype(multiplying)::kSize != 0 &&
                                            decltype(reading)::kSize == 0 && decltype(moving)::kSize == 0 &&
                                            S.only_multiplies(Cluster);
    static constexpr bool kIsLed = S.leaders > 0 && kEdge.barrier && kOnlyMultiplies;
    wait<kEdge.before>();
    // In ping-pong, waves that multiply are first in line from the front of the cluster on.
    static constexpr auto &kPriorities = rows::kPriorities;
    static constexpr bool kMultiplies =
        S.begins_interval(Cluster) && kPriorities.multiplies_from[Row][Cluster];
    static constexpr bool kIsUrgent = kPriorities.is_urgent[Row][Cluster],
                          kWasUrgent = Cluster > 0 && kPriorities.is_urgent[Row][Cluster - (Cluster > 0)];
    if constexpr (kIsUrgent) sched_barrier();
    if constexpr ((kMultiplies && !kWasUrgent) || kIsUrgent) s_setprio<1>();
    // In ping-pong nothing but the barrier stands between the MFMAs of the two halves of the waves.
    if constexpr (kEdge.barrier) {
      if constexpr (S.is_ping_pong()) sched_barrier();
      if constexpr (kIsLed) {
        barrier_if(wave_id() >= S.leaders);
      } else {
        raw_barrier();
      }
    }
    wait<kEdge.after>();
    if constexpr (S.begins_interval(Cluster) && !kPriorities.multiplies_from[Row][Cluster]) s_setprio<0>();
    if constexpr (vectors::kCount != 0) {
      static constexpr auto kVector = only_one(vectors{});
      const int step = position + (kVector.value.ahead - kPosition);
      sched_barrier();
      if constexpr (decltype(multiplying)::kSize == 0) {
        of.vector(kVector, step, joined(reading, moving));
      } else {
        of.vector(kVector, step, multiplying, reading, moving);
      }
      sched_barrier();
    } else if constexpr (decltype(multiplying)::kSize == 0) {
      sched_barrier();
      if constexpr (applied::kCount == 0) {
        issue_all(reading);
        issue_all(moving);
      } else {
        issue_beside(applying, reading, moving);
      }
      sched_barrier();
    } else if constexpr (!S.interleaves(Cluster)) {
      sched_barrier();
      issue_all(multiplying);
      sched_barrier();
    } else if constexpr (S.operands == operand_waits::by_register) {
      interleave(multiplying, reading, moving);
    } else {
      interleave_early(multiplying, reading, moving);
    }
    if constexpr (kIsLed) {
      sched_barrier();
      barrier_if(wave_id() < S.leaders);
      sched_barrier();
    }
  }

  template <int Row>
  WT_DEVICE void iteration() {
    clusters<Row>(__make_integer_seq<indices, int, S.clusters>{});
    advance();
  }
  template <int Row, int... Cluster>
  WT_DEVICE void clusters(indices<int, Cluster...>) const {
    (cluster<Row, Cluster>(), ...);
  }

  // Issues what comes before all else in a prologue, as if iteration by iteration.
  WT_DEVICE void issue_first() {
    begin();
    unrolled<kDepth>([&](auto row) WT_INLINE {
      this->issue_each(typename rows::template first<row>{});
      advance();
    });
  }
  template <class... Op>
  WT_DEVICE void issue_each(op_set<Op...>) const {
    (issue_all(list(Op{})), ...);
  }
};

// This is the pipeline of a prologue or an epilogue.
template <const auto &S, class Lists>
using ends_of = pipeline<S, Lists, masks_tail<Lists> ? steps_of::tail : steps_of::loop>;

}  // namespace detail

// Issues the copies and fetches of the prologue of a schedule whose copies come first. The caller then issues
// stores_between stores and may do what it likes with registers, until it calls resume.
//
// scope: work-group; operands: lists; leaves: vmcnt; waits: nobody; LDS: the buffers; registers: none; chips:
// both
template <const auto &Schedule, class Lists>
WT_DEVICE void start(const Lists &of) {
  static_assert(check_schedule<Schedule>());
  static_assert(Schedule.begins == prologue::copies_first,
                "only a schedule whose copies come first can start apart: make it one with copies_first");
  detail::ends_of<Schedule, Lists>{of, 0, {}}.issue_first();
}

// Runs what follows start: `steps` K steps, at least least_steps<Schedule> and a multiple of
// Schedule.together(). The last `tail` of them, none or Schedule.together(), are those that lie past the end
// of K in part or in whole; only lists that mask them may have any.
//
// scope: work-group; operands: lists; leaves: vmcnt; waits: nobody; LDS: the buffers; registers: scalars for
// step and stages; chips: both
template <const auto &Schedule, class Lists>
WT_DEVICE void resume(int steps, const Lists &of, int tail = 0) {
  static_assert(check_schedule<Schedule>() && detail::has_lists<Schedule, Lists>());
  constexpr auto kPlan = derived<Schedule>;
  static constexpr int kDepth = kPlan.kDepth, kTogether = Schedule.together();
  static constexpr bool kMasksTail = detail::masks_tail<Lists>;
  using ends = detail::ends_of<Schedule, Lists>;
  ends prologue{of, 0, {}};
  prologue.begin();
  unrolled<kDepth>([&](auto row) WT_INLINE { prologue.template iteration<row>(); });
  detail::wait<kPlan.settled>();
  if constexpr (Schedule.is_ping_pong()) barrier_if(wave_id() >= Schedule.lag_from);
  auto &&body = prologue.template with<steps_of::loop>();
  static constexpr int kStoring = Schedule.storing(), kPeriod = Schedule.period();
  unrolled<kStoring>([&](auto i) WT_INLINE {
    body.template lies_as<i>();
    body.template iteration<kDepth + i>();
  });
  if constexpr (Schedule.is_open()) {
    static_assert(!kMasksTail,
                  "an open-ended run copies past its end anyhow: give it no functions for a tail");
    detail::note_and_forget<Schedule>(body.position);
#pragma unroll 1
    while (body.position < steps) {
      if constexpr (requires { of.at_loop_start(); }) of.at_loop_start();
      unrolled<kTogether>([&](auto phase) WT_INLINE { body.template iteration<kPlan.kBody + phase>(); });
    }
    if constexpr (Schedule.is_ping_pong()) barrier_if(wave_id() < Schedule.lag_from);  // back in step
    wait_counts<0, 0>();  // for what was copied and read past the end
    // clang 22 counts the wait states between an MFMA and the use of its result along the path with the
    // barrier, which has one more than the other: two wait states make up for it.
    if constexpr (Schedule.is_ping_pong()) s_nop<1>();
  } else {
    const int left = steps - kDepth - kStoring;
    const int looped = kMasksTail && left < tail ? 0 : (left - tail) / kPeriod * kPeriod;
    int end = kDepth + kStoring + looped;
    // LLVM 22 may spill most of the sums (examples/pipelined_gemm, gfx942) where it sees how the end is
    // computed.
    detail::note_and_forget<Schedule>(end);
#pragma unroll 1
    while (body.position < end) {
      if constexpr (requires { of.at_loop_start(); }) of.at_loop_start();
      unrolled<kPeriod>([&](auto phase) WT_INLINE {
        body.template lies_as<kStoring + phase>();
        body.template iteration<kPlan.kBody + phase % kTogether>();
      });
    }
    body.template lies_as<kStoring>();
    auto &&epilogue = body.template with<ends::kSteps>();
    if constexpr (kPeriod != kTogether || kMasksTail) {
      const int rest = (kMasksTail ? left - looped : left % kPeriod) / kTogether;
#pragma unroll 1
      for (int i = 0; i < rest; ++i) {
        unrolled<kTogether>([&](auto phase) WT_INLINE {
          if constexpr (kPeriod == kTogether) epilogue.template lies_as<kStoring + phase>();
          epilogue.template iteration<kPlan.kBody + phase>();
        });
      }
      if constexpr (kPeriod == kTogether) epilogue.template lies_as<kStoring>();
    }
    unrolled<kPlan.kDrains>([&](auto row)
                                WT_INLINE { epilogue.template iteration<kPlan.kEpilogue + row>(); });
    if constexpr (Schedule.is_ping_pong()) barrier_if(wave_id() < Schedule.lag_from);
    issue_all(epilogue.finishing(typename ends::template completed<ends::kLastRow, Schedule.clusters - 1>{}));
  }
}

// Runs `steps` K steps, at least least_steps<Schedule> and a multiple of Schedule.together(). The last `tail`
// of them are those of resume.
//
// An iteration of the loop does as many steps as all buffers take to be back in the same stages, so that
// these are known while compiling; an open-ended one does a single step (or those that are fetched together).
//
// No other memory operation of the wave that vmcnt counts may be in flight. Afterwards its copies and reads
// have landed, and only stores may be in flight. Other waves may still read: take a barrier before LDS is
// used anew.
//
// scope: work-group; operands: lists; leaves: vmcnt; waits: nobody; LDS: the buffers; registers:
// scalars for step and stages; chips: both
template <const auto &Schedule, class Lists>
WT_DEVICE void run(int steps, const Lists &of, int tail = 0) {
  static_assert(Schedule.stores_between == 0,
                "the schedule counts stores that follow its copies: call start, store, and call resume");
  if constexpr (Schedule.begins == prologue::copies_first) start<Schedule>(of);
  resume<Schedule>(steps, of, tail);
}

}  // namespace wt::sched

#endif
