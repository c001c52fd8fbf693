// SPDX-License-Identifier: MIT
// Attention backward in eight waves, for heads of 128: see attention_backward_8wave.h. With _any: Q, K, V and
// dO at any alignment.
#include "attention_backward_8wave.h"

ATTENTION_BACKWARD_PAIR(8wave_d128_bf16, attention_backward_8wave, wt::bf16, 128, attention_path::direct)
ATTENTION_BACKWARD_PAIR(8wave_d128_f16, attention_backward_8wave, wt::f16, 128, attention_path::direct)
ATTENTION_BACKWARD_PAIR(8wave_d128_bf16_any, attention_backward_8wave, wt::bf16, 128, attention_path::any)
ATTENTION_BACKWARD_PAIR(8wave_d128_f16_any, attention_backward_8wave, wt::f16, 128, attention_path::any)
