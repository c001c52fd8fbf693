// SPDX-License-Identifier: MIT
// Checks sizes of layers of experts.
#include "experts_check.h"

#include <inttypes.h>

#include "core/desc.h"

wt_status experts_check_sizes(wt_context *context, int64_t tokens, int64_t experts, int64_t top_k) {
  const wt_status status = wt_check_size(context, "tokens", tokens);
  if (status) return status;
  if (experts < 1 || experts > WT_EXPERTS_MOST)
    return wt_fail(context, WT_ERROR_SIZE, "desc->experts is %" PRId64 "; pass 1 to %d", experts,
                   WT_EXPERTS_MOST);
  if (top_k < 1 || top_k > WT_EXPERTS_MOST_SLOTS)
    return wt_fail(context, WT_ERROR_SIZE, "desc->top_k is %" PRId64 "; pass 1 to %d", top_k,
                   WT_EXPERTS_MOST_SLOTS);
  if (tokens > INT32_MAX / top_k)
    return wt_fail(context, WT_ERROR_SIZE,
                   "desc->tokens is %" PRId64 " with %" PRId64
                   " experts each, more than %d pairs together; pass fewer tokens at once",
                   tokens, top_k, INT32_MAX);
  return WT_SUCCESS;
}

wt_operand experts_pairs(const char *name, const void *pointer, int64_t tokens, int64_t top_k, bool written) {
  wt_operand operand = wt_operand_vector(name, pointer, 4, 4, tokens * top_k);
  operand.written = written;
  return operand;
}
