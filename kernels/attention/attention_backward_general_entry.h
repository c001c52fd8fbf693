// SPDX-License-Identifier: MIT
// Defines the general kernels of attention backward: those of four waves, which have registers for what
// becomes of the scores, and sum dQ in a kernel of its own. With _any: Q, K, V and dO at any alignment.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_GENERAL_ENTRY_H
#define WT_KERNELS_ATTENTION_BACKWARD_GENERAL_ENTRY_H

#include "attention_backward_4wave.h"

template <attention_gradient Of, class T, int D, attention_path Path>
using attention_backward_general = attention_backward_4wave<Of, T, D, attention_variant::general, Path>;

#define ATTENTION_BACKWARD_GENERAL(name, T, D)                                                 \
  ATTENTION_BACKWARD_PAIR(4wave_d##D##_##name##_general, attention_backward_general, T, D,     \
                          attention_path::direct)                                              \
  ATTENTION_BACKWARD_PAIR(4wave_d##D##_##name##_general_any, attention_backward_general, T, D, \
                          attention_path::any)

#endif
