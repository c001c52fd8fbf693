// SPDX-License-Identifier: MIT
// Predictions beside published measurements.
#ifndef WT_TOOLS_BENCH_H
#define WT_TOOLS_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "core/tool.h"

typedef enum bench_quantity { BENCH_TFLOPS, BENCH_CYCLES, BENCH_LOOP, BENCH_QUANTITIES } bench_quantity;

extern const char *const bench_quantity_names[BENCH_QUANTITIES];  // as the table names them
extern const char *const bench_quantity_units[BENCH_QUANTITIES];

// A row of docs/validation/published.csv: what somebody measured, and our kernel that does the same.
typedef struct bench_row {
  char *chip, *source, *what, *kernel, *type;
  long long m, n, k;
  bench_quantity quantity;
  double measured;
  bool chosen_from;  // constants of the model may be chosen from this row; else it is compared only
  double predicted;
} bench_row;

typedef struct bench_table {
  char *text;  // the file; the rows point into it
  bench_row *rows;
  size_t count;
} bench_table;

// Reads a table; reports and returns an exit code when it is malformed. Free with bench_table_free.
int bench_table_read(const char *path, bench_table *table);
void bench_table_free(bench_table *table);

// Predicts the rows whose kernel's name contains `only` (NULL: all), each launch once, and drops the others.
int bench_predict(bench_table *table, const char *only);

#endif
