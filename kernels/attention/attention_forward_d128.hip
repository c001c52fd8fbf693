// SPDX-License-Identifier: MIT
// Attention forward for heads of 128: see attention_forward.h.
#include "attention_forward.h"

ATTENTION_FORWARD_KERNELS(128)
