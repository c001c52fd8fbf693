// SPDX-License-Identifier: MIT
// The file that --keep names: a line for each prediction, fields between tabs.
#ifndef WT_TOOLS_BENCH_KEEP_H
#define WT_TOOLS_BENCH_KEEP_H

#include "bench/bench.h"

// Takes the fields of one line.
typedef void bench_keep_take(void *context, char *const field[]);

// Gives each line of the file, which has so many fields, to `take`. There may be no file. A last line that an
// interrupted run left unfinished is cut off. Reports and returns an exit code when a line has other fields.
int bench_keep_lines(const char *path, int fields, bench_keep_take *take, void *context);

// Adds a line.
int bench_keep_line(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
