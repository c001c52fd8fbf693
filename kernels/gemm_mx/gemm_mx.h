// SPDX-License-Identifier: MIT
// GEMM with block scales, 4-wave interleave: the loop of kernels/gemm/gemm_4wave.h, with the scales of A and
// B as a buffer of their own. Rows of scales are fetched to registers for several K steps together and put to
// LDS step by step; shuffled scales are copied. Each half of an operand is read together with its scales,
// which A of bf16 does not have.
#ifndef WT_KERNELS_GEMM_MX_H
#define WT_KERNELS_GEMM_MX_H

#include "../gemm/gemm_loop.h"
#include "gemm_mx_frame.h"
#include "gemm_mx_store.h"

// Lists the buffers of the scales, one for each piece that the waves fetch at once, and the fragments of
// them, in the order of kA0, kA1, kB0 and kB1. A piece is 256 rows: those of A and then those of B.
enum : int { kScales = 4, kScalesOfA = 4, kScalesOfB = 6 };

template <class Frame>
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
  const auto copy_b0_alone = [] {
    if constexpr (Frame::kHasScalesOfA) {
      return no_ops;
    } else {
      return ops::put(kB0, kS);
    }
  };
  const auto copy_b0_beside_a = [] {
    if constexpr (Frame::kHasScalesOfA) {
      return ops::put(kB0, kS);
    } else {
      return no_ops;
    }
  };
  return copies_first(
      pipeline_in_step(in(),
                       cluster(quadrant(0, 0), read_b(1, 0), bring_scales(wt::index<0>{}),
                               bring_scales(wt::index<1>{}), copy_b0_alone()),
                       cluster(quadrant(0, 1), read_a(1, 0), ops::put(kA0, kS), copy_b0_beside_a()),
                       cluster(quadrant(1, 0), read_a(0, 1), ops::put(kB1, kS), copy_scales()),
                       cluster(quadrant(1, 1), read_b(0, 1), ops::put(kA1, kS))));
}

template <class Frame>
struct gemm_mx_loop : Frame {
  using accumulators = typename Frame::accumulators;
  static constexpr auto kSchedule = gemm_mx_schedule<Frame>();
  static_assert(wt::brings_to_lds<typename Frame::scale_copier, int>,
                "the loader of the scales needs copies(step, to), or fetches(step) and puts<Nth>(to), with "
                "kCopies micro-ops (ops/brings_to_lds.h)");

  using Frame::Frame;

  // Sets the sums to the product. `finish` is that of lists (sched/pipeline.h). Steps come in groups, for
  // each of which the scales are fetched together, and those of the last group may be past the end of K. C
  // cannot be stored by `finish` where there is a rest.
  template <class Finish>
  WT_DEVICE void multiply(accumulators &c, typename Frame::stages &tiles, const Finish &finish) const {
    constexpr int kTogether = Frame::kTogether, kBlocks = kTogether * Frame::kStep / wt::kScaleBlock;
    const int blocks = this->blocks - this->rest();
    const int whole = blocks / kBlocks * kTogether, steps = (blocks + kBlocks - 1) / kBlocks * kTogether;
    const bool can_copy = this->is_fetchable() && steps >= wt::sched::least_steps<kSchedule>;
    if (__builtin_expect(can_copy, true)) {
      run(c, tiles, steps, steps - whole, blocks, finish);
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

 private:
  WT_DEVICE static void clear(accumulators &c) {
    wt::unrolled<4>([&](auto quadrant) WT_INLINE { wt::zero(c[quadrant / 2][quadrant % 2]); });
  }
  WT_DEVICE static void keep(accumulators &c) {
    wt::unrolled<4>([&](auto quadrant) WT_INLINE { wt::keep(c[quadrant / 2][quadrant % 2]); });
  }

  template <class Finish>
  WT_DEVICE void run(accumulators &c, typename Frame::stages &tiles, int steps, int tail, int blocks,
                     const Finish &finish) const {
    gemm_paths<Frame> p(*this, tiles);
    typename Frame::scale_copier copy_scales(this->scale_a, this->scale_b);
    const wt::lds_place<typename Frame::scale_tile> scales(tiles.scales[0]);
    typename Frame::a_scale_reader read_scales_a(scales, this->wave_m);
    typename Frame::b_scale_reader read_scales_b(scales, Frame::kScalesOfA + this->wave_n);
    // From here on, all places in LDS that a reader reads are its bases and constants that fit into the
    // instructions. If the compiler knew where the tiles are, it would keep a register for each sum of both.
    forget_bases(p.read_a);
    forget_bases(p.read_b);
    forget_bases(read_scales_a);
    forget_bases(read_scales_b);
    typename Frame::a_tile a[2];
    typename Frame::b_tile b[2];
    typename Frame::a_scales sa[2];
    typename Frame::b_scales sb[2];
    typename Frame::wide_b_tile wide[2];  // where A is bf16: what its upper half has left for the lower one
    using scale_path = typename Frame::scale_path;
    constexpr bool kIsDirect = scale_path::kPath == gemm_mx_scale_path::direct;
    constexpr wt::u32 kStage = sizeof(typename Frame::scale_tile);
    constexpr wt::u32 kHalfA = Frame::kTileM / 2 * scale_path::kRowBytes;
    constexpr wt::u32 kHalfB = Frame::kTileN / 2 * scale_path::kRowBytes;
    // Stages change with the steps, so a stage has either the even steps or the odd ones.
    static_assert(Frame::kScaleStages == 2);
    const auto scales_of = [](wt::u32 stage) WT_INLINE {
      return stage * kStage + scale_path::within_group(static_cast<int>(stage));
    };

    const auto copies = [&](auto op, int step, wt::u32 stage) WT_INLINE {
      if constexpr (op.value.buffer < kScales) {
        p.forget_shared_place();
        return p.copies()(op, step, stage);
      } else if constexpr (kIsDirect) {
        copy_scales.forget_place();
        return copy_scales.copies(step, scales[stage]);
      }
    };
    // What is past the end of K is zero, and has scales that are numbers: shuffled ones are 1
    // (ops/shuffled_scales.h).
    const auto copies_tail = [&](auto op, int step, wt::u32 stage) WT_INLINE {
      if constexpr (op.value.buffer < kScales) {
        p.forget_shared_place();
        return p.copies_tail(blocks)(op, step, stage);
      } else {
        return copies(op, step, stage);
      }
    };
    const gemm_paths<Frame> readers = p;  // a copy, or the optimizer may leave the readers in memory
    const auto tile_reads = readers.reads(a, b);
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      constexpr int kFragment = op.value.fragment;
      if constexpr (op.value.buffer < kScales) {
        return tile_reads(op, stage);
      } else if constexpr (kFragment < kScalesOfB) {
        constexpr int kHalf = kFragment - kScalesOfA;
        return read_scales_a.reads(sa[kHalf], scales_of(stage) + kHalf * kHalfA);
      } else {
        constexpr int kHalf = kFragment - kScalesOfB;
        return read_scales_b.reads(sb[kHalf], scales_of(stage) + kHalf * kHalfB);
      }
    };
    const auto fetches = [&](auto op, int step) WT_INLINE {
      if constexpr (!kIsDirect) {
        return copy_scales.template fetches<op.value.buffer - kScales>(step);
      }
    };
    const auto puts = [&](auto op, wt::u32 stage) WT_INLINE {
      if constexpr (!kIsDirect) {
        return copy_scales.template puts<op.nth, op.value.buffer - kScales>(scales[stage]);
      }
    };
    const auto fetches_tail = [&](auto op, int step) WT_INLINE {
      if constexpr (!kIsDirect) {
        return copy_scales.template fetches_tail<op.value.buffer - kScales>(step);
      }
    };
    const auto puts_tail = [&](auto op, wt::u32 stage) WT_INLINE {
      if constexpr (!kIsDirect) {
        return copy_scales.template puts_tail<op.nth, op.value.buffer - kScales>(scales[stage]);
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE {
      constexpr int kI = op.value.sum / 2, kJ = op.value.sum % 2;
      if constexpr (Frame::kHasScalesOfA) {
        return wt::mma_ABt_list<op.to>(c[kI][kJ], a[kI], sa[kI], b[kJ], sb[kJ]);
      } else if constexpr (kI == 0) {
        return wt::mma_ABt_list<op.to>(c[kI][kJ], a[kI], b[kJ], sb[kJ], wide[kJ]);
      } else {
        return wt::mma_ABt_list<op.to>(c[kI][kJ], a[kI], wide[kJ]);
      }
    };
    const wt::sched::lists lists{.copy = copies,
                                 .fetch = fetches,
                                 .put = puts,
                                 .read = reads,
                                 .multiply = multiplies,
                                 .finish = finish,
                                 .copy_tail = copies_tail,
                                 .fetch_tail = fetches_tail,
                                 .put_tail = puts_tail};
    wt::sched::start<kSchedule>(lists);
    clear(c);  // while the first copies are in flight
    wt::sched::resume<kSchedule>(steps, lists, tail);
    // clang 22 lays the branch of multiply that clears the sums behind this run as well. Control never comes
    // there from here; the wait states are those that such code would need, and are waited for in any case.
    if constexpr (!Frame::kHasScalesOfA) wt::mfma_result_wait();
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
  if (store.end()) return;
  const wt_gemm_mx_args again = wt::read_arguments<wt_gemm_mx_args>();
  if (again.c_scale) return store_blocks(loop, again, c, memory.quadrant);
  store_result(loop, again.gemm, c, memory.quadrant);
}

// Defines the kernel `name` (instances.def). Scales is gemm_mx_row_scales or gemm_mx_shuffled_scales.
#define GEMM_MX_KERNEL(name, TA, TB, BM, BN, stages, Scales)                       \
  WT_KERNEL_OF_WAVES((gemm_mx_frame<TA, TB, BM, BN, stages, Scales>::kThreads), 1) \
  name(wt_gemm_mx_args args) { gemm_mx<gemm_mx_loop<gemm_mx_frame<TA, TB, BM, BN, stages, Scales>>>(args); }

#endif
