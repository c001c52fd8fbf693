// SPDX-License-Identifier: MIT
// In roles, some waves of a work-group only bring data into LDS, the others only use it (wave
// specialisation). The stages of LDS form a ring; one barrier per step hands full stages over to the users
// and empty ones back.
//
// Roles are no schedule of pipeline.h, all of whose waves issue the same ops, and no kernel of the library
// has them: GEMM with producers is slower (examples/gemm/README.md).
#ifndef WT_SCHED_ROLES_H
#define WT_SCHED_ROLES_H

#include "../ops/isa/ids.h"
#include "../ops/isa/sync.h"
#include "../ops/list.h"

namespace wt::sched {

// Runs `produce` in the first Producers waves and `consume` in all others; each wave takes its branch as a
// whole. Both must meet at equally many barriers, as sched::produce and sched::consume do for the same number
// of steps. Registers belong to no role: every wave gets as many as the hungriest role needs.
//
// scope: work-group; operands: two functions; leaves: what they leave of vmcnt and lgkmcnt; waits: as its
// lists ask; LDS: none; registers: none; chips: both
template <int Producers, class Produce, class Consume>
WT_DEVICE void by_role(const Produce &produce, const Consume &consume) {
  if (wave_id() < Producers) {
    produce();
  } else {
    consume();
  }
}

// Brings K steps 0 .. steps - 1 into a ring of Stages, as many steps ahead as fit. copy(step) returns a list
// of copies to LDS, of this wave's share of a step, to stage step mod Stages.
//
// Barrier number s says two things: this wave's copies of step s have landed, and consumers are done with
// step s - 1, so that its stage can take step s + Stages - 1.
//
// scope: wave; operands: a function that returns copies; leaves: none; waits: nobody; LDS: the ring;
// registers: none; chips: both
template <int Stages, class Copy>
WT_DEVICE void produce(int steps, const Copy &copy) {
  static_assert(Stages >= 2,
                "a ring of one stage has nothing in flight while it is used: give it two or more");
  static constexpr int kCopies = decltype(copy(0))::kSize, kAhead = Stages - 1;
  static_assert((kAhead - 1) * kCopies < kAnyVmem, "vmcnt counts to 63: use fewer stages or smaller copies");
  for (int step = 0; step < kAhead && step < steps; ++step) issue_all(copy(step));
  for (int step = 0; step < steps; ++step) {
    // Copies land in order. The copies of later steps may be in flight if all kAhead - 1 of them have been
    // issued.
    if (step + kAhead <= steps) {
      wait_vmem<(kAhead - 1) * kCopies>();
    } else {
      wait_vmem<0>();
    }
    raw_barrier();
    if (step + kAhead < steps) issue_all(copy(step + kAhead));
  }
}

// Uses what `produce` brings: use(step) reads stage step mod Stages.
//
// scope: wave; operands: a function that reads a stage; leaves: what the last use leaves of vmcnt and
// lgkmcnt; waits: compiler; LDS: reads the ring; registers: none; chips: both
template <class Use>
WT_DEVICE void consume(int steps, const Use &use) {
  for (int step = 0; step < steps; ++step) {
    wait_lds<0>();  // the reads of the step before are done
    raw_barrier();
    use(step);
  }
}

}  // namespace wt::sched

#endif
