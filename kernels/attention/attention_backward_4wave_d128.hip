// SPDX-License-Identifier: MIT
// Attention backward in four waves, for heads of 128: see attention_backward_4wave.h.
#include "attention_backward_4wave.h"

ATTENTION_BACKWARD_4WAVE(128, bf16, wt::bf16)
ATTENTION_BACKWARD_4WAVE(128, f16, wt::f16)
