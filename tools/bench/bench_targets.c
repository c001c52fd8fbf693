// SPDX-License-Identifier: MIT
// Shows targets beside predictions, for the terminal and for docs/targets.md.
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "bench/bench_page.h"
#include "core/whole_file.h"

static const char *verdict(const bench_row *row) {
  return !row->predicted ? "not predicted yet" : bench_met(row) ? "met" : "missed";
}

static bool is_missed(const bench_row *row) { return row->predicted && !bench_met(row); }

static bool begins_group(const bench_table *table, size_t i) {
  return i == 0 || strcmp(table->rows[i].group, table->rows[i - 1].group) != 0;
}

static void texts_of(const bench_row *row, char target[32], char value[32]) {
  bench_number(target, 32, row->measured);
  strcpy(value, "-");
  if (row->predicted) bench_number(value, 32, row->value);
}

static void write_counts(FILE *out, const bench_table *table) {
  size_t met = 0, predicted = 0;
  for (size_t i = 0; i < table->count; ++i) {
    predicted += table->rows[i].predicted;
    met += table->rows[i].predicted && bench_met(&table->rows[i]);
  }
  fprintf(out, "%zu of %zu targets are met", met, table->count);
  if (predicted < table->count) fprintf(out, ", %zu are not predicted yet", table->count - predicted);
  fputs(". Predicted by a model (docs/timing.md), measured on no hardware.\n", out);
}

void bench_write_targets(FILE *out, const bench_table *table) {
  for (size_t i = 0; i < table->count; ++i) {
    const bench_row *row = &table->rows[i];
    char target[32], value[32];
    texts_of(row, target, value);
    if (begins_group(table, i)) fprintf(out, "%s%s\n", i ? "\n" : "", row->group);
    fprintf(out, "  %-34s %-24s %-7s %-7s %-28s %s %9s, predicted %9s %-22s %s\n", row->what, row->kernel,
            row->chip, row->type, row->shape, row->role == BENCH_MOST ? "at most " : "at least", target,
            value, bench_quantities[row->quantity].unit, verdict(row));
    if (is_missed(row)) fprintf(out, "    %s\n", row->limits);
    if (is_missed(row) && *row->note) fprintf(out, "    what would mend it: %s\n", row->note);
  }
  fputc('\n', out);
  write_counts(out, table);
}

// ---- the page

static void write_table(FILE *out, const bench_table *table, size_t first, size_t end) {
  fputs(
      "| work | kernel | chip | type | shape | target | predicted | | beside |\n"
      "|---|---|---|---|---|---|---|---|---|\n",
      out);
  for (size_t i = first; i < end; ++i) {
    const bench_row *row = &table->rows[i];
    char target[32], value[32];
    texts_of(row, target, value);
    fprintf(out, "| %s | `%s` | %s | %s | %s | at %s %s %s | %s | %s | %s |\n", row->what, row->kernel,
            row->chip, row->type, row->shape, row->role == BENCH_MOST ? "most" : "least", target,
            bench_quantities[row->quantity].unit, value, verdict(row), row->source);
  }
}

static void write_misses(FILE *out, const bench_table *table, size_t first, size_t end) {
  bool any = false;
  for (size_t i = first; i < end; ++i) {
    const bench_row *row = &table->rows[i];
    if (!is_missed(row)) continue;
    if (!any) fputc('\n', out);
    any = true;
    fprintf(out, "- **%s, %s, %s** is %s\n", row->what, row->type, row->shape, row->limits);
    if (*row->note) fprintf(out, "  *What would mend it:* %s\n", row->note);
  }
}

static void write_page(FILE *out, const bench_table *table) {
  write_counts(out, table);
  for (size_t i = 0, end; i < table->count; i = end) {
    for (end = i + 1; end < table->count && !begins_group(table, end);) ++end;
    fprintf(out, "\n## %s\n\n", table->rows[i].group);
    write_table(out, table, i, end);
    write_misses(out, table, i, end);
  }
}

int bench_write_targets_page(const char *folder, const bench_table *table) {
  static const bench_part parts[] = {{"targets", write_page}};
  char page[WHOLE_FILE_PATH];
  snprintf(page, sizeof page, "%s/targets.md", folder);
  return bench_page_write(page, table, parts, 1);
}
