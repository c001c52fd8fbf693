// SPDX-License-Identifier: MIT
// General attention backward, for heads of up to 64: see attention_backward_general_entry.h.
#include "attention_backward_general_entry.h"

ATTENTION_BACKWARD_GENERAL(bf16, wt::bf16, 64)
ATTENTION_BACKWARD_GENERAL(f16, wt::f16, 64)
