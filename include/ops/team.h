// SPDX-License-Identifier: MIT
// A team is the threads that share a row, from a part of a wave to a whole work-group; it reduces over them.
#ifndef WT_OPS_TEAM_H
#define WT_OPS_TEAM_H

#include "../tiles/rv.h"
#include "isa/ids.h"
#include "isa/lds.h"
#include "isa/math.h"
#include "isa/sync.h"
#include "lanes.h"
#include "list.h"

namespace wt {

// This is a team of Threads threads, a power of two, in a work-group of `Workgroup` threads. Teams of up to a
// wave need no barrier, and a work-group may hold many; a larger team is the whole work-group.
//
// A kernel declares `WT_SHARED typename Team::memory memory;` and makes one team of it.
//
// scope: team; operands: f32; leaves: none; waits: nobody; LDS: team::memory; registers: 4; chips: both
template <int Threads, int Workgroup = (Threads < target::kWaveLanes ? target::kWaveLanes : Threads)>
struct team {
  static_assert(Threads >= 2 && Threads <= 1024 && (Threads & (Threads - 1)) == 0,
                "a team is a power of two of threads, from 2 to the 1024 of a work-group");
  static_assert(Workgroup % Threads == 0 && Workgroup % target::kWaveLanes == 0,
                "teams divide the work-group evenly: make it a multiple of the team and of 64");
  static_assert(Threads <= target::kWaveLanes || Threads == Workgroup,
                "teams of several waves meet at barriers: give each a work-group of its own");
  static constexpr int kThreads = Threads, kTeams = Workgroup / Threads;
  static constexpr int kLanes = Threads < target::kWaveLanes ? Threads : target::kWaveLanes;
  static constexpr int kWaves = Threads / kLanes;
  static constexpr int kMostValues = 4;  // numbers reduced at once

  // This is what the waves tell each other. There are two sets, used alternately: a wave that writes one set
  // has passed the barrier of the other one, which no wave reaches before it has read this one. So a
  // reduction takes one barrier.
  struct memory {
    f32 of_wave[kWaves > 1 ? 2 : 1][kMostValues][kWaves];
  };

  int rank;    // rank of this thread in its team
  int number;  // number of its team in the work-group
  u32 place;   // LDS address of the set to be used next

  // Makes the team of this thread.
  WT_DEVICE explicit team(memory &shared)
      : rank(thread_id() % Threads),
        number(kTeams == 1 ? 0 : thread_id() / Threads),
        place(lds_address(&shared)) {}

  // Returns op of the threads' values, the same bits in all of them, for N numbers at once or one. op must be
  // commutative; the order is that of the lanes' tree (lanes.h), then that of the waves'.
  template <class Op, int N>
  WT_DEVICE vector<f32, N> reduce(vector<f32, N> x, const Op &op) {
    static_assert(N <= kMostValues, "a team reduces up to four numbers at once: reduce the others after");
    unrolled<N>([&](auto i) WT_INLINE { x[i.value] = reduce_lanes<kLanes - 1>(f32(x[i.value]), op); });
    if constexpr (kWaves > 1) {
      static constexpr u32 kSet = kMostValues * kWaves * sizeof(f32);
      const u32 own = place + static_cast<u32>(wave_id()) * sizeof(f32);
      const u32 others = place + static_cast<u32>(lane_id() % kWaves) * sizeof(f32);
      const bool first = lane_id() == 0;
      unrolled<N>([&](auto i) WT_INLINE {
        if (first) ds_write(own, f32(x[i.value]), i * kWaves * static_cast<int>(sizeof(f32)));
      });
      barrier();
      unrolled<N>([&](auto i) WT_INLINE {
        x[i.value] =
            reduce_lanes<kWaves - 1>(ds_read<f32>(others, i * kWaves * static_cast<int>(sizeof(f32))), op);
      });
      place = used_first ? place - kSet : place + kSet;
      used_first = !used_first;
    }
    return x;
  }
  template <class Op>
  WT_DEVICE f32 reduce(f32 x, const Op &op) {
    return reduce(vector<f32, 1>{x}, op)[0];
  }

  // Return the sum, the largest and the smallest of the threads' values, of a number or of each of up to
  // four. max and min prefer a number to a NaN.
  template <class V>
  WT_DEVICE V sum(V x) {
    return reduce(x, [](f32 a, f32 b) WT_INLINE { return a + b; });
  }
  template <class V>
  WT_DEVICE V max(V x) {
    return reduce(x, [](f32 a, f32 b) WT_INLINE { return wt::max(a, b); });
  }
  template <class V>
  WT_DEVICE V min(V x) {
    return reduce(x, [](f32 a, f32 b) WT_INLINE { return wt::min(a, b); });
  }

 private:
  bool used_first = false;
};

}  // namespace wt

#endif
