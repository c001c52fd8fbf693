// SPDX-License-Identifier: MIT
// Reads options that take several sizes, and sweeps over all combinations of them.
#ifndef WT_TOOLS_SIZES_H
#define WT_TOOLS_SIZES_H

#include "tool.h"

enum { TOOL_SIZES_MOST = 256 };

// Describes the sizes of one TOOL_SIZES option. `now` is the one of the current run, 0 when the option is not
// given.
typedef struct tool_sizes {
  long long now;
  int count, at;
  long long value[TOOL_SIZES_MOST];
} tool_sizes;

// Reads "4096", lists such as "128,256", and ranges: "1:4096:x2" multiplies, "128:1024:+128" adds, both from
// the first number as long as the last is not exceeded. Returns false when `text` is not of that form, a
// number is not from 1 to 2^31 - 1, or there are more than TOOL_SIZES_MOST.
bool tool_sizes_read(const char *text, tool_sizes *out);

// Returns the number of combinations of all TOOL_SIZES options in the table.
long long tool_sweep_count(const tool_option *options, size_t count);

// Goes to the next combination; the option that comes last in the table changes fastest. Returns false after
// the last.
bool tool_sweep_next(const tool_option *options, size_t count);

#endif
