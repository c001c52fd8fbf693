// SPDX-License-Identifier: MIT
// Convolves in the schedule of the 4-wave GEMMs (kernels/gemm/gemm_4wave.h): all that is different is where
// A's rows come from.
#ifndef WT_KERNELS_CONV_4WAVE_H
#define WT_KERNELS_CONV_4WAVE_H

#include "conv_phases.h"
#include "kernels/gemm/gemm_4wave.h"

template <class TA, class TB, int BM, int BN, int Stages>
using conv_4wave_frame = gemm_frame<TA, TB, BM, BN, 2, 2, wt::placement::pinned, kStepBytesOfChip, Stages,
                                    wt::swizzle_for_row<kStepBytesOfChip>, conv_rows<TA>>;
template <class TA, class TB, int BM, int BN, int Stages>
using conv_4wave = gemm_4wave<TA, TB, BM, BN, Stages, conv_4wave_frame<TA, TB, BM, BN, Stages>>;

#define CONV_4WAVE_KERNELS(...)                            \
  CONV_KERNELS(gemm_scheduled, conv_4wave, 1, __VA_ARGS__) \
  CONV_PHASES_KERNELS(conv_4wave, 1, __VA_ARGS__)

#endif
