// SPDX-License-Identifier: MIT
// Attention backward in four waves, for heads of 64: see attention_backward_4wave.h.
#include "attention_backward_4wave.h"

ATTENTION_BACKWARD_PAIR(4wave_d64_bf16, attention_backward_4wave, wt::bf16, 64)
ATTENTION_BACKWARD_PAIR(4wave_d64_f16, attention_backward_4wave, wt::f16, 64)
