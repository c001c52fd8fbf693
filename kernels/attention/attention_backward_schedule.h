// SPDX-License-Identifier: MIT
// The schedules of attention backward, from which all waits and barriers are derived. A step is a block of
// streamed rows. Products are in the phases of attention_block_phases, and each phase has the reads for the
// next one between its MFMAs.
//
// Eight waves, ping-pong:
//
//   interval   multiplies                                      copies
//   products   the sums of block j - 1; S and dP of block j    block j - 1 + kAhead
//   vector     (vector unit) P and dS of block j
//
// An iteration begins and ends within the products, where MFMAs hide the branch: it has S and dP of its
// block, the vector and the sums. The vector's interval ends with the reads for the first sum.
//
// Four waves, in step, with vector instructions between the wave's own MFMAs:
//
//   multiplies      vector             beside it
//   S of block j    -                  addresses of copies and columns
//   dP, its end     P from S           -
//   dV              dS from P and dP   addresses of rows
//   dK              -                  copies of block j + kAhead, in its last phase
//
// Where dQ is summed, dS has a cluster of its own between dP and dQ. The one barrier of a block stands in
// front of the last phase: block j + 1 has landed, and all waves are done with block j, whose stage is filled
// next.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_SCHEDULE_H
#define WT_KERNELS_ATTENTION_BACKWARD_SCHEDULE_H

#include "sched/pipeline.h"

// Lists the numbers that stand in the schedule. Buffers are the two streamed matrices, and the numbers per
// row that S and dP begin with; the part of a buffer that is read is the number of the phase it is for.
enum : int { kFirst, kSecond, kStarts };
// Vectors are P, and dS in as many parts as phases go by meanwhile.
enum : int { kWeigh, kDiffer };
// Fragments are the own rows, parts of the streamed rows and columns, the weights of the sums and the starts;
// sums are S and dP, and then the parts of dK and dV, or of dQ.
enum : int { kOwn = 0, kRows = 8, kColumns = 10, kWeights = 12, kStart = 16 };
enum : int { kMade = 0, kSum = 2 };

template <class Kernel>
struct attention_backward_ops {
  using phases = typename Kernel::phases;
  template <int N>
  using phase = typename phases::template phase<N>;
  static constexpr int kPhases = Kernel::kPhases, kFirstSum = Kernel::kFirstSum;

  // Returns the reads for phase N of the step that is `ahead` steps ahead.
  template <int N>
  static consteval auto reads(int ahead) {
    using now = phase<N>;
    if constexpr (!now::kMakes) {
      return wt::sched::read(now::kI, kColumns + N % 2, ahead, Kernel::kColumnReads, N)
          .by_pointer(Kernel::kColumnPointer);
    } else if constexpr (Kernel::kOfKeys && now::kPart == 0) {
      return wt::sched::cluster(wt::sched::read(kStarts, kStart + now::kI, ahead, Kernel::kStartReads, N),
                                row_reads<N>(ahead));
    } else {
      return row_reads<N>(ahead);
    }
  }
  template <int N>
  static consteval wt::sched::op row_reads(int ahead) {
    return wt::sched::read(phase<N>::kI, kRows + N % 2, ahead, Kernel::kRowReads, N)
        .by_pointer(Kernel::kRowPointer);
  }
  template <int N>
  static consteval wt::sched::op product() {
    using namespace wt::sched;
    using now = phase<N>;
    if constexpr (!now::kMakes) {
      return multiply(kSum + now::kI * phases::kColumnParts + now::kPart,
                      made(kWeights + 2 * now::kI + now::kHalf), {kColumns + N % 2, now::kI, N});
    } else {
      const op plain = multiply(kMade + now::kI, kept(kOwn + now::kI * phases::kRowParts + now::kPart),
                                {kRows + N % 2, now::kI, N});
      constexpr int kFirstOf = now::kI * phases::kRowParts;  // the phases of the matrix
      // In general kernels the vector adds these numbers later; the schedule says here what is stricter.
      return Kernel::kOfKeys && now::kPart == 0 ? plain.starting_from({kStart + now::kI, kStarts, kFirstOf})
                                                : plain;
    }
  }
  // Returns a phase of the ping-pong with the reads for the next one, unless others follow it.
  template <int N>
  static consteval auto cluster_of() {
    if constexpr (N + 1 == kFirstSum) {
      return wt::sched::cluster(product<N>());
    } else {
      return wt::sched::cluster(product<N>(), reads<(N + 1) % kPhases>((N + 1) / kPhases));
    }
  }

  static consteval wt::sched::op copy(int buffer) {
    return Kernel::kIsDirect ? wt::sched::copy(buffer, Kernel::kAhead, Kernel::kRowCopies)
                             : wt::sched::copy_through(buffer, Kernel::kAhead, Kernel::kRowCopies);
  }
  // Returns the copies of a block. In step, those of the starts stand between those of the rows: first or
  // last they meet more of the other waves' (D = 128 on MI355X: 74.2% of the matrix cores' time in the loop,
  // predicted; 72.3% and 70.1%).
  static consteval auto copies() {
    using wt::sched::cluster;
    if constexpr (!Kernel::kOfKeys) {
      return cluster(copy(kFirst), copy(kSecond));
    } else {
      constexpr auto kOfStarts = wt::sched::copy(kStarts, Kernel::kAhead, Kernel::kStartCopies);
      return Kernel::kWaves == 8 ? cluster(kOfStarts, copy(kFirst), copy(kSecond))
                                 : cluster(copy(kFirst), kOfStarts, copy(kSecond));
    }
  }
  static consteval auto buffers() {
    constexpr int kStages = Kernel::kStages;
    if constexpr (Kernel::kOfKeys) {
      return wt::sched::buffers{kStages, kStages, kStages}.named("Q", "dO", "starts");
    } else {
      return wt::sched::buffers{kStages, kStages}.named("K", "V");
    }
  }

  // Returns the vectors that make weights of the sum of matrix Sum: dS for the first, P for the second.
  static consteval wt::sched::numbers weights_of(int sum) {
    return wt::sched::numbers::between(kWeights + 2 * sum, kWeights + 2 * sum + 2);
  }
  static consteval wt::sched::op weigh() {
    const auto made = Kernel::kOfKeys ? weights_of(1) : wt::sched::numbers{};
    return wt::sched::vector(kWeigh, {kMade}, made).named("P");
  }
  template <int Part, int Parts>
  static consteval wt::sched::op differ() {
    const auto made = Part + 1 == Parts ? weights_of(0) : wt::sched::numbers{};
    return wt::sched::vector(kDiffer + Part, {kMade + 1}, made).named("dS");
  }
  template <int Pointer>
  static consteval auto advance_pointer(int ahead) {
    if constexpr (Pointer == wt::sched::kNoPointer) {
      return wt::sched::no_ops;
    } else {
      return wt::sched::advance_pointer(Pointer, kFirst, ahead);
    }
  }
  // What phase N of four waves has beside its MFMAs and reads.
  template <int N>
  static consteval auto beside() {
    using namespace wt::sched;
    constexpr int kAhead = Kernel::kAhead, kAt = N - kFirstSum;
    if constexpr (N == 0) {
      return cluster(advance(kFirst, kAhead), advance(kSecond, kAhead),
                     advance_pointer<Kernel::kColumnPointer>(0));
    } else if constexpr (N + 1 == kFirstSum) {
      return weigh();
    } else if constexpr (N + 1 == kPhases) {
      return copies();
    } else if constexpr (Kernel::kOfKeys && kAt == 0) {
      return cluster(differ<kAt, phases::kOfSum>(), advance_pointer<Kernel::kRowPointer>(1));
    } else if constexpr (Kernel::kOfKeys && kAt > 0 && kAt < phases::kOfSum) {
      return differ<kAt, phases::kOfSum>();
    } else {
      return no_ops;
    }
  }
  template <int N>
  static consteval auto cluster_in_step() {
    return wt::sched::cluster(product<N>(), reads<(N + 1) % kPhases>((N + 1) / kPhases), beside<N>());
  }
  template <int... Made, int... Sum>
  static consteval auto in_step(wt::indices<int, Made...>, wt::indices<int, Sum...>) {
    using namespace wt::sched;
    if constexpr (Kernel::kOfKeys) {
      return pipeline_in_step(buffers(), cluster_in_step<Made>()..., cluster_in_step<kFirstSum + Sum>()...);
    } else {
      return pipeline_in_step(buffers(), cluster_in_step<Made>()...,
                              cluster(differ<0, 1>(), advance_pointer<Kernel::kRowPointer>(1)),
                              cluster_in_step<kFirstSum + Sum>()...);
    }
  }

  template <int... Made, int... Sum>
  static consteval auto ping_pong(wt::indices<int, Made...>, wt::indices<int, Sum...>) {
    using namespace wt::sched;
    constexpr int kWeightsEnd = kWeights + 2 * Kernel::kSums;
    const op weigh =
        vector(kWeigh, {kMade, kMade + 1}, numbers::between(kWeights, kWeightsEnd)).named("P, dS");
    return pipeline_ping_pong(Kernel::kWaves / 2, buffers(),                           //
                              interval_continued(cluster_of<Made>()...),               //
                              interval(cluster(weigh), cluster(reads<kFirstSum>(0))),  //
                              interval(copies(), cluster_of<kFirstSum + Sum>()...));
  }
};
template <class Kernel>
consteval auto make_attention_backward_schedule() {
  using namespace wt::sched;
  using ops = attention_backward_ops<Kernel>;
  constexpr __make_integer_seq<wt::indices, int, Kernel::kFirstSum> kMakes;
  constexpr __make_integer_seq<wt::indices, int, Kernel::kPhases - Kernel::kFirstSum> kSums;
  if constexpr (Kernel::kWaves == 8) {
    return copies_first(open_ended(waits_by_register(ops::ping_pong(kMakes, kSums))));
  } else {
    return copies_first(open_ended(waits_by_register(ops::in_step(kMakes, kSums))));
  }
}
template <class Kernel>
inline constexpr auto attention_backward_schedule = make_attention_backward_schedule<Kernel>();

#endif
