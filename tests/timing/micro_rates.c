// SPDX-License-Identifier: MIT
// Rates and latencies of single instructions and short sequences come out of the mechanisms of the timing
// model as they have been measured: every row micro_* of docs/validation/published.csv that has a bound is
// within it. Argument: that file.
#include "bench/bench.h"
#include "check.h"

int main(int argc, char **argv) {
  bench_table table;
  CHECK(argc == 2 && bench_table_read(argv[1], &table) == TOOL_OK, "the rows cannot be read");
  CHECK(bench_predict(&table, "micro_", NULL, NULL) == TOOL_OK, "the rows cannot be predicted");
  bench_leave_out(&table, "micro_");
  int bounded = 0;
  for (size_t i = 0; i < table.count; ++i) {
    const bench_row *row = &table.rows[i];
    printf("%-42s %s: predicted %8.2f, published %8.2f\n", row->what, row->chip, row->value, row->measured);
    CHECK(row->predicted && bench_within(row), "%s (%s): %.2f, published %.2f", row->what, row->chip,
          row->value, row->measured);
    bounded += row->bound > 0;
  }
  CHECK(bounded > 30, "only %d rows have a bound", bounded);
  bench_table_free(&table);
  return test_result();
}
