// SPDX-License-Identifier: MIT
// This is rung 10, 4-wave interleave. Idea: one wave per SIMD owns all of its registers, 128 x 128 of C among
// them, and needs no other wave to hide anything: every read, copy and store has its place between two MFMAs.
// A K step is four blocks; in the last one, finished quadrants are stored while the next is still being
// multiplied. Published: faster than 8-wave ping-pong in all cases (ROCm blogs, FP8 GEMM on CDNA4, 2026; as a
// figure only). The library's version is kernels/gemm/gemm_4wave.h.
//
//   block      multiplies   reads meanwhile     copies meanwhile    stores meanwhile, in the last step
//   C[0][0]    a0 b0        b1 of step k        A half 0 of k + 2   -
//   C[0][1]    a0 b1        a1 of step k        B half 0 of k + 2   C[0][0]
//   C[1][0]    a1 b0        a0 of step k + 1    B half 1 of k + 2   C[0][1]
//   C[1][1]    a1 b1        b0 of step k + 1    A half 1 of k + 2   C[1][0], and C[1][1] at the end
//
// A half is copied over after a barrier that follows the last read of it; it is read after each wave has
// waited for its own copies and all have met.
#include "gemm_quadrants.h"

namespace {

constexpr int kThreads = 256;

template <class Frame>
using accumulators = wt::pinned_t<typename Frame::c_tile>[2][2];

// What is no whole step comes first, so that the main loop can end with the stores.
template <class Frame>
WT_DEVICE void start(const Frame &f, accumulators<Frame> &c) {
  wt::unrolled<4>([&](auto q) WT_INLINE { wt::zero(c[q / 2][q % 2]); });
  f.add_rest(c);
}

// Says when C is stored: from the last step on, or when all is done, which is right for any C.
enum class stores { from_last_step, after_all };

template <stores When, class Out, class Frame>
WT_DEVICE void interleaved(const Frame &f, float alpha, float beta) {
  constexpr wt::presence kEarly = wt::when(When == stores::from_last_step);
  constexpr int kHalf = Frame::kCopies, kAll = 4 * kHalf;  // copies of a half and of a step
  accumulators<Frame> c;
  start(f, c);
  wt::barrier();  // LDS is free again

  typename Frame::a_tile a0, a1;
  typename Frame::b_tile b0, b1;
  issue_all(f.a_copies(0, 0) + f.b_copies(0, 0) + f.b_copies(0, 1) + f.a_copies(0, 1));
  issue_all(f.a_copies(1, 0) + f.b_copies(1, 0) + f.b_copies(1, 1) + f.a_copies(1, 1));
  wt::wait_vmem<2 * kAll - 2 * kHalf>();
  wt::raw_barrier();
  issue_all(f.a_reads(a0, 0, 0) + f.b_reads(b0, 0, 0));

  // `left` is how many steps follow; 2 stands for more.
  const auto step = [&](int k, auto left) WT_INLINE {
    wt::wait_counts<left >= 1 ? kAll : 0, 0>();  // this step's halves 1 have landed
    wt::raw_barrier();
    wt::sched::interleave(mma_ABt_list(c[0][0], a0, b0), f.b_reads(b1, k, 1),
                          wt::only<wt::when(left >= 2)>(f.a_copies(k + 2, 0)));
    wt::wait_lds<0>();
    wt::sched::interleave(mma_ABt_list(c[0][1], a0, b1), f.a_reads(a1, k, 1),
                          wt::only<wt::when(left >= 2)>(f.b_copies(k + 2, 0)));
    wt::wait_counts<left >= 2 ? kAll : 2 * kHalf, 0>();  // the next step's halves 0 have landed
    wt::raw_barrier();
    wt::sched::interleave(mma_ABt_list(c[1][0], a1, b0), f.a_reads(a0, k + 1, 0),
                          wt::only<wt::when(left >= 2)>(f.b_copies(k + 2, 1)));
    wt::wait_lds<0>();
    wt::sched::interleave(mma_ABt_list(c[1][1], a1, b1), f.b_reads(b0, k + 1, 0),
                          wt::only<wt::when(left >= 2)>(f.a_copies(k + 2, 1)));
  };
#pragma unroll 1
  for (int k = 0; k < f.steps - 2; ++k) step(k, wt::index<2>{});
  step(f.steps - 2, wt::index<1>{});

  // This is the last step.
  const int k = f.steps - 1;
  const auto writer_of = [&](int i, int j) WT_INLINE {
    return wt::row_writer<Out, typename Frame::c_tile>(
        f.p.c.from(f.row + i * Frame::kHalf, f.column + j * Frame::kHalf));
  };
  wt::wait_counts<0, 0>();
  wt::raw_barrier();
  wt::sched::interleave(mma_ABt_list(c[0][0], a0, b0), f.b_reads(b1, k, 1), f.a_reads(a1, k, 1));
  wt::wait_lds<0>();
  const auto c00 = wt::release(c[0][0]);
  const auto to_00 = writer_of(0, 0);
  wt::sched::interleave(mma_ABt_list(c[0][1], a0, b1), wt::only<kEarly>(to_00.stores(c00, alpha)));
  const auto c01 = wt::release(c[0][1]);
  const auto to_01 = writer_of(0, 1);
  wt::sched::interleave(mma_ABt_list(c[1][0], a1, b0), wt::only<kEarly>(to_01.stores(c01, alpha)));
  const auto c10 = wt::release(c[1][0]);
  const auto to_10 = writer_of(1, 0);
  wt::sched::interleave(mma_ABt_list(c[1][1], a1, b1), wt::only<kEarly>(to_10.stores(c10, alpha)));
  if constexpr (When == stores::from_last_step) {
    const auto c11 = wt::release(c[1][1]);
    const auto to_11 = writer_of(1, 1);
    issue_all(to_11.stores(c11, alpha));
  } else {
    f.store(c, alpha, beta);
  }
}

template <class In, class Out>
WT_DEVICE void gemm_10_interleave(const wt_gemm_args &args) {
  using frame = quadrants<In, Out, 2, 2>;
  WT_SHARED typename frame::stages tiles;
  const frame f(args, tiles);
  // Three paths lead through the kernel, each with accumulators of its own: pinned ones must not meet again.
  if (f.steps == 0) {
    accumulators<frame> c;
    start(f, c);
    f.store(c, args.alpha, args.beta);
  } else if (args.beta == 0.0f && wt::row_store_fits(f.p.c, frame::kTile)) {
    interleaved<stores::from_last_step, Out>(f, args.alpha, args.beta);
  } else {
    interleaved<stores::after_all, Out>(f, args.alpha, args.beta);
  }
}

}  // namespace

GEMM_KERNELS(gemm_10_interleave, kThreads)
