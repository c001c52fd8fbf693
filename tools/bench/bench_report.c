// SPDX-License-Identifier: MIT
// Writes the tables of `wavetile bench`, for the terminal and for the page.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "bench/bench.h"

void bench_number(char *text, size_t size, double value) {
  snprintf(text, size, value >= 1000 || value == rint(value) ? "%.0f" : value >= 10 ? "%.1f" : "%.2f", value);
}

static void error_text(char *text, size_t size, const bench_row *row) {
  if (row->predicted)
    snprintf(text, size, "%+.1f%s", bench_error(row), bench_quantities[row->quantity].points ? "" : "%");
  else
    snprintf(text, size, "-");
}

static const char *verdict(const bench_row *row) {
  return !row->predicted || !row->bound ? "" : bench_within(row) ? "yes" : "no";
}

void bench_write_rows(FILE *out, const bench_table *table, bool page) {
  static const char titles[] =
      "| published | our kernel | chip | type | shape | measured | predicted | error | within | role | "
      "source and notes |\n|---|---|---|---|---|---|---|---|---|---|---|\n";
  const char *group = NULL;
  for (size_t i = 0; i < table->count; ++i) {
    const bench_row *row = &table->rows[i];
    const char *unit = bench_quantities[row->quantity].unit;
    char measured[32], predicted[32] = "-", error[32], bound[32] = "";
    snprintf(measured, sizeof measured, "%.10g", row->measured);
    if (row->predicted) bench_number(predicted, sizeof predicted, row->value);
    error_text(error, sizeof error, row);
    if (row->bound) snprintf(bound, sizeof bound, "%g: %s", row->bound, verdict(row));
    if (!group || strcmp(group, row->group) != 0)
      fprintf(out, page ? "%s### %s\n\n%s" : "%s%s\n", group ? "\n" : "", row->group, page ? titles : "");
    group = row->group;
    if (page)
      fprintf(out, "| %s | `%s` | %s | %s | %s | %s %s | %s | %s | %s | %s | %s%s%s |\n", row->what,
              row->kernel, row->chip, row->type, row->shape, measured, unit, predicted, error, bound,
              row->role == BENCH_CHOOSE ? "choose" : "compare", row->source, *row->note ? "; " : "",
              row->note);
    else
      fprintf(out, "  %-30s %-32s %-6s %-7s %-26s %9s %9s %8s %-22s %s%s\n", row->what, row->kernel,
              row->chip, row->type, row->shape, measured, predicted, error, unit, verdict(row),
              strcmp(verdict(row), "no") == 0 ? ": beyond the bound" : "");
  }
}

// ---- errors

// Selects the rows of one group (NULL: all), quantity and role that have a prediction.
typedef struct errors {
  int rows, within, bounded;
  double sum;
} errors;

static errors errors_of(const bench_table *table, const char *group, bench_quantity quantity,
                        bench_role role) {
  errors e = {0};
  for (size_t i = 0; i < table->count; ++i) {
    const bench_row *row = &table->rows[i];
    if (row->quantity != quantity || row->role != role || !row->predicted) continue;
    if (group && strcmp(group, row->group) != 0) continue;
    ++e.rows;
    e.sum += fabs(bench_error(row));
    if (!row->bound) continue;
    ++e.bounded;
    e.within += bench_within(row);
  }
  return e;
}

static void write_errors(FILE *out, const errors *e, const char *group, const char *unit, bool points,
                         const char *role, bool page) {
  if (!e->rows) return;
  char within[48] = "";
  if (e->bounded) snprintf(within, sizeof within, "%d of %d", e->within, e->bounded);
  fprintf(out, page ? "| %s | %s | %s | %d | %.1f%s | %s |\n" : "  %-28s %-24s %-8s %4d rows %8.1f%-8s %s\n",
          group, unit, role, e->rows, e->sum / e->rows, points ? " points" : "%", within);
}

static bool first_of_group(const bench_table *table, size_t at) {
  for (size_t i = 0; i < at; ++i)
    if (strcmp(table->rows[i].group, table->rows[at].group) == 0) return false;
  return true;
}

static void write_counts(FILE *out, const bench_table *table) {
  size_t predicted = 0, none = 0;
  for (size_t i = 0; i < table->count; ++i) {
    predicted += table->rows[i].predicted;
    none += strcmp(table->rows[i].kernel, "none") == 0;
  }
  fprintf(out, "%zu rows: %zu predicted, %zu without a kernel of ours, %zu not predicted yet.\n\n",
          table->count, predicted, none, table->count - predicted - none);
}

void bench_write_errors(FILE *out, const bench_table *table, bool page) {
  if (!page) fputc('\n', out);
  write_counts(out, table);
  if (page)
    fputs(
        "| group | quantity | role | rows | mean absolute error | within the bound "
        "|\n|---|---|---|---|---|---|\n",
        out);
  else
    fputs("mean absolute errors\n", out);
  for (size_t i = 0; i <= table->count; ++i) {
    const bool all = i == table->count;
    if (!all && !first_of_group(table, i)) continue;
    for (int q = 0; q < BENCH_QUANTITIES; ++q)
      for (int role = BENCH_CHOOSE; role >= BENCH_COMPARE; --role) {
        const errors e =
            errors_of(table, all ? NULL : table->rows[i].group, (bench_quantity)q, (bench_role)role);
        write_errors(out, &e, all ? "all" : table->rows[i].group, bench_quantities[q].unit,
                     bench_quantities[q].points, role == BENCH_CHOOSE ? "choose" : "compare", page);
      }
  }
}

// ---- order

// Tells whether the rows are whole kernels of one source on the same problem.
static bool comparable(const bench_row *a, const bench_row *b) {
  return a->quantity != BENCH_EACH && a->quantity != BENCH_SPAN && a->predicted && b->predicted &&
         a->quantity == b->quantity && strcmp(a->group, b->group) == 0 && strcmp(a->source, b->source) == 0 &&
         strcmp(a->type, b->type) == 0 && memcmp(a->sizes.size, b->sizes.size, sizeof a->sizes.size) == 0 &&
         a->measured != b->measured;
}

static bool swapped(const bench_row *a, const bench_row *b) {
  return (a->measured < b->measured) != (a->value < b->value);
}

void bench_write_order(FILE *out, const bench_table *table) {
  for (size_t g = 0; g < table->count; ++g) {
    if (!first_of_group(table, g)) continue;
    int pairs = 0, wrong = 0;
    for (int pass = 0; pass < 2; ++pass) {
      for (size_t i = 0; i < table->count; ++i)
        for (size_t j = i + 1; j < table->count; ++j) {
          const bench_row *a = &table->rows[i], *b = &table->rows[j];
          if (strcmp(a->group, table->rows[g].group) != 0 || !comparable(a, b)) continue;
          if (!pass)
            ++pairs, wrong += swapped(a, b);
          else if (swapped(a, b))
            fprintf(out, "  - %s and %s (%s): %.4g and %.4g %s, predicted %.4g and %.4g\n", a->what, b->what,
                    a->shape, a->measured, b->measured, bench_quantities[a->quantity].unit, a->value,
                    b->value);
        }
      if (!pass && pairs)
        fprintf(out, "- %s: %d of %d pairs in the published order%s\n", table->rows[g].group, pairs - wrong,
                pairs, wrong ? "; swapped are" : "");
    }
  }
}
