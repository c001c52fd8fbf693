// SPDX-License-Identifier: MIT
// Runs the main loop of the tiled GEMMs. It says what the ops of a schedule do to the tiles of a gemm_frame;
// gemm_4wave.h and gemm_8wave.h hold the schedules, from which all waits and barriers are derived.
#ifndef WT_KERNELS_GEMM_LOOP_H
#define WT_KERNELS_GEMM_LOOP_H

#include "gemm_early_store.h"
#include "sched/pipeline.h"

// Lists the numbers that stand in the schedules. Buffers are the halves of A and B, fragments are a0, a1, b0
// and b1, and sums are the quadrants of C, row by row.
enum : int { kA0, kA1, kB0, kB1 };
consteval auto gemm_buffers(int stages) {
  return wt::sched::buffers{stages, stages, stages, stages}.named("A0", "A1", "B0", "B1");
}

// Lists a frame's ops for schedules, with their events. The data of a step that is `ahead` steps ahead are
// copied to LDS; or, where tiles go through registers, they are fetched, and put a step later.
template <class Frame>
struct gemm_ops {
  static consteval auto put(int buffer, int ahead) {
    if constexpr (Frame::kThroughRegisters) {
      return wt::sched::put(buffer, ahead - 1, pieces(buffer));
    } else {
      return wt::sched::copy(buffer, ahead, pieces(buffer));
    }
  }
  static consteval auto fetch(int buffer, int ahead) {
    if constexpr (Frame::kThroughRegisters) {
      constexpr int kTogether = Frame::kTogether;
      return wt::sched::fetch(buffer, ahead, kTogether, kTogether * pieces(buffer));
    } else {
      return wt::sched::no_ops;
    }
  }
  // Returns both, where the fetch refills what the put writes.
  static consteval auto bring(int buffer, int ahead) {
    return wt::sched::cluster(put(buffer, ahead), fetch(buffer, ahead));
  }
  static consteval wt::sched::op read(int buffer, int fragment, int ahead) {
    return wt::sched::read(buffer, fragment, ahead, buffer < kB0 ? kReadsA : kReadsB);
  }

 private:
  template <class Tile, class Reader>
  static constexpr int reads = Tile::kTall * Tile::kWide * Reader::kReads;
  static constexpr int kReadsA = reads<typename Frame::a_tile, typename Frame::a_reader>;
  static constexpr int kReadsB = reads<typename Frame::b_tile, typename Frame::b_reader>;
  static consteval int pieces(int buffer) {
    return buffer < kB0 ? Frame::a_copier::kCopies : Frame::b_copier::kCopies;
  }
};

// Describes the paths of A and B from memory to LDS, and from there to registers, half by half.
template <class Frame>
struct gemm_paths {
  static_assert(wt::brings_to_lds<typename Frame::a_copier, wt::buffer, int> &&
                    wt::brings_to_lds<typename Frame::b_copier, wt::buffer, int>,
                "an operand's loader needs copies(from, step, to), or fetches(from, step) and puts<Nth>(to), "
                "with kCopies micro-ops (ops/brings_to_lds.h): give its source one as `copier`");
  wt::buffer from_a, from_b;
  typename Frame::a_copier copy_a[2];  // of each half
  typename Frame::b_copier copy_b[2];
  wt::lds_place<typename Frame::a_half> lds_a;  // the halves of all stages, one after the other
  wt::lds_place<typename Frame::b_half> lds_b;
  typename Frame::a_reader read_a;
  typename Frame::b_reader read_b;

  WT_DEVICE gemm_paths(const Frame &frame, typename Frame::stages &tiles)
      : from_a(memory_of(frame.a, Frame::kTileM)),
        from_b(memory_of(frame.b, Frame::kTileN)),
        copy_a{{frame.a, 0}, {frame.a, Frame::kTileM / 2}},
        copy_b{{frame.b, 0}, {frame.b, Frame::kTileN / 2}},
        lds_a(wt::lds_parts<typename Frame::a_half>(tiles.a)),
        lds_b(wt::lds_parts<typename Frame::b_half>(tiles.b)),
        read_a(typename Frame::a_reader(frame.wave_m).at(lds_a)),
        read_b(typename Frame::b_reader(frame.wave_n).at(lds_b)) {}

  // Return the functions of a schedule (sched/pipeline.h) that bring a half of a step to LDS.
  WT_DEVICE auto copies() {
    return [self = this](auto op, int step, wt::u32 stage) WT_INLINE {
      static constexpr int kBuffer = op.value.buffer;
      return self->template copier<kBuffer>().copies(self->template memory<kBuffer>(), step,
                                                     self->template place<kBuffer>(stage));
    };
  }
  // Returns the same for the tail of a run, where rows of A and B have so many blocks.
  WT_DEVICE auto copies_tail(int blocks) {
    return [=, self = this](auto op, int step, wt::u32 stage) WT_INLINE {
      static constexpr int kBuffer = op.value.buffer;
      return self->template copier<kBuffer>().copies_tail(self->template memory<kBuffer>(), step,
                                                          self->template place<kBuffer>(stage), blocks);
    };
  }
  WT_DEVICE auto fetches() {
    return [self = this](auto op, int step) WT_INLINE {
      static constexpr int kBuffer = op.value.buffer;
      return self->template copier<kBuffer>().fetches(self->template memory<kBuffer>(), step);
    };
  }
  WT_DEVICE auto puts() {
    return [self = this](auto op, wt::u32 stage) WT_INLINE {
      static constexpr int kBuffer = op.value.buffer;
      return self->template copier<kBuffer>().template puts<op.nth>(self->template place<kBuffer>(stage));
    };
  }
  // Returns the one that reads the wave's operands from it.
  template <int N>
  WT_DEVICE auto reads(typename Frame::a_tile (&a)[N], typename Frame::b_tile (&b)[2]) const {
    return [&, self = this](auto op, wt::u32 stage) WT_INLINE {
      static constexpr int kBuffer = op.value.buffer, kFragment = op.value.fragment;
      if constexpr (kBuffer < kB0) {
        return self->read_a.at(half<kBuffer>(stage)).reads(a[kFragment - kA0]);
      } else {
        return self->read_b.at(half<kBuffer>(stage)).reads(b[kFragment - kB0]);
      }
    };
  }

  // Must be called in each iteration of a loop that copies to both stages. Without it the compiler keeps more
  // LDS addresses across iterations than there are scalar registers.
  WT_DEVICE void forget_places() {
    if constexpr (2 * Frame::kStages * (Frame::a_copier::kCopies + Frame::b_copier::kCopies) > 32) {
      for (int half = 0; half < 2; ++half) copy_a[half].forget_place(), copy_b[half].forget_place();
    }
  }

  // Does the same before each use of a buffer, for all copiers: in long iterations, or where other things
  // take scalar registers, of which the place then takes one.
  WT_DEVICE void forget_shared_place() {
    static_assert(Frame::a_copier::kCopyBytes == Frame::b_copier::kCopyBytes,
                  "copiers share a place if they fill as much at once: call forget_places");
    wt::u32 &place = copy_a[0].place;
    wt::forget_uniform(place);
    copy_a[1].place = copy_b[0].place = copy_b[1].place = place;
  }
  // Does the same for the offsets of the direct copies in memory.
  WT_DEVICE void forget_offsets() {
    wt::unrolled<2>([&](auto half)
                        WT_INLINE { copy_a[half].forget_offsets(), copy_b[half].forget_offsets(); });
  }
  // Does the same for the places in LDS that an operand is read from: its halves share them.
  template <int Buffer>
  WT_DEVICE void forget_reader() {
    if constexpr (Buffer < kB0) {
      forget_bases(read_a);
    } else {
      forget_bases(read_b);
    }
  }

 private:
  template <int Buffer>
  WT_DEVICE auto &copier() {
    if constexpr (Buffer < kB0) {
      return copy_a[Buffer - kA0];
    } else {
      return copy_b[Buffer - kB0];
    }
  }
  template <int Buffer>
  WT_DEVICE wt::buffer memory() const {
    return Buffer < kB0 ? from_a : from_b;
  }
  // Returns how many bytes lie between the first stage and this buffer of a stage.
  template <int Buffer>
  WT_DEVICE static wt::u32 half(wt::u32 stage) {
    static constexpr wt::u32 kHalfBytes =
        Buffer < kB0 ? sizeof(typename Frame::a_half) : sizeof(typename Frame::b_half);
    return (2 * stage + Buffer % 2) * kHalfBytes;
  }
  // Returns where this buffer of a stage is.
  template <int Buffer>
  WT_DEVICE auto place(wt::u32 stage) const {
    if constexpr (Buffer < kB0) {
      return lds_a.at(half<Buffer>(stage));
    } else {
      return lds_b.at(half<Buffer>(stage));
    }
  }
};

// Frame is a gemm_frame. FragmentsA is 2, or 1 when fragment a0 serves both halves of A.
template <class Frame, const auto &Schedule, int FragmentsA>
struct gemm_loop : Frame {
  using accumulators = typename Frame::accumulators;
  using paths = gemm_paths<Frame>;
  static_assert(Schedule.together() == Frame::kTogether && Schedule.depth() <= Frame::kLeastSteps);

  using Frame::Frame;

  // Sets c to the product. `finish` is that of lists (sched/pipeline.h).
  template <class Finish = wt::sched::no_list>
  WT_DEVICE void main_loop(accumulators &c, typename Frame::stages &tiles, const Finish &finish = {}) const {
    paths p(*this, tiles);
    start(p);
    wt::zero(c);  // while the first data are on their way
    resume(c, p, this->steps, wt::sched::no_list{}, finish);
  }

  WT_DEVICE static int steps_of(const Frame &f) { return f.steps; }

  // These are the two parts of a run (sched/pipeline.h), of which the first may be empty. `stores` gives what
  // is stored in the first iterations.
  WT_DEVICE static void start(paths &p) {
    if constexpr (Schedule.begins == wt::sched::prologue::copies_first)
      wt::sched::start<Schedule>(wt::sched::lists{.copy = p.copies(), .fetch = p.fetches()});
  }
  template <class Stores, class Finish = wt::sched::no_list>
  WT_DEVICE static void resume(accumulators &c, paths &p, int steps, const Stores &stores,
                               const Finish &finish = {}) {
    typename Frame::a_tile a[FragmentsA];
    typename Frame::b_tile b[2];
    const auto multiplies = [&](auto op) WT_INLINE {
      return wt::mma_ABt_list<op.to>(c[op.value.sum / 2][op.value.sum % 2], a[op.value.a.fragment - kA0],
                                     b[op.value.b.fragment - kB0]);
    };
    wt::sched::resume<Schedule>(steps, wt::sched::lists{.copy = p.copies(),
                                                        .fetch = p.fetches(),
                                                        .put = p.puts(),
                                                        .read = p.reads(a, b),
                                                        .multiply = multiplies,
                                                        .store = stores,
                                                        .at_loop_start = [&] { p.forget_places(); },
                                                        .finish = finish});
  }
};

// Runs the kernel of a gemm_loop.
template <class Loop>
WT_DEVICE void gemm_scheduled(const typename Loop::args_type &all) {
  WT_SHARED typename Loop::lds memory;
  const Loop loop(all);
  typename Loop::accumulators c;
  gemm_early_store<Loop> store(loop, c);
  loop.main_loop(c, memory.tiles, store.lists());
  if (store.end()) return;
  loop.rest(c, memory.tiles);
  store_result(loop, Loop::source::product(all), c, memory.quadrant);
}

#endif
