// SPDX-License-Identifier: MIT
// Before and after attention backward, for heads of 64: see attention_backward_rows.h.
#include "attention_backward_rows.h"

ATTENTION_BACKWARD_ROWS(prepare, d64_bf16, wt::bf16, 64)
ATTENTION_BACKWARD_ROWS(prepare, d64_f16, wt::f16, 64)
ATTENTION_BACKWARD_ROWS(finish, d64_bf16, wt::bf16, 64)
ATTENTION_BACKWARD_ROWS(finish, d64_f16, wt::f16, 64)
ATTENTION_BACKWARD_ROWS(prepare, d64_bf16_general, wt::bf16, 64, attention_variant::general)
ATTENTION_BACKWARD_ROWS(prepare, d64_f16_general, wt::f16, 64, attention_variant::general)
