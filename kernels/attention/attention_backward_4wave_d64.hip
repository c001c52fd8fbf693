// SPDX-License-Identifier: MIT
// Attention backward in four waves, for heads of 64: see attention_backward_4wave.h.
#include "attention_backward_4wave.h"

ATTENTION_BACKWARD_4WAVE(64, bf16, wt::bf16)
ATTENTION_BACKWARD_4WAVE(64, f16, wt::f16)
