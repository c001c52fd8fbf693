// SPDX-License-Identifier: MIT
// Attention forward for heads of 128 in FP8, on gfx950: see attention_forward.h.
#include "attention_forward_entry.h"

ATTENTION_FORWARD_KERNELS(d128, f8e4m3, wt::fp8e4m3, wt::bf16, 128, 128)
ATTENTION_FORWARD_KERNELS(d128, f8e5m2, wt::fp8e5m2, wt::bf16, 128, 128)
