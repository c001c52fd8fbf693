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
  copy,      // global memory -> LDS, by all waves together
  fetch,     // global memory -> registers of this wave, which a put empties
  put,       // those registers -> LDS, by all waves together
  read,      // LDS -> a fragment of this wave
  multiply,  // two fragments, into a sum, by MFMAs
  store,     // registers -> global memory, beside the others: nothing waits for it
  apply      // two fragments, to a sum, by vector instructions
};

// This is where the micro-ops of an apply stand that shares a cluster with MFMAs: each behind its share of
// them, or before it.
enum class beside_mfmas { behind, before };

// This is a fragment that is multiplied, and the buffer whose data it must hold by then.
struct operand {
  int fragment, buffer;
};
// This stands for the scales of an operand that has none.
inline constexpr operand kUnscaled = {-1, -1};

// This is one op of an iteration. Buffers, fragments and sums are numbers from 0 on; what they stand for is
// the kernel's business.
struct op {
  does what = does::copy;
  int buffer = 0;          // that a copy or a put fills, a fetch is for, or a read takes from
  int fragment = 0;        // that a read loads
  operand a = {}, b = {};  // that a multiply or an apply takes
  operand scale_a = kUnscaled, scale_b = kUnscaled;  // the block scales of both, where it takes them
  int sum = 0;                                       // that a multiply or an apply adds to
  int ahead = 0;                                     // K steps: iteration i does the op for step i + ahead
  int steps = 1;  // that a fetch loads together; it does so for every steps-th step
  beside_mfmas place = beside_mfmas::behind;  // of an apply
  int iterations = 0;                         // of a store: the first ones of a run, in which it takes place
  int events = 0;                             // instructions that the wave's counter counts (see counts_lds)
  int each = 1;                               // of them that a micro-op issues
  int cluster = 0;

  // Returns whether the op takes operands and adds to a sum.
  constexpr bool adds() const { return what == does::multiply || what == does::apply; }
  // Returns how many operands such an op takes, and number `n` of them.
  constexpr int operands() const { return scale_a.fragment < 0 ? 2 : 4; }
  constexpr operand taken(int n) const { return n == 0 ? a : n == 1 ? b : n == 2 ? scale_a : scale_b; }
  // Returns whether lgkmcnt counts the op's events, as it does for reads and puts; for others it is vmcnt.
  constexpr bool counts_lds() const { return what == does::read || what == does::put; }
  // Returns whether the op takes place for a step, where runs begin with step 0.
  constexpr bool works_for(int step) const {
    if (what == does::store) return step < iterations;
    return step % steps == 0;
  }
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
// Returns the op that multiplies two fragments with the block scales of both, which are fragments, too.
consteval op multiply_scaled(int sum, operand a, operand scale_a, operand b, operand scale_b, int ahead = 0) {
  return {.what = does::multiply,
          .a = a,
          .b = b,
          .scale_a = scale_a,
          .scale_b = scale_b,
          .sum = sum,
          .ahead = ahead};
}
// Return the op that works on two fragments with vector instructions, into a sum: such as scales that are
// applied to the product of an earlier multiply. It waits for its fragments as a multiply does. In step, its
// micro-ops go evenly between the MFMAs of its cluster: behind them, or with apply_first before them. In
// ping-pong, it belongs to a cluster that moves data.
consteval op apply(int sum, operand a, operand b, int ahead = 0) {
  return {.what = does::apply, .a = a, .b = b, .sum = sum, .ahead = ahead};
}
consteval op apply_first(int sum, operand a, operand b, int ahead = 0) {
  op o = apply(sum, a, b, ahead);
  o.place = beside_mfmas::before;
  return o;
}
// Return the ops that do a copy's work in two parts: a fetch loads `steps` steps of a buffer together, when
// the first of them is `ahead` steps ahead, and a put writes one of them to LDS. A micro-op of a fetch loads
// a piece of every step, so `events` is `steps` times the size of its list. Where a fetch refills what a put
// of its cluster writes, it stands right behind the put, and each of its micro-ops follows the put's. In
// fetch_joined, the pieces of all steps lie together and are one load, so `events` is the size of the list.
consteval op fetch(int buffer, int ahead, int steps, int events) {
  return {
      .what = does::fetch, .buffer = buffer, .ahead = ahead, .steps = steps, .events = events, .each = steps};
}
consteval op fetch_joined(int buffer, int ahead, int steps, int events) {
  return {.what = does::fetch, .buffer = buffer, .ahead = ahead, .steps = steps, .events = events};
}
consteval op put(int buffer, int ahead, int events) {
  return {.what = does::put, .buffer = buffer, .ahead = ahead, .events = events};
}
// Returns the op that stores something in each of the first iterations of a run.
consteval op store(int iterations, int events) {
  return {.what = does::store, .iterations = iterations, .events = events};
}

// These are ops between which the wave waits for nothing. In step, they run at the same time: reads, copies
// and the like go between the MFMAs. In ping-pong, a cluster either multiplies or moves data, first its
// reads, then the others in their order.
template <int Ops>
struct ops_together {
  op ops[Ops > 0 ? Ops : 1];
};
inline constexpr ops_together<0> no_ops = {};

namespace detail {
template <class Part>
inline constexpr int kOpsOf = 1;
template <int Ops>
inline constexpr int kOpsOf<ops_together<Ops>> = Ops;
}  // namespace detail

// Returns the cluster of these ops; an argument may also be several ops together, or no_ops.
template <class... Part>
consteval auto cluster(Part... parts) {
  constexpr int kOps = (detail::kOpsOf<Part> + ... + 0);
  static_assert(kOps > 0, "a cluster needs an op: leave an empty one out");
  ops_together<kOps> all;
  int count = 0;
  const auto add = [&](const auto &part) {
    if constexpr (requires { part.ops; }) {
      constexpr int kCount = detail::kOpsOf<__remove_cvref(decltype(part))>;
      for (int i = 0; i < kCount; ++i) all.ops[count++] = part.ops[i];
    } else {
      all.ops[count++] = part;
    }
  };
  (add(parts), ...);
  return all;
}

// This is a buffer's name, padded with zeros, for those who look at the schedule (`wavetile schedule`).
struct buffer_name {
  static constexpr int kMost = 7;  // characters
  char text[kMost] = {};
};

// These are the numbers of stages of buffer 0, buffer 1, ...: step s is kept in stage s mod stages.
template <int Buffers>
struct buffers {
  int stages[Buffers];
  buffer_name names[Buffers] = {};

  template <class... Int>
    requires(sizeof...(Int) == Buffers && (__is_convertible(Int, int) && ...))
  consteval buffers(Int... counts) : stages{counts...} {}

  // Returns the same buffers with names, as in buffers{2, 2}.named("A", "B").
  template <int... Sizes>
  consteval buffers named(const char (&...texts)[Sizes]) const {
    static_assert(sizeof...(Sizes) == Buffers,
                  "name each buffer once: the names have another number than the buffers");
    static_assert(((Sizes <= buffer_name::kMost + 1) && ...),
                  "the name of a buffer is longer than 7 characters: shorten it");
    buffers same = *this;
    int count = 0;
    const auto add = [&](const char *text) {
      buffer_name &name = same.names[count++];
      for (int i = 0; text[i] != 0; ++i) name.text[i] = text[i];
    };
    (add(texts), ...);
    return same;
  }
};
template <class... Int>
buffers(Int...) -> buffers<sizeof...(Int)>;

// This says when the prologue issues its copies and fetches.
enum class prologue {
  woven,        // in their clusters, as all other ops
  copies_first  // before anything else
};

// This is a schedule. It is a structural type, so that it can be a template argument.
template <int Buffers, int Ops>
struct schedule {
  static constexpr int kBuffers = Buffers, kOps = Ops;
  int clusters = 0;
  // In ping-pong, this is the first wave that lags one barrier behind, as all after it do; in step, it is 0.
  int lag_from = 0;
  int stages[Buffers] = {};
  buffer_name names[Buffers] = {};
  op ops[Ops] = {};
  prologue begins = prologue::woven;
  int stores_between = 0;  // that the caller issues between the prologue's copies and the rest (resume)

  // Returns whether half of the waves lag behind the others.
  constexpr bool is_ping_pong() const { return lag_from > 0; }
  // Returns how many steps the fetches load together, for a buffer or at most; runs have a multiple of them.
  constexpr int together(int buffer) const {
    for (const op &o : ops) {
      if (o.what == does::fetch && o.buffer == buffer && o.steps > 1) return o.steps;
    }
    return 1;
  }
  constexpr int together() const {
    int most = 1;
    for (int buffer = 0; buffer < Buffers; ++buffer) {
      most = together(buffer) > most ? together(buffer) : most;
    }
    return most;
  }
  constexpr int whole(int steps) const { return (steps + together() - 1) / together() * together(); }
  // Returns how many steps the earliest op is ahead. The prologue and the epilogue have as many iterations
  // each, and a run has at least as many steps.
  constexpr int depth() const {
    int most = 0;
    for (const op &o : ops) most = o.ahead > most ? o.ahead : most;
    return whole(most);
  }
  // Returns how many iterations after the prologue differ from the others, as they store.
  constexpr int storing() const {
    int most = 0;
    for (const op &o : ops) most = o.iterations > most ? o.iterations : most;
    return whole(most);
  }
  // Returns after how many steps all buffers are in the same stages again, and their registers too.
  constexpr int period() const {
    int steps = together();
    while (!returns_after(steps)) steps += together();
    return steps;
  }
  constexpr bool returns_after(int steps) const {
    for (int count : stages) {
      if (steps % count != 0) return false;
    }
    return true;
  }
  // Return whether op i fills the buffer, fetches for it, puts into it or reads it, loads or takes the
  // fragment, and whether cluster c has an op that does `what`.
  constexpr bool fills(int i, int buffer) const {
    return (ops[i].what == does::copy || ops[i].what == does::put) && ops[i].buffer == buffer;
  }
  constexpr bool fetches_for(int i, int buffer) const {
    return ops[i].what == does::fetch && ops[i].buffer == buffer;
  }
  constexpr bool puts_into(int i, int buffer) const {
    return ops[i].what == does::put && ops[i].buffer == buffer;
  }
  constexpr bool reads_from(int i, int buffer) const {
    return ops[i].what == does::read && ops[i].buffer == buffer;
  }
  constexpr bool loads(int i, int fragment) const {
    return ops[i].what == does::read && ops[i].fragment == fragment;
  }
  constexpr bool takes(int i, int fragment) const {
    for (int n = 0; n < ops[i].operands(); ++n) {
      if (ops[i].adds() && ops[i].taken(n).fragment == fragment) return true;
    }
    return false;
  }
  // Returns whether a read loads the operand's fragment from its buffer.
  constexpr bool brings(operand from) const {
    for (int i = 0; i < Ops; ++i) {
      if (loads(i, from.fragment) && reads_from(i, from.buffer)) return true;
    }
    return false;
  }
  constexpr bool has(int c, does what) const {
    for (const op &o : ops) {
      if (o.cluster == c && o.what == what) return true;
    }
    return false;
  }
  // Returns whether op i + 1 refills the registers that op i writes to LDS, in the same cluster.
  constexpr bool is_refilled(int i) const {
    return i + 1 < Ops && ops[i].what == does::put && fetches_for(i + 1, ops[i].buffer) &&
           ops[i].cluster == ops[i + 1].cluster;
  }
  // Returns whether reads and puts of the cluster go between the same MFMAs, so that no count tells them
  // apart.
  constexpr bool mixes_lds(int c) const {
    return !is_ping_pong() && has(c, does::multiply) && has(c, does::read) && has(c, does::put);
  }
  // Returns whether the prologue issues the op before all others.
  constexpr bool comes_first(int i) const {
    return begins == prologue::copies_first && (ops[i].what == does::copy || ops[i].what == does::fetch);
  }
};

namespace detail {
template <int Buffers, int... Ops>
consteval auto assemble(int lag_from, buffers<Buffers> in, ops_together<Ops>... clusters) {
  schedule<Buffers, (Ops + ... + 0)> s;
  s.lag_from = lag_from;
  for (int i = 0; i < Buffers; ++i) s.stages[i] = in.stages[i], s.names[i] = in.names[i];
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

// Returns the schedule with a prologue that issues all copies and fetches first. `stores` is how many stores
// the caller issues before anything else follows (start and resume in pipeline.h).
template <int Buffers, int Ops>
consteval auto copies_first(schedule<Buffers, Ops> s, int stores = 0) {
  s.begins = prologue::copies_first;
  s.stores_between = stores;
  return s;
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
  never_fetched,
  never_put,
  uneven_fetches,
  apart_from_put,
  mixed_cluster,
  read_too_early,
  overwritten_too_early,
  put_too_early,
  refilled_too_early,
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
// first Storing iterations, the body, whose iterations repeat after Phases, and Depth of epilogue.
template <int Depth, int Storing, int Phases, int Clusters>
struct plan {
  static constexpr int kDepth = Depth, kClusters = Clusters, kBody = Depth + Storing, kPhases = Phases;
  static constexpr int kEpilogue = kBody + Phases, kRows = kEpilogue + Depth;
  boundary rows[kRows][Clusters] = {};
  waits settled;  // at the end of the prologue, before some waves begin to lag
  finding found;

  // Returns the row of iteration number `count` of a run of `steps` steps. Its iterations are counted from
  // the first of the prologue; there are steps + Depth.
  static constexpr int row_of(int count, int steps) {
    if (count < kBody) return count;
    return count < steps ? kBody + (count - kBody) % Phases : count - steps + kEpilogue;
  }
  static constexpr bool is_body(int row) { return row >= kBody && row < kEpilogue; }
  // Returns whether the op takes place in a row.
  static constexpr bool issues(const op &o, int row) {
    if (row < Depth && o.ahead < Depth - row) return false;
    if (row >= kEpilogue && o.ahead >= kRows - row) return false;
    // Depth, Storing and Phases are multiples of what fetches load together.
    return o.what == does::store ? row >= Depth && row < Depth + o.iterations
                                 : (row + o.ahead) % o.steps == 0;
  }
};

}  // namespace wt::sched

#endif
