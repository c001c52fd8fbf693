// SPDX-License-Identifier: MIT
// General attention forward for wide heads, on gfx950: see attention_forward.h and attention_score_map.h.
#include "attention_forward_entry.h"

ATTENTION_FORWARD_GENERAL(d192_128, bf16, wt::bf16, wt::bf16, 192, 128)
ATTENTION_FORWARD_GENERAL(d192_128, f16, wt::f16, wt::f16, 192, 128)
ATTENTION_FORWARD_GENERAL(d256, bf16, wt::bf16, wt::bf16, 256, 128)
ATTENTION_FORWARD_GENERAL(d256, f16, wt::f16, wt::f16, 256, 128)
