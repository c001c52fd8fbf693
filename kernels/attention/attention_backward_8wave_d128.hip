// SPDX-License-Identifier: MIT
// Attention backward in eight waves, for heads of 128: see attention_backward_8wave.h.
#include "attention_backward_8wave.h"

ATTENTION_BACKWARD_8WAVE(128, bf16, wt::bf16)
ATTENTION_BACKWARD_8WAVE(128, f16, wt::f16)
