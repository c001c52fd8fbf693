// SPDX-License-Identifier: MIT
// Before and after attention backward, for heads of 128: see attention_backward_rows.h.
#include "attention_backward_rows.h"

ATTENTION_BACKWARD_ROWS(128, bf16, wt::bf16)
ATTENTION_BACKWARD_ROWS(128, f16, wt::f16)
