// SPDX-License-Identifier: MIT
// Tells a user of the command line what a call of the C API refuses.
#ifndef WT_TOOLS_API_FAILED_H
#define WT_TOOLS_API_FAILED_H

#include <stdbool.h>
#include <stddef.h>

#include "wavetile.h"

// Reports the sentence of the context's last error, in which options stand for the arguments of the C API.
// Returns TOOL_USAGE when the status is that of a wrong argument, and TOOL_FAILED when it is one of the
// device or the host.
int tool_api_failed(const wt_context *context, wt_status status);

// Says which option stands for a member of a descriptor in a command, where that is not what it is elsewhere.
typedef struct tool_api_name {
  const char *member, *option;
} tool_api_name;

// Does the same with `count` names of the command, which go before those of all commands.
int tool_api_failed_as(const wt_context *context, wt_status status, const tool_api_name *names, size_t count);

// Returns the exit code alone.
int tool_api_code(wt_status status);

// These serve to ask whether a call is right before its memory is made. The first returns address number i at
// which no memory is. The second returns whether a call with such addresses was refused for them alone: the C
// API looks at memory last, so all else is right.
void *tool_api_nowhere(int i);
bool tool_api_lacks_memory(wt_status status);

// Writes the sentence alone: "desc->head_dim is 96" becomes "--head-dim is 96", "WT_TYPE_BF16" becomes
// "bf16". It is cut when `size` bytes do not hold it.
void tool_api_sentence(const char *message, char *out, size_t size);

#endif
