// SPDX-License-Identifier: MIT
// This header derives the waits and barriers of a pipeline from its schedule, by walking through a whole run
// of it.
#ifndef WT_SCHED_PIPELINE_DERIVE_H
#define WT_SCHED_PIPELINE_DERIVE_H

#include "../tiles/evaluated.h"
#include "pipeline_plan.h"
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
//   - Vectors and advances work on registers, and nothing waits for them: only their order among multiplies
//     and copies must be right.
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

// These are the numbers of those ops of a schedule that are as `is` wants them, in their order; is(j) is
// about op j. What is asked of pairs of ops in every step is asked once so: compilers bound how many steps a
// constant may take.
template <auto S>
struct op_numbers {
  int count = 0;
  int op[S.kOps] = {};

  consteval op_numbers() = default;
  template <class Is>
  consteval explicit op_numbers(const Is &is) {
    for (int j = 0; j < S.kOps; ++j) {
      if (is(j)) op[count++] = j;
    }
  }
  constexpr const int *begin() const { return op; }
  constexpr const int *end() const { return op + count; }
};
// Returns whether there is any such op.
template <auto S, class Is>
consteval bool any_op(const Is &is) {
  return op_numbers<S>(is).count != 0;
}

// These are the ops of each cluster.
template <auto S>
struct cluster_table {
  op_numbers<S> of[S.clusters];

  consteval cluster_table() {
    for (int i = 0; i < S.kOps; ++i) {
      op_numbers<S> &own = of[S.ops[i].cluster];
      own.op[own.count++] = i;
    }
  }
};
template <auto S>
inline constexpr cluster_table<S> clusters_of;

// Returns what is wrong with an operand of a multiply: nothing brings its fragment.
template <auto S>
consteval problem misuse_of_operand(const operand &from) {
  if (from.fragment < 0 || from.fragment >= kMostNumbers) return problem::unknown_number;
  const auto brings = [&](int j) {
    const bool reads =
        S.loads(j, from.fragment) && S.reads_from(j, from.buffer) && S.ops[j].part == from.part;
    return from.from == comes::by_read ? reads : S.makes(j, from.fragment);
  };
  const auto overwrites = [&](int j) { return S.loads(j, from.fragment) || S.makes(j, from.fragment); };
  if (from.from == comes::before_run) {
    return any_op<S>(overwrites) ? problem::fragment_stale : problem::none;
  }
  const bool is_known = from.from != comes::by_read || S.has_buffer(from.buffer);
  if (!is_known) return problem::unknown_buffer;
  return any_op<S>(brings) ? problem::none : problem::never_loaded;
}

// Returns what is wrong with an op that computes: its operands, or its place.
template <auto S>
consteval problem misuse_of_computing(int i) {
  const op &o = S.ops[i];
  if (o.ahead > 0 && S.is_open()) return problem::past_the_end;
  if (o.adds()) {
    if (o.sum < 0 || o.sum >= kMostNumbers) return problem::unknown_number;
    for (int n = 0; n < op::kOperands; ++n) {
      const bool may_lack = n >= 2;  // scales and start
      const problem what =
          may_lack && o.taken(n).is_absent() ? problem::none : misuse_of_operand<S>(o.taken(n));
      if (what != problem::none) return what;
    }
    return o.start.is_absent() || S.begins_sum(i) ? problem::none : problem::start_untaken;
  }
  if (!o.takes.known || !o.makes.known || !o.updates.known) return problem::unknown_number;
  const auto is_beside = [&](int j) {
    const bool may_be = !S.is_ping_pong() && S.ops[j].what == does::multiply;
    return j != i && S.ops[j].cluster == o.cluster && S.ops[j].computes() && !may_be;
  };
  if (any_op<S>(is_beside)) return problem::crowded_vector;
  for (int n = 0; n < kMostNumbers; ++n) {
    const auto adds = [n](int j) { return S.adds_to(j, n); };
    const auto takes = [n](int j) { return S.takes(j, n); };
    if ((o.takes.has(n) || o.updates.has(n)) && !any_op<S>(adds)) return problem::never_summed;
    if (o.makes.has(n) && !any_op<S>(takes)) return problem::never_multiplied;
  }
  return problem::none;
}

// Returns what is wrong with an op that moves data, or prepares that: nothing comes before it, or nothing
// follows.
template <auto S>
consteval problem misuse_of_moving(int i) {
  const op &o = S.ops[i];
  const auto fills = [&](int j) { return S.fills(j, o.buffer); };
  const auto reads = [&](int j) { return S.reads_from(j, o.buffer); };
  const auto fetches = [&](int j) { return S.fetches_for(j, o.buffer); };
  const auto puts = [&](int j) { return S.puts_into(j, o.buffer); };
  const auto takes = [&](int j) { return S.takes(j, o.fragment); };
  const auto points = [&](int j) { return S.advances_pointer(j, o.pointer); };
  const auto is_apart = [&](int j) {
    return S.fetches_for(j, o.buffer) && S.ops[j].cluster == o.cluster && j != i + 1;
  };
  if (o.pointer != kNoPointer && (o.pointer < 0 || o.pointer >= kMostNumbers)) return problem::unknown_number;
  if (!S.has_buffer(o.buffer)) return problem::unknown_buffer;
  if (o.what == does::advance && o.pointer != kNoPointer) {
    const auto uses = [&](int j) { return S.reads_by(j, o.pointer); };
    return any_op<S>(uses) ? problem::none : problem::never_pointed;
  }
  if (o.what == does::advance) return any_op<S>(fills) ? problem::none : problem::never_copied;
  if (o.events <= 0) return problem::no_events;
  if (S.is_ping_pong() && S.operands == operand_waits::whole && S.has(o.cluster, does::multiply)) {
    return problem::mixed_cluster;
  }
  switch (o.what) {
    case does::fetch: {
      const bool is_even = o.steps > 0 && o.steps == S.together(o.buffer) && S.together() % o.steps == 0;
      if (!is_even) return problem::uneven_fetches;
      return any_op<S>(puts) ? problem::none : problem::never_put;
    }
    case does::read:
      if (o.fragment < 0 || o.fragment >= kMostNumbers) return problem::unknown_number;
      if (!any_op<S>(fills)) return problem::never_copied;
      if (o.pointer != kNoPointer && !any_op<S>(points)) return problem::never_advanced;
      return any_op<S>(takes) ? problem::none : problem::never_multiplied;
    case does::put:
      if (any_op<S>(is_apart)) return problem::apart_from_put;
      if (!any_op<S>(fetches)) return problem::never_fetched;
      break;
    default: break;
  }
  return o.what == does::store || any_op<S>(reads) ? problem::none : problem::never_read;
}

// Returns what is wrong with a schedule whatever the time at which its ops run.
template <auto S>
consteval finding misuse() {
  bool may_lead = S.leaders == 0;
  for (int c = 0; c < S.clusters && !S.is_ping_pong(); ++c) may_lead = may_lead || S.only_multiplies(c);
  if (!may_lead) return {problem::nobody_follows, 0, 0};
  for (int i = 0; i < S.kOps; ++i) {
    if (S.ops[i].ahead < 0) return {problem::negative_ahead, i, 0};
    const problem what = S.ops[i].computes() ? misuse_of_computing<S>(i) : misuse_of_moving<S>(i);
    if (what != problem::none) return {what, i, 0};
  }
  return {};
}

// Describes the boundaries of the body that have a barrier.
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
      best.at[c] = S.begins_interval(c);
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
  // These are the events that must have landed in front of a slot, before its barrier and after it; 0: none.
  int before[kCounters][kSlots] = {}, after[kCounters][kSlots] = {}, settled[kCounters] = {};
  int taken[kSlots] = {};  // the event of lgkmcnt up to which the compiler waits in the slot
  finding found;

  // A prologue that issues its copies first does so before slot 0.
  static consteval int slot_of(int i, int step) {
    const int slot = (step - S.ops[i].ahead + kDepth) * kClusters + S.ops[i].cluster;
    return slot < kBodyBegins && S.comes_first(i) ? -1 : slot;
  }
  // Returns the slot with which the interval of a slot begins; in step, all is one interval.
  static consteval int interval_of(int slot) {
    while (slot > 0 && !S.begins_interval(slot % kClusters)) --slot;
    return slot;
  }
  static consteval int step_in(int i, int slot) { return slot / kClusters - kDepth + S.ops[i].ahead; }
  // Returns whether op i, which is one of the slot's cluster, takes place in its iteration and is counted.
  static consteval bool is_in(int i, int slot) {
    const int step = step_in(i, slot);
    return step >= 0 && step < kReached && S.ops[i].works_for(step) && S.ops[i].is_counted();
  }

  consteval void number_events() {
    int count[kCounters] = {};
    const auto number = [&](int i, int slot) {
      last_event[i][step_in(i, slot)] = count[counter_of(S.ops[i])] += S.ops[i].events;
    };
    for (int slot = 0; slot < kBodyBegins; ++slot) {
      for (int i : clusters_of<S>.of[slot % kClusters]) {
        if (S.comes_first(i) && is_in(i, slot)) number(i, slot);
      }
    }
    count[kVmem] += S.stores_between;
    bool mixes[kClusters] = {};
    for (int c = 0; c < kClusters; ++c) mixes[c] = S.mixes_lds(c);
    for (int slot = 0; slot < kSlots; ++slot) {
      const op_numbers<S> &own = clusters_of<S>.of[slot % kClusters];
      for (int k = 0; k < kCounters; ++k) issued[k][slot] = count[k];
      for (int i : own) {
        if (S.ops[i].what == does::read && is_in(i, slot)) number(i, slot);
      }
      for (int i : own) {
        const bool is_earlier = slot < kBodyBegins && S.comes_first(i);
        if (S.ops[i].what != does::read && is_in(i, slot) && !is_earlier) number(i, slot);
      }
      if (!mixes[slot % kClusters]) continue;
      for (int i : own) {
        if (is_in(i, slot) && S.ops[i].counts_lds()) last_event[i][step_in(i, slot)] = count[kLds];
      }
    }
  }

  // Returns the latest place for a wait of which all waves know in front of the slot; -2: there is none.
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

  // Requires that a multiply takes what the last read has put into the fragment, or the last vector has made;
  // these are among `loaders`.
  consteval void require_operand(int i, int step, operand from, const op_numbers<S> &loaders) {
    const int slot = slot_of(i, step);
    int latest = -1, loader = 0, loaded = 0;
    for (int j : loaders) {
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
    const int begin = interval_of(slot);
    const bool is_compilers = S.operands == operand_waits::by_register && interval_of(latest) == begin;
    int &need = is_compilers ? taken[slot] : S.is_ping_pong() ? before[kLds][begin] : after[kLds][slot];
    need = last_event[loader][step] > need ? last_event[loader][step] : need;
  }
  // Requires that the sums of a vector's step are complete, and no multiply has begun them anew; and that
  // sums over all steps hold those before it.
  consteval void require_sums(int i, int step) {
    const int slot = slot_of(i, step);
    for (int j = 0; j < kOps; ++j) {
      const bool takes = S.ops[j].adds() && S.ops[i].takes.has(S.ops[j].sum);
      const bool updates = S.ops[j].adds() && S.ops[i].updates.has(S.ops[j].sum);
      const int last = takes ? step : step - 1;  // the last step that the sum must hold
      if (!takes && !updates) continue;
      if (last >= 0 && slot_of(j, last) >= slot) fail(problem::sum_incomplete, i, step);
      if (last + 1 < Steps && slot_of(j, last + 1) <= slot) fail(problem::sum_overwritten, i, step);
    }
  }
  // Requires that vectors have taken the sums of the step before, where a read loads what they begin with.
  consteval void require_taken(int i, int step, const op_numbers<S> &takers) {
    for (int v : takers) {
      if (step > 0 && slot_of(v, step - 1) >= slot_of(i, step)) fail(problem::sum_overwritten, i, step);
    }
  }
  // Requires that the last of the advances before a copy or a read was for its step, if there are any.
  consteval void require_advance(int i, int step, const op_numbers<S> &advances) {
    const auto place = [](int op, int s) consteval {
      return (s - S.ops[op].ahead) * kClusters + S.ops[op].cluster;
    };
    int latest = 0;
    for (int j : advances) {
      for (int s = 1; s < kReached; ++s) {
        if (place(j, s) == place(i, step)) return fail(problem::advanced_elsewhere, i, step);
        if (place(j, s) < place(i, step)) latest = s > latest ? s : latest;
      }
    }
    if (advances.count != 0 && latest != step) fail(problem::advanced_elsewhere, i, step);
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

  // Collect what the ops need: those that add, those that read, and those that fill a buffer.
  consteval void collect_adding(int i, operand from) {
    const op_numbers<S> loaders(
        [&](int j) { return S.loads(j, from.fragment) || S.makes(j, from.fragment); });
    for (int step = 0; is_within(i, step); ++step) require_operand(i, step, from, loaders);
  }
  consteval void collect_reading(int i) {
    const op_numbers<S> fills([i](int j) { return S.fills(j, S.ops[i].buffer); });
    const op_numbers<S> takers([i](int j) { return S.starts_sum_of(i, j); });
    const op_numbers<S> advances([i](int j) { return S.advances_pointer(j, S.ops[i].pointer); });
    for (int step = 0; is_within(i, step); ++step) {
      require_taken(i, step, takers);
      require_advance(i, step, advances);
      for (int j : fills) require(j, step, i, step, problem::read_too_early);
    }
  }
  consteval void collect_filling(int i) {
    const op_numbers<S> readers([i](int j) { return S.reads_from(j, S.ops[i].buffer); });
    const op_numbers<S> advances([i](int j) { return S.advances_for(j, S.ops[i].buffer); });
    for (int step = 0; is_within(i, step); ++step) {
      const int old = step - S.stages[S.ops[i].buffer];
      if (S.ops[i].what == does::copy) require_advance(i, step, advances);
      if (S.ops[i].what == does::put) require_registers(i, step);
      for (int j : readers) {
        if (old >= 0) require(j, old, i, step, problem::overwritten_too_early);
      }
    }
  }
  static consteval bool is_within(int i, int step) { return step < kReached && slot_of(i, step) < kSlots; }

  consteval void collect() {
    number_events();
    for (int i = 0; i < kOps; ++i) {
      const op &o = S.ops[i];
      for (int n = 0; n < op::kOperands && o.adds(); ++n) {
        const operand from = o.taken(n);
        if (!from.is_absent() && from.from != comes::before_run) collect_adding(i, from);
      }
      for (int step = 0; o.what == does::vector && is_within(i, step); ++step) require_sums(i, step);
      if (o.what == does::read) collect_reading(i);
      if (S.fills(i, o.buffer)) collect_filling(i);
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
constexpr auto derived = evaluated<detail::derive<Schedule>()>;

}  // namespace wt::sched

#endif
