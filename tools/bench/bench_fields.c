// SPDX-License-Identifier: MIT
// Cuts lines into fields.
#include "bench/bench_fields.h"

#include <string.h>

bool bench_fields_cut(char *line, char separator, char *field[], int fields) {
  int count = 0;
  for (char *at = line; at; ++count) {
    if (count == fields) return false;
    field[count] = at;
    at = strchr(at, separator);
    if (at) *at++ = 0;
  }
  return count == fields;
}
