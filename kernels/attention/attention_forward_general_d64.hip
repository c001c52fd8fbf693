// SPDX-License-Identifier: MIT
// General attention forward for heads of up to 64: see attention_forward.h and attention_score_map.h.
#include "attention_forward_entry.h"

ATTENTION_FORWARD_GENERAL(d64, bf16, wt::bf16, wt::bf16, 64, 64)
ATTENTION_FORWARD_GENERAL(d64, f16, wt::f16, wt::f16, 64, 64)
