// SPDX-License-Identifier: MIT
// Reads lines of tables that quote nothing.
#ifndef WT_TOOLS_BENCH_FIELDS_H
#define WT_TOOLS_BENCH_FIELDS_H

#include <stdbool.h>

// Cuts a line at its separators, in place. Returns false when there are not `fields` fields.
bool bench_fields_cut(char *line, char separator, char *field[], int fields);

#endif
