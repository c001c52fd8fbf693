// SPDX-License-Identifier: MIT
// This is rung 09, 8-wave ping-pong. Idea: the two waves of a SIMD do opposite things at any moment. A K step
// is four pairs of a memory cluster and a cluster of MFMAs, each closed by a barrier; waves 4 to 7 take one
// barrier more before the loop, and from then on they move data while waves 0 to 3 multiply, and the other
// way round. ROCm blogs published 2680.33 TFLOP/s at M = N = K = 4096, 3204.15 at 8192, on MI355X for this
// step (FP8 GEMM on CDNA4, 2026). The library's version is kernels/gemm/gemm_8wave.h.
//
//   memory cluster: reads               copies, two steps around         MFMA cluster
//   A half 0, B half 0 of step k        A half 1 of step k + 1           C[0][0]
//   B half 1                            B half 1 of step k + 1           C[0][1]
//   A half 1                            A half 0 of step k + 2           C[1][0]
//   -                                   B half 0 of step k + 2           C[1][1]
//
// Reads have landed when the wave's next cluster begins, and in the waves that lag by a barrier when it ends:
// so a half is copied over from the second memory cluster after its read on. It is read when all waves have
// waited for their copies of it and met: A half 0 and B half 0 are waited for at the end of the step before,
// the others at the end of a step's first cluster, letting all later copies fly on.
#include "gemm_quadrants.h"

namespace {

template <class In, class Out>
WT_DEVICE void gemm_09_ping_pong(const wt_gemm_args &args) {
  using frame = quadrants<In, Out, 2, 4>;
  constexpr int kHalf = frame::kCopies;  // copies of a half
  WT_SHARED typename frame::stages tiles;
  const frame f(args, tiles);
  typename frame::c_tile c[2][2] = {};
  typename frame::a_tile a;
  typename frame::b_tile b0, b1;

  // Ends a memory cluster and runs the MFMA cluster.
  const auto multiply = [&](auto &part, const auto &b) WT_INLINE {
    wt::sched_barrier();
    wt::raw_barrier();
    wt::wait_lds<0>();
    wt::s_setprio<1>();  // the other wave of the SIMD issues in the gaps
    wt::mma_ABt(part, a, b);
    wt::s_setprio<0>();
    wt::raw_barrier();
    wt::sched_barrier();
  };
  // `left` is how many steps follow; 2 stands for more.
  const auto step = [&](int k, auto left) WT_INLINE {
    issue_all(f.b_reads(b0, k, 0) + f.a_reads(a, k, 0));
    issue_all(wt::only<wt::when(left >= 1)>(f.a_copies(k + 1, 1)));
    wt::wait_vmem<left >= 1 ? 3 * kHalf : 0>();  // halves 1 of this step have landed
    multiply(c[0][0], b0);

    issue_all(f.b_reads(b1, k, 1));
    issue_all(wt::only<wt::when(left >= 1)>(f.b_copies(k + 1, 1)));
    multiply(c[0][1], b1);

    issue_all(f.a_reads(a, k, 1));
    issue_all(wt::only<wt::when(left >= 2)>(f.a_copies(k + 2, 0)));
    multiply(c[1][0], b0);

    issue_all(wt::only<wt::when(left >= 2)>(f.b_copies(k + 2, 0)));
    if constexpr (left >= 1) wt::wait_vmem<left >= 2 ? 4 * kHalf : 2 * kHalf>();  // halves 0 of the next
    multiply(c[1][1], b1);
  };

  if (f.steps > 0) {
    issue_all(f.a_copies(0, 0) + f.b_copies(0, 0) + f.b_copies(0, 1) + f.a_copies(0, 1) + f.a_copies(1, 0) +
              f.b_copies(1, 0));
    wt::wait_vmem<4 * kHalf>();
    wt::barrier_if(wt::wave_id() >= 4);  // out of step
    wt::raw_barrier();
#pragma unroll 1
    for (int k = 0; k < f.steps - 2; ++k) step(k, wt::index<2>{});
    step(f.steps - 2, wt::index<1>{});
    step(f.steps - 1, wt::index<0>{});
    wt::barrier_if(wt::wave_id() < 4);  // and in step again
  }
  f.add_rest(c);
  f.store(c, args.alpha, args.beta);
}

}  // namespace

GEMM_KERNELS(gemm_09_ping_pong, 512)
