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
//   - A multiply comes after the wave's wait for the reads of its fragments, or the compiler waits for each
//     register (operand_waits).
//   - Vectors and advances work on registers: their order among multiplies and copies must be right.
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

// Returns whether an op of the schedule is as `is` wants it; is(j) is about op j.
template <auto S, class Is>
consteval bool any_op(const Is &is) {
  for (int j = 0; j < S.kOps; ++j) {
    if (is(j)) return true;
  }
  return false;
}

// Returns what is wrong with an operand of a multiply: nothing brings its fragment.
template <auto S>
consteval problem misuse_of(const operand &from) {
  if (from.fragment < 0 || from.fragment >= kMostNumbers) return problem::unknown_number;
  const auto is_read = [&](int j) {
    return S.loads(j, from.fragment) && S.reads_from(j, from.buffer) && S.ops[j].part == from.part;
  };
  const auto is_made = [&](int j) { return S.makes(j, from.fragment); };
  const auto is_loaded = [&](int j) { return S.loads(j, from.fragment); };
  switch (from.from) {
    case comes::by_read: return any_op<S>(is_read) ? problem::none : problem::never_loaded;
    case comes::by_vector: return any_op<S>(is_made) ? problem::none : problem::never_loaded;
    case comes::before_run: break;
  }
  return any_op<S>(is_made) || any_op<S>(is_loaded) ? problem::fragment_stale : problem::none;
}

// Returns what is wrong with a vector: nothing makes what it takes, or nothing takes what it makes.
template <auto S>
consteval problem misuse_of_vector(const op &o) {
  if (!o.takes.known || !o.makes.known || !o.updates.known) return problem::unknown_number;
  for (int n = 0; n < kMostNumbers; ++n) {
    if ((o.takes.has(n) || o.updates.has(n)) && !any_op<S>([&](int j) { return S.adds_to(j, n); })) {
      return problem::never_summed;
    }
    if (o.makes.has(n) && !any_op<S>([&](int j) { return S.takes(j, n); })) return problem::never_multiplied;
  }
  return problem::none;
}

// Returns what is wrong with a schedule whatever the time at which its ops run.
template <auto S>
consteval finding misuse() {
  for (int i = 0; i < S.kOps; ++i) {
    const op &o = S.ops[i];
    const auto refused = [&](problem what) { return finding{what, i, 0}; };
    const auto knows = [](int buffer) { return buffer >= 0 && buffer < S.kBuffers && S.stages[buffer] > 0; };
    const bool is_multiply = o.what == does::multiply, works = is_multiply || o.what == does::vector;
    const auto is_known = [&](const operand &x) { return x.from != comes::by_read || knows(x.buffer); };
    for (int n = 0; n < (is_multiply ? o.operands() : 0); ++n) {
      if (!is_known(o.taken(n))) return refused(problem::unknown_buffer);
    }
    if (!works && !knows(o.buffer)) {
      return refused(problem::unknown_buffer);
    }
    if (o.sum < 0 || o.sum >= kMostNumbers || o.fragment < 0 || o.fragment >= kMostNumbers) {
      return refused(problem::unknown_number);
    }
    if (o.ahead < 0) return refused(problem::negative_ahead);
    if (works && o.ahead > 0 && S.is_open()) return refused(problem::past_the_end);
    const auto is_beside = [&](int j) {
      return j != i && S.ops[j].cluster == o.cluster && !S.ops[j].is_counted() &&
             S.ops[j].what != does::advance;
    };
    if (o.what == does::vector && any_op<S>(is_beside)) return refused(problem::crowded_vector);
    if (o.is_counted() && o.events <= 0) return refused(problem::no_events);
    if (S.is_ping_pong() && S.operands == operand_waits::whole && !is_multiply && S.multiplies(o.cluster)) {
      return refused(problem::mixed_cluster);
    }
    if (o.what == does::fetch && (o.steps < 1 || o.steps != S.together())) {
      return refused(problem::uneven_fetches);
    }
    if (o.what == does::vector && misuse_of_vector<S>(o) != problem::none)
      return refused(misuse_of_vector<S>(o));
    for (int n = 0; n < (is_multiply ? o.operands() : 0); ++n) {
      const problem of = misuse_of<S>(o.taken(n));
      if (of != problem::none) return refused(of);
    }
    if (works) continue;
    bool served = false, served_b = false, fetched = false;
    for (int j = 0; j < S.kOps; ++j) {
      fetched = fetched || S.fetches_for(j, o.buffer);
      if (o.what == does::put && S.fetches_for(j, o.buffer) && S.ops[j].cluster == o.cluster && j != i + 1) {
        return refused(problem::apart_from_put);
      }
      if (o.what == does::read) {
        served = served || S.fills(j, o.buffer);
        served_b = served_b || S.takes(j, o.fragment);
      } else if (o.what == does::advance) {
        served = served || S.fills(j, o.buffer);
      } else if (o.what == does::fetch) {
        served = served || S.puts_into(j, o.buffer);
      } else {
        served = served || S.reads_from(j, o.buffer);
      }
    }
    if ((o.what == does::read || o.what == does::advance) && !served) return refused(problem::never_copied);
    if (o.what == does::read && !served_b) return refused(problem::never_multiplied);
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
    for (int c = 0; c < kClusters; ++c) {
      best.at[c] = S.meets[c];
      best.count += best.at[c];
    }
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

// Returns the number of steps for which a run of `steps` has ops: an open one goes past its end.
template <auto S>
constexpr int reached(int steps) {
  return steps + (S.is_open() ? S.depth() + 1 : 0);
}

// This is a run of Steps steps. A slot is one cluster of one iteration, counted from the first of the
// prologue. Events are numbered from 1 in the order of issue.
template <auto S, int Steps>
struct walk {
  static constexpr int kDepth = S.depth(), kClusters = S.clusters, kOps = S.kOps;
  static constexpr int kBodyBegins = kDepth * kClusters, kSlots = (Steps + kDepth) * kClusters;
  static constexpr int kReached = reached<S>(Steps);
  static constexpr int kSettled = -1;  // a place like a slot: the end of the prologue

  bool barrier[kSlots] = {}, used[kSlots] = {};
  int last_event[kOps][kReached] = {};
  int issued[kCounters][kSlots + 1] = {};  // before the slot
  // The event that must have landed in front of a slot, before its barrier and after it; 0: none.
  int before[kCounters][kSlots] = {}, after[kCounters][kSlots] = {}, settled[kCounters] = {};
  int taken[kSlots] = {};  // the event of lgkmcnt up to which the compiler waits in the slot
  finding found;

  // A prologue that issues its copies first does so before slot 0.
  static consteval int slot_of(int i, int step) {
    const int slot = (step - S.ops[i].ahead + kDepth) * kClusters + S.ops[i].cluster;
    return slot < kBodyBegins && S.comes_first(i) ? -1 : slot;
  }
  // The slot with which the turn of a slot begins; in step, all is one turn.
  static consteval int turn_of(int slot) {
    while (slot > 0 && !(S.is_ping_pong() && S.meets[slot % kClusters])) --slot;
    return slot;
  }
  static consteval int step_in(int i, int slot) { return slot / kClusters - kDepth + S.ops[i].ahead; }
  // Returns whether op i takes place in the slot's iteration and cluster.
  static consteval bool is_in(int i, int slot) {
    const int step = step_in(i, slot);
    return S.ops[i].cluster == slot % kClusters && step >= 0 && step < kReached && S.ops[i].works_for(step) &&
           S.ops[i].is_counted();
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

  // Requires that a multiply takes what the last read has put into the fragment, or the last vector has made.
  consteval void require_operand(int i, int step, operand from) {
    if (from.from == comes::before_run) return;
    const int slot = slot_of(i, step);
    int latest = -1, loader = 0, loaded = 0;
    for (int j = 0; j < kOps; ++j) {
      if (!S.loads(j, from.fragment) && !S.makes(j, from.fragment)) continue;
      for (int s = 0; s < kReached; ++s) {
        const int at = slot_of(j, s);
        if (at == slot) return fail(problem::fragment_overwritten, i, step);
        if (at < slot && at > latest) latest = at, loader = j, loaded = s;
      }
    }
    const bool is_made = from.from == comes::by_vector;
    const op &by = S.ops[loader];
    if (latest < 0 || loaded != step || is_made != (by.what == does::vector) ||
        (!is_made && (by.buffer != from.buffer || by.part != from.part))) {
      return fail(problem::fragment_stale, i, step);
    }
    if (is_made) return;
    // In ping-pong the wait stands before the barrier, behind which the other half of the waves has just
    // multiplied.
    const int turn = turn_of(slot);
    const bool is_compilers = S.operands == operand_waits::by_register && turn_of(latest) == turn;
    int &need = is_compilers ? taken[slot] : S.is_ping_pong() ? before[kLds][turn] : after[kLds][slot];
    need = last_event[loader][step] > need ? last_event[loader][step] : need;
  }
  // Requires that the sums of a vector's step are complete, and no multiply has begun them anew; and that
  // sums over all steps hold those before it.
  consteval void require_sums(int i, int step) {
    const int slot = slot_of(i, step);
    for (int j = 0; j < kOps; ++j) {
      const bool takes = S.ops[j].what == does::multiply && S.ops[i].takes.has(S.ops[j].sum);
      const bool updates = S.ops[j].what == does::multiply && S.ops[i].updates.has(S.ops[j].sum);
      const int last = takes ? step : step - 1;  // the last step that the sum must hold
      if (!takes && !updates) continue;
      if (last >= 0 && slot_of(j, last) >= slot) fail(problem::sum_incomplete, i, step);
      if (last + 1 < Steps && slot_of(j, last + 1) <= slot) fail(problem::sum_overwritten, i, step);
    }
  }
  // Requires that the last advance before a copy was for its step, if the buffer has any.
  consteval void require_advance(int i, int step) {
    const auto place = [](int op, int s) consteval {
      return (s - S.ops[op].ahead) * kClusters + S.ops[op].cluster;
    };
    int latest = 0;
    bool advances = false;
    for (int j = 0; j < kOps; ++j) {
      if (!S.advances_for(j, S.ops[i].buffer)) continue;
      advances = true;
      for (int s = 1; s < kReached; ++s) {
        if (place(j, s) == place(i, step)) return fail(problem::advanced_elsewhere, i, step);
        if (place(j, s) < place(i, step)) latest = s > latest ? s : latest;
      }
    }
    if (advances && latest != step) fail(problem::advanced_elsewhere, i, step);
  }
  // Requires that a put writes what the last fetch has loaded into its registers, of which it is one step.
  consteval void require_registers(int i, int step) {
    const int slot = slot_of(i, step), together = S.together(), wanted = step - step % together;
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
      for (int step = 0; step < kReached && slot_of(i, step) < kSlots; ++step) {
        if (o.what == does::vector) require_sums(i, step);
        if (o.what == does::copy) require_advance(i, step);
        if (o.what == does::vector || o.what == does::advance) continue;
        if (o.what == does::multiply) {
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
  using plan_type = plan<kDepth, S.storing(), S.together(), kClusters, S.is_open() ? 0 : kDepth>;
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
    const bool is_known = plan_type::is_body(row) && count > kSample;
    if (is_known) {
      apply(edge.before, run, slot, landed);
      apply(edge.after, run, slot, landed);
    } else {
      // While some waves lag, none may leave out a barrier.
      edge.barrier = run.barrier[slot] && (run.used[slot] || (S.is_ping_pong() && slot >= run.kBodyBegins));
      edge.before = wait_for(run, slot, {run.before[kVmem][slot], run.before[kLds][slot]}, landed);
      edge.after = wait_for(run, slot, {run.after[kVmem][slot], run.after[kLds][slot]}, landed);
    }
    landed[kLds] = run.taken[slot] > landed[kLds] ? run.taken[slot] : landed[kLds];
  }
  return p;
}

}  // namespace detail

// These are the waits and barriers of a schedule, or what is wrong with it.
template <auto Schedule>
constexpr auto derived = detail::derive<Schedule>();

}  // namespace wt::sched

#endif
