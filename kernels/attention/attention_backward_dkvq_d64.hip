// SPDX-License-Identifier: MIT
// Attention backward in one kernel, for heads of 64: see attention_backward_dkvq.h.
#include "attention_backward_dkvq.h"

ATTENTION_BACKWARD_KERNEL(dkvq_4wave_d64_bf16, attention_backward_dkvq<wt::bf16, 64>)
ATTENTION_BACKWARD_KERNEL(dkvq_4wave_d64_f16, attention_backward_dkvq<wt::f16, 64>)
