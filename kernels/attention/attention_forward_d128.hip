// SPDX-License-Identifier: MIT
// Attention forward for heads of 128: see attention_forward.h.
#include "attention_forward_entry.h"

ATTENTION_FORWARD_KERNELS(d128, bf16, wt::bf16, wt::bf16, 128, 128)
ATTENTION_FORWARD_KERNELS(d128, f16, wt::f16, wt::f16, 128, 128)
