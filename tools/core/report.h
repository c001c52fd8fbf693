// SPDX-License-Identifier: MIT
// Prints the table that a run ends with.
#ifndef WT_TOOLS_REPORT_H
#define WT_TOOLS_REPORT_H

// Prints a line of the table.
void report_row(const char *label, const char *format, ...) __attribute__((format(printf, 2, 3)));

double tool_seconds(void);  // seconds of a monotonic clock

#endif
