// SPDX-License-Identifier: MIT
// Attention backward in eight waves, for heads of 128: see attention_backward.h.
#include "attention_backward_entry.h"

ATTENTION_BACKWARD_KERNELS(128, bf16, wt::bf16)
ATTENTION_BACKWARD_KERNELS(128, f16, wt::f16)
