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
  multiply,  // two fragments, into a sum
  vector,    // sums that multiplies have made -> fragments to multiply, by the vector unit
  advance,   // scalar registers: the addresses of the next copy of a buffer, which is slow in its cluster
  store      // registers -> global memory, beside the others: nothing waits for it
};

// This says how a fragment comes to hold what is multiplied.
enum class comes {
  by_read,     // from LDS
  by_vector,   // a vector makes it
  before_run,  // the caller loads it, and nothing in the run does
};

// This is a fragment that is multiplied, and the buffer, and the part of it, whose data it must hold by then.
struct operand {
  int fragment, buffer;
  int part = 0;
  comes from = comes::by_read;
};
// Return the operand that a vector makes, and one that the caller has loaded.
consteval operand made(int fragment) { return {fragment, 0, 0, comes::by_vector}; }
consteval operand kept(int fragment) { return {fragment, 0, 0, comes::before_run}; }

// Buffers, fragments and sums are numbers, of which a schedule has no more than this.
constexpr int kMostNumbers = 32;

// These are several of the fragments or of the sums.
struct numbers {
  unsigned bits = 0;
  bool known = true;  // all are from 0 on and less than kMostNumbers

  consteval numbers() = default;
  template <class... Int>
  consteval numbers(Int... all) {
    const auto add = [this](int n) {
      known = known && n >= 0 && n < kMostNumbers;
      if (known) bits |= 1u << n;
    };
    (add(all), ...);
  }
  constexpr bool has(int n) const { return (bits >> n & 1) != 0; }
};
// This stands for the scales of an operand that has none.
inline constexpr operand kUnscaled = {-1, -1};

// This is one op of an iteration. Buffers, fragments and sums are numbers from 0 on; what they stand for is
// the kernel's business.
struct op {
  does what = does::copy;
  int buffer = 0;          // that a copy or a put fills, a fetch or an advance is for, or a read takes from
  int part = 0;            // of the buffer, that a read takes
  int fragment = 0;        // that a read loads
  operand a = {}, b = {};  // that a multiply takes
  operand scale_a = kUnscaled, scale_b = kUnscaled;  // the block scales of both, where it takes them
  int sum = 0;                                       // that a multiply adds to
  int number = 0;                                    // of a vector, by which the kernel tells it from others
  numbers takes = {};    // sums that a vector takes: they begin anew with each step
  numbers makes = {};    // fragments that a vector makes
  numbers updates = {};  // sums over all steps that a vector changes before its step is added
  int ahead = 0;         // K steps: iteration i does the op for step i + ahead
  int steps = 1;         // that a fetch loads together; it does so for every steps-th step
  int iterations = 0;    // of a store: the first ones of a run, in which it takes place
  int events = 0;        // instructions that the wave's counter counts (see counts_lds)
  int each = 1;          // of them that a micro-op issues
  int cluster = 0;
  bool through = false;  // of a copy: it goes through registers at once, and lgkmcnt counts it

  // Returns how many operands a multiply takes, and number `n` of them.
  constexpr int operands() const { return scale_a.fragment < 0 ? 2 : 4; }
  constexpr operand taken(int n) const { return n == 0 ? a : n == 1 ? b : n == 2 ? scale_a : scale_b; }
  // Returns whether the wave's counters count the op; others work on registers alone.
  constexpr bool is_counted() const {
    return what != does::multiply && what != does::vector && what != does::advance;
  }
  // Returns whether lgkmcnt counts the op's events, as it does for reads and puts; for others it is vmcnt.
  constexpr bool counts_lds() const { return what == does::read || what == does::put || through; }
  // Returns how many iterations before the first the op begins. The first copy needs no advance.
  constexpr int lead() const { return what == does::advance ? ahead - 1 : ahead; }
  // Returns whether the op takes place for a step, where runs begin with step 0.
  constexpr bool works_for(int step) const {
    if (what == does::store) return step < iterations;
    if (what == does::advance) return step > 0;
    return step % steps == 0;
  }
};

// Return the op that copies to a buffer, reads from it into a fragment, or multiplies two fragments into a
// sum. `events` is the size of its list of micro-ops.
consteval op copy(int buffer, int ahead, int events) {
  return {.what = does::copy, .buffer = buffer, .ahead = ahead, .events = events};
}
consteval op read(int buffer, int fragment, int ahead, int events, int part = 0) {
  return {.what = does::read,
          .buffer = buffer,
          .part = part,
          .fragment = fragment,
          .ahead = ahead,
          .events = events};
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
// Returns the copy that goes through registers, one micro-op at a time, for data that a direct copy cannot
// take. `events` is how many writes to LDS it issues.
consteval op copy_through(int buffer, int ahead, int events) {
  return {.what = does::copy, .buffer = buffer, .ahead = ahead, .events = events, .through = true};
}
// Returns the op in which the vector unit makes fragments from sums; its number is for the kernel. The
// multiplies of a step begin sums that a vector takes anew. Sums that it updates hold all earlier steps by
// then, and not yet its own.
consteval op vector(int number, numbers takes, numbers makes, numbers updates = {}, int ahead = 0) {
  return {.what = does::vector,
          .number = number,
          .takes = takes,
          .makes = makes,
          .updates = updates,
          .ahead = ahead};
}
// Returns the op that prepares the copy of a buffer for the step that is `ahead` steps ahead, so that this
// costs nothing in the copy's cluster. The lists begin a run with step 0 prepared.
consteval op advance(int buffer, int ahead) {
  return {.what = does::advance, .buffer = buffer, .ahead = ahead};
}
// Returns the op that stores something in each of the first iterations of a run.
consteval op store(int iterations, int events) {
  return {.what = does::store, .iterations = iterations, .events = events};
}

// These are ops between which the wave waits for nothing. In step, they run at the same time: reads, copies
// and the like go between the MFMAs, or between the micro-ops of a vector. In ping-pong, a cluster either
// multiplies or moves data, first its reads, then the others in their order; with operand_waits::by_register
// it may do both at the same time.
template <int Ops>
struct ops_together {
  op ops[Ops > 0 ? Ops : 1];
};
inline constexpr ops_together<0> no_ops = {};

// These are the clusters that a wave runs in ping-pong between two barriers, while the other half of the
// waves has its turn.
template <int Ops>
struct turn_of_clusters {
  op ops[Ops];
  int clusters = 0;
  bool meets = true;  // the other half, at a barrier in front
};

namespace detail {
template <class Part>
inline constexpr int kOpsOf = 1;
template <int Ops>
inline constexpr int kOpsOf<ops_together<Ops>> = Ops;
template <int Ops>
inline constexpr int kOpsOf<turn_of_clusters<Ops>> = Ops;
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

// Returns the turn of these clusters.
template <int... Ops>
consteval auto turn(ops_together<Ops>... clusters) {
  turn_of_clusters<(Ops + ...)> all;
  int count = 0;
  const auto add = [&](const auto &cluster) {
    for (op o : cluster.ops) {
      o.cluster = all.clusters;
      all.ops[count++] = o;
    }
    ++all.clusters;
  };
  (add(clusters), ...);
  return all;
}
// Returns the first turn of an iteration, which goes on with the last turn of the iteration before: the loop
// branches in the midst of a turn, where MFMAs hide it.
template <int... Ops>
consteval auto rest_of_turn(ops_together<Ops>... clusters) {
  auto all = turn(clusters...);
  all.meets = false;
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

// This says how a run ends.
enum class ending {
  drained,  // an epilogue leaves out what would be for steps past the end
  open      // copies, reads and advances run on for steps past the end, for which lists bring what they like
};

// This says who waits for the reads of what is multiplied.
enum class operand_waits {
  whole,       // the schedule, in front of the cluster, for all that it multiplies
  by_register  // the compiler, in front of each MFMA: reads may end late between the MFMAs before
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
  bool meets[Ops] = {};  // of a cluster, in ping-pong: a barrier stands in front, where a turn begins
  prologue begins = prologue::woven;
  ending ends = ending::drained;
  operand_waits operands = operand_waits::whole;
  int stores_between = 0;  // that the caller issues between the prologue's copies and the rest (resume)

  // Returns whether half of the waves lag behind the others.
  constexpr bool is_ping_pong() const { return lag_from > 0; }
  // Returns how many steps the fetches load together; runs have a multiple of them.
  constexpr int together() const {
    for (const op &o : ops) {
      if (o.what == does::fetch) return o.steps > 1 ? o.steps : 1;
    }
    return 1;
  }
  constexpr int whole(int steps) const { return (steps + together() - 1) / together() * together(); }
  constexpr bool is_open() const { return ends == ending::open; }
  // Returns how many steps the earliest op is ahead. The prologue has as many iterations, and so has the
  // epilogue, unless the run is open; a run with an epilogue has at least as many steps.
  constexpr int depth() const {
    int most = 0;
    for (const op &o : ops) most = o.lead() > most ? o.lead() : most;
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
  // fragment, and whether cluster c multiplies.
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
  constexpr bool makes(int i, int fragment) const {
    return ops[i].what == does::vector && ops[i].makes.has(fragment);
  }
  constexpr bool advances_for(int i, int buffer) const {
    return ops[i].what == does::advance && ops[i].buffer == buffer;
  }
  constexpr bool adds_to(int i, int sum) const { return ops[i].what == does::multiply && ops[i].sum == sum; }
  // Returns whether a vector takes the sum, which then begins anew with each step.
  constexpr bool is_taken(int sum) const {
    for (const op &o : ops) {
      if (o.what == does::vector && o.takes.has(sum)) return true;
    }
    return false;
  }
  // Returns whether multiply i is the first one of its step into a sum that a vector takes.
  constexpr bool begins_sum(int i) const {
    if (ops[i].what != does::multiply || !is_taken(ops[i].sum)) return false;
    const auto place = [this](int n) { return (ops[n].cluster - ops[n].ahead * clusters) * Ops + n; };
    for (int j = 0; j < Ops; ++j) {
      if (adds_to(j, ops[i].sum) && place(j) < place(i)) return false;
    }
    return true;
  }
  constexpr bool takes(int i, int fragment) const {
    for (int n = 0; n < ops[i].operands(); ++n) {
      if (ops[i].what == does::multiply && ops[i].taken(n).fragment == fragment) return true;
    }
    return false;
  }
  constexpr bool has(int c, does what) const {
    for (const op &o : ops) {
      if (o.cluster == c && o.what == what) return true;
    }
    return false;
  }
  constexpr bool multiplies(int c) const { return has(c, does::multiply); }
  // Returns whether op i + 1 refills the registers that op i writes to LDS, in the same cluster.
  constexpr bool is_refilled(int i) const {
    return i + 1 < Ops && ops[i].what == does::put && fetches_for(i + 1, ops[i].buffer) &&
           ops[i].cluster == ops[i + 1].cluster;
  }
  // Returns whether reads, copies and the like of the cluster go between MFMAs or the micro-ops of a vector.
  constexpr bool interleaves(int c) const {
    const bool in_mfmas = !is_ping_pong() || operands == operand_waits::by_register;
    return has(c, does::vector) || (in_mfmas && multiplies(c));
  }
  // Returns whether reads from LDS and writes to it are so interleaved that no count tells them apart.
  constexpr bool mixes_lds(int c) const {
    bool writes = false;
    for (const op &o : ops) writes = writes || (o.cluster == c && o.counts_lds() && o.what != does::read);
    return interleaves(c) && has(c, does::read) && writes;
  }
  // Returns whether the prologue issues the op before all others.
  constexpr bool comes_first(int i) const {
    return begins == prologue::copies_first &&
           (ops[i].what == does::copy || ops[i].what == does::fetch || ops[i].what == does::advance);
  }
};

namespace detail {
template <int Buffers, class... Turns>
consteval auto assemble(int lag_from, buffers<Buffers> in, Turns... turns) {
  schedule<Buffers, (kOpsOf<Turns> + ... + 0)> s;
  s.lag_from = lag_from;
  for (int i = 0; i < Buffers; ++i) s.stages[i] = in.stages[i], s.names[i] = in.names[i];
  int count = 0;
  const auto add = [&](const auto &part) {
    int clusters = 1;
    bool meets = true;
    if constexpr (requires { part.meets; }) clusters = part.clusters, meets = part.meets;
    for (op o : part.ops) {
      o.cluster = s.clusters + (clusters > 1 ? o.cluster : 0);
      s.ops[count++] = o;
    }
    s.meets[s.clusters] = meets;
    s.clusters += clusters;
  };
  (add(turns), ...);
  return s;
}
}  // namespace detail

// Returns the schedule in which all waves are in step. Barriers stand only where they are needed.
template <int Buffers, int... Ops>
consteval auto pipeline_in_step(buffers<Buffers> in, ops_together<Ops>... clusters) {
  return detail::assemble(0, in, clusters...);
}

// Returns the schedule in which waves lag_from and up run one turn behind the others: while half of the waves
// multiply, the others move data or use the vector unit. A turn is a cluster, or several (turn); a barrier
// stands between any two turns.
template <int Buffers, class... Turns>
consteval auto pipeline_ping_pong(int lag_from, buffers<Buffers> in, Turns... turns) {
  return detail::assemble(lag_from, in, turns...);
}

// Returns the schedule with a prologue that issues all copies and fetches first. `stores` is how many stores
// the caller issues before anything else follows (start and resume in pipeline.h).
template <int Buffers, int Ops>
consteval auto copies_first(schedule<Buffers, Ops> s, int stores = 0) {
  s.begins = prologue::copies_first;
  s.stores_between = stores;
  return s;
}

// Returns the schedule for runs of any number of steps, from 1 on. There is no epilogue, and the loop body is
// one iteration, whose stages are known when it runs.
template <int Buffers, int Ops>
consteval auto open_ended(schedule<Buffers, Ops> s) {
  s.ends = ending::open;
  return s;
}

// Returns the schedule in which the compiler waits for the reads of what is multiplied.
template <int Buffers, int Ops>
consteval auto waits_by_register(schedule<Buffers, Ops> s) {
  s.operands = operand_waits::by_register;
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
  unknown_number,
  negative_ahead,
  past_the_end,
  crowded_vector,
  no_events,
  never_copied,
  never_read,
  never_loaded,
  never_multiplied,
  never_summed,
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
