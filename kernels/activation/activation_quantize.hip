// SPDX-License-Identifier: MIT
// Computes activations, with and without a gate, with their result in a block-scaled format.
#include "activation_forward.h"

namespace activation {

template <class Team, int Values, class T>
WT_DEVICE void quantize(const wt_activation_args &args, Team team) {
  forward<Team, Values, T, output::quantized>(args, team);
}

}  // namespace activation

#define SHAPE(type, shape, threads, values)                                             \
  WT_ROW_KERNEL(activation_quantize_##type, shape, threads, values, wt_activation_args, \
                activation::quantize, wt::type)
#define SHAPES(type)       \
  SHAPE(type, 16x8, 16, 8) \
  SHAPE(type, 64x16, 64, 16)
SHAPES(f32)
SHAPES(bf16)
SHAPES(f16)
