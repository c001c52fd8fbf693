// SPDX-License-Identifier: MIT
// Attention forward for heads of 64: see attention_forward.h.
#include "attention_forward_entry.h"

ATTENTION_FORWARD_KERNELS(d64, bf16, wt::bf16, wt::bf16, 64, 64)
ATTENTION_FORWARD_KERNELS(d64, f16, wt::f16, wt::f16, 64, 64)
