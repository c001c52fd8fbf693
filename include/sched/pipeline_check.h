// SPDX-License-Identifier: MIT
// This header executes a plan on paper, counter by counter and barrier by barrier, and refuses what would go
// wrong. It shares no reasoning with the derivation: it accepts a plan because it saw the plan's runs to be
// right.
#ifndef WT_SCHED_PIPELINE_CHECK_H
#define WT_SCHED_PIPELINE_CHECK_H

#include "pipeline_derive.h"

namespace wt::sched {

namespace detail {

// This is one wave that runs Steps steps, and what it may conclude about the others.
template <auto S, int Steps>
struct paper_run {
  static constexpr int kDepth = S.depth(), kOps = S.kOps;

  // Since when the wave knows that an op has landed, for its own part.
  struct knowledge {
    bool landed = false, in_body = false;
    int barriers = 0;  // barriers passed by then
  };
  struct flight {
    int op = 0, step = 0, last_event = 0;
  };
  struct content {
    int op = -1, step = 0;  // the read that filled the fragment last, or the fetch that filled the registers
    int last_event = 0;
  };

  knowledge known[kOps][Steps] = {};
  flight flights[kCounters][kOps * Steps] = {};
  int queued[kCounters] = {}, arrived[kCounters] = {};
  int issued[kCounters] = {};
  int taken = 0;  // events of vmcnt up to the last fetch that the compiler has waited for, for a put
  int barriers = 0;
  finding found;

  consteval void wait(waits w, bool in_body) {
    for (int k = 0; k < kCounters; ++k) {
      if (field(w, k) > kLargest[k]) continue;
      for (; arrived[k] < queued[k]; ++arrived[k]) {
        const flight &f = flights[k][arrived[k]];
        if (f.last_event > issued[k] - field(w, k)) break;
        known[f.op][f.step] = {true, in_body, barriers};
      }
    }
  }

  // Returns whether op i of this step has landed in every wave, as far as this wave can know.
  consteval bool everywhere(int i, int step) const {
    const knowledge &k = known[i][step];
    return k.landed && barriers - k.barriers >= (k.in_body && S.is_ping_pong() ? 2 : 1);
  }

  consteval content held(int fragment) const {
    content latest;
    for (int n = 0; n < queued[kLds]; ++n) {
      const flight &f = flights[kLds][n];
      if (S.loads(f.op, fragment)) latest = {f.op, f.step, f.last_event};
    }
    return latest;
  }

  // What the registers that the puts of a buffer write have been loaded with last.
  consteval content fetched(int buffer) const {
    content latest;
    for (int n = 0; n < queued[kVmem]; ++n) {
      const flight &f = flights[kVmem][n];
      if (S.fetches_for(f.op, buffer)) latest = {f.op, f.step, f.last_event};
    }
    return latest;
  }

  // Returns what stands against the op now; other ops of its cluster may already run.
  consteval problem against(int i, int step) const {
    const op &o = S.ops[i];
    for (int j = 0; j < kOps; ++j) {
      if (o.what == does::read && S.fills(j, o.buffer) && !everywhere(j, step)) {
        return problem::read_too_early;
      }
      const int old = step - (S.fills(i, o.buffer) ? S.stages[o.buffer] : 0);
      if (S.fills(i, o.buffer) && S.reads_from(j, o.buffer) && old >= 0 && !everywhere(j, old)) {
        return problem::overwritten_too_early;
      }
      if (S.ops[j].what == does::read && S.ops[j].cluster == o.cluster && S.takes(i, S.ops[j].fragment)) {
        return problem::fragment_overwritten;
      }
    }
    if (o.what == does::put) {
      const content c = fetched(o.buffer);
      const int first = step - step % S.together(o.buffer);
      if (c.op < 0 || c.step < first) return problem::put_too_early;
      if (c.step > first) return problem::refilled_too_early;
    }
    if (!o.adds()) return problem::none;
    for (int n = 0; n < o.operands(); ++n) {
      const operand from = o.taken(n);
      const content c = held(from.fragment);
      if (c.op < 0 || c.step != step || S.ops[c.op].buffer != from.buffer) return problem::fragment_stale;
      if (!known[c.op][step].landed) return problem::multiplied_too_early;
    }
    return problem::none;
  }

  consteval void issue(int i, int step) {
    if (S.ops[i].adds()) return;
    const int k = counter_of(S.ops[i]);
    if (S.ops[i].what == does::put) {
      const int fetch = fetched(S.ops[i].buffer).last_event;
      taken = fetch > taken ? fetch : taken;
    }
    issued[k] += S.ops[i].events;
    flights[k][queued[k]++] = {i, step, issued[k]};
  }

  static consteval int step_in(int i, int count) { return count - kDepth + S.ops[i].ahead; }
  static consteval bool runs(int i, int cluster, int count) {
    const int step = step_in(i, count);
    const bool is_earlier = count < kDepth && S.comes_first(i);
    return S.ops[i].cluster == cluster && step >= 0 && step < Steps && S.ops[i].works_for(step) &&
           !is_earlier;
  }

  // What a prologue issues before all else.
  consteval void begin() {
    for (int place = 0; place < kDepth * S.clusters; ++place) {
      const int count = place / S.clusters;
      for (int i = 0; i < kOps; ++i) {
        const int step = step_in(i, count);
        const bool is_here = S.comes_first(i) && S.ops[i].cluster == place % S.clusters;
        if (is_here && step >= 0 && step < Steps && S.ops[i].works_for(step)) issue(i, step);
      }
    }
    issued[kVmem] += S.stores_between;
  }

  // Issues a cluster's ops: reads first. Where puts go between the same MFMAs as reads, all of them may be
  // the last.
  consteval void issue_cluster(int c, int count) {
    const int queued_before = queued[kLds];
    for (int i = 0; i < kOps; ++i) {
      if (runs(i, c, count) && S.ops[i].what == does::read) issue(i, step_in(i, count));
    }
    for (int i = 0; i < kOps; ++i) {
      if (runs(i, c, count) && S.ops[i].what != does::read) issue(i, step_in(i, count));
    }
    for (int n = queued_before; n < queued[kLds] && S.mixes_lds(c); ++n) {
      flights[kLds][n].last_event = issued[kLds];
    }
  }

  template <class Plan>
  consteval finding follow(const Plan &p) {
    begin();
    for (int count = 0; count < Steps + kDepth; ++count) {
      for (int c = 0; c < S.clusters; ++c) {
        if (count == kDepth && c == 0) wait(p.settled, false);
        const boundary &edge = p.rows[Plan::row_of(count, Steps)][c];
        wait(edge.before, count >= kDepth);
        barriers += edge.barrier;
        wait(edge.after, count >= kDepth);
        for (int i = 0; i < kOps; ++i) {
          const problem what = runs(i, c, count) ? against(i, step_in(i, count)) : problem::none;
          if (what != problem::none) return {what, i, count - kDepth};
        }
        issue_cluster(c, count);
        const int landed = arrived[kVmem] == 0 ? 0 : flights[kVmem][arrived[kVmem] - 1].last_event;
        if (issued[kVmem] - (landed > taken ? landed : taken) > kAnyVmem)
          return {problem::too_many_in_flight, 0, count - kDepth};
      }
    }
    return {};
  }
};

template <auto S, int Steps, class Plan>
consteval finding follow(const Plan &p) {
  paper_run<S, Steps> run;
  return run.follow(p);
}

}  // namespace detail

// These are the fewest steps that a run of the schedule may have; all have a multiple of
// Schedule.together() steps.
template <auto Schedule>
constexpr int least_steps = Schedule.depth() + Schedule.storing() > 0 ? Schedule.depth() + Schedule.storing()
                                                                      : Schedule.together();

// Returns what goes wrong in runs of all lengths from the shortest until the body repeats itself.
template <auto Schedule, int Steps = least_steps<Schedule>, class Plan>
consteval finding check_plan(const Plan &p) {
  if (p.found.is_problem()) return p.found;
  const finding found = detail::follow<Schedule, Steps>(p);
  constexpr int kTogether = Schedule.together();
  if constexpr (Steps < Plan::kEpilogue + Plan::kDepth + 1) {
    return found.is_problem() ? found : check_plan<Schedule, Steps + kTogether>(p);
  } else {
    return found;
  }
}

// Refuses a schedule that has the problem What: the compiler names these arguments. Op is the number of the
// op in the schedule, counted from 0, that comes too early or cannot be.
template <problem What, int Op, int Iteration>
consteval bool is_accepted() {
  static_assert(What != problem::unknown_buffer,
                "an op names a buffer that the schedule does not have: buffers{...} gives each its stages, 1 "
                "or more");
  static_assert(What != problem::negative_ahead,
                "an op works for a step before the iteration's: `ahead` counts from 0, make the others' "
                "larger instead");
  static_assert(What != problem::no_events,
                "a copy or a read without events cannot be waited for: give it the size of its op list");
  static_assert(What != problem::never_copied,
                "a read takes from an LDS buffer that no copy fills: add the copy");
  static_assert(What != problem::never_read,
                "no read takes what a copy brings: add the read or leave it out");
  static_assert(What != problem::never_loaded,
                "no read loads a fragment of a multiply from the buffer that it names: add the read");
  static_assert(What != problem::never_multiplied,
                "no multiply takes what a read loads: add the multiply or leave the read out");
  static_assert(What != problem::never_fetched,
                "a put writes registers that no fetch loads: add the fetch, or copy instead");
  static_assert(What != problem::never_put,
                "no put writes what a fetch loads to LDS: add the put, or copy instead");
  static_assert(
      What != problem::uneven_fetches,
      "a fetch loads a number of steps together that does not divide the largest of the schedule, or "
      "differs from another fetch of its buffer: choose 1, 2, 4 and so on");
  static_assert(What != problem::apart_from_put,
                "a fetch stands in the cluster of the put whose registers it refills, but not right behind "
                "it: move it there");
  static_assert(What != problem::put_too_early,
                "a put comes before its fetch: fetch further ahead, or in an earlier cluster");
  static_assert(What != problem::refilled_too_early,
                "a fetch loads registers whose contents a put has yet to write to LDS: fetch less far ahead, "
                "or in a later cluster");
  static_assert(What != problem::mixed_cluster,
                "a cluster of a ping-pong either multiplies or moves data: make it two clusters");
  static_assert(What != problem::read_too_early,
                "a read comes before its data can be known to have landed in LDS: copy further ahead, or in "
                "an earlier cluster (in ping-pong, two barriers must stand between wait and read)");
  static_assert(What != problem::overwritten_too_early,
                "a copy comes before every wave has read what it overwrites: give the buffer another stage, "
                "copy less far ahead, or in a later cluster");
  static_assert(What != problem::fragment_overwritten,
                "a read loads a fragment that is multiplied in the same cluster: read it in another cluster, "
                "or into another fragment");
  static_assert(What != problem::fragment_stale,
                "a fragment holds another step's or another buffer's data when it is multiplied: move its "
                "read to an earlier cluster, or change the read's `ahead`");
  static_assert(What != problem::multiplied_too_early, "a multiply comes before its read has landed");
  static_assert(What != problem::too_many_in_flight,
                "more than 63 copies, fetches and stores of a wave are in flight, which vmcnt cannot count: "
                "copy less far ahead, "
                "or with wider copies");
  return true;
}

// This is what is wrong with a schedule, worked out once for all kernels that use it.
template <auto Schedule>
constexpr finding found_in = check_plan<Schedule>(derived<Schedule>);

// Refuses a schedule with anything wrong, by a message that says what to change.
template <auto Schedule>
consteval bool check_schedule() {
  constexpr finding kFound = found_in<Schedule>;
  return is_accepted<kFound.what, kFound.op, kFound.iteration>();
}

}  // namespace wt::sched

#endif
