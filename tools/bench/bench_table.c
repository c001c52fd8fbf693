// SPDX-License-Identifier: MIT
// Reads a table of measurements or targets: comma-separated, fields with commas in double quotes.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/read_file.h"

enum { GROUP, CHIP, SOURCE, WHAT, KERNEL, TYPE, SHAPE, QUANTITY, MEASURED, BOUND, ROLE, NOTE, FIELDS };
static const char header[] = "group,chip,source,what,kernel,type,shape,quantity,measured,bound,role,note";

const bench_quantity_info bench_quantities[BENCH_QUANTITIES] = {
    [BENCH_TFLOPS] = {"tflops", "TFLOP/s", false},
    [BENCH_MICROSECONDS] = {"us", "us", false},
    [BENCH_CYCLES] = {"cycles", "cycles", false},
    [BENCH_LOOP] = {"loop", "% in the loop", true},
    [BENCH_OVERALL] = {"overall", "% of the launch", true},
    [BENCH_LAG] = {"lag", "points below the loop", true},
    [BENCH_GBYTES] = {"gbytes", "GB/s", false},
    [BENCH_STREAM] = {"stream", "% of memory bandwidth in all launches", true},
    [BENCH_HBM] = {"hbm", "% of memory bandwidth", true},
    [BENCH_L2] = {"l2", "% hits in L2", true},
    [BENCH_LLC] = {"llc", "% hits in the LLC", true},
    [BENCH_DRAM] = {"dram", "reads beyond L2", false},
    [BENCH_PING_PONG] = {"of_ping_pong", "% of ping-pong", false},
    [BENCH_EACH] = {"each", "cycles each", false},
    [BENCH_SPAN] = {"span", "cycles in all", false},
};
static const char *const roles[] = {
    [BENCH_COMPARE] = "compare", [BENCH_CHOOSE] = "choose", [BENCH_LEAST] = "least", [BENCH_MOST] = "most"};
enum { ROLES = sizeof roles / sizeof *roles };

// Cuts a line into fields, in place. Returns their number, at most FIELDS + 1.
static int split(char *line, char *field[FIELDS + 1]) {
  int count = 0;
  for (char *at = line; count <= FIELDS; ++at) {
    bool quoted = *at == '"';
    at += quoted;
    field[count++] = at;
    at = quoted ? strchr(at, '"') : at + strcspn(at, ",");
    if (!at) return 0;
    if (quoted) *at++ = 0;
    if (!*at) break;
    if (*at != ',') return 0;
    *at = 0;
  }
  return count;
}

static bool read_number(const char *text, double *value) {
  char *end;
  *value = strtod(text, &end);
  return end != text && !*end && *value > 0;
}

static bool read_row(char *field[FIELDS + 1], bench_row *row) {
  *row = (bench_row){.group = field[GROUP],
                     .chip = field[CHIP],
                     .source = field[SOURCE],
                     .what = field[WHAT],
                     .kernel = field[KERNEL],
                     .type = field[TYPE],
                     .shape = field[SHAPE],
                     .note = field[NOTE],
                     .quantity = BENCH_QUANTITIES,
                     .role = (bench_role)ROLES};
  for (int i = 0; i < BENCH_QUANTITIES; ++i)
    if (strcmp(field[QUANTITY], bench_quantities[i].name) == 0) row->quantity = (bench_quantity)i;
  for (int i = 0; i < ROLES; ++i)
    if (strcmp(field[ROLE], roles[i]) == 0) row->role = (bench_role)i;
  if (!predict_shape_read(row->shape, &row->sizes)) return false;
  if (*field[BOUND] && !read_number(field[BOUND], &row->bound)) return false;
  return row->quantity != BENCH_QUANTITIES && (int)row->role != ROLES &&
         read_number(field[MEASURED], &row->measured);
}

static int read_lines(const char *path, bench_table *table) {
  size_t number = 0;
  for (char *line = table->text, *next; line && *line; line = next) {
    char *end = line + strcspn(line, "\n"), *field[FIELDS + 1];
    next = *end ? end + 1 : end;
    *end = 0;
    if (number++ == 0 && strcmp(line, header) != 0)
      return tool_error(TOOL_USAGE, "%s: the first line is not \"%s\"", path, header);
    if (number == 1) continue;
    bench_row *larger = realloc(table->rows, (table->count + 1) * sizeof *larger);
    if (!larger) return tool_error(TOOL_FAILED, "out of host memory for the rows of %s", path);
    table->rows = larger;
    if (split(line, field) != FIELDS || !read_row(field, &table->rows[table->count]))
      return tool_error(TOOL_USAGE,
                        "%s:%zu: want %s, with a shape such as 4096x4096x4096, numbers above 0, and a known "
                        "quantity and role",
                        path, number, header);
    ++table->count;
  }
  return table->count ? TOOL_OK : tool_error(TOOL_USAGE, "%s has no rows", path);
}

int bench_table_read(const char *path, bench_table *table) {
  size_t size;
  *table = (bench_table){0};
  unsigned char *data = read_file(path, &size);
  if (!data)
    return tool_error(TOOL_USAGE, "cannot read the rows from \"%s\": %s; pass --rows FILE", path,
                      errno ? strerror(errno) : "it is empty");
  table->text = malloc(size + 1);
  if (table->text) {
    memcpy(table->text, data, size);
    table->text[size] = 0;
  }
  free(data);
  return table->text ? read_lines(path, table) : tool_error(TOOL_FAILED, "out of host memory for %s", path);
}

int bench_table_parse(const char *name, const char *text, bench_table *table) {
  *table = (bench_table){.text = strdup(text)};
  return table->text ? read_lines(name, table) : tool_error(TOOL_FAILED, "out of host memory for %s", name);
}

void bench_table_free(bench_table *table) {
  free(table->rows);
  free(table->text);
  *table = (bench_table){0};
}
