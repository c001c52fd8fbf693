// SPDX-License-Identifier: MIT
// The schedule of attention backward in one kernel, from which all waits and barriers are derived. A step is
// a block of queries. The loop has about as many cycles of other instructions as of MFMAs, so these are spread
// over all of them:
//
//   multiplies           vector                            beside it
//   S of block j         -                                 copies of block j + kAhead; -lse and -delta
//   dP                   P from S, from the middle on      addresses of copies
//   dQ of block j - 1    P                                 -
//   dV, first half       P to the end; dS from P and dP    -
//   dV, second half      dS                                additions to dQ
//   dK, but for its end  -                                 additions; dS to LDS
//   dK, its end          -                                 additions
//
// Each phase reads what the next one multiplies. dQ += dS K sums over the keys of all waves, which share dS
// through LDS: it is one block late. There are as many stages of dS as of the blocks. The one barrier of a
// block stands in the last phase. By then block j + 1 and dS of block j are there. All waves are done with
// block j, whose stage is filled next, and with the dS before.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_DKVQ_SCHEDULE_H
#define WT_KERNELS_ATTENTION_BACKWARD_DKVQ_SCHEDULE_H

#include "attention_backward_schedule.h"

// Lists what the schedule has beside those numbers: the buffer of dS; fragments of dS as all waves have made
// it, and of K; and the sum dQ.
enum : int { kShared = 3 };
enum : int { kTurned = 18, kKeys = 20 };
enum : int { kDq = 10 };
// These are the parts of a phase that is in two clusters, and of the reads between its MFMAs.
enum : int { kWhole, kEarlier, kLater };

// Deals out what is spread over clusters: the first micro-op of each, counted by the whole list. Vectors are
// numbered by their clusters: the second half of dP's first phase, its second phase, dQ, and dV.
template <class Kernel>
struct attention_backward_dkvq_shares {
  static constexpr int kParts = Kernel::phases::kColumnParts;
  static constexpr int kVectors = 4 + 2 * kParts, kFirstOfDv = 4;

  // Return how much of `size` micro-ops of P, or of dS, stand before vector v.
  static constexpr int of_p(int v, int size) {
    constexpr int kEighths[kFirstOfDv + 1] = {0, 1, 3, 5, 7};
    if (v <= kFirstOfDv) return kEighths[v] * size / 8;
    return v < kFirstOfDv + kParts ? 7 * size / 8 + (v - kFirstOfDv) * (size - 7 * size / 8) / kParts : size;
  }
  static constexpr int of_ds(int v, int size) {
    const int at = v - kFirstOfDv, half = size / 2 + 1;  // rounding is one micro-op behind
    if (at <= 0) return 0;
    return at <= kParts ? at * half / kParts : half + (at - kParts) * (size - half) / kParts;
  }
  // Returns how much of `size` additions to dQ stands before phase n.
  static constexpr int of_additions(int n, int size) {
    const int at = n - Kernel::kFirstSum;
    if (at <= 0) return 0;
    if (n <= Kernel::kHalf) return at * size / (8 * kParts);
    if (n <= Kernel::kFirstDk) return size / 8 + (at - kParts) * size / (4 * kParts);
    return n < Kernel::kLast ? 3 * size / 8 + (n - Kernel::kFirstDk) * (size / 2) / (2 * kParts - 1)
           : n == Kernel::kLast ? 7 * size / 8
                                : size;
  }
  // Returns how much of `size` writes of dS stands before phase n of dK.
  static constexpr int of_writes(int n, int size) {
    const int of_dv = n - Kernel::kHalf, of_dk = n - Kernel::kFirstDk;
    if (of_dv <= 0) return 0;
    return of_dk <= 0 ? of_dv * (size / 2) / kParts : size / 2 + of_dk * (size / 2) / (2 * kParts - 1);
  }
};

template <class Kernel>
struct attention_backward_dkvq_ops : attention_backward_ops<Kernel> {
  using base = attention_backward_ops<Kernel>;
  using shares = attention_backward_dkvq_shares<Kernel>;
  using base::kPhases, base::kFirstSum, base::weights_of;
  using op = wt::sched::op;
  static constexpr int kAhead = Kernel::kAhead, kFirstDp = Kernel::kFirstDp, kLast = Kernel::kLast,
                       kFirstDk = Kernel::kFirstDk;

  // Returns the reads for phase N, and the product of it.
  template <int N>
  static consteval op reads(int ahead = 0) {
    using now = typename base::template phase<N>;
    if constexpr (now::kMakes) {
      return base::template row_reads<N>(ahead);
    } else {
      return wt::sched::read(now::kI, kColumns + N % 2, ahead, Kernel::kColumnReads, N);
    }
  }
  template <int N>
  static consteval op product() {
    op whole = base::template product<N>();
    if constexpr (N == 0) whole.start = wt::sched::kAbsent;  // -lse is added by the vector
    return whole;
  }
  // Returns a part of a product, and of reads.
  static consteval op part(op whole, int number) {
    if (number == kLater) whole.start = wt::sched::kAbsent;
    return whole.numbered(number);
  }

  static consteval op turned_reads(int step) {
    return wt::sched::read(kShared, kTurned + step, -1, Kernel::kTurnedReads, step);
  }
  static consteval op turned_product(int step) {
    return wt::sched::multiply(kDq, {kTurned + step, kShared, step}, wt::sched::kept(kKeys + step), -1);
  }
  static consteval op starts(int number) {
    return wt::sched::read(kStarts, kStart + number, 0, Kernel::kStartReads, number * kFirstDp);
  }
  static consteval op copy(int buffer) {
    return wt::sched::copy(buffer, kAhead + (buffer == kFirst),
                           buffer == kStarts ? Kernel::kStartCopies : Kernel::kRowCopies);
  }
  static consteval auto advances() {
    using wt::sched::advance;
    return wt::sched::cluster(advance(kStarts, kAhead + 1), advance(kFirst, kAhead + 1),
                              advance(kSecond, kAhead + 1));
  }

  // Returns vector V. The last but one of P makes the first half of it, and the last one of dS all of it.
  template <int V>
  static consteval op vector() {
    using namespace wt::sched;
    constexpr int kParts = shares::kParts, kFirstOfDv = shares::kFirstOfDv;
    constexpr bool kOfP = V < kFirstOfDv + kParts, kOfDs = V >= kFirstOfDv;
    const numbers takes = kOfP && kOfDs ? numbers{kMade, kMade + 1} : kOfP ? numbers{kMade} : numbers{kMade + 1};
    const numbers makes = V + 1 == kFirstOfDv            ? numbers{kWeights + 2}
                          : V + 1 == kFirstOfDv + kParts ? numbers{kWeights + 3, kWeights}
                          : V + 1 == shares::kVectors    ? numbers{kWeights + 1}
                                                         : numbers{};
    const op plain = wt::sched::vector(V, takes, makes);
    const op named = kOfP && kOfDs ? plain.named("P, dS") : kOfP ? plain.named("P") : plain.named("dS");
    return kOfP ? named.using_fragment({kStart, kStarts, 0}) : named;
  }
  template <int N>
  static consteval auto additions() {
    constexpr int kFrom = shares::of_additions(N, Kernel::kAdditions),
                  kTo = shares::of_additions(N + 1, Kernel::kAdditions);
    if constexpr (kFrom == kTo) {
      return wt::sched::no_ops;
    } else {
      return wt::sched::atomic(kFrom, {kDq}, -1, kTo - kFrom);
    }
  }
  // Returns the writes of half Half of dS in phase N.
  template <int N, int Half>
  static consteval auto writes() {
    constexpr int kSize = Kernel::kWrites, kHalf = kSize / 2, kFirst = Half * kHalf, kEnd = kFirst + kHalf;
    constexpr int kFrom = shares::of_writes(N, kSize), kTo = shares::of_writes(N + 1, kSize);
    constexpr int kBegin = kFrom > kFirst ? kFrom : kFirst, kStop = kTo < kEnd ? kTo : kEnd;
    if constexpr (N >= kLast || kBegin >= kStop) {
      return wt::sched::no_ops;
    } else {
      return wt::sched::share(kShared, kWeights + Half, 0, kStop - kBegin).numbered(kBegin);
    }
  }

  // Returns phase N of the sums, but for the last one.
  template <int N>
  static consteval auto sum_cluster() {
    using wt::sched::cluster;
    if constexpr (N < kFirstDk) {
      return cluster(product<N>(), reads<N + 1>(), vector<shares::kFirstOfDv + N - kFirstSum>(), additions<N>(),
                     writes<N, 0>(), writes<N, 1>());
    } else {
      return cluster(product<N>(), reads<N + 1>(), writes<N, 0>(), writes<N, 1>(), additions<N>());
    }
  }
  static consteval auto end_before_barrier() {
    if constexpr (Kernel::kEarlyProducts == 0) {
      return wt::sched::no_ops;
    } else {
      return part(product<kLast>(), kEarlier);
    }
  }
  template <int... Sum>
  static consteval auto in_step(wt::indices<int, Sum...>) {
    using namespace wt::sched;
    constexpr int kStages = Kernel::kStages;
    return pipeline_in_step(
        buffers{kStages, kStages, kStages, kStages}.named("Q", "dO", "starts", "dS"),
        cluster(product<0>(), reads<1>(), starts(1), copy(kSecond), copy(kStarts)),
        cluster(product<1>(), reads<kFirstDp>(), starts(0), advances()),
        cluster(product<kFirstDp>(), reads<kFirstDp + 1>(), vector<0>()),
        cluster(product<kFirstDp + 1>(), turned_reads(0), vector<1>()),
        cluster(turned_product(0), turned_reads(1), vector<2>()),
        cluster(turned_product(1), reads<kFirstSum>(), vector<3>()),  //
        sum_cluster<kFirstSum + Sum>()...,                            //
        cluster(end_before_barrier(), additions<kLast>()),            //
        cluster(part(product<kLast>(), Kernel::kEarlyProducts == 0 ? kWhole : kLater), reads<0>(1), copy(kFirst)));
  }
};

template <class Kernel>
consteval auto make_attention_backward_dkvq_schedule() {
  using namespace wt::sched;
  constexpr __make_integer_seq<wt::indices, int, Kernel::kLast - Kernel::kFirstSum> kSums;
  return copies_first_of(
      Kernel::kBegun,
      by_periods(open_ended(late_barriers(waits_by_mfma(attention_backward_dkvq_ops<Kernel>::in_step(kSums))))));
}
template <class Kernel>
inline constexpr auto attention_backward_dkvq_schedule = make_attention_backward_dkvq_schedule<Kernel>();

#endif
