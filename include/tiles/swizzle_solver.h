// SPDX-License-Identifier: MIT
// Finds the swizzle that serves all accesses asked of one LDS tile without bank conflicts, or says while
// compiling which of them cannot be served together.
//
// The search is complete, because lanes of a phase differ by a subspace of the lane's bits (lds_banks.h), so
// the offsets that meet in a phase differ by a space V of offsets (lds_access.h), and an access is free of
// conflicts if and only if S(v) has a bank bit for each v in V but 0. A linear swizzle is a choice of flipped
// bits for each source bit. Only bank bits matter, and only source bits that some v has. The search chooses
// them from the lowest source bit up, and checks each v as soon as its highest source bit is chosen.
#ifndef WT_TILES_SWIZZLE_SOLVER_H
#define WT_TILES_SWIZZLE_SOLVER_H

#include "evaluated.h"
#include "lds_access.h"

namespace wt {

// These are limits within which a swizzle is sought; both are powers of two. Bytes stay in their row of
// row_bytes, so that a copy from global memory still reads whole rows, and the swizzle repeats after `period`
// bytes.
struct swizzle_limits {
  int row_bytes = 1 << swizzle::kBits;
  int period = 1 << swizzle::kBits;
};

// This says how a search ended. One that gave up leaves open whether a swizzle exists.
enum class swizzle_search { found, impossible, gave_up };

// This says how a search ended, and holds the swizzle when one was found.
struct swizzle_solution {
  swizzle_search outcome = swizzle_search::impossible;
  swizzle value = {};
};

namespace detail {

// Describes a condition on a swizzle: S(offset) has one of the bits bank_bits.
struct swizzle_demand {
  int offset, bank_bits;
};

template <int Accesses>
struct swizzle_problem {
  // The search gives up after so many choices looked at and places moved, which is what fits into the
  // compiler's 2^20 steps.
  static constexpr int kPatience = 150000;
  static constexpr int kCapacity = 63 * Accesses;

  int count = 0;
  swizzle_demand demand[kCapacity] = {};  // sorted by their highest source bit
  int first[swizzle::kBits + 1] = {};     // the first demand whose highest source bit is this one, or higher
  int granule = 1, line = 1;              // bytes, the largest of all accesses
  int targets = 0;                        // bits that may be flipped: a run of bits
  int sources = 0;                        // bits that may flip lower ones, where some demand has them
  bool hopeless = false;

  constexpr swizzle_problem(const target::chip (&chip)[Accesses], const lds_access (&access)[Accesses],
                            swizzle_limits limits) {
    for (int a = 0; a < Accesses; ++a) {
      const int own_line = 4 * lds_banks(chip[a], access[a].op), own_granule = access[a].granule();
      line = own_line > line ? own_line : line;
      granule = own_granule > granule ? own_granule : granule;
    }
    const int end = line < limits.row_bytes ? line : limits.row_bytes;
    targets = end > granule ? end - granule : 0;
    for (int a = 0; a < Accesses; ++a) add(chip[a], access[a]);
    sources &= limits.period - 1;
    sort();
    for (int i = 0; i < first[0]; ++i)  // these, no source bit can change
      hopeless = hopeless || (demand[i].offset & demand[i].bank_bits) == 0;
  }

  constexpr void sort() {
    swizzle_demand sorted[kCapacity] = {};
    int placed = 0;
    for (int j = -1; j < swizzle::kBits; ++j) {
      if (j >= 0) first[j] = placed;
      for (int i = 0; i < count; ++i) {
        const int flippable = demand[i].offset & sources;
        if (j < 0 ? flippable == 0 : flippable >> j == 1) sorted[placed++] = demand[i];
      }
    }
    first[swizzle::kBits] = placed;
    for (int i = 0; i < count; ++i) demand[i] = sorted[i];
  }

  constexpr void add(target::chip chip, const lds_access &access) {
    const int bank_bits = 4 * lds_banks(chip, access.op) - access.granule();
    int added = 0;
    for (int lane = 1; lane < target::kWaveLanes; ++lane) {
      if (lds_phase(chip, access.op, lane) != 0) continue;
      const int offset = access(lane);
      // Lanes that access the same bytes are served together, and bank bits that are never flipped hold.
      if (offset == 0 || (offset & bank_bits & ~targets) != 0) continue;
      if (is_lds_copy(access.op)) {
        hopeless = hopeless || (offset & bank_bits) == 0;
        continue;
      }
      bool known = false;
      for (int i = count - added; i < count && !known; ++i) known = demand[i].offset == offset;
      if (known) continue;
      demand[count++] = {offset, bank_bits};
      ++added;
      sources |= offset & -2 * (targets & -targets);
    }
    // These demands and 0 are a space that the flips must map into these bank bits one to one.
    if (added > (bank_bits & targets) / granule) hopeless = true;
  }

  constexpr bool served_by(const swizzle &s) const {
    for (int i = 0; i < count; ++i) {
      if ((s(demand[i].offset) & demand[i].bank_bits) == 0) return false;
    }
    return true;
  }

  // Searches depth first, until patience ends. With a distance, a source bit may flip only the bit so far
  // below it, so that the swizzle costs one and/shift/xor.
  constexpr swizzle_solution search(int distance, int patience) const {
    int source[swizzle::kBits] = {}, depths = 0;
    for (int j = 0; j < swizzle::kBits; ++j) {
      if (sources >> j & 1) source[depths++] = j;
    }
    // A choice is the flipped bits in granules. Few flips come before many.
    const int choices = targets / granule + 1;
    int choice[64] = {}, listed = 0;
    for (int flips = 0; flips <= 6; ++flips) {
      for (int x = 0; x < choices; ++x) {
        if (__builtin_popcount(static_cast<unsigned>(x)) == flips) choice[listed++] = x;
      }
    }

    int place[kCapacity] = {};  // where each demand lies after the choices made so far
    for (int i = 0; i < count; ++i) place[i] = demand[i].offset;
    swizzle_solution solution;
    int next[swizzle::kBits] = {}, depth = 0;
    unsigned long long forbidden[swizzle::kBits] = {};
    if (depths > 0) forbidden[0] = forbidden_choices(place, source[0]);
    while (depth >= 0 && depth < depths) {
      const int j = source[depth];
      flip(place, j, solution.value.target[j]);  // takes the last choice back
      solution.value.target[j] = 0;
      int chosen = -1;
      while (chosen < 0 && next[depth] < listed) {
        const int x = choice[next[depth]++], flips = x * granule;
        --patience;
        const bool near = distance == 0 || x == 0 || flips << distance == 1 << j;
        if (near && flips >> j == 0 && (forbidden[depth] >> x & 1) == 0) chosen = flips;
      }
      if (chosen < 0) {
        --depth;
        continue;
      }
      patience -= count - first[j];
      if (patience < 0) return {swizzle_search::gave_up, no_swizzle};
      solution.value.target[j] = static_cast<unsigned>(chosen);
      flip(place, j, solution.value.target[j]);
      if (++depth < depths) next[depth] = 0, forbidden[depth] = forbidden_choices(place, source[depth]);
    }
    if (depth == depths) solution.outcome = swizzle_search::found;
    return solution;
  }

  // Flips the demands that have the source bit; those that end at it are settled by this choice.
  constexpr void flip(int (&place)[kCapacity], int source, unsigned flips) const {
    if (flips == 0) return;
    for (int i = first[source + 1]; i < count; ++i)
      place[i] ^= demand[i].offset >> source & 1 ? static_cast<int>(flips) : 0;
  }

  // Returns the choices for this source bit that leave a demand without a bank bit, among the demands that
  // end here.
  constexpr unsigned long long forbidden_choices(const int (&place)[kCapacity], int source) const {
    unsigned long long forbidden = 0;
    for (int i = first[source]; i < first[source + 1]; ++i) {
      const int bank_bits = demand[i].bank_bits, step = (bank_bits & targets) / granule + 1;
      for (int x = (place[i] & bank_bits) / granule; x <= targets / granule; x += step)
        forbidden |= 1ull << x;
    }
    return forbidden;
  }

  // Returns the solution of the fewest source bits that one and/shift/xor can do, if there is one.
  constexpr swizzle_solution solve_simply() const {
    swizzle_solution best;
    if (hopeless) return best;
    if (served_by(no_swizzle)) return {swizzle_search::found, no_swizzle};
    int fewest = swizzle::kBits + 1;
    for (int distance = 1; distance < swizzle::kBits; ++distance) {
      const swizzle_solution solution = search(distance, kPatience / 20);
      const int used = __builtin_popcount(static_cast<unsigned>(solution.value.sources(distance)));
      if (solution.outcome == swizzle_search::found && used < fewest) best = solution, fewest = used;
    }
    return best;
  }
  constexpr swizzle_solution solve() const { return hopeless ? swizzle_solution{} : search(0, kPatience); }
};

template <target::chip Chip, swizzle_limits Limits, class... Accesses>
struct swizzle_for {
  static constexpr swizzle_problem<sizeof...(Accesses)> kProblem{
      {chip_of<Chip, Accesses>()...}, {Accesses::access...}, Limits};
  static constexpr swizzle_solution kSimple = evaluated<kProblem.solve_simply()>;
  // A constant of its own, so that the compiler counts its steps anew.
  static constexpr swizzle_solution kSolution =
      evaluated < kSimple.outcome == swizzle_search::found ? kSimple : kProblem.solve() > ;
};

// Holds unless no swizzle exists; a search that gave up leaves that open.
template <target::chip Chip, swizzle_limits Limits, class... Accesses>
constexpr bool can_serve =
    swizzle_for<Chip, Limits, Accesses...>::kSolution.outcome != swizzle_search::impossible;

template <target::chip Chip, swizzle_limits Limits, class Access>
consteval bool serve_one() {
  static_assert(
      can_serve<Chip, Limits, Access>,
      "no swizzle within the limits serves this access without bank conflicts, not even alone: make "
      "the rows longer, allow a longer period, or use an instruction of another width");
  return can_serve<Chip, Limits, Access>;
}

template <target::chip Chip, swizzle_limits Limits, class First, class Second>
consteval bool serve_two() {
  static_assert(
      can_serve<Chip, Limits, First, Second>,
      "no swizzle within the limits serves these two accesses of one LDS tile: keep a tile for each, "
      "or use instructions of one width (the bytes of the wider one must stay together)");
  return can_serve<Chip, Limits, First, Second>;
}

template <target::chip Chip, swizzle_limits Limits, class First, class... Others>
consteval bool serve_pairs() {
  const bool served = (true & ... & serve_two<Chip, Limits, First, Others>());
  if constexpr (sizeof...(Others) > 1) {
    return serve_pairs<Chip, Limits, Others...>() & served;
  } else {
    return served;
  }
}

// Says why there is no solution: it names each access that cannot be served, else each pair, else the whole
// set.
template <target::chip Chip, swizzle_limits Limits, class... Accesses>
consteval void explain() {
  if constexpr ((true & ... & serve_one<Chip, Limits, Accesses>())) {
    if constexpr (serve_pairs<Chip, Limits, Accesses...>()) {
      static_assert(
          can_serve<Chip, Limits, Accesses...>,
          "a swizzle can serve any two of these accesses, but none serves all of them together: give "
          "one of them a tile of its own");
      static_assert(!can_serve<Chip, Limits, Accesses...>,
                    "the search for a swizzle was given up: solve for fewer accesses, and check the others "
                    "with require_conflict_free");
    }
  }
}

template <target::chip Chip, class Access>
consteval void require_access() {
  static_assert(
      lds_op_exists(chip_of<Chip, Access>(), Access::access.op),
      "this chip has no such LDS instruction: gfx942 neither transposes nor copies 16 bytes per lane");
  static_assert(Access::access.is_aligned(),
                "the lanes' offsets are not multiples of what the instruction accesses (16 bytes for b96 and "
                "b128): pad the runs or use a narrower instruction");
}

}  // namespace detail

// Returns the swizzle that serves all Accesses within Limits on a Chip. Accesses are types with a constant
// `access` (lds_access.h), so that a failure can name them. The result is the cheapest of those that one
// and/shift/xor can do, else one of few flips; when there is none, the call does not compile and the message
// names the accesses that cannot be reconciled.
template <target::chip Chip, swizzle_limits Limits, class... Accesses>
consteval swizzle solve_swizzle_within() {
  static_assert(sizeof...(Accesses) > 0, "name the accesses that the swizzle shall serve");
  (detail::require_access<Chip, Accesses>(), ...);
  constexpr swizzle_solution kSolution = detail::swizzle_for<Chip, Limits, Accesses...>::kSolution;
  if constexpr (kSolution.outcome != swizzle_search::found) detail::explain<Chip, Limits, Accesses...>();
  return kSolution.value;
}
// This is the same without limits.
template <target::chip Chip, class... Accesses>
constexpr swizzle solve_swizzle = evaluated<solve_swizzle_within<Chip, swizzle_limits{}, Accesses...>()>;

}  // namespace wt

#endif
