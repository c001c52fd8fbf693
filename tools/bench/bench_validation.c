// SPDX-License-Identifier: MIT
// Writes docs/validation.md and its chart, which gnuplot draws, with the rows of validation/binaries.csv in
// it.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bench/bench.h"
#include "bench/bench_page.h"
#include "core/whole_file.h"

enum { MESSAGE = WHOLE_FILE_PATH + 512 };

static bool first_of_group(const bench_table *table, size_t at) {
  for (size_t i = 0; i < at; ++i)
    if (table->rows[i].predicted && strcmp(table->rows[i].group, table->rows[at].group) == 0) return false;
  return table->rows[at].predicted;
}

// These are the rows of validation/binaries.csv, which `wavetile bench binaries --csv` has written: a series
// for each group, inline.
enum { MOST_GROUPS = 16, MOST_BINARIES = 4096, LONGEST_LINE = 1024 };

typedef struct binary_rows {
  char group[MOST_GROUPS][64];
  size_t groups, count;
  struct {
    size_t group;
    double measured, predicted;
  } rows[MOST_BINARIES];
} binary_rows;

// Takes a line: measured and predicted microseconds come first, the group follows the memory's state, and
// none of the fields so far has commas in it. Lines without a prediction are left out. Returns false where
// there is no place for a row or its group.
static bool take_binary(binary_rows *b, char *line, int column) {
  char *at = line, *end;
  const double measured = strtod(line, &end), predicted = *end == ',' ? strtod(end + 1, NULL) : 0;
  for (int i = 0; i < column && at; ++i) at = strchr(at, ','), at = at ? at + 1 : NULL;
  if (!at || !(measured > 0) || !(predicted > 0)) return true;
  at[strcspn(at, ",\n")] = 0;
  size_t group = 0;
  while (group < b->groups && strcmp(b->group[group], at) != 0) ++group;
  if (group == MOST_GROUPS || b->count == MOST_BINARIES) return false;
  if (group == b->groups) snprintf(b->group[b->groups++], sizeof *b->group, "%.63s", at);
  b->rows[b->count].group = group;
  b->rows[b->count].measured = measured;
  b->rows[b->count++].predicted = predicted;
  return true;
}

// A page without the file is drawn without its rows.
static int read_binaries(const char *path, binary_rows *b) {
  char line[LONGEST_LINE];
  int column = 0;
  FILE *file = fopen(path, "rb");
  b->groups = b->count = 0;
  if (!file) return TOOL_OK;
  if (fgets(line, sizeof line, file)) {
    const char *name = strstr(line, ",group,");
    for (const char *at = line; name && at <= name; ++at) column += *at == ',';
  }
  bool taken = true;
  while (column && taken && fgets(line, sizeof line, file)) taken = take_binary(b, line, column);
  fclose(file);
  return taken ? TOOL_OK
               : tool_error(TOOL_USAGE, "%s has more than %d rows or %d groups; the chart takes no more",
                            path, MOST_BINARIES, MOST_GROUPS);
}

static void plot_binaries(FILE *plot, const binary_rows *b) {
  for (size_t g = 0; g < b->groups; ++g) {
    for (size_t i = 0; i < b->count; ++i)
      if (b->rows[i].group == g) fprintf(plot, "%.9g %.9g\n", b->rows[i].measured, b->rows[i].predicted);
    fputs("e\n", plot);
  }
}

// One series for each group, inline: name, then measured and predicted.
static void write_plot(FILE *plot, const bench_table *table, const binary_rows *binaries,
                       const char *output) {
  fprintf(plot,
          "set terminal svg size 1150,700 dynamic background '#ffffff' font 'sans-serif,13'\n"
          "set output '%s'\n"
          "set title 'Predicted by the timing model over measured by the sources'\n"
          "set xlabel 'measured (TFLOP/s, cycles, us, GB/s, %%, as the row says)'\nset ylabel 'predicted'\n"
          "set logscale xy\nset grid\nset key outside right top reverse Left\nset format '10^{%%T}'\n"
          "set samples 2\nset xrange [1:1e7]\nset yrange [1:1e7]\n"
          "plot x notitle lc rgb '#000000', 1.15*x title '15%% off' dt 2 lc rgb '#808080', "
          "x/1.15 notitle dt 2 lc rgb '#808080'",
          output);
  int series = 0;
  for (size_t i = 0; i < table->count; ++i)
    if (first_of_group(table, i))
      fprintf(plot, ", '-' title '%s' with points pt %d ps 0.9", table->rows[i].group, 4 + series++ % 10);
  for (size_t g = 0; g < binaries->groups; ++g)
    fprintf(plot, ", '-' title 'binaries: %s' with points pt %d ps 0.6", binaries->group[g],
            (int)(1 + g % 3));
  fputc('\n', plot);
  for (size_t i = 0; i < table->count; ++i) {
    if (!first_of_group(table, i)) continue;
    for (size_t j = i; j < table->count; ++j)
      if (table->rows[j].predicted && strcmp(table->rows[i].group, table->rows[j].group) == 0)
        fprintf(plot, "%.9g %.9g\n", table->rows[j].measured, table->rows[j].value);
    fputs("e\n", plot);
  }
  plot_binaries(plot, binaries);
}

static int write_chart(const char *path, const bench_table *table, const binary_rows *binaries) {
  char message[MESSAGE];
  whole_file file;
  if (!whole_file_begin(&file, path, message, sizeof message)) return tool_error(TOOL_FAILED, "%s", message);
  FILE *plot = popen("gnuplot", "w");
  if (plot) write_plot(plot, table, binaries, file.temporary);
  const int status = plot ? pclose(plot) : -1;
  const bool drawn = status != -1 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  errno = 0;
  if (whole_file_end(&file, drawn, message, sizeof message)) return TOOL_OK;
  return drawn ? tool_error(TOOL_FAILED, "%s", message)
               : tool_error(TOOL_FAILED, "gnuplot did not draw %s; install it (Debian: gnuplot-nox)", path);
}

static void write_errors(FILE *out, const bench_table *table) { bench_write_errors(out, table, true); }
static void write_rows(FILE *out, const bench_table *table) { bench_write_rows(out, table, true); }

int bench_write_validation(const char *folder, const bench_table *table) {
  static const bench_part parts[] = {
      {"errors", write_errors}, {"order", bench_write_order}, {"rows", write_rows}};
  static binary_rows rows;
  char page[WHOLE_FILE_PATH], chart[WHOLE_FILE_PATH], binaries[WHOLE_FILE_PATH];
  snprintf(page, sizeof page, "%s/validation.md", folder);
  snprintf(chart, sizeof chart, "%s/validation/errors.svg", folder);
  snprintf(binaries, sizeof binaries, "%s/validation/binaries.csv", folder);
  int code = read_binaries(binaries, &rows);
  if (!code) code = bench_page_write(page, table, parts, sizeof parts / sizeof *parts);
  return code ? code : write_chart(chart, table, &rows);
}
