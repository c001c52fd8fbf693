// SPDX-License-Identifier: MIT
// These are the ops of a pipeline's schedule: what moves, multiplies or computes in one iteration, for which
// K step, and the clusters in which ops run together.
#ifndef WT_SCHED_PIPELINE_OPS_H
#define WT_SCHED_PIPELINE_OPS_H

namespace wt::sched {

// This is what an op does.
enum class does {
  copy,      // global memory -> LDS, by all waves together
  fetch,     // global memory -> registers of this wave, which a put empties
  put,       // those registers -> LDS, by all waves together
  read,      // LDS -> a fragment of this wave
  multiply,  // two fragments, into a sum, by MFMAs
  vector,    // sums that multiplies have made -> fragments to multiply, by vector instructions
  advance,   // registers: the addresses of the next copy of a buffer, or of the next reads by a pointer
  store,     // registers -> global memory, beside the others: nothing waits for it
  apply,     // two fragments, to a sum, by vector instructions
  share,     // a fragment that a vector has made -> LDS, from where all waves read it
  atomic     // a sum is added to global memory: nothing waits for it
};

// This is where the micro-ops of an apply stand that shares a cluster with MFMAs: each behind its share of
// them, or before it.
enum class beside_mfmas { behind, before };

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

  constexpr bool is_absent() const { return fragment < 0; }
};
// Return the operand that a vector makes, and one that the caller has loaded.
consteval operand made(int fragment) { return {fragment, 0, 0, comes::by_vector}; }
consteval operand kept(int fragment) { return {fragment, 0, 0, comes::before_run}; }

// Fragments and sums are numbers from 0 on, of which a schedule has no more than this each.
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
  // Returns the numbers from `first` to `end` - 1.
  static consteval numbers between(int first, int end) {
    numbers all;
    all.known = first >= 0 && end <= kMostNumbers;
    for (int n = first; all.known && n < end; ++n) all.bits |= 1u << n;
    return all;
  }
  constexpr bool has(int n) const { return (bits >> n & 1) != 0; }
};
// This stands for an operand that an op does not take.
inline constexpr operand kAbsent = {-1, -1};
// This stands for the pointer of reads whose addresses follow from the stage.
inline constexpr int kNoPointer = -1;

// This is the name of a buffer or of a vector, padded with zeros, for those who look at the schedule
// (`wavetile schedule`).
struct short_name {
  static constexpr int kMost = 7;  // characters
  char text[kMost] = {};
};

// This is one op of an iteration. Buffers, fragments and sums are numbers from 0 on; what they stand for is
// the kernel's business.
struct op {
  does what = does::copy;
  int buffer = 0;            // that a copy or a put fills, a fetch or an advance is for, or a read takes from
  int part = 0;              // of the buffer, that a read takes
  int fragment = 0;          // that a read loads
  int pointer = kNoPointer;  // addresses in registers, which a read uses or an advance is for
  operand a = {}, b = {};    // that a multiply or an apply takes; `a` also: a vector, or a share
  operand scale_a = kAbsent, scale_b = kAbsent;  // the block scales of both, where it takes them
  operand start = kAbsent;                       // what a multiply begins its sum with, where it is not 0
  int sum = 0;                                   // that a multiply or an apply adds to
  int number = 0;        // by which the kernel tells a vector, an atomic or a part of a multiply from others
  short_name name = {};  // of a vector
  numbers takes = {};    // sums that a vector or an atomic takes: they begin anew with each step
  numbers makes = {};    // fragments that a vector makes
  numbers updates = {};  // sums over all steps that a vector changes before its step is added
  int ahead = 0;         // K steps: iteration i does the op for step i + ahead; negative: it is late
  int steps = 1;         // that a fetch loads together; it does so for every steps-th step
  beside_mfmas place = beside_mfmas::behind;  // of an apply
  int iterations = 0;                         // of a store: the first ones of a run, in which it takes place
  int events = 0;                             // instructions that the wave's counter counts (see counts_lds)
  int each = 1;                               // of them that a micro-op issues
  int cluster = 0;
  bool through_registers = false;  // of a copy: its data pass through them at once, and lgkmcnt counts it

  // Returns whether the op takes operands and adds to a sum, and whether it takes operands at all.
  constexpr bool adds() const { return what == does::multiply || what == does::apply; }
  constexpr bool has_operands() const { return adds() || what == does::vector || what == does::share; }
  // Returns operand number `n` of such an op, which may be absent.
  static constexpr int kOperands = 5;
  constexpr operand taken(int n) const {
    const operand all[kOperands] = {a, b, scale_a, scale_b, start};
    return all[n];
  }
  // Returns whether the op computes, and whether the wave's counters count it: those that do neither advance.
  constexpr bool computes() const { return adds() || what == does::vector; }
  constexpr bool is_counted() const { return !computes() && what != does::advance; }
  // Returns whether the op works for a step before the iteration's, of which the first iteration has none.
  constexpr bool is_late() const { return ahead < 0; }
  // Returns whether lgkmcnt counts the op's events, as it does for reads, puts and shares; for others it is
  // vmcnt.
  constexpr bool counts_lds() const {
    return what == does::read || what == does::put || what == does::share || through_registers;
  }
  // Returns how many iterations before the first the op begins. The first copy needs no advance, and the
  // first reads need none that is ahead.
  constexpr int lead() const { return what == does::advance && ahead > 0 ? ahead - 1 : ahead; }
  // Returns whether the op takes place for a step, where runs begin with step 0.
  constexpr bool works_for(int step) const {
    if (what == does::store) return step < iterations;
    if (what == does::advance) return step > 0 || ahead == 0;
    return step % steps == 0;
  }
  // Returns the same multiply, the first of its step into a sum that a vector takes, with a fragment that the
  // sum begins with. The fragment is the sum's own registers: its read comes after the vector of the step
  // before.
  consteval op starting_from(operand fragment) const {
    op same = *this;
    same.start = fragment;
    return same;
  }
  // Returns the same read by addresses that advance_pointer sets, whatever the stage.
  consteval op by_pointer(int number) const {
    op same = *this;
    same.pointer = number;
    return same;
  }
  // Returns the same vector, which also takes a fragment that is read.
  consteval op using_fragment(operand fragment) const {
    op same = *this;
    same.a = fragment;
    return same;
  }
  // Returns the same op with a number, by which the kernel tells it from others of its kind.
  consteval op numbered(int n) const {
    op same = *this;
    same.number = n;
    return same;
  }
  // Returns the same vector with a name.
  template <int Size>
  consteval op named(const char (&text)[Size]) const {
    static_assert(Size <= short_name::kMost + 1, "the name of an op is longer than 7 characters: shorten it");
    op same = *this;
    for (int i = 0; text[i] != 0; ++i) same.name.text[i] = text[i];
    return same;
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
// Returns the copy that goes through registers, one micro-op at a time, for data that a direct copy cannot
// take. `events` is how many writes to LDS it issues.
consteval op copy_through(int buffer, int ahead, int events) {
  return {.what = does::copy, .buffer = buffer, .ahead = ahead, .events = events, .through_registers = true};
}
// Returns the op in which the vector unit makes fragments from sums; its number is for the kernel. The
// multiplies of a step begin sums that a vector takes anew. Sums that it updates hold all earlier steps by
// then, and not yet its own. In step, MFMAs of other sums may share its cluster. What takes longer than a
// cluster is several vectors, one after the other: all take the sums, and the last one makes the fragments.
consteval op vector(int number, numbers takes, numbers makes, numbers updates = {}, int ahead = 0) {
  return {.what = does::vector,
          .a = kAbsent,
          .b = kAbsent,
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
// Returns the op that advances the addresses of reads by pointer `number` to the stage of the buffer that
// holds the step which is `ahead` steps ahead. The lists begin a run with those of step 0; or with those
// before them, if `ahead` is 0.
consteval op advance_pointer(int number, int buffer, int ahead) {
  return {.what = does::advance, .buffer = buffer, .pointer = number, .ahead = ahead};
}
// Returns the op that stores something in each of the first iterations of a run.
consteval op store(int iterations, int events) {
  return {.what = does::store, .iterations = iterations, .events = events};
}

// Returns the op that writes a fragment to a buffer, as a part of what all waves read there. A vector has
// made the fragment for the step, in an earlier cluster. `events` is the size of its list.
consteval op share(int buffer, int fragment, int ahead, int events) {
  return {.what = does::share,
          .buffer = buffer,
          .a = made(fragment),
          .b = kAbsent,
          .ahead = ahead,
          .events = events};
}
// Returns the op that adds sums to global memory; its number is for the kernel. The multiplies of a step
// begin such sums anew, when all atomics have taken them. `events` is the size of its list.
consteval op atomic(int number, numbers takes, int ahead, int events) {
  return {.what = does::atomic, .number = number, .takes = takes, .ahead = ahead, .events = events};
}

// These are ops between which the wave waits for nothing. In step, they run at the same time: reads, copies
// and the like go between the MFMAs, or between the micro-ops of a vector; those of a vector, too, may go
// between MFMAs. In ping-pong, a cluster either
// multiplies or moves data, first its reads, then the others in their order; with operand_waits::by_register
// it may do both at the same time.
template <int Ops>
struct ops_together {
  op ops[Ops > 0 ? Ops : 1];
};
inline constexpr ops_together<0> no_ops = {};

// This says whether a barrier stands in front of an interval of clusters.
enum class entrance { barrier, none };

// These are the clusters that a wave runs in ping-pong between two barriers.
template <int Ops>
struct barrier_interval {
  op ops[Ops];
  int clusters = 0;
  entrance front = entrance::barrier;
};

namespace detail {
template <class Part>
inline constexpr int kOpsOf = 1;
template <int Ops>
inline constexpr int kOpsOf<ops_together<Ops>> = Ops;
template <int Ops>
inline constexpr int kOpsOf<barrier_interval<Ops>> = Ops;
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

// Returns the interval of these clusters, with a barrier in front of the first one only.
template <int... Ops>
consteval auto interval(ops_together<Ops>... clusters) {
  barrier_interval<(Ops + ...)> all;
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
// Returns the first interval of an iteration, which continues the last one of the iteration before without a
// barrier: the loop branches in the midst of an interval, where MFMAs hide the branch.
template <int... Ops>
consteval auto interval_continued(ops_together<Ops>... clusters) {
  auto all = interval(clusters...);
  all.front = entrance::none;
  return all;
}

}  // namespace wt::sched

#endif
