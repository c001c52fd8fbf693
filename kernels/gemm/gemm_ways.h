// SPDX-License-Identifier: MIT
// The ways of A and B in the main loops of the tiled GEMM kernels: from memory to LDS, half by half, by
// direct copies or through registers, and by reads from there into registers.
#ifndef WT_KERNELS_GEMM_WAYS_H
#define WT_KERNELS_GEMM_WAYS_H

#include "gemm_frame.h"

// See a_copies.
inline constexpr int kFirstStep = 2;

// The stage, of two, that follows in so many steps.
template <int Ahead, int Now>
WT_DEVICE auto stage_after(wt::index<Now>) {
  return wt::index<(Now + Ahead) % 2>{};
}
template <int Ahead>
WT_DEVICE wt::u32 stage_after(wt::u32 now) {
  return (now + Ahead) & 1;
}

// Of copies through registers: both parts, or one.
enum class gemm_part { both, writes, loads };

// What a main loop does besides in its first steps: nothing. See gemm_leftover (gemm_persistent.h).
struct gemm_nothing_late {
  static constexpr int kBefore = 0, kSteps = 0;
  static constexpr int before(int) { return 0; }
  template <int>
  WT_DEVICE auto stores() const {
    return wt::list_of<0>([](auto) WT_INLINE {});
  }
};

// Frame: a gemm_frame. Its stages are numbered from 0 on, and so are the two halves of a stage's tiles.
template <class Frame>
struct gemm_ways {
  using a_half = typename Frame::a_half;
  using b_half = typename Frame::b_half;

  wt::buffer from_a, from_b;
  typename Frame::a_copier copy_a[2];  // of each half
  typename Frame::b_copier copy_b[2];
  wt::u32 lds_a, lds_b;
  typename Frame::a_reader read_a;
  typename Frame::b_reader read_b;

  WT_DEVICE gemm_ways(const Frame &frame, typename Frame::stages &tiles)
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

  // step(left, stage) for all `steps` K steps, at least 2: how many follow it, an index, 2 standing for more;
  // and where it lies. Both stages are in a turn of the loop: where they lie in LDS is then known while
  // compiling.
  template <class Step>
  WT_DEVICE void each_step(int steps, const Step &step) {
    const int turns = (steps - 2) / 2;
#pragma unroll 1
    for (int i = 0; i < turns; ++i) {
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

  // In each turn of a loop that copies to both stages, against more LDS addresses being kept from turn to
  // turn than there are scalar registers.
  WT_DEVICE void forget_places() {
    if constexpr (2 * Frame::kStages * (Frame::a_copier::kCopies + Frame::b_copier::kCopies) > 32) {
      for (int half = 0; half < 2; ++half) copy_a[half].forget_place(), copy_b[half].forget_place();
    }
  }

  // Copies a half of the K step that begins `advance` bytes after the frame's first to a stage. Or, through
  // registers: writes the step before it to LDS, and if it is an even one, loads it and the next. Left, an
  // index: how many steps follow this one, -1 of the one past the last; kFirstStep of the first. Part: direct
  // copies are among the writes.
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

  // What a prologue waits for in LDS: for its writes, if there are any.
  static constexpr int kPrologueLds = Frame::kThroughRegisters ? 0 : wt::kAnyLds;
  // Until at most Copies of the wave's direct copies and Lds of its LDS operations are in flight. For what is
  // loaded into registers the compiler waits.
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
