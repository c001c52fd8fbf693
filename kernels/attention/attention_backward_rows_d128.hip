// SPDX-License-Identifier: MIT
// Before and after attention backward, for heads of 128: see attention_backward_rows.h.
#include "attention_backward_rows.h"

ATTENTION_BACKWARD_ROWS(prepare, d128_bf16, wt::bf16, 128)
ATTENTION_BACKWARD_ROWS(prepare, d128_f16, wt::f16, 128)
ATTENTION_BACKWARD_ROWS(finish, d128_bf16, wt::bf16, 128)
ATTENTION_BACKWARD_ROWS(finish, d128_f16, wt::f16, 128)
ATTENTION_BACKWARD_ROWS(prepare, d128_bf16_general, wt::bf16, 128, attention_variant::general)
ATTENTION_BACKWARD_ROWS(prepare, d128_f16_general, wt::f16, 128, attention_variant::general)
