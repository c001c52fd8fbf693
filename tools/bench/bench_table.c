// SPDX-License-Identifier: MIT
// Reads the table of published measurements: comma-separated, fields with commas in double quotes.
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "core/read_file.h"

enum { CHIP, SOURCE, WHAT, KERNEL, TYPE, M, N, K, QUANTITY, MEASURED, ROLE, NOTE, FIELDS };
static const char header[] = "chip,source,what,kernel,type,m,n,k,quantity,measured,role,note";

const char *const bench_quantity_names[BENCH_QUANTITIES] = {"tflops", "cycles", "loop"};
const char *const bench_quantity_units[BENCH_QUANTITIES] = {"TFLOP/s", "cycles", "% in the loop"};

// Cuts a line into fields, in place. Returns how many there are, at most FIELDS + 1.
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
  double m, n, k;
  *row = (bench_row){.chip = field[CHIP],
                     .source = field[SOURCE],
                     .what = field[WHAT],
                     .kernel = field[KERNEL],
                     .type = field[TYPE]};
  row->quantity = BENCH_QUANTITIES;
  for (int i = 0; i < BENCH_QUANTITIES; ++i)
    if (strcmp(field[QUANTITY], bench_quantity_names[i]) == 0) row->quantity = (bench_quantity)i;
  row->chosen_from = strcmp(field[ROLE], "choose") == 0;
  if (!read_number(field[M], &m) || !read_number(field[N], &n) || !read_number(field[K], &k)) return false;
  row->m = (long long)m;
  row->n = (long long)n;
  row->k = (long long)k;
  return row->quantity != BENCH_QUANTITIES && read_number(field[MEASURED], &row->measured) &&
         (row->chosen_from || strcmp(field[ROLE], "compare") == 0);
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
      return tool_error(TOOL_USAGE, "%s:%zu: want %s, with sizes and measurement above 0", path, number,
                        header);
    ++table->count;
  }
  return table->count ? TOOL_OK : tool_error(TOOL_USAGE, "%s has no rows", path);
}

int bench_table_read(const char *path, bench_table *table) {
  size_t size;
  *table = (bench_table){0};
  unsigned char *data = read_file(path, &size);
  if (!data)
    return tool_error(TOOL_USAGE, "cannot read the published measurements from \"%s\"; pass --rows FILE",
                      path);
  table->text = malloc(size + 1);
  if (table->text) {
    memcpy(table->text, data, size);
    table->text[size] = 0;
  }
  free(data);
  return table->text ? read_lines(path, table) : tool_error(TOOL_FAILED, "out of host memory for %s", path);
}

void bench_table_free(bench_table *table) {
  free(table->rows);
  free(table->text);
  *table = (bench_table){0};
}
