// SPDX-License-Identifier: MIT
// GEMM with F32 scales for blocks of 128: the product of a block is made in one cluster, and goes to the
// sums, times its scales, in the next one. Small tiles have the loop of kernels/gemm/gemm_4wave.h.
#ifndef WT_KERNELS_GEMM_BLOCK_H
#define WT_KERNELS_GEMM_BLOCK_H

#include "../gemm/gemm_loop.h"
#include "gemm_block_frame.h"

// Lists the buffer of the scales, and the fragments of them: of each quadrant, and where B's rows have their
// own, of the halves of B. Sums 0 to 3 are the quadrants; the products of their blocks have the numbers from
// kProducts on.
enum : int { kScales = 4, kScalesOfA = 4, kScalesOfB = 8, kProducts = 4 };

// The last quadrant's scales are applied in a step's last cluster, between the MFMAs of the first quadrant of
// the step after.
//
// The large tile has eight waves, two on each SIMD. A wave applies the scales of a quadrant and reads
// operands while the other wave multiplies. A step has two barriers, and waves 0 to 3 lead past one of them:
// where all waves meet, the matrix core idles for as long as the last of them applies scales. Registers hold
// both halves of B, so that no cluster reads more than a half of A or B: more would keep LDS busy for longer
// than the other wave multiplies.
template <class Frame>
consteval auto gemm_block_schedule() {
  using namespace wt::sched;
  using ops = gemm_ops<Frame>;
  using reader = typename Frame::scale_reader;
  constexpr int kN = Frame::kLeastSteps;
  const auto multiply_quadrant = [](int i, int j, int ahead) {
    return multiply(kProducts + 2 * i + j, {kA0 + i, kA0 + i}, {kB0 + j, kB0 + j}, ahead);
  };
  const auto apply_quadrant = [](int i, int j) {
    const operand a{kScalesOfA + 2 * i + j, kScales}, b{kScalesOfB + j, kScales};
    const op o = apply(2 * i + j, a, Frame::kRowsOfB ? b : a);
    const bool first = Frame::kProducts == 1 && !Frame::kSharesSimd;  // gemm_block_frame.h
    return first ? apply_first(o.sum, o.a, o.b) : o;
  };
  const auto read_a = [](int half, int ahead) { return ops::read(kA0 + half, kA0 + half, ahead); };
  const auto read_b = [](int half, int ahead) { return ops::read(kB0 + half, kB0 + half, ahead); };
  const auto scales_a = [](int i, int j, int ahead) {
    return read(kScales, kScalesOfA + 2 * i + j, ahead, reader::kReadsA);
  };
  const auto scales_b = [](int half, int ahead) {
    if constexpr (Frame::kRowsOfB) {
      return read(kScales, kScalesOfB + half, ahead, reader::kReadsB);
    } else {
      return no_ops;
    }
  };
  const auto bring_scales = [](int ahead) {
    return cluster(put(kScales, ahead, 1), fetch_joined(kScales, ahead + 1, Frame::kScaleSteps, 1));
  };
  const auto in =
      buffers{Frame::kStages, Frame::kStages, Frame::kStages, Frame::kStages, Frame::kScaleStages}.named(
          "A0", "A1", "B0", "B1", "scales");
  if constexpr (Frame::kSharesSimd) {
    return led_by(Frame::kWaves / 2,
                  copies_first(pipeline_in_step(
                      in, cluster(multiply_quadrant(0, 0, 0)),
                      cluster(read_b(1, 0), scales_a(0, 1, 0), apply_quadrant(0, 0), ops::put(kA1, 1)),
                      cluster(multiply_quadrant(0, 1, 0)),
                      cluster(read_a(1, 0), scales_a(1, 0, 0), apply_quadrant(0, 1), bring_scales(1)),
                      cluster(multiply_quadrant(1, 0, 0)),
                      cluster(read_b(0, 1), scales_a(1, 1, 0), apply_quadrant(1, 0), ops::put(kB0, kN),
                              ops::put(kB1, kN)),
                      cluster(multiply_quadrant(1, 1, 0)),
                      cluster(read_a(0, 1), scales_a(0, 0, 1), apply_quadrant(1, 1), ops::put(kA0, kN)))));
  } else if constexpr (Frame::kThroughRegisters) {
    return pipeline_in_step(
        in,
        cluster(multiply_quadrant(0, 1, 0), apply_quadrant(0, 0), read_a(1, 0), scales_a(0, 1, 0),
                scales_b(1, 0), ops::bring(kB0, kN)),
        cluster(multiply_quadrant(1, 0, 0), apply_quadrant(0, 1), read_a(0, 1), scales_a(1, 0, 0),
                ops::bring(kB1, kN)),
        cluster(multiply_quadrant(1, 1, 0), apply_quadrant(1, 0), read_b(0, 1), scales_a(1, 1, 0),
                ops::put(kA1, kN)),
        cluster(multiply_quadrant(0, 0, 1), apply_quadrant(1, 1), read_b(1, 1), scales_a(0, 0, 1),
                scales_b(0, 1), bring_scales(2), ops::bring(kA0, kN + 1), ops::fetch(kA1, kN)));
  } else {
    return copies_first(
        pipeline_in_step(in,
                         cluster(multiply_quadrant(0, 1, 0), apply_quadrant(0, 0), read_a(1, 0),
                                 scales_a(0, 1, 0), scales_b(1, 0), ops::put(kA0, kN), ops::put(kB0, kN)),
                         cluster(multiply_quadrant(1, 0, 0), apply_quadrant(0, 1), read_a(0, 1),
                                 scales_a(1, 0, 0), ops::put(kB1, kN)),
                         cluster(multiply_quadrant(1, 1, 0), apply_quadrant(1, 0), read_b(0, 1),
                                 scales_a(1, 1, 0), ops::put(kA1, kN)),
                         cluster(multiply_quadrant(0, 0, 1), apply_quadrant(1, 1), read_b(1, 1),
                                 scales_a(0, 0, 1), scales_b(0, 1), bring_scales(2))));
  }
}

// Where a loop forgets how places in LDS follow from each other: once before it, or also at each read of
// operands. Then the end of a run shares no sums with its loop, which would take registers that a loop over
// tiles does not leave.
enum class gemm_block_forgets { before, at_reads };

template <class Frame, gemm_block_forgets Forgets = gemm_block_forgets::before>
struct gemm_block_loop : Frame {
  using accumulators = typename Frame::accumulators;
  static constexpr auto kSchedule = gemm_block_schedule<Frame>();
  static_assert(wt::puts_to_lds<typename Frame::scale_copier, int>,
                "the loader of the scales needs fetches(step) and puts<Nth>(to) (ops/brings_to_lds.h)");

  using Frame::Frame;

  // Sets the sums to the product. The pipeline runs longer where its own number of steps must be even or
  // larger than there are whole ones: it then multiplies the last step again, with the scale zero.
  WT_DEVICE void multiply(accumulators &c, typename Frame::stages &tiles) const {
    const int steps = this->whole_steps();  // none where masked steps must bring all of K
    if (steps == 0) {
      clear(c);
    } else {
      static constexpr int kTogether = kSchedule.together(), kLeast = wt::sched::least_steps<kSchedule>;
      const int whole = (steps + kTogether - 1) / kTogether * kTogether;
      run(c, tiles, steps, whole < kLeast ? kLeast : whole);
    }
#pragma unroll 1
    for (int at = steps * Frame::kStep; at < this->a.columns; at += Frame::kStep)
      this->masked_step(c, tiles, at);
  }

 private:
  WT_DEVICE static void clear(accumulators &c) {
    wt::unrolled<4>([&](auto quadrant) WT_INLINE { wt::zero(c[quadrant / 2][quadrant % 2]); });
  }
  WT_DEVICE void run(accumulators &c, typename Frame::stages &tiles, int steps, int iterations) const {
    using scale_copier = typename Frame::scale_copier;
    gemm_paths<Frame> p(*this, tiles);
    scale_copier copy_scales(this->scale_a, this->scale_b, steps);
    const wt::lds_place<typename scale_copier::tile> scales(tiles.scales[0]);
    typename Frame::scale_reader read_scales(scales, this->wave_m, this->wave_n);
    // From here on, all places in LDS that a reader reads are its bases and constants that fit into the
    // instructions.
    if constexpr (Frame::kSharesSimd) p.forget_offsets();
    p.template forget_reader<kA0>();
    p.template forget_reader<kB0>();
    wt::forget(read_scales.base_a);
    wt::forget(read_scales.base_b);
    typename Frame::a_tile a[2];
    typename Frame::b_tile b[2];
    typename Frame::a_scales sa[4];
    typename Frame::b_scales sb[2];
    typename Frame::product products[Frame::kProducts];
    const int last = steps - 1;
    const auto existing = [last](int step) WT_INLINE { return step < last ? step : last; };

    const auto copies = [&](auto op, int step, wt::u32 stage) WT_INLINE {
      p.forget_shared_place();
      return p.copies()(op, existing(step), stage);
    };
    const auto fetches = [&](auto op, int step) WT_INLINE {
      if constexpr (op.value.buffer == kScales) {
        return copy_scales.fetches(step);
      } else {
        return p.fetches()(op, existing(step));
      }
    };
    const auto puts = [&](auto op, wt::u32 stage) WT_INLINE {
      if constexpr (op.value.buffer == kScales) {
        return copy_scales.template puts<op.nth>(scales[stage]);
      } else {
        return p.puts()(op, stage);
      }
    };
    const auto tile_reads = p.reads(a, b);
    const auto reads = [&](auto op, wt::u32 stage) WT_INLINE {
      static constexpr int kFragment = op.value.fragment;
      if constexpr (op.value.buffer != kScales) {
        if constexpr (Forgets == gemm_block_forgets::at_reads) p.template forget_reader<op.value.buffer>();
        return tile_reads(op, stage);
      } else if constexpr (kFragment < kScalesOfB) {
        static constexpr int kQuadrant = kFragment - kScalesOfA;
        return read_scales.reads_a(sa[kQuadrant], kQuadrant / 2, kQuadrant % 2, stage);
      } else {
        return read_scales.reads_b(sb[kFragment - kScalesOfB], kFragment - kScalesOfB, stage);
      }
    };
    const auto multiplies = [&](auto op) WT_INLINE {
      static constexpr int kQuadrant = op.value.sum % 4, kI = kQuadrant / 2, kJ = kQuadrant % 2;
      static constexpr int kProduct = kJ % Frame::kProducts;
      if constexpr (op.value.sum < kProducts) {
        // Nothing comes before: the first of these instructions is the first of its cluster.
        return Frame::template applies<0>(c[kI][kJ], products[kProduct], sa[kQuadrant], sb[kJ]);
      } else {
        return Frame::multiplies(products[kProduct], a[kI], b[kJ]);
      }
    };
    const wt::sched::lists lists{
        .copy = copies, .fetch = fetches, .put = puts, .read = reads, .multiply = multiplies};
    if constexpr (!Frame::kThroughRegisters) wt::sched::start<kSchedule>(lists);
    clear(c);  // while the first copies are in flight
    wt::sched::resume<kSchedule>(iterations, lists);
  }
};

// Arguments that the end alone needs are read there: with all of them, the wave would wait for its first
// scalar loads before it can issue the last ones (lgkmcnt).
template <class Loop>
WT_DEVICE void gemm_block(const wt_gemm_block_args &args) {
  WT_SHARED typename Loop::lds memory;
  const Loop loop(args);
  typename Loop::accumulators c;
  loop.multiply(c, memory.tiles);
  const wt_gemm_block_args again = wt::read_arguments<wt_gemm_block_args>();
  store_result(loop, again.gemm, c, memory.quadrant);
}

// Defines the kernel `name` (instances.def).
#define GEMM_BLOCK_KERNEL(name, T, of_b, BM, BN, waves, waves_per_simd)                           \
  WT_KERNEL_OF_WAVES(64 * waves, waves_per_simd) name(wt_gemm_block_args args) {                  \
    gemm_block<gemm_block_loop<gemm_block_frame<T, T, BM, BN, gemm_block_b::of_b, waves>>>(args); \
  }

#endif
