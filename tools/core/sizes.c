// SPDX-License-Identifier: MIT
// Reads lists and ranges of sizes, and counts through their combinations.
#include "sizes.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

static bool read_size(const char **at, long long *value) {
  char *end;
  if (**at < '0' || **at > '9') return false;
  errno = 0;
  *value = strtoll(*at, &end, 10);
  *at = end;
  return errno == 0 && *value >= 1 && *value <= INT32_MAX;
}

static bool add(tool_sizes *sizes, long long value) {
  if (sizes->count == TOOL_SIZES_MOST) return false;
  sizes->value[sizes->count++] = value;
  return true;
}

// Reads what follows the first number of a range: ":LAST:xFACTOR" or ":LAST:+STEP".
static bool read_range(const char **at, long long first, tool_sizes *out) {
  long long last, step;
  ++*at;
  if (!read_size(at, &last) || *(*at)++ != ':') return false;
  const char kind = *(*at)++;
  if ((kind != 'x' && kind != '+') || !read_size(at, &step) || (kind == 'x' && step < 2) || last < first)
    return false;
  for (long long size = first; size <= last; size = kind == 'x' ? size * step : size + step)
    if (!add(out, size)) return false;
  return true;
}

bool tool_sizes_read(const char *text, tool_sizes *out) {
  *out = (tool_sizes){.count = 0};
  do {
    long long first;
    if (!read_size(&text, &first)) return false;
    if (*text == ':' ? !read_range(&text, first, out) : !add(out, first)) return false;
  } while (*text++ == ',');
  out->now = out->value[0];
  return text[-1] == 0;
}

long long tool_sweep_count(const tool_option *options, size_t count) {
  long long combinations = 1;
  for (size_t i = 0; i < count; ++i) {
    const tool_sizes *sizes = options[i].kind == TOOL_SIZES ? options[i].value : NULL;
    if (sizes && sizes->count) combinations *= sizes->count;
  }
  return combinations;
}

bool tool_sweep_next(const tool_option *options, size_t count) {
  for (size_t i = count; i-- > 0;) {
    tool_sizes *sizes = options[i].kind == TOOL_SIZES ? options[i].value : NULL;
    if (!sizes || !sizes->count) continue;
    sizes->at = (sizes->at + 1) % sizes->count;
    sizes->now = sizes->value[sizes->at];
    if (sizes->at) return true;
  }
  return false;
}
