// SPDX-License-Identifier: MIT
// GEMM with block scales, 4-wave interleave: the loop of kernels/gemm/gemm_4wave.h, with the scales of A and
// B as a buffer of their own. Rows of scales are fetched to registers for several K steps together and put to
// LDS step by step; shuffled scales are copied. Each half of an operand is read together with its scales,
// which A of bf16 does not have.
#ifndef WT_KERNELS_GEMM_MX_H
#define WT_KERNELS_GEMM_MX_H

#include "../gemm/gemm_4wave.h"
#include "gemm_mx_frame.h"
#include "gemm_mx_store.h"

// Lists the buffers of the scales, one for each piece that the waves fetch at once, and the fragments of
// them, in the order of kA0, kA1, kB0 and kB1. A piece is 256 rows: those of A and then those of B.
enum : int { kScales = 4, kScalesOfA = 4, kScalesOfB = 6 };

// With Stores, a run follows as many stores (kernels/gemm/gemm_4wave_persistent.h), and issues as many
// itself.
template <class Frame, int Stores>
consteval auto gemm_mx_schedule() {
  using namespace wt::sched;
  using ops = gemm_ops<Frame>;
  constexpr int kS = Frame::kStages, kScaleS = Frame::kScaleStages,
                kLastPiece = Frame::scale_path::kPieces - 1;
  constexpr bool kIsDirect = Frame::scale_path::kPath == gemm_mx_scale_path::direct;
  // A fetch takes a line of memory for each row, so the fetches of all waves take as many as all copies of a
  // step, and L1 holds up what comes behind them. So their cluster has no copies.
  const auto bring_scales = [](auto piece) {
    if constexpr (!kIsDirect && piece <= kLastPiece) {
      return cluster(put(kScales + piece, 1, 1), fetch_joined(kScales + piece, 2, Frame::kTogether, 1));
    } else {
      return no_ops;
    }
  };
  const auto copy_scales = [] {
    if constexpr (kIsDirect) {
      return copy(kScales, kScaleS, Frame::scale_copier::kCopies);
    } else {
      return no_ops;
    }
  };
  const auto read_a = [](int half, int ahead) {
    const op tile = ops::read(kA0 + half, kA0 + half, ahead);
    if constexpr (Frame::kHasScalesOfA) {
      return cluster(tile, read(kScales, kScalesOfA + half, ahead, Frame::a_scale_reader::kReads));
    } else {
      return tile;
    }
  };
  const auto read_b = [](int half, int ahead) {
    return cluster(ops::read(kB0 + half, kB0 + half, ahead),
                   read(kScales + kLastPiece, kScalesOfB + half, ahead, Frame::b_scale_reader::kReads));
  };
  const auto quadrant = [=](int i, int j) {
    const operand scale_a = Frame::kHasScalesOfA ? operand{kScalesOfA + i, kScales} : kAbsent;
    return multiply_scaled(2 * i + j, {kA0 + i, kA0 + i}, scale_a, {kB0 + j, kB0 + j},
                           {kScalesOfB + j, kScales + kLastPiece});
  };
  const auto in = [] {
    if constexpr (kLastPiece > 0) {
      return buffers{kS, kS, kS, kS, kScaleS, kScaleS}.named("A0", "A1", "B0", "B1", "scale A", "scale B");
    } else {
      return buffers{kS, kS, kS, kS, kScaleS}.named("A0", "A1", "B0", "B1", "scales");
    }
  };
  // A half of A in bf16 is all that L1 takes at once (32 KB), so that B's halves come beside neither of them.
  constexpr bool kB0Alone = kIsDirect || !Frame::kHasScalesOfA;
  const auto copy_b0_alone = [] {
    if constexpr (!kB0Alone) {
      return no_ops;
    } else {
      return ops::put(kB0, kS);
    }
  };
  const auto copy_b0_beside_a = [] {
    if constexpr (!kB0Alone) {
      return ops::put(kB0, kS);
    } else {
      return no_ops;
    }
  };
  return copies_first(
      pipeline_in_step(
          in(),
          cluster(quadrant(0, 0), read_b(1, 0), bring_scales(wt::index<0>{}), bring_scales(wt::index<1>{}),
                  copy_b0_alone(), gemm_4wave_store<Stores, 0>()),
          cluster(quadrant(0, 1), read_a(1, 0), ops::put(kA0, kS), copy_b0_beside_a(),
                  gemm_4wave_store<Stores, 1>()),
          cluster(quadrant(1, 0), read_a(0, 1), ops::put(kB1, kS), copy_scales(),
                  gemm_4wave_store<Stores, 2>()),
          cluster(quadrant(1, 1), read_b(0, 1), ops::put(kA1, kS), gemm_4wave_store<Stores, 3>())),
      Stores);
}

// Describes the paths of A, B and their scales from memory to LDS, and from there to registers.
template <class Frame>
struct gemm_mx_paths : gemm_paths<Frame> {
  using tile_paths = gemm_paths<Frame>;
  using scale_path = typename Frame::scale_path;
  static constexpr bool kIsDirect = scale_path::kPath == gemm_mx_scale_path::direct;
  static constexpr wt::u32 kStage = sizeof(typename Frame::scale_tile);

  typename Frame::scale_copier copy_scales;
  wt::lds_place<typename Frame::scale_tile> scales;  // of the first stage
  typename Frame::a_scale_reader read_scales_a;
  typename Frame::b_scale_reader read_scales_b;

  WT_DEVICE gemm_mx_paths(const Frame &frame, typename Frame::stages &tiles)
      : tile_paths(frame, tiles),
        copy_scales(frame.scale_a, frame.scale_b),
        scales(tiles.scales[0]),
        read_scales_a(scales, frame.wave_m),
        read_scales_b(scales, Frame::kScalesOfA + frame.wave_n) {
    // From here on, all places in LDS that a reader reads are its bases and constants that fit into the
    // instructions. If the compiler knew where the tiles are, it would keep a register for each sum of both.
    forget_bases(this->read_a);
    forget_bases(this->read_b);
    forget_bases(read_scales_a);
    forget_bases(read_scales_b);
  }

  // Return the functions of a schedule (sched/pipeline.h) that bring a half of a step, or its scales, to LDS.
  WT_DEVICE auto copies() {
    return [self = this](auto op, int step, wt::u32 stage) WT_INLINE {
      if constexpr (op.value.buffer < kScales) {
        self->forget_shared_place();
        return self->tile_paths::copies()(op, step, stage);
      } else if constexpr (kIsDirect) {
        self->copy_scales.forget_place();
        return self->copy_scales.copies(step, self->scales[stage]);
      }
    };
  }
  WT_DEVICE auto fetches() {
    if constexpr (kIsDirect) {
      return wt::sched::no_list{};
    } else {
      return [self = this](auto op, int step)
                 WT_INLINE { return self->copy_scales.template fetches<op.value.buffer - kScales>(step); };
    }
  }
  WT_DEVICE auto puts() {
    if constexpr (kIsDirect) {
      return wt::sched::no_list{};
    } else {
      return [self = this](auto op, wt::u32 stage) WT_INLINE {
        return self->copy_scales.template puts<op.nth, op.value.buffer - kScales>(self->scales[stage]);
      };
    }
  }
  // Return the same for the tail of a run, where rows have so many blocks. What is past the end of K is zero,
  // and has scales that are numbers: shuffled ones are 1 (ops/shuffled_scales.h).
  WT_DEVICE auto copies_tail(int blocks) {
    return [=, self = this](auto op, int step, wt::u32 stage) WT_INLINE {
      if constexpr (op.value.buffer < kScales) {
        self->forget_shared_place();
        return self->tile_paths::copies_tail(blocks)(op, step, stage);
      } else {
        return self->copies()(op, step, stage);
      }
    };
  }
  WT_DEVICE auto fetches_tail() {
    if constexpr (kIsDirect) {
      return wt::sched::no_list{};
    } else {
      return [self = this](auto op, int step) WT_INLINE {
        return self->copy_scales.template fetches_tail<op.value.buffer - kScales>(step);
      };
    }
  }
  WT_DEVICE auto puts_tail() {
    if constexpr (kIsDirect) {
      return wt::sched::no_list{};
    } else {
      return [self = this](auto op, wt::u32 stage) WT_INLINE {
        return self->copy_scales.template puts_tail<op.nth, op.value.buffer - kScales>(self->scales[stage]);
      };
    }
  }
  // Returns the bytes from the scales of the first stage to those that are read of a stage. Stages change
  // with the steps, so a stage has either the even steps or the odd ones.
  WT_DEVICE static wt::u32 scales_of(wt::u32 stage) {
    static_assert(Frame::kScaleStages == 2);
    return stage * kStage + scale_path::within_group(static_cast<int>(stage));
  }
};

// Says how K ends: with whole groups of steps, or with steps that may be past the end of rows of so many
// blocks. Each gives the lists of the tail of a run.
struct gemm_mx_whole_steps {
  static constexpr int steps = 0;
  template <class Paths>
  WT_DEVICE wt::sched::no_list copies(Paths &) const {
    return {};
  }
  template <class Paths>
  WT_DEVICE wt::sched::no_list fetches(Paths &) const {
    return {};
  }
  template <class Paths>
  WT_DEVICE wt::sched::no_list puts(Paths &) const {
    return {};
  }
};
struct gemm_mx_tail {
  int steps, blocks;
  template <class Paths>
  WT_DEVICE auto copies(Paths &p) const {
    return p.copies_tail(blocks);
  }
  template <class Paths>
  WT_DEVICE auto fetches(Paths &p) const {
    return p.fetches_tail();
  }
  template <class Paths>
  WT_DEVICE auto puts(Paths &p) const {
    return p.puts_tail();
  }
};

template <class Frame, int Stores = 0>
struct gemm_mx_loop : Frame {
  using frame = Frame;
  using accumulators = typename Frame::accumulators;
  using paths = gemm_mx_paths<Frame>;
  static constexpr auto kSchedule = gemm_mx_schedule<Frame, Stores>();
  static_assert(wt::brings_to_lds<typename Frame::scale_copier, int>,
                "the loader of the scales needs copies(step, to), or fetches(step) and puts<Nth>(to), with "
                "kCopies micro-ops (ops/brings_to_lds.h)");

  using Frame::Frame;

  // Sets the sums to the product. `finish` is that of lists (sched/pipeline.h). Steps come in groups, for
  // each of which the scales are fetched together, and those of the last group may be past the end of K. C
  // cannot be stored by `finish` where there is a rest.
  template <class Finish>
  WT_DEVICE void multiply(accumulators &c, typename Frame::stages &tiles, const Finish &finish) const {
    static constexpr int kTogether = Frame::kTogether, kBlocks = kTogether * Frame::kStep / wt::kScaleBlock;
    const int blocks = this->blocks - this->rest();
    const int whole = blocks / kBlocks * kTogether, steps = (blocks + kBlocks - 1) / kBlocks * kTogether;
    const bool can_copy = this->is_fetchable() && steps >= wt::sched::least_steps<kSchedule>;
    if (__builtin_expect(can_copy, true)) {
      paths p(*this, tiles);
      const gemm_mx_tail tail{steps - whole, blocks};
      start(p, tail);
      clear(c);  // while the first copies are in flight
      resume(c, p, steps, wt::sched::no_list{}, finish, tail);
      if constexpr (Frame::kMayHaveRest) {
        if (this->has_rest()) this->masked_step(c, tiles, blocks * wt::kScaleBlock);
      }
    } else {
      clear(c);
      keep(c);
#pragma unroll 1
      for (int k = 0; k < this->blocks * wt::kScaleBlock; k += Frame::kStep) this->masked_step(c, tiles, k);
    }
  }
  WT_DEVICE void multiply(accumulators &c, typename Frame::stages &tiles) const {
    multiply(c, tiles, wt::sched::no_list{});
    keep(c);
  }

  // Returns the K steps of a tile where K has whole groups of them.
  WT_DEVICE static int steps_of(const Frame &f) { return f.blocks / (Frame::kStep / wt::kScaleBlock); }

  // These are the two parts of a run (sched/pipeline.h). `stores` gives what is stored in the first
  // iterations.
  template <class Tail = gemm_mx_whole_steps>
  WT_DEVICE static void start(paths &p, const Tail &tail = {}) {
    wt::sched::start<kSchedule>(wt::sched::lists{.copy = p.copies(),
                                                 .fetch = p.fetches(),
                                                 .copy_tail = tail.copies(p),
                                                 .fetch_tail = tail.fetches(p),
                                                 .put_tail = tail.puts(p)});
  }
  template <class Stores_, class Finish = wt::sched::no_list, class Tail = gemm_mx_whole_steps>
  WT_DEVICE static void resume(accumulators &c, paths &p, int steps, const Stores_ &stores,
                               const Finish &finish = {}, const Tail &tail = {}) {
    typename Frame::a_tile a[2];
    typename Frame::b_tile b[2];
    typename Frame::a_scales sa[2];
    typename Frame::b_scales sb[2];
    typename Frame::wide_b_tile wide[2];  // where A is bf16: what its upper half has left for the lower one
    static constexpr wt::u32 kHalfA = Frame::kTileM / 2 * Frame::scale_path::kRowBytes;
    static constexpr wt::u32 kHalfB = Frame::kTileN / 2 * Frame::scale_path::kRowBytes;
    const gemm_paths<Frame> readers = p;  // a copy, or the optimizer may leave the readers in memory
    const auto tile_reads = readers.reads(a, b);
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      static constexpr int kFragment = op.value.fragment;
      if constexpr (op.value.buffer < kScales) {
        return tile_reads(op, stage);
      } else if constexpr (kFragment < kScalesOfB) {
        static constexpr int kHalf = kFragment - kScalesOfA;
        return p.read_scales_a.reads(sa[kHalf], paths::scales_of(stage) + kHalf * kHalfA);
      } else {
        static constexpr int kHalf = kFragment - kScalesOfB;
        return p.read_scales_b.reads(sb[kHalf], paths::scales_of(stage) + kHalf * kHalfB);
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE {
      static constexpr int kI = op.value.sum / 2, kJ = op.value.sum % 2;
      if constexpr (Frame::kHasScalesOfA) {
        return wt::mma_ABt_list<op.to>(c[kI][kJ], a[kI], sa[kI], b[kJ], sb[kJ]);
      } else if constexpr (kI == 0) {
        return wt::mma_ABt_list<op.to>(c[kI][kJ], a[kI], b[kJ], sb[kJ], wide[kJ]);
      } else {
        return wt::mma_ABt_list<op.to>(c[kI][kJ], a[kI], wide[kJ]);
      }
    };
    const wt::sched::lists lists{.copy = p.copies(),
                                 .fetch = p.fetches(),
                                 .put = p.puts(),
                                 .read = reads,
                                 .multiply = multiplies,
                                 .store = stores,
                                 .finish = finish,
                                 .copy_tail = tail.copies(p),
                                 .fetch_tail = tail.fetches(p),
                                 .put_tail = tail.puts(p)};
    wt::sched::resume<kSchedule>(steps, lists, tail.steps);
    // clang 22 lays the branch of multiply that clears the sums behind this run as well. Control never comes
    // there from here; the wait states are those that such code would need, and are waited for in any case.
    if constexpr (!Frame::kHasScalesOfA) wt::mfma_result_wait();
  }

 private:
  WT_DEVICE static void clear(accumulators &c) {
    wt::unrolled<4>([&](auto quadrant) WT_INLINE { wt::zero(c[quadrant / 2][quadrant % 2]); });
  }
  WT_DEVICE static void keep(accumulators &c) {
    wt::unrolled<4>([&](auto quadrant) WT_INLINE { wt::keep(c[quadrant / 2][quadrant % 2]); });
  }
};

// Arguments that the end alone needs are read there: with all of them, the wave would wait for its first
// scalar loads before it can issue the last ones (lgkmcnt).
template <class Loop>
WT_DEVICE void gemm_mx(const wt_gemm_mx_args &args) {
  WT_SHARED typename Loop::lds memory;
  const Loop loop(args);
  typename Loop::accumulators c;
  gemm_early_store<Loop> store(loop, c);
  loop.multiply(c, memory.tiles, store.lists());
  wt::mfma_result_wait();  // the compiler may move fragments here, as both branches need them
  if (store.end()) return;
  const wt_gemm_mx_args again = wt::read_arguments<wt_gemm_mx_args>();
  wt::complete(c);
  if (again.c_scale) return store_blocks(loop, again, c, memory.quadrant);
  store_complete(loop, again.gemm, c, memory.quadrant);
}

// Defines the kernel `name` (instances.def). Scales is gemm_mx_row_scales or gemm_mx_shuffled_scales.
#define GEMM_MX_KERNEL(name, TA, TB, BM, BN, stages, Scales)                       \
  WT_KERNEL_OF_WAVES((gemm_mx_frame<TA, TB, BM, BN, stages, Scales>::kThreads), 1) \
  name(wt_gemm_mx_args args) { gemm_mx<gemm_mx_loop<gemm_mx_frame<TA, TB, BM, BN, stages, Scales>>>(args); }

#endif
