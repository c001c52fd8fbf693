// SPDX-License-Identifier: MIT
// Keeps predictions of cases in a file: the key of the case, and the numbers.
#include <inttypes.h>
#include <stdlib.h>

#include "bench/bench_keep.h"
#include "bench/binaries.h"

const char *const binary_number_names[BINARY_NUMBERS] = {
    [BINARY_US] = "predicted_us",
    [BINARY_CYCLES] = "cycles",
    [BINARY_WRITE_BACK] = "write_back_cycles",
    [BINARY_CLOCK] = "clock_mhz",
    [BINARY_BUSY] = "matrix_busy",
    [BINARY_LOOP] = "matrix_busy_in_loop",
    [BINARY_L2] = "l2_hit_rate",
    [BINARY_LLC] = "llc_hit_rate",
    [BINARY_HBM_READ] = "hbm_bytes_read",
    [BINARY_HBM_WRITTEN] = "hbm_bytes_written",
};

enum { LONGEST_LINE = 1024 };

static void take(void *context, char *const field[]) {
  binary_cases *cases = context;
  const uint64_t key = strtoull(field[0], NULL, 16);
  for (size_t i = 0; i < cases->count; ++i) {
    binary_case *c = &cases->cases[i];
    if (c->key != key) continue;
    for (int n = 0; n < BINARY_NUMBERS; ++n) c->number[n] = strtod(field[1 + n], NULL);
    c->predicted = true;
  }
}

int binary_keep_read(const char *path, binary_cases *cases) {
  return bench_keep_lines(path, 1 + BINARY_NUMBERS, take, cases);
}

int binary_keep_add(const char *path, const binary_case *c) {
  char line[LONGEST_LINE];
  int length = snprintf(line, sizeof line, "%016" PRIx64, c->key);
  for (int i = 0; i < BINARY_NUMBERS; ++i)
    length += snprintf(line + length, sizeof line - (size_t)length, "\t%.17g", c->number[i]);
  return bench_keep_line(path, "%s", line);
}
