// SPDX-License-Identifier: MIT
// `wavetile bench validate`: the timing model beside published measurements.
#include "bench/bench.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct bench_options {
  const char *rows, *only;
  bool help;
} bench_options;

enum { OPTIONS = 3 };

static void option_table(bench_options *o, tool_option table[OPTIONS]) {
  const tool_option rows[OPTIONS] = {
      {"rows", TOOL_STRING, &o->rows, "FILE", "the measurements; default: docs/validation/published.csv"},
      {"only", TOOL_STRING, &o->only, "TEXT", "only kernels whose name contains this"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this"}};
  memcpy(table, rows, sizeof rows);
}

// TFLOP/s and cycles by ratio, efficiencies by difference in points.
static double error_of(const bench_row *row) {
  return row->quantity == BENCH_LOOP ? row->predicted - row->measured
                                     : 100 * (row->predicted / row->measured - 1);
}

static void print_row(const bench_row *row) {
  char shape[64];
  snprintf(shape, sizeof shape, "%lldx%lldx%lld", row->m, row->n, row->k);
  printf("%-28s %-34s %-7s %-17s %10.1f %10.1f %+8.1f%s %-13s %s\n", row->what, row->kernel, row->type, shape,
         row->measured, row->predicted, error_of(row), row->quantity == BENCH_LOOP ? " " : "%",
         bench_quantity_units[row->quantity], row->source);
}

static void print_summary(const bench_table *table, bool chosen_from) {
  for (int q = 0; q < BENCH_QUANTITIES; ++q) {
    double sum = 0;
    int count = 0;
    for (size_t i = 0; i < table->count; ++i) {
      const bench_row *row = &table->rows[i];
      if ((int)row->quantity != q || row->chosen_from != chosen_from) continue;
      sum += fabs(error_of(row));
      ++count;
    }
    if (count)
      printf("mean absolute error of %d rows in %s, %s: %.1f%s\n", count, bench_quantity_units[q],
             chosen_from ? "constants chosen from them" : "compared only", sum / count,
             q == BENCH_LOOP ? " points" : "%");
  }
}

static int validate(const bench_options *o) {
  bench_table table;
  int code = bench_table_read(o->rows, &table);
  if (!code) code = bench_predict(&table, o->only);
  if (!code) {
    printf("%-28s %-34s %-7s %-17s %10s %10s %9s %-13s %s\n", "published", "our kernel", "type", "shape",
           "measured", "predicted", "error", "quantity", "source");
    for (size_t i = 0; i < table.count; ++i) print_row(&table.rows[i]);
    puts("");
    print_summary(&table, true);
    print_summary(&table, false);
    puts("Predicted by a model, for our kernels; measured by the sources, on theirs.");
  }
  bench_table_free(&table);
  return code;
}

int tool_bench(int argc, char **argv) {
  bench_options options = {.rows = "docs/validation/published.csv"};
  tool_option table[OPTIONS];
  const char *what = NULL;
  option_table(&options, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, &what, 1);
  if (code) return code;
  if (options.help) {
    puts(
        "usage: wavetile bench validate [options]\n\n"
        "Predicts published measurements with the timing model (docs/timing.md) and prints the errors.\n");
    tool_options_help(table, OPTIONS);
    return TOOL_OK;
  }
  if (!what || strcmp(what, "validate") != 0)
    return tool_error(TOOL_USAGE, "wavetile bench takes \"validate\"; see wavetile bench --help");
  return validate(&options);
}
