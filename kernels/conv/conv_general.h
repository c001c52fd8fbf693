// SPDX-License-Identifier: MIT
// Convolves for any number of channels, images of any size and any alignment: it takes what the other kernels
// refuse. Every K step goes through registers (load_masked), with nothing in flight meanwhile.
//
// The loop is written by hand: each step begins when the last one has ended, so no two ops overlap that a
// schedule could order. Predicted for 7 x 7 filters with stride 2 on four images of 56 x 56 pixels of three
// channels in BF16 on MI355X (wavetile prof --timing only): 44% of the waves' time in the loop goes to
// issuing instructions and 44% to loads that have not arrived; the matrix cores are busy for 1% of it.
#ifndef WT_KERNELS_CONV_GENERAL_H
#define WT_KERNELS_CONV_GENERAL_H

#include "conv_phases.h"

// This is the main loop of any gemm_frame: all of K is left to `rest`.
template <class Frame>
struct conv_general_loop : Frame {
  using typename Frame::accumulators, typename Frame::stages;

  template <class Args>
  WT_DEVICE explicit conv_general_loop(const Args &args) : Frame(args) {
    this->steps = 0;
  }
  WT_DEVICE void main_loop(accumulators &c, stages &) const { wt::zero(c); }
  WT_DEVICE void rest(accumulators &c, stages &tiles) const {
#pragma unroll 1
    for (int k = 0; k < this->a.columns; k += Frame::kStep) this->masked_step(c, tiles, k);
  }
};

template <class TA, class TB, int BM, int BN, int Stages>
using conv_general = conv_general_loop<gemm_frame<TA, TB, BM, BN, 2, 2, wt::placement::compiler, 128, Stages,
                                                  wt::swizzle_for_row<128>, conv_rows<TA>>>;

#define CONV_GENERAL_KERNELS(...)                  \
  CONV_KERNELS(gemm, conv_general, 2, __VA_ARGS__) \
  CONV_PHASES_KERNELS(conv_general, 2, __VA_ARGS__)

#endif
