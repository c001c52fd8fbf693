// SPDX-License-Identifier: MIT
// Attention backward in one kernel, for heads of 128: see attention_backward_dkvq.h.
#include "attention_backward_dkvq.h"

ATTENTION_BACKWARD_KERNEL(dkvq_4wave_d128_bf16, attention_backward_dkvq<wt::bf16, 128>)
ATTENTION_BACKWARD_KERNEL(dkvq_4wave_d128_f16, attention_backward_dkvq<wt::f16, 128>)
