// SPDX-License-Identifier: MIT
// General attention forward for heads of up to 128 in FP8, on gfx950: see attention_forward.h and
// attention_score_map.h.
#include "attention_forward_entry.h"

ATTENTION_FORWARD_GENERAL(d128, f8e4m3, wt::fp8e4m3, wt::bf16, 128, 128)
ATTENTION_FORWARD_GENERAL(d128, f8e5m2, wt::fp8e5m2, wt::bf16, 128, 128)
