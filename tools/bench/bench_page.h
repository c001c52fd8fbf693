// SPDX-License-Identifier: MIT
// Writes pages of the documentation with predictions in them.
#ifndef WT_TOOLS_BENCH_PAGE_H
#define WT_TOOLS_BENCH_PAGE_H

#include <stddef.h>
#include <stdio.h>

#include "bench/bench.h"

// Describes a part of a page, between "<!-- NAME -->" and "<!-- end of NAME -->".
typedef struct bench_part {
  const char *name;
  void (*write)(FILE *out, const bench_table *table);
} bench_part;

// Writes the parts of a page anew, which stand there in this order. Reports and returns an exit code when one
// is missing or the page cannot be written; then it is as it was.
int bench_page_write(const char *path, const bench_table *table, const bench_part *parts, size_t count);

#endif
