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
  static constexpr int kDepth = S.depth(), kOps = S.kOps, kReached = reached<S>(Steps);

  // Says since when the wave knows that an op has landed, for its own part.
  struct knowledge {
    bool landed = false, in_body = false;
    int barriers = 0;  // barriers passed by then
  };
  struct flight {
    int op = 0, step = 0, last_event = 0;
  };
  struct content {
    int op = -1, step = 0;  // the read or vector that filled the fragment last, or the fetch for registers
    int last_event = 0;
    int interval = 0;  // between barriers, counted from the first of the run, in which it did
  };
  struct total {
    int step = -1, parts = 0;  // the last step that was added to the sum, and by how many multiplies
  };

  knowledge known[kOps][kReached] = {};
  flight flights[kCounters][kOps * kReached] = {};
  content held[kMostNumbers] = {};  // by the fragments
  total sums[kMostNumbers] = {};
  int advanced[S.kBuffers] = {};   // the step for which a buffer's next copy is prepared
  int pointed[kMostNumbers] = {};  // the step whose data a pointer is at
  int vectors[kOps] = {};          // the number of steps for which a vector has been issued
  int queued[kCounters] = {}, arrived[kCounters] = {};
  int issued[kCounters] = {};
  int taken = 0;  // events of vmcnt up to the last fetch that the compiler has waited for, for a put
  int barriers = 0, intervals = 0;
  finding found;

  consteval void arrive(int k, int up_to, bool in_body) {
    for (; arrived[k] < queued[k]; ++arrived[k]) {
      const flight &f = flights[k][arrived[k]];
      if (f.last_event > up_to) break;
      known[f.op][f.step] = {true, in_body, barriers};
    }
  }
  consteval void wait(waits w, bool in_body) {
    for (int k = 0; k < kCounters; ++k) {
      if (field(w, k) <= kLargest[k]) arrive(k, issued[k] - field(w, k), in_body);
    }
  }

  // Returns whether op i of this step has landed in every wave, as far as this wave can know.
  consteval bool everywhere(int i, int step) const {
    const knowledge &k = known[i][step];
    return k.landed && barriers - k.barriers >= (k.in_body && S.is_ping_pong() ? 2 : 1);
  }

  // Returns what the registers that the puts of a buffer write have been loaded with last.
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
    switch (o.what) {
      case does::read: return against_read(i, step);
      case does::copy: return against_fill(o, step);
      case does::put: return against_put(o, step);
      case does::multiply:
      case does::apply: return against_adding(o, step);
      case does::vector: return against_vector(o, step);
      default: return problem::none;
    }
  }
  consteval problem against_read(int i, int step) const {
    const op &o = S.ops[i];
    for (int j = 0; j < kOps; ++j) {
      if (S.fills(j, o.buffer) && !everywhere(j, step)) return problem::read_too_early;
      const bool is_pointed =
          !S.advances_pointer(j, o.pointer) || (S.ops[j].cluster != o.cluster && pointed[o.pointer] == step);
      if (!is_pointed) return problem::advanced_elsewhere;
      const bool is_taken = S.ops[j].what != does::vector || !S.starts_sum_of(i, j) ||
                            (S.ops[j].cluster != o.cluster && vectors[j] >= step);
      if (!is_taken) return problem::sum_overwritten;
    }
    return problem::none;
  }
  consteval problem against_fill(const op &o, int step) const {
    const int old = step - S.stages[o.buffer];
    for (int j = 0; j < kOps; ++j) {
      if (S.reads_from(j, o.buffer) && old >= 0 && !everywhere(j, old)) {
        return problem::overwritten_too_early;
      }
      const bool is_ready = S.ops[j].cluster != o.cluster && advanced[o.buffer] == step;
      if (o.what == does::copy && S.advances_for(j, o.buffer) && !is_ready)
        return problem::advanced_elsewhere;
    }
    return problem::none;
  }
  consteval problem against_put(const op &o, int step) const {
    const content c = fetched(o.buffer);
    const int first = step - step % S.together(o.buffer);
    if (c.op < 0 || c.step < first) return problem::put_too_early;
    if (c.step > first) return problem::refilled_too_early;
    return against_fill(o, step);
  }
  consteval problem against_adding(const op &o, int step) const {
    for (int j : clusters_of<S>.of[o.cluster]) {
      if (overwrites_any(j, o)) return problem::fragment_overwritten;
    }
    for (int n = 0; n < op::kOperands; ++n) {
      const operand from = o.taken(n);
      if (from.is_absent() || from.from == comes::before_run) continue;
      const content &c = held[from.fragment];
      if (c.op < 0 || c.step != step) return problem::fragment_stale;
      const op &by = S.ops[c.op];
      if (from.from == comes::by_vector) {
        if (by.what != does::vector) return problem::fragment_stale;
        continue;
      }
      if (by.what != does::read || by.buffer != from.buffer || by.part != from.part) {
        return problem::fragment_stale;
      }
      if (!is_compilers(c) && !known[c.op][step].landed) return problem::multiplied_too_early;
    }
    return problem::none;
  }
  // Returns whether the compiler waits for a read, as it does for those of the same interval.
  consteval bool is_compilers(const content &c) const {
    return S.operands == operand_waits::by_register && c.interval == intervals;
  }
  // Returns whether op j changes an operand of a multiply.
  static consteval bool overwrites_any(int j, const op &o) {
    if (S.ops[j].what != does::read && S.ops[j].what != does::vector) return false;
    for (int n = 0; n < op::kOperands; ++n) {
      const operand x = o.taken(n);
      const bool changes = x.from != comes::before_run && !x.is_absent();
      if (changes && (S.loads(j, x.fragment) || S.makes(j, x.fragment))) return true;
    }
    return false;
  }

  // Does the same for a vector, which sees its sums as they are in front of its cluster; no op beside it may
  // change them.
  static consteval problem compare(const total &sum, int step, int parts, bool changes) {
    if (sum.step > step) return problem::sum_overwritten;
    if (sum.step < step || (step >= 0 && sum.parts < parts)) return problem::sum_incomplete;
    return changes ? problem::sum_overwritten : problem::none;
  }
  consteval problem against_vector(const op &o, int step) const {
    for (int n = 0; n < kMostNumbers; ++n) {
      if (!o.takes.has(n) && !o.updates.has(n)) continue;
      int parts = 0;
      bool changes = false;
      for (int j = 0; j < kOps; ++j) {
        parts += S.adds_to(j, n);
        changes = changes || (S.adds_to(j, n) && S.ops[j].cluster == o.cluster);
      }
      const problem what = compare(sums[n], o.takes.has(n) ? step : step - 1, parts, changes);
      if (what != problem::none) return what;
    }
    return problem::none;
  }

  // Notes what an op does to registers. The compiler's wait for a fragment also covers what is older.
  consteval void use_registers(int i, int step, bool in_body) {
    const op &o = S.ops[i];
    for (int n = 0; n < kMostNumbers && o.what == does::vector; ++n) {
      if (o.makes.has(n)) held[n] = {i, step, 0, intervals};
    }
    if (o.what == does::read) held[o.fragment] = {i, step, issued[kLds], intervals};
    if (o.what == does::advance) (o.pointer < 0 ? advanced[o.buffer] : pointed[o.pointer]) = step;
    if (o.what == does::vector) vectors[i] = step + 1;
    if (!o.adds()) return;
    total &sum = sums[o.sum];
    sum.parts = sum.step == step ? sum.parts + 1 : 1;
    sum.step = step;
    for (int n = 0; n < op::kOperands; ++n) {
      const operand from = o.taken(n);
      if (from.is_absent() || from.from != comes::by_read) continue;
      const content &c = held[from.fragment];
      if (is_compilers(c)) arrive(kLds, c.last_event, in_body);
    }
  }

  consteval void issue(int i, int step, bool in_body) {
    if (!S.ops[i].is_counted()) return use_registers(i, step, in_body);
    const int k = counter_of(S.ops[i]);
    if (S.ops[i].what == does::put) {
      const int fetch = fetched(S.ops[i].buffer).last_event;
      taken = fetch > taken ? fetch : taken;
    }
    issued[k] += S.ops[i].events;
    flights[k][queued[k]++] = {i, step, issued[k]};
    use_registers(i, step, in_body);
  }

  static consteval int step_in(int i, int count) { return count - kDepth + S.ops[i].ahead; }
  // Returns whether op i runs in its cluster of an iteration.
  static consteval bool runs(int i, int count) {
    const int step = step_in(i, count);
    const bool is_earlier = count < kDepth && S.comes_first(i);
    return step >= 0 && step < kReached && S.ops[i].works_for(step) && !is_earlier;
  }

  // Checks what a prologue issues before all else: returns what stands against it.
  consteval problem begin() {
    for (int place = 0; place < kDepth * S.clusters; ++place) {
      const int count = place / S.clusters;
      for (int i : clusters_of<S>.of[place % S.clusters]) {
        const int step = step_in(i, count);
        if (!S.comes_first(i) || step < 0 || step >= kReached || !S.ops[i].works_for(step)) continue;
        const problem what = against(i, step);
        if (what != problem::none) return what;
        issue(i, step, false);
      }
    }
    issued[kVmem] += S.stores_between;
    return problem::none;
  }

  // Issues a cluster's ops: multiplies, for whose fragments the compiler may wait, then reads. Where puts go
  // between the same MFMAs as reads, all of them may be the last.
  consteval void issue_cluster(int c, int count) {
    const int queued_before = queued[kLds];
    const auto issue_those = [&](bool (*is_one)(const op &)) {
      for (int i : clusters_of<S>.of[c]) {
        if (is_one(S.ops[i]) && runs(i, count)) issue(i, step_in(i, count), count >= kDepth);
      }
    };
    issue_those([](const op &o) { return o.adds(); });
    issue_those([](const op &o) { return o.what == does::read; });
    issue_those([](const op &o) { return !o.adds() && o.what != does::read; });
    for (int n = queued_before; n < queued[kLds] && S.mixes_lds(c); ++n) {
      flights[kLds][n].last_event = issued[kLds];
    }
  }

  template <class Plan>
  consteval finding follow(const Plan &p) {
    const problem at_first = begin();
    if (at_first != problem::none) return {at_first, 0, -kDepth};
    for (int count = 0; count < Steps + kDepth; ++count) {
      for (int c = 0; c < S.clusters; ++c) {
        if (count == kDepth && c == 0) wait(p.settled, false);
        const boundary &edge = p.rows[Plan::row_of(count, Steps)][c];
        intervals += S.begins_interval(c);
        wait(edge.before, count >= kDepth);
        barriers += edge.barrier;
        wait(edge.after, count >= kDepth);
        for (int i : clusters_of<S>.of[c]) {
          const problem what = runs(i, count) ? against(i, step_in(i, count)) : problem::none;
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
constexpr int least_steps = [] {
  const int least = (Schedule.is_open() ? 0 : Schedule.depth()) + Schedule.storing();
  return least > 0 ? least : Schedule.together();
}();

// Returns what goes wrong in runs of all lengths from the shortest until the body repeats itself. A short run
// of an open-ended schedule is the beginning of a longer one, op by op, so the longest shows all.
template <auto Schedule, int Steps = least_steps<Schedule>, class Plan>
consteval finding check_plan(const Plan &p) {
  constexpr int kLongest = Plan::kEpilogue + Plan::kDepth + 1;
  if (p.found.is_problem()) return p.found;
  if constexpr (Schedule.is_open() && Steps < kLongest) {
    return check_plan<Schedule, Schedule.whole(kLongest)>(p);
  } else {
    const finding found = detail::follow<Schedule, Steps>(p);
    if constexpr (Steps < kLongest) {
      return found.is_problem() ? found : check_plan<Schedule, Steps + Schedule.together()>(p);
    } else {
      return found;
    }
  }
}

// Refuses a schedule that has the problem What: the compiler names these arguments. Op is the number of the
// op in the schedule, counted from 0, that comes too early or cannot be.
template <problem What, int Op, int Iteration>
consteval bool is_accepted() {
  static_assert(What != problem::unknown_buffer,
                "an op names a buffer that the schedule does not have: buffers{...} gives each its stages, 1 "
                "or more");
  static_assert(What != problem::unknown_number,
                "an op names a fragment or a sum that is no number from 0 to 31: count them from 0");
  static_assert(
      What != problem::past_the_end,
      "an open-ended run goes on past its last step, where a multiply or a vector must not: give it "
      "`ahead` 0, and the others what they are ahead of it");
  static_assert(
      What != problem::crowded_vector,
      "a vector shares its cluster with another vector, or in ping-pong with a multiply: give it a cluster "
      "of its own, with copies, reads and the like beside it");
  static_assert(What != problem::nobody_follows,
                "waves lead (led_by) past clusters that only multiply, with all waves in step: make such a "
                "cluster, or leave led_by out, in ping-pong always");
  static_assert(What != problem::negative_ahead,
                "an op works for a step before the iteration's: `ahead` counts from 0, make the others' "
                "larger instead");
  static_assert(What != problem::no_events,
                "a copy or a read without events cannot be waited for: give it the size of its op list");
  static_assert(What != problem::never_copied,
                "a read or an advance names an LDS buffer that no copy fills: add the copy");
  static_assert(What != problem::never_read,
                "no read takes what a copy brings: add the read or leave it out");
  static_assert(What != problem::never_loaded,
                "no read loads a fragment of a multiply from the buffer and part that it names, or no vector "
                "makes it: add the read or the vector");
  static_assert(What != problem::never_multiplied,
                "no multiply takes what a read loads or a vector makes: add the multiply or leave the "
                "fragment out");
  static_assert(What != problem::never_summed,
                "no multiply adds to a sum that a vector takes or updates: add the multiply");
  static_assert(
      What != problem::start_untaken,
      "a multiply starts from a fragment, but is not the first of its step into a sum that a vector "
      "takes: a sum over all steps has no other start than zero");
  static_assert(What != problem::never_fetched,
                "a put writes registers that no fetch loads: add the fetch, or copy instead");
  static_assert(What != problem::never_put,
                "no put writes what a fetch loads to LDS: add the put, or copy instead");
  static_assert(What != problem::never_pointed,
                "an advance is for a pointer that no read uses: give reads by_pointer, or leave it out");
  static_assert(What != problem::never_advanced,
                "a read uses a pointer that nothing advances: add advance_pointer, or read by the stage");
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
                "a read loads a fragment that is multiplied in the same cluster, or a vector makes it: move "
                "it to another cluster, or take another fragment");
  static_assert(What != problem::fragment_stale,
                "a fragment holds another step's or another buffer's data when it is multiplied: move its "
                "read or vector to an earlier cluster, or change the read's `ahead`");
  static_assert(What != problem::sum_incomplete,
                "a vector comes before a multiply whose sum it takes or updates: move it to a later cluster");
  static_assert(What != problem::sum_overwritten,
                "a multiply adds another step to a sum, or a read loads its start, before or while a vector "
                "takes or updates it: move the vector to an earlier cluster, or the others to a later one");
  static_assert(
      What != problem::advanced_elsewhere,
      "the addresses of a copy or a read are those of another step: let one advance stand between those of "
      "two steps, in another cluster than they, and `ahead` as far as the next one");
  static_assert(What != problem::multiplied_too_early, "a multiply comes before its read has landed");
  static_assert(What != problem::too_many_in_flight,
                "more than 63 copies, fetches and stores of a wave are in flight, which vmcnt cannot count: "
                "copy less far ahead, "
                "or with wider copies");
  return true;
}

// This is what is wrong with a schedule, worked out once for all kernels that use it.
template <auto Schedule>
constexpr finding found_in = evaluated<check_plan<Schedule>(derived<Schedule>)>;

// Refuses a schedule with anything wrong, by a message that says what to change.
template <auto Schedule>
consteval bool check_schedule() {
  constexpr finding kFound = found_in<Schedule>;
  return is_accepted<kFound.what, kFound.op, kFound.iteration>();
}

}  // namespace wt::sched

#endif
