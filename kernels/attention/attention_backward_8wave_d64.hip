// SPDX-License-Identifier: MIT
// Attention backward in eight waves, for heads of 64: see attention_backward_8wave.h.
#include "attention_backward_8wave.h"

ATTENTION_BACKWARD_8WAVE(64, bf16, wt::bf16)
ATTENTION_BACKWARD_8WAVE(64, f16, wt::f16)
