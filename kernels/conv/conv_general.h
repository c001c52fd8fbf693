// SPDX-License-Identifier: MIT
// Convolution for any number of channels, images of any size and any alignment: it takes what the other
// kernels refuse. Every K step goes through registers (load_masked), with nothing in flight meanwhile.
#ifndef WT_KERNELS_CONV_GENERAL_H
#define WT_KERNELS_CONV_GENERAL_H

#include "conv_pixels.h"

// The main loop of any gemm_frame.
template <class Frame>
struct conv_general_loop : Frame {
  using Frame::Frame;
  using typename Frame::accumulators, typename Frame::stages;

  // All of K is left to `rest`.
  WT_DEVICE void main_loop(accumulators &c, stages &) const { wt::zero(c); }
  WT_DEVICE void rest(accumulators &c, stages &tiles) const {
#pragma unroll 1
    for (int k = 0; k < this->a.columns; k += Frame::kStep) this->masked_step(c, tiles, k);
  }
};

template <class TA, class TB, int BM, int BN, int Stages>
using conv_general = conv_general_loop<gemm_frame<TA, TB, BM, BN, 2, 2, wt::placement::compiler, 128, Stages,
                                                  wt::swizzle_for_row<128>, conv_rows<TA>>>;

#define CONV_GENERAL_KERNELS(...) CONV_KERNELS(gemm, conv_general, 2, __VA_ARGS__)

#endif
