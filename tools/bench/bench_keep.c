// SPDX-License-Identifier: MIT
// Predictions in a file, so that an interrupted run goes on where it was: a line for each row or case, fields
// between tabs, appended as soon as there is a prediction.
#include "bench/bench_keep.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench_fields.h"

enum { LONGEST_LINE = 1024, MOST_FIELDS = 16 };

int bench_keep_lines(const char *path, int fields, bench_keep_take *take, void *context) {
  char line[LONGEST_LINE], *field[MOST_FIELDS];
  FILE *file = fopen(path, "rb");
  if (!file)
    return errno == ENOENT ? TOOL_OK : tool_error(TOOL_USAGE, "--keep %s: %s", path, strerror(errno));
  int code = TOOL_OK;
  off_t complete = 0;  // bytes of whole lines
  bool cut_off = false;
  for (size_t number = 1; !code && fgets(line, sizeof line, file); ++number) {
    const size_t length = strcspn(line, "\n");
    cut_off = line[length] != '\n';  // an interrupted run's last
    if (cut_off) break;
    complete += (off_t)length + 1;
    line[length] = 0;
    if (bench_fields_cut(line, '\t', field, fields))
      take(context, field);
    else
      code =
          tool_error(TOOL_USAGE, "--keep %s:%zu is not a line of predictions; delete the file to begin anew",
                     path, number);
  }
  fclose(file);
  if (!code && cut_off && truncate(path, complete))
    code = tool_error(TOOL_FAILED, "--keep %s: cannot be written: %s", path, strerror(errno));
  return code;
}

int bench_keep_line(const char *path, const char *format, ...) {
  va_list fields;
  va_start(fields, format);
  FILE *file = fopen(path, "ab");
  const bool good = file && vfprintf(file, format, fields) > 0 && fputc('\n', file) != EOF;
  va_end(fields);
  if ((file && fclose(file) != 0) || !good)
    return tool_error(TOOL_FAILED, "--keep %s: cannot be written: %s", path, strerror(errno));
  return TOOL_OK;
}

// ---- rows

enum { CHIP, KERNEL, TYPE, SHAPE, QUANTITY, VALUE, LIMITS, ROW_FIELDS };

static void take_row(void *context, char *const field[]) {
  bench_table *table = context;
  for (size_t i = 0; i < table->count; ++i) {
    bench_row *row = &table->rows[i];
    if (strcmp(row->chip, field[CHIP]) != 0 || strcmp(row->kernel, field[KERNEL]) != 0 ||
        strcmp(row->type, field[TYPE]) != 0 || strcmp(row->shape, field[SHAPE]) != 0 ||
        strcmp(bench_quantities[row->quantity].name, field[QUANTITY]) != 0)
      continue;
    row->value = strtod(field[VALUE], NULL);
    row->predicted = true;
    snprintf(row->limits, sizeof row->limits, "%.383s", field[LIMITS]);
  }
}

int bench_keep_read(const char *path, bench_table *table) {
  return bench_keep_lines(path, ROW_FIELDS, take_row, table);
}

int bench_keep_add(const char *path, const bench_row *row) {
  return bench_keep_line(path, "%s\t%s\t%s\t%s\t%s\t%.17g\t%s", row->chip, row->kernel, row->type, row->shape,
                         bench_quantities[row->quantity].name, row->value, row->limits);
}
