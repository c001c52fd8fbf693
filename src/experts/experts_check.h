// SPDX-License-Identifier: MIT
// Declares the checks that the calls for layers of experts share.
#ifndef WT_SRC_EXPERTS_CHECK_H
#define WT_SRC_EXPERTS_CHECK_H

#include "core/operand.h"
#include "kernels/experts/experts_args.h"

// Checks the sizes that all calls have.
wt_status experts_check_sizes(wt_context *context, int64_t tokens, int64_t experts, int64_t top_k);

// Returns the operand of 4-byte numbers, one for each pair of a token and a slot.
wt_operand experts_pairs(const char *name, const void *pointer, int64_t tokens, int64_t top_k, bool written);

#endif
