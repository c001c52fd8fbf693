// SPDX-License-Identifier: MIT
// A pipeline is a value: LDS buffers with their stages, and the ops of one iteration in clusters. It says
// what moves where and for which K step; when to wait and where waves meet is derived from it
// (pipeline_derive.h).
#ifndef WT_SCHED_PIPELINE_SCHEDULE_H
#define WT_SCHED_PIPELINE_SCHEDULE_H

#include "pipeline_ops.h"

namespace wt::sched {

// These are the numbers of stages of buffer 0, buffer 1, ...: step s is kept in stage s mod stages.
template <int Buffers>
struct buffers {
  int stages[Buffers];
  short_name names[Buffers] = {};

  template <class... Int>
    requires(sizeof...(Int) == Buffers && (__is_convertible(Int, int) && ...))
  consteval buffers(Int... counts) : stages{counts...} {}

  // Returns the same buffers with names, as in buffers{2, 2}.named("A", "B").
  template <int... Sizes>
  consteval buffers named(const char (&...texts)[Sizes]) const {
    static_assert(sizeof...(Sizes) == Buffers,
                  "name each buffer once: the names have another number than the buffers");
    static_assert(((Sizes <= short_name::kMost + 1) && ...),
                  "the name of a buffer is longer than 7 characters: shorten it");
    buffers same = *this;
    int count = 0;
    const auto add = [&](const char *text) {
      short_name &name = same.names[count++];
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
  drained,  // by an epilogue, which leaves out what would be for steps past the end
  open      // there is none: copies, reads and advances run on past the end, where lists bring anything
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
  int leaders = 0;  // so many waves, the first ones, lead the others (led_by)
  int stages[Buffers] = {};
  short_name names[Buffers] = {};
  op ops[Ops] = {};
  entrance front[Ops] = {};  // of a cluster, in ping-pong: a barrier, where an interval begins
  prologue begins = prologue::woven;
  ending ends = ending::drained;
  operand_waits operands = operand_waits::whole;
  int stores_between = 0;  // that the caller issues between the prologue's copies and the rest (resume)

  // Returns whether half of the waves lag behind the others.
  constexpr bool is_ping_pong() const { return lag_from > 0; }
  // Returns whether a cluster begins an interval of a ping-pong.
  constexpr bool begins_interval(int c) const { return is_ping_pong() && front[c] == entrance::barrier; }
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
  // Returns whether there is a buffer of this number, with stages.
  constexpr bool has_buffer(int buffer) const {
    return buffer >= 0 && buffer < Buffers && stages[buffer] > 0;
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
  constexpr bool makes(int i, int fragment) const {
    return ops[i].what == does::vector && ops[i].makes.has(fragment);
  }
  // Return whether op i advances the addresses of copies to the buffer, or of reads by the pointer.
  constexpr bool advances_for(int i, int buffer) const {
    return ops[i].what == does::advance && ops[i].pointer == kNoPointer && ops[i].buffer == buffer;
  }
  constexpr bool advances_pointer(int i, int pointer) const {
    return ops[i].what == does::advance && pointer != kNoPointer && ops[i].pointer == pointer;
  }
  constexpr bool reads_by(int i, int pointer) const {
    return ops[i].what == does::read && pointer != kNoPointer && ops[i].pointer == pointer;
  }
  constexpr bool adds_to(int i, int sum) const { return ops[i].adds() && ops[i].sum == sum; }
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
    for (int n = 0; n < op::kOperands; ++n) {
      if (ops[i].adds() && ops[i].taken(n).fragment == fragment) return true;
    }
    return false;
  }
  // Returns whether read i loads what a sum begins with that op v, a vector, takes.
  constexpr bool starts_sum_of(int i, int v) const {
    if (ops[i].what != does::read || ops[v].what != does::vector) return false;
    for (const op &o : ops) {
      const bool starts = o.what == does::multiply && o.start.fragment == ops[i].fragment;
      if (starts && ops[v].takes.has(o.sum)) return true;
    }
    return false;
  }
  constexpr bool has(int c, does what) const {
    for (const op &o : ops) {
      if (o.cluster == c && o.what == what) return true;
    }
    return false;
  }
  // Returns whether nothing moves in the cluster: then waves may pass its barrier in front of it or behind
  // it.
  constexpr bool only_multiplies(int c) const {
    for (const op &o : ops) {
      if (o.cluster == c && o.what != does::multiply) return false;
    }
    return has(c, does::multiply);
  }
  // Returns whether op i + 1 refills the registers that op i writes to LDS, in the same cluster.
  constexpr bool is_refilled(int i) const {
    return i + 1 < Ops && ops[i].what == does::put && fetches_for(i + 1, ops[i].buffer) &&
           ops[i].cluster == ops[i + 1].cluster;
  }
  // Returns whether reads, copies and the like of the cluster go between MFMAs, between what is applied or
  // between the micro-ops of a vector.
  constexpr bool interleaves(int c) const {
    const bool beside = !is_ping_pong() || operands == operand_waits::by_register;
    const bool adds = has(c, does::multiply) || (!is_ping_pong() && has(c, does::apply));
    return has(c, does::vector) || (beside && adds);
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
template <int Buffers, class... Part>
consteval auto assemble(int lag_from, buffers<Buffers> in, Part... parts) {
  schedule<Buffers, (kOpsOf<Part> + ... + 0)> s;
  s.lag_from = lag_from;
  for (int i = 0; i < Buffers; ++i) s.stages[i] = in.stages[i], s.names[i] = in.names[i];
  for (entrance &front : s.front) front = entrance::none;
  int count = 0;
  const auto add = [&](const auto &part) {
    const int first = s.clusters;
    for (op o : part.ops) {
      o.cluster += first;
      s.ops[count++] = o;
    }
    s.front[first] = entrance::barrier, s.clusters = first + 1;
    if constexpr (requires { part.clusters; })
      s.front[first] = part.front, s.clusters = first + part.clusters;
  };
  (add(parts), ...);
  return s;
}
}  // namespace detail

// Returns the schedule in which all waves are in step. Barriers stand only where they are needed.
template <int Buffers, int... Ops>
consteval auto pipeline_in_step(buffers<Buffers> in, ops_together<Ops>... clusters) {
  return detail::assemble(0, in, clusters...);
}

// Returns the schedule in which waves lag_from and up run one interval behind the others: while half of the
// waves multiply, the others move data or use the vector unit. An interval is a cluster, or several of them
// (interval); a barrier stands between any two intervals. Hardware puts waves i and i + 4 of eight on one
// SIMD (measured on gfx942: PyHIP, docs/mfma-valu-coissue.md), so the second half of eight is waves 4 and up.
template <int Buffers, class... Part>
consteval auto pipeline_ping_pong(int lag_from, buffers<Buffers> in, Part... intervals) {
  return detail::assemble(lag_from, in, intervals...);
}

// Returns the schedule with a prologue that issues all copies and fetches first. `stores` is how many stores
// the caller issues before anything else follows (start and resume in pipeline.h).
template <int Buffers, int Ops>
consteval auto copies_first(schedule<Buffers, Ops> s, int stores = 0) {
  s.begins = prologue::copies_first;
  s.stores_between = stores;
  return s;
}

// Returns the schedule in step in which the first `leaders` waves keep ahead of the others: they pass a
// barrier in front of a cluster that only multiplies behind it. So they multiply while the others, with which
// they share SIMDs, do what comes before, and no wave waits at the barrier for vector instructions of another
// one.
template <int Buffers, int Ops>
consteval auto led_by(int leaders, schedule<Buffers, Ops> s) {
  s.leaders = leaders;
  return s;
}

// Returns the schedule for runs of any number of steps, from 1 on. There is no epilogue: copies, reads and
// advances run on for steps past the end. The loop body is one iteration, whose stages are known only when it
// runs.
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

}  // namespace wt::sched

#endif
