// SPDX-License-Identifier: MIT
// General attention forward for heads of up to 128: see attention_forward.h and attention_score_map.h.
#include "attention_forward_entry.h"

ATTENTION_FORWARD_GENERAL(d128, bf16, wt::bf16, wt::bf16, 128, 128)
ATTENTION_FORWARD_GENERAL(d128, f16, wt::f16, wt::f16, 128, 128)
