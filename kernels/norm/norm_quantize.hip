// SPDX-License-Identifier: MIT
// Computes the norm's forward pass with its result in a block-scaled format. Shapes are those of
// norm_forward, so that sums have the same order, and the same bits.
#include "norm_forward.h"

namespace norm {

template <class Team, int Values, class T, class W, kind Kind>
WT_DEVICE void quantize(const wt_norm_forward_args &a, Team team) {
  forward<Team, Values, T, W, Kind, output::quantized>(a, team);
}

template <class Team, int Values, class T, class W, kind Kind>
WT_DEVICE void quantize_long(const wt_norm_forward_args &a, Team team) {
  forward_long<Team, Values, T, W, Kind, output::quantized>(a, team);
}

}  // namespace norm

// Defines the kernels norm_quantize_as_asked_<type>_<weight's type>_<shape>.
#define NORM_QUANTIZE(shape, threads, values, body) \
  NORM_KERNELS_OF(as_asked, norm_quantize, wt_norm_forward_args, shape, threads, values, body)
NORM_QUANTIZE(16x8, 16, 8, quantize)
NORM_QUANTIZE(64x16, 64, 16, quantize)
NORM_QUANTIZE(256x16, 256, 16, quantize)
NORM_QUANTIZE(1024x16, 1024, 16, quantize)
NORM_QUANTIZE(any, 1024, 16, quantize_long)
