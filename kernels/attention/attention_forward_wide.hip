// SPDX-License-Identifier: MIT
// Attention forward for wide heads, on gfx950: see attention_forward.h.
#include "attention_forward_entry.h"

ATTENTION_FORWARD_KERNELS(d192_128, bf16, wt::bf16, wt::bf16, 192, 128)
ATTENTION_FORWARD_KERNELS(d192_128, f16, wt::f16, wt::f16, 192, 128)
// These take twice as many work-groups as heads and tiles ask for: each computes all scores for one half of
// V's columns.
ATTENTION_FORWARD_KERNELS(d256, bf16, wt::bf16, wt::bf16, 256, 128)
ATTENTION_FORWARD_KERNELS(d256, f16, wt::f16, wt::f16, 256, 128)
