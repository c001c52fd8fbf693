// SPDX-License-Identifier: MIT
// This header derives the waits and barriers of a pipeline from its schedule, by walking through a whole run
// of it.
#ifndef WT_SCHED_PIPELINE_DERIVE_H
#define WT_SCHED_PIPELINE_DERIVE_H

#include "pipeline_schedule.h"

namespace wt::sched {

// The reasoning is this. A wave's wait says that its own events have landed; a barrier after it says so of
// all waves.
//
//   - A read comes after a barrier that follows each wave's wait for its copies or puts of that step.
//   - A copy or a put comes after a barrier that follows each wave's wait for its reads of what is
//     overwritten.
//   - A multiply comes after the wave's wait for the reads of its fragments.
//   - A put comes after its fetch. The compiler waits for the registers, one micro-op after the other.
//
// In ping-pong, waves that lag are one barrier behind: what a leading wave does after the barrier that
// follows its own wait, a lagging wave may not have waited for. So one more barrier must stand between,
// except for waits of the prologue, where no wave lags yet.
//
// The body's waits also serve its first iterations, although these follow ops that the prologue has left out
// and count fewer events: what was copied further ahead than others has landed when those, issued later, are
// waited for. The check (pipeline_check.h) makes sure of it for every schedule.
//
// Each wait stands at the latest place that serves: before the last barrier that is early enough, or in front
// of the multiply. It counts what has been issued since the event that it is for, as counters run in order.
// The barriers of a schedule in step are the fewest that serve; of several such sets, it is the one that
// begins earliest in the body.
namespace detail {

enum counter { kVmem, kLds, kCounters };
constexpr int kLargest[kCounters] = {kAnyVmem - 1, kAnyLds - 1};
constexpr counter counter_of(const op &o) { return o.counts_lds() ? kLds : kVmem; }
constexpr int &field(waits &w, int counter) { return counter == kVmem ? w.vmem : w.lds; }

// Returns what is wrong with a schedule whatever the time at which its ops run.
template <auto S>
consteval finding misuse() {
  for (int i = 0; i < S.kOps; ++i) {
    const op &o = S.ops[i];
    const auto refused = [&](problem what) { return finding{what, i, 0}; };
    const auto knows = [](int buffer) { return buffer >= 0 && buffer < S.kBuffers && S.stages[buffer] > 0; };
    for (int n = 0; n < (o.adds() ? o.operands() : 1); ++n) {
      if (!knows(o.adds() ? o.taken(n).buffer : o.buffer)) return refused(problem::unknown_buffer);
    }
    if (o.ahead < 0) return refused(problem::negative_ahead);
    if (o.adds()) {
      for (int n = 0; n < o.operands(); ++n) {
        if (!S.brings(o.taken(n))) return refused(problem::never_loaded);
      }
      continue;
    }
    if (o.events <= 0) return refused(problem::no_events);
    if (S.is_ping_pong() && S.has(o.cluster, does::multiply)) return refused(problem::mixed_cluster);
    const bool is_even = o.steps > 0 && o.steps == S.together(o.buffer) && S.together() % o.steps == 0;
    if (o.what == does::fetch && !is_even) {
      return refused(problem::uneven_fetches);
    }
    bool served = false, multiplied = false, fetched = false;
    for (int j = 0; j < S.kOps; ++j) {
      fetched = fetched || S.fetches_for(j, o.buffer);
      if (o.what == does::put && S.fetches_for(j, o.buffer) && S.ops[j].cluster == o.cluster && j != i + 1) {
        return refused(problem::apart_from_put);
      }
      if (o.what == does::read) {
        served = served || S.fills(j, o.buffer);
        multiplied = multiplied || S.takes(j, o.fragment);
      } else if (o.what == does::fetch) {
        served = served || S.puts_into(j, o.buffer);
      } else {
        served = served || S.reads_from(j, o.buffer);
      }
    }
    if (o.what == does::read && !served) return refused(problem::never_copied);
    if (o.what == does::read && !multiplied) return refused(problem::never_multiplied);
    if (o.what == does::put && !fetched) return refused(problem::never_fetched);
    if (o.what == does::fetch && !served) return refused(problem::never_put);
    if (S.fills(i, o.buffer) && !served) return refused(problem::never_read);
  }
  return {};
}

// The boundaries of the body that have a barrier.
template <int Clusters>
struct barrier_set {
  bool at[Clusters] = {};
  int count = 0;
};

// Returns the fewest barriers such that one stands in every window that needs it: after cluster `from` and
// not after the front of cluster `to`, counted from iteration 0 on.
template <auto S>
consteval barrier_set<S.clusters> fewest_barriers() {
  constexpr int kClusters = S.clusters;
  barrier_set<kClusters> best;
  if (S.is_ping_pong()) {
    for (bool &at : best.at) at = true;
    best.count = kClusters;
    return best;
  }
  int shortest[kClusters];  // the window that ends in front of this cluster; 0: none
  for (int &length : shortest) length = 0;
  for (int i = 0; i < S.kOps; ++i) {
    for (int j = 0; j < S.kOps; ++j) {
      if (!S.fills(i, S.ops[i].buffer) || !S.reads_from(j, S.ops[i].buffer)) continue;
      const int copy = S.ops[i].cluster - S.ops[i].ahead * kClusters;
      const int read = S.ops[j].cluster - S.ops[j].ahead * kClusters;
      const int again = copy + S.stages[S.ops[i].buffer] * kClusters;
      const auto need = [&](int from, int to, int cluster) {
        if (shortest[cluster] == 0 || to - from < shortest[cluster]) shortest[cluster] = to - from;
      };
      need(copy, read, S.ops[j].cluster);
      need(read, again, S.ops[i].cluster);
    }
  }
  bool any = false;
  for (int length : shortest) any = any || length != 0;
  // Once one barrier is fixed, taking each next one as late as possible gives the fewest.
  for (int first = 0; first < kClusters && any; ++first) {
    barrier_set<kClusters> tried;
    tried.at[first] = true;
    tried.count = 1;
    int last = first;
    for (int at = first + 1; at < first + kClusters; ++at) {
      const int length = shortest[at % kClusters];
      if (length == 0 || last > at - length) continue;
      tried.at[at % kClusters] = true;
      ++tried.count;
      last = at;
    }
    if (best.count == 0 || tried.count < best.count) best = tried;
  }
  return best;
}

// This is a run of Steps steps. A slot is one cluster of one iteration, counted from the first of the
// prologue. Events are numbered from 1 in the order of issue.
template <auto S, int Steps>
struct walk {
  static constexpr int kDepth = S.depth(), kClusters = S.clusters, kOps = S.kOps;
  static constexpr int kBodyBegins = kDepth * kClusters, kSlots = (Steps + kDepth) * kClusters;
  static constexpr int kSettled = -1;  // a place like a slot: the end of the prologue

  bool barrier[kSlots] = {}, used[kSlots] = {};
  int last_event[kOps][Steps] = {};
  int issued[kCounters][kSlots + 1] = {};  // before the slot
  // The event that must have landed in front of a slot, before its barrier and after it; 0: none.
  int before[kCounters][kSlots] = {}, after[kCounters][kSlots] = {}, settled[kCounters] = {};
  finding found;

  // A prologue that issues its copies first does so before slot 0.
  static consteval int slot_of(int i, int step) {
    const int slot = (step - S.ops[i].ahead + kDepth) * kClusters + S.ops[i].cluster;
    return slot < kBodyBegins && S.comes_first(i) ? -1 : slot;
  }
  static consteval int step_in(int i, int slot) { return slot / kClusters - kDepth + S.ops[i].ahead; }
  // Returns whether op i takes place in the slot's iteration and cluster.
  static consteval bool is_in(int i, int slot) {
    const int step = step_in(i, slot);
    return S.ops[i].cluster == slot % kClusters && step >= 0 && step < Steps && S.ops[i].works_for(step) &&
           !S.ops[i].adds();
  }

  consteval void number_events() {
    int count[kCounters] = {};
    const auto number = [&](int i, int slot) {
      last_event[i][step_in(i, slot)] = count[counter_of(S.ops[i])] += S.ops[i].events;
    };
    for (int slot = 0; slot < kBodyBegins; ++slot) {
      for (int i = 0; i < kOps; ++i) {
        if (S.comes_first(i) && is_in(i, slot)) number(i, slot);
      }
    }
    count[kVmem] += S.stores_between;
    for (int slot = 0; slot < kSlots; ++slot) {
      for (int k = 0; k < kCounters; ++k) issued[k][slot] = count[k];
      for (int i = 0; i < kOps; ++i) {
        if (S.ops[i].what == does::read && is_in(i, slot)) number(i, slot);
      }
      for (int i = 0; i < kOps; ++i) {
        const bool is_earlier = slot < kBodyBegins && S.comes_first(i);
        if (S.ops[i].what != does::read && is_in(i, slot) && !is_earlier) number(i, slot);
      }
      for (int i = 0; i < kOps && S.mixes_lds(slot % kClusters); ++i) {
        if (is_in(i, slot) && S.ops[i].counts_lds()) last_event[i][step_in(i, slot)] = count[kLds];
      }
    }
  }

  // The latest place for a wait such that all waves know of it in front of the slot; -2: there is none.
  consteval int place_before(int slot) {
    int barriers = 0;
    for (int at = slot; at >= 0; --at) {
      barriers += barrier[at];
      const int needed = at >= kBodyBegins && S.is_ping_pong() ? 2 : 1;
      if (barrier[at] && barriers >= needed) return at;
      if (at == kBodyBegins && barriers >= 1) return kSettled;
    }
    return -2;
  }

  // Requires that op i of step `from` has landed in all waves before op `to_op` of step `to`.
  consteval void require(int i, int from, int to_op, int to, problem otherwise) {
    const int place = place_before(slot_of(to_op, to));
    const int event = last_event[i][from], k = counter_of(S.ops[i]);
    if (place == -2 || slot_of(i, from) >= (place == kSettled ? kBodyBegins : place)) {
      if (!found.is_problem()) found = {otherwise, to_op, to - S.ops[to_op].ahead};
      return;
    }
    if (place != kSettled) used[place] = true;
    int &need = place == kSettled ? settled[k] : before[k][place];
    need = event > need ? event : need;
  }

  // Requires that a multiply takes what the last read has put into the fragment.
  consteval void require_operand(int i, int step, operand from) {
    const int slot = slot_of(i, step);
    int latest = -1, loader = 0, loaded = 0;
    for (int j = 0; j < kOps; ++j) {
      if (!S.loads(j, from.fragment)) continue;
      for (int s = 0; s < Steps; ++s) {
        const int at = slot_of(j, s);
        if (at == slot) return fail(problem::fragment_overwritten, i, step);
        if (at < slot && at > latest) latest = at, loader = j, loaded = s;
      }
    }
    if (latest < 0 || loaded != step || S.ops[loader].buffer != from.buffer) {
      return fail(problem::fragment_stale, i, step);
    }
    // In ping-pong the wait stands before the barrier, behind which the other half of the waves has just
    // multiplied.
    int &need = (S.is_ping_pong() ? before : after)[kLds][slot];
    need = last_event[loader][step] > need ? last_event[loader][step] : need;
  }
  // Requires that a put writes what the last fetch has loaded into its registers, of which it is one step.
  consteval void require_registers(int i, int step) {
    const int slot = slot_of(i, step), together = S.together(S.ops[i].buffer);
    const int wanted = step - step % together;
    int latest = -2, loaded = 0;
    for (int s = 0; s < Steps; s += together) {
      for (int j = 0; j < kOps; ++j) {
        if (!S.fetches_for(j, S.ops[i].buffer)) continue;
        const int at = slot_of(j, s);
        if (at < slot && at >= latest) latest = at, loaded = s;
      }
    }
    if (latest == -2 || loaded < wanted) return fail(problem::put_too_early, i, step);
    if (loaded > wanted) return fail(problem::refilled_too_early, i, step);
  }
  consteval void fail(problem what, int i, int step) {
    if (!found.is_problem()) found = {what, i, step - S.ops[i].ahead};
  }

  consteval void collect() {
    number_events();
    for (int i = 0; i < kOps; ++i) {
      const op &o = S.ops[i];
      for (int step = 0; step < Steps; ++step) {
        if (o.adds()) {
          for (int n = 0; n < o.operands(); ++n) require_operand(i, step, o.taken(n));
          continue;
        }
        if (o.what == does::put) require_registers(i, step);
        const bool fills = S.fills(i, o.buffer);
        const int other = fills ? step - S.stages[o.buffer] : step;
        for (int j = 0; j < kOps && other >= 0; ++j) {
          if (o.what == does::read && S.fills(j, o.buffer)) {
            require(j, other, i, step, problem::read_too_early);
          }
          if (fills && S.reads_from(j, o.buffer)) {
            require(j, other, i, step, problem::overwritten_too_early);
          }
        }
      }
    }
  }
};

// Returns the waits for what is not known to have landed yet.
template <class Walk>
consteval waits wait_for(const Walk &walk, int slot, const int (&need)[kCounters], int (&landed)[kCounters]) {
  waits w;
  for (int k = 0; k < kCounters; ++k) {
    if (need[k] <= landed[k]) continue;
    const int since = walk.issued[k][slot] - need[k];
    field(w, k) = since < kLargest[k] ? since : kLargest[k];
    landed[k] = walk.issued[k][slot] - field(w, k);
  }
  return w;
}

// Notes what has landed after these waits.
template <class Walk>
consteval void apply(waits w, const Walk &walk, int slot, int (&landed)[kCounters]) {
  for (int k = 0; k < kCounters; ++k) {
    const int known = walk.issued[k][slot] - field(w, k);
    if (field(w, k) <= kLargest[k] && known > landed[k]) landed[k] = known;
  }
}

template <auto S>
consteval auto derive() {
  constexpr int kDepth = S.depth(), kClusters = S.clusters;
  using plan_type = plan<kDepth, S.storing(), S.together(), kClusters>;
  // One iteration of each phase is the sample for the body: by then the prologue is forgotten, and the
  // epilogue is so far away that no wait is for it.
  constexpr int kSample = kDepth + plan_type::kEpilogue, kSteps = S.whole(kSample + kDepth + 3);
  plan_type p;
  p.found = misuse<S>();
  if (p.found.is_problem()) return p;

  const barrier_set<kClusters> barriers = fewest_barriers<S>();
  walk<S, kSteps> run;
  for (int slot = 0; slot < run.kSlots; ++slot) run.barrier[slot] = barriers.at[slot % kClusters];
  run.collect();
  p.found = run.found;
  if (p.found.is_problem()) return p;

  int landed[kCounters] = {};
  for (int slot = 0; slot < run.kSlots; ++slot) {
    const int count = slot / kClusters, row = plan_type::row_of(count, kSteps);
    boundary &edge = p.rows[row][slot % kClusters];
    if (slot == run.kBodyBegins) p.settled = wait_for(run, slot, run.settled, landed);
    if (plan_type::is_body(row) && count > kSample) {
      apply(edge.before, run, slot, landed);
      apply(edge.after, run, slot, landed);
      continue;
    }
    // While some waves lag, none may leave out a barrier.
    edge.barrier = run.barrier[slot] && (run.used[slot] || (S.is_ping_pong() && slot >= run.kBodyBegins));
    edge.before = wait_for(run, slot, {run.before[kVmem][slot], run.before[kLds][slot]}, landed);
    edge.after = wait_for(run, slot, {run.after[kVmem][slot], run.after[kLds][slot]}, landed);
  }
  return p;
}

}  // namespace detail

// These are the waits and barriers of a schedule, or what is wrong with it.
template <auto Schedule>
constexpr auto derived = detail::derive<Schedule>();

}  // namespace wt::sched

#endif
