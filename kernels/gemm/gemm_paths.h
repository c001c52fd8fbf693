// SPDX-License-Identifier: MIT
// The paths of A and B in the main loops of the tiled GEMM kernels. The tiles go from memory to LDS, half by
// half, by direct copies or through registers; reads then take them from LDS into registers.
#ifndef WT_KERNELS_GEMM_PATHS_H
#define WT_KERNELS_GEMM_PATHS_H

#include "gemm_frame.h"

// The number of following steps that stands for "this is the first step" (see a_copies).
inline constexpr int kFirstStep = 2;

// The stage, 0 or 1, that is used `Ahead` steps after stage `now`.
template <int Ahead, int Now>
WT_DEVICE auto stage_after(wt::index<Now>) {
  return wt::index<(Now + Ahead) % 2>{};
}
template <int Ahead>
WT_DEVICE wt::u32 stage_after(wt::u32 now) {
  return (now + Ahead) & 1;
}

// Which part of a copy through registers is issued: the write to LDS, the load from memory, or both.
enum class gemm_part { both, writes, loads };

// The main loop does nothing besides in its first steps. gemm_leftover (gemm_persistent.h) is the
// alternative.
struct gemm_nothing_late {
  static constexpr int kBefore = 0, kSteps = 0;
  static constexpr int before(int) { return 0; }
  template <int>
  WT_DEVICE auto stores() const {
    return wt::list_of<0>([](auto) WT_INLINE {});
  }
};

// Frame is a gemm_frame. Stages are numbered from 0, and so are the two halves of a stage's tiles.
template <class Frame>
struct gemm_paths {
  using a_half = typename Frame::a_half;
  using b_half = typename Frame::b_half;

  wt::buffer from_a, from_b;
  typename Frame::a_copier copy_a[2];  // of each half
  typename Frame::b_copier copy_b[2];
  wt::u32 lds_a, lds_b;
  typename Frame::a_reader read_a;
  typename Frame::b_reader read_b;

  WT_DEVICE gemm_paths(const Frame &frame, typename Frame::stages &tiles)
      : from_a(wt::memory_of(frame.a, Frame::kTileM)),
        from_b(wt::memory_of(frame.b, Frame::kTileN)),
        copy_a{{frame.a.row_bytes(), 0, frame.a.rows},
               {frame.a.row_bytes(), Frame::kTileM / 2, frame.a.rows}},
        copy_b{{frame.b.row_bytes(), 0, frame.b.rows},
               {frame.b.row_bytes(), Frame::kTileN / 2, frame.b.rows}},
        lds_a(wt::lds_address(&tiles.a)),
        lds_b(wt::lds_address(&tiles.b)),
        read_a(typename Frame::a_reader(frame.wave_m).at(lds_a)),
        read_b(typename Frame::b_reader(frame.wave_n).at(lds_b)) {}

  // Calls step(left, stage) for each of `steps` K steps; there must be at least 2. `left` is an index: the
  // number of steps that follow, where 2 stands for two or more. `stage` is the stage that holds the step. A
  // loop iteration covers both stages, so that their LDS addresses are known at compile time.
  template <class Step>
  WT_DEVICE void each_step(int steps, const Step &step) {
    const int iterations = (steps - 2) / 2;
#pragma unroll 1
    for (int i = 0; i < iterations; ++i) {
      forget_places();
      step(wt::index<2>{}, wt::index<0>{});
      step(wt::index<2>{}, wt::index<1>{});
    }
    if constexpr (Frame::kTogether == 2) {
      step(wt::index<1>{}, wt::index<0>{});
      step(wt::index<0>{}, wt::index<1>{});
    } else {
      const wt::u32 odd = steps & 1;
#pragma unroll 1
      for (wt::u32 i = 0; i < odd; ++i) step(wt::index<2>{}, wt::index<0>{});
      step(wt::index<1>{}, odd);
      step(wt::index<0>{}, odd ^ 1);
    }
  }

  // Called in each iteration of a loop that copies to both stages. Without it the compiler keeps more LDS
  // addresses across iterations than there are scalar registers.
  WT_DEVICE void forget_places() {
    if constexpr (2 * Frame::kStages * (Frame::a_copier::kCopies + Frame::b_copier::kCopies) > 32) {
      for (int half = 0; half < 2; ++half) copy_a[half].forget_place(), copy_b[half].forget_place();
    }
  }

  // Copies a half of a K step to a stage; the step begins `advance` bytes along K after the frame's first.
  // Through registers, the list instead writes the step before this one to LDS and, if this step's number is
  // even, loads this step and the next. Left is an index: the number of steps that follow this one, -1 for
  // the step past the last, and kFirstStep for the first. Part chooses writes or loads; direct copies count
  // as writes.
  template <gemm_part Part = gemm_part::both, class Left, class Stage>
  WT_DEVICE auto a_copies(Left, Stage stage, int half, int advance) {
    return copies<Part, Left::value>(copy_a[half], from_a, advance, stage,
                                     lds_a + half_of(stage, half) * sizeof(a_half));
  }
  template <gemm_part Part = gemm_part::both, class Left, class Stage>
  WT_DEVICE auto b_copies(Left, Stage stage, int half, int advance) {
    return copies<Part, Left::value>(copy_b[half], from_b, advance, stage,
                                     lds_b + half_of(stage, half) * sizeof(b_half));
  }

  // The LDS operations that may be in flight when a prologue ends: none where it writes through registers.
  static constexpr int kPrologueLds = Frame::kThroughRegisters ? 0 : wt::kAnyLds;
  // Waits until at most Copies of the wave's direct copies and Lds of its LDS operations are in flight. The
  // compiler itself waits for loads into registers.
  template <int Copies, int Lds = wt::kAnyLds>
  WT_DEVICE static void wait() {
    constexpr int kVmem = Frame::kThroughRegisters ? wt::kAnyVmem : Copies;
    if constexpr (kVmem != wt::kAnyVmem || Lds != wt::kAnyLds) wt::wait_counts<kVmem, Lds>();
  }

  // Reads the wave's operands from a half of a stage.
  WT_DEVICE auto a_reads(typename Frame::a_tile &to, wt::u32 stage, int half) const {
    return read_a.at(half_of(stage, half) * sizeof(a_half)).reads(to);
  }
  WT_DEVICE auto b_reads(typename Frame::b_tile &to, wt::u32 stage, int half) const {
    return read_b.at(half_of(stage, half) * sizeof(b_half)).reads(to);
  }

 private:
  WT_DEVICE static constexpr wt::u32 half_of(wt::u32 stage, int half) {
    return 2 * (stage % Frame::kStages) + half;
  }
  template <gemm_part Part, int Left, class Copier, class Stage>
  WT_DEVICE static auto copies(Copier &copier, wt::buffer from, int advance, Stage, wt::u32 to) {
    constexpr bool kWrites = Part != gemm_part::loads, kLoads = Part != gemm_part::writes;
    if constexpr (!Frame::kThroughRegisters) {
      return wt::only_if<(Left >= 0 && kWrites)>(copier.copies(from, advance, to));
    } else {
      static_assert(Copier::kTiles == Frame::kTogether);
      constexpr bool kPuts = kWrites && Left >= -1 && Left != kFirstStep;
      constexpr bool kFetches = kLoads && Left >= 0 && Stage::value == 0;
      const auto puts = copier.template puts<1 - Stage::value>(to);
      const auto fetches = copier.fetches(from, advance);
      constexpr int kOps = kPuts || kFetches ? Copier::kCopies : 0;
      return wt::list_of<kOps>([=](auto i) WT_INLINE {
        if constexpr (kPuts) puts.template issue<i>();
        if constexpr (kFetches) fetches.template issue<i>();
      });
    }
  }
};

#endif
