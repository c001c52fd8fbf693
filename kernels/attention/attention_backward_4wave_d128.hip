// SPDX-License-Identifier: MIT
// Attention backward in four waves, for heads of 128: see attention_backward_4wave.h.
#include "attention_backward_4wave.h"

ATTENTION_BACKWARD_PAIR(4wave_d128_bf16, attention_backward_4wave, wt::bf16, 128)
ATTENTION_BACKWARD_PAIR(4wave_d128_f16, attention_backward_4wave, wt::f16, 128)
