// SPDX-License-Identifier: MIT
// The schedule of attention backward in eight waves, from which all its waits and barriers are derived. A
// step is a block of streamed rows.
//
//   interval   multiplies                                      copies
//   products   the sums of block j - 1; S and dP of block j    block j - 1 + kAhead
//   vector     (vector unit) P and dS of block j
//
// An iteration begins and ends within the products, where MFMAs hide the branch: it has S and dP of its
// block, the vector and the sums. Products are in the phases of attention_block_phases, and each phase has
// the reads for the next one between its MFMAs; the vector's interval ends with those for the first sum.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_SCHEDULE_H
#define WT_KERNELS_ATTENTION_BACKWARD_SCHEDULE_H

#include "sched/pipeline.h"

// The numbers that stand in the schedule. Buffers are the two streamed matrices, and the numbers per row that
// S and dP begin with; the part of a buffer that is read is the number of the phase it is for.
enum : int { kFirst, kSecond, kStarts };
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

  // The reads for phase N of the step that is `ahead` steps ahead.
  template <int N>
  static consteval auto reads(int ahead) {
    using now = phase<N>;
    if constexpr (!now::kMakes) {
      return wt::sched::read(now::kI, kColumns + N % 2, ahead, Kernel::kColumnReads, N);
    } else if constexpr (Kernel::kOfKeys && now::kPart == 0) {
      return wt::sched::cluster(wt::sched::read(kStarts, kStart + now::kI, ahead, Kernel::kStartReads, N),
                                wt::sched::read(now::kI, kRows + N % 2, ahead, Kernel::kRowReads, N));
    } else {
      return wt::sched::read(now::kI, kRows + N % 2, ahead, Kernel::kRowReads, N);
    }
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
      return Kernel::kOfKeys && now::kPart == 0 ? plain.starting_from({kStart + now::kI, kStarts, kFirstOf})
                                                : plain;
    }
  }
  // A phase with the reads for the next one, unless others follow it.
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
  static consteval auto copies() {
    const auto rows = wt::sched::cluster(copy(kFirst), copy(kSecond));
    if constexpr (Kernel::kOfKeys) {
      return wt::sched::cluster(wt::sched::copy(kStarts, Kernel::kAhead, Kernel::kStartCopies), rows);
    } else {
      return rows;
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

  template <int... Made, int... Sum>
  static consteval auto schedule(wt::indices<int, Made...>, wt::indices<int, Sum...>) {
    using namespace wt::sched;
    constexpr int kWeightsEnd = kWeights + 2 * Kernel::kSums;
    const op weigh = vector(0, {kMade, kMade + 1}, numbers::between(kWeights, kWeightsEnd)).named("P, dS");
    return pipeline_ping_pong(Kernel::kWaves / 2, buffers(),                           //
                              interval_continued(cluster_of<Made>()...),               //
                              interval(cluster(weigh), cluster(reads<kFirstSum>(0))),  //
                              interval(copies(), cluster_of<kFirstSum + Sum>()...));
  }
};
template <class Kernel>
consteval auto make_attention_backward_schedule() {
  using namespace wt::sched;
  constexpr auto kSchedule = attention_backward_ops<Kernel>::schedule(
      __make_integer_seq<wt::indices, int, Kernel::kFirstSum>{},
      __make_integer_seq<wt::indices, int, Kernel::kPhases - Kernel::kFirstSum>{});
  return copies_first(open_ended(waits_by_register(kSchedule)));
}
template <class Kernel>
inline constexpr auto attention_backward_schedule = make_attention_backward_schedule<Kernel>();

#endif
