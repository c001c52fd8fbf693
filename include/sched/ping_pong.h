// SPDX-License-Identifier: MIT
// In ping-pong, two waves per SIMD alternate between moving data and multiplying, always in opposite roles.
#ifndef WT_SCHED_PING_PONG_H
#define WT_SCHED_PING_PONG_H

#include "../ops/isa/sync.h"
#include "../ops/list.h"

namespace wt::sched {

// These are the waves of a work-group in two halves, one barrier apart. Hardware puts waves i and i + 4 of
// eight on one SIMD (measured on gfx942: PyHIP, docs/mfma-valu-coissue.md), so the second half is the waves
// from 4 on.
//
//   pair.shift_in();
//   for each cluster: what moves data; pair.compute([&] { what multiplies it; });
//   pair.shift_out();
//
// Every wave takes as many barriers: the second half takes one more in shift_in, the first half one more in
// shift_out, and each cluster takes two, between which the other half is in the other role.
//
// scope: work-group; operands: none; leaves: what was outstanding; waits: nobody; LDS: none; registers: 1
// scalar; chips: both
struct ping_pong {
  bool second_half;  // the same in all lanes of a wave

  // Lets the second half fall one barrier behind, before the first cluster.
  WT_DEVICE void shift_in() const { barrier_if(second_half); }
  // Brings the halves together again, after the last cluster. clang 22 counts the wait states between an MFMA
  // and the use of its result along the path with the barrier, which has one more than the other: two wait
  // states make up for it.
  WT_DEVICE void shift_out() const {
    barrier_if(!second_half);
    s_nop<1>();
  }

  // Ends the cluster that moved data and multiplies, after a barrier and first in line for its SIMD. This
  // wave's LDS reads have landed by then, except for the last InFlight of them. The compiler waits for those
  // where they are multiplied, or they are for a later cluster. Nothing moves into or out of the cluster, and
  // nothing but the barrier stands between its first MFMA and the last one of the other half.
  //
  // operands: a function that issues MFMAs; leaves: InFlight of lgkmcnt, vmcnt as it was
  template <int InFlight = 0, class F>
  WT_DEVICE void compute(const F &multiply) const {
    ready<InFlight>();
    begin();
    multiply();
    end();
  }

  // Take the steps of compute one by one, for a cluster that begins in one iteration of a loop and ends in
  // the next, or where something can be done between them: `ready` waits for the LDS reads and raises the
  // priority, `begin` takes the barrier before the MFMAs, `end` takes the one after them.
  //
  // leaves: InFlight of lgkmcnt after ready, vmcnt as it was
  template <int InFlight = 0>
  WT_DEVICE void ready() const {
    sched_barrier();
    wait_lds<InFlight>();
    s_setprio<1>();
  }
  WT_DEVICE void begin() const {
    raw_barrier();
    sched_barrier();
  }
  WT_DEVICE void end() const {
    sched_barrier();
    raw_barrier();
    s_setprio<0>();
    sched_barrier();
  }

  // Runs a loop whose products lag behind what moves and prepares their data: move(j) for the steps `begin`
  // to `end` - 1, at least one, between product(j, first, last) for `begin` to `end`. A product multiplies
  // what the move before it has left, except the first one, and begins the next step, except the last one;
  // first and last are index<0> or index<1>.
  //
  // operands: functions product and move; leaves: what they leave, vmcnt or lgkmcnt
  template <class Product, class Move>
  WT_DEVICE void alternate(int begin, int end, const Product &product, const Move &move) const {
    shift_in();
    raw_barrier();
    product(begin, index<1>{}, index<0>{});
#pragma unroll 1
    for (int j = begin; j + 1 < end; ++j) {
      move(j);
      product(j + 1, index<0>{}, index<0>{});
    }
    move(end - 1);
    product(end, index<0>{}, index<1>{});
    shift_out();
  }
};

}  // namespace wt::sched

#endif
