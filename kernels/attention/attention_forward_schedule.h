// SPDX-License-Identifier: MIT
// Defines the schedule of attention forward, from which all its waits and barriers are derived. A step is a
// block of keys.
//
// `wavetile schedule attention_forward_d128_bf16` prints these rows cluster by cluster, with the waits that
// are derived; tests/cli/schedule_cli.py compares both.
//
//   interval   multiplies                               reads                              copies
//   products   O += P(j-1) V(j-1), S(j) = Q K(j)^T      rest of V(j-1), K(j), half of V(j)
//   softmax    (vector unit) m, l, P(j) from S(j)                                          V(j+2), K(j+3)
//
// An iteration begins and ends within the products, where MFMAs hide the branch: it has the scores of its
// block, the softmax and the outputs. Four stages suffice: K(j+3) and V(j+2), copied during softmax j,
// replace K(j-1) and V(j-2).
#ifndef WT_KERNELS_ATTENTION_FORWARD_SCHEDULE_H
#define WT_KERNELS_ATTENTION_FORWARD_SCHEDULE_H

#include "sched/pipeline.h"

// Lists the numbers that stand in the schedule: of buffers, of fragments, of sums and of vectors.
enum : int { kK, kV };
enum : int { kQ0 = 0, kK0 = 8, kV0 = 10, kP0 = 12 };
enum : int { kS, kO };
enum : int { kWeigh, kSum };

// Kernel says how many parts the head dimension of Q K^T has, how many shares of a block's keys P V takes one
// after the other, and how many events reads and copies have.
template <class Kernel>
struct attention_forward_ops {
  static consteval wt::sched::op read_k(int part, int ahead) {
    return wt::sched::read(kK, kK0 + part % 2, ahead, Kernel::kReadsK, part);
  }
  static consteval wt::sched::op read_v(int share) {
    return wt::sched::read(kV, kV0 + share, 0, Kernel::kReadsV, share);
  }
  template <class Ring>
  static consteval wt::sched::op copy(int buffer, int ahead) {
    return Ring::kIsDirect ? wt::sched::copy(buffer, ahead, Ring::kCopies)
                           : wt::sched::copy_through(buffer, ahead, Ring::kCopies);
  }
  // An advance stands among the products that have more MFMAs.
  template <wt::presence Here>
  static consteval auto advance(int buffer, int ahead) {
    if constexpr (Here == wt::presence::present) {
      return wt::sched::advance(buffer, ahead);
    } else {
      return wt::sched::no_ops;
    }
  }

  // Returns the ops of S = Q K^T, part by part.
  template <int Part>
  static consteval auto scores() {
    constexpr bool kHere = Kernel::kAdvancesFirst, kIsLast = Part + 1 == Kernel::kParts;
    return wt::sched::cluster(
        wt::sched::multiply(kS, wt::sched::kept(kQ0 + Part), {kK0 + Part % 2, kK, Part}),
        kIsLast ? read_v(0) : read_k(Part + 1, 0),  //
        advance<wt::when(kHere && Part == 0)>(kV, 2), advance<wt::when(kHere && kIsLast)>(kK, 3));
  }
  // Returns the ops of O += P V, share by share.
  template <int Share>
  static consteval auto outputs() {
    constexpr bool kHere = !Kernel::kAdvancesFirst, kIsLast = Share + 1 == Kernel::kSharesOfKeys;
    return wt::sched::cluster(wt::sched::multiply(kO, wt::sched::made(kP0 + Share), {kV0 + Share, kV, Share}),
                              kIsLast ? read_k(0, 1) : read_v(Share + 1),  //
                              advance<wt::when(kHere && Share == 0)>(kV, 3),
                              advance<wt::when(kHere && kIsLast)>(kK, 4));
  }
  template <int... Part, int... Share>
  static consteval auto schedule(wt::indices<int, Part...>, wt::indices<int, Share...>) {
    using namespace wt::sched;
    const auto softmax = [](int number) { return vector(number, {kS}, {(kP0 + Share)...}, {kO}); };
    const op weigh = softmax(kWeigh).named("weigh"), sum = softmax(kSum).named("sum");
    const op copy_v = copy<typename Kernel::v_ring>(kV, 2), copy_k = copy<typename Kernel::k_ring>(kK, 3);
    return pipeline_ping_pong(Kernel::kWaves / 2,
                              buffers{Kernel::kStages, Kernel::kStages}.named("K", "V"),  //
                              interval_continued(scores<Part>()...),                      //
                              interval(cluster(weigh, copy_v, copy_k), cluster(sum)),     //
                              interval(outputs<Share>()...));
  }
};
template <class Kernel>
consteval auto make_attention_forward_schedule() {
  using namespace wt::sched;
  constexpr auto kSchedule =
      attention_forward_ops<Kernel>::schedule(__make_integer_seq<wt::indices, int, Kernel::kParts>{},
                                              __make_integer_seq<wt::indices, int, Kernel::kSharesOfKeys>{});
  return copies_first(open_ended(waits_by_register(kSchedule)));
}
template <class Kernel>
inline constexpr auto attention_forward_schedule = make_attention_forward_schedule<Kernel>();

#endif
