// SPDX-License-Identifier: MIT
// Implements `wavetile bench validate`, which shows the timing model beside published measurements. `wavetile
// bench targets` shows the library's kernels in the model beside what they shall reach. `wavetile bench
// binaries` is in bench/binaries.c, `wavetile bench choice` in bench/choice.c, `wavetile bench cliffs` in
// bench/cliffs.c, `wavetile bench sim` in bench/speed.c.
#include "bench/bench.h"

#include <stdio.h>
#include <string.h>

#include "sim/settings/nearest.h"

typedef struct bench_options {
  const char *rows, *only, *write, *keep;
  const char *name;  // of the rows, for messages
  bool help;
} bench_options;

// These are the tables, embedded by the build (bench.cmake).
extern const char bench_published_csv[], bench_targets_csv[];

enum { OPTIONS = 5 };

static void option_table(bench_options *o, tool_option table[OPTIONS]) {
  const tool_option rows[OPTIONS] = {
      {"rows", TOOL_STRING, &o->rows, "FILE",
       "read the rows from this file (default: the table that is built in, docs/validation/published.csv of "
       "the sources, or targets.csv there)"},
      {"only", TOOL_STRING, &o->only, "TEXT",
       "predict only rows whose group or kernel contains this; a page written has the others as kept"},
      {"write", TOOL_STRING, &o->write, "DOCS",
       "also write DOCS/validation.md and DOCS/validation/errors.svg (validate; needs gnuplot), or "
       "DOCS/targets.md (targets)"},
      {"keep", TOOL_STRING, &o->keep, "FILE",
       "go on from the predictions in this file, and add to it (of the same model only)"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this help"}};
  memcpy(table, rows, sizeof rows);
}

static int check_roles(const bench_options *o, const bench_table *table, bool targets) {
  for (size_t i = 0; i < table->count; ++i)
    if ((table->rows[i].role == BENCH_LEAST || table->rows[i].role == BENCH_MOST) != targets)
      return tool_error(TOOL_USAGE, "%s holds %s: use wavetile bench %s", o->name,
                        targets ? "measurements" : "targets", targets ? "validate" : "targets");
  return TOOL_OK;
}

// Refuses to write a page from a part of the rows alone.
static int check_page(const bench_options *o) {
  if (!o->write || !o->only || o->keep) return TOOL_OK;
  return tool_error(
      TOOL_USAGE,
      "--only %s --write %s would write a page on which no other row has a prediction; name the "
      "file that has theirs with --keep",
      o->only, o->write);
}

// Reads the rows that were asked for, or those that the build put into this command: then it is said which
// they are.
static int read_rows(bench_options *o, bool targets, bench_table *table) {
  o->name = o->rows ? o->rows : targets ? "targets.csv" : "published.csv";
  int code = o->rows ? bench_table_read(o->rows, table)
                     : bench_table_parse(o->name, targets ? bench_targets_csv : bench_published_csv, table);
  if (!code) code = check_roles(o, table, targets);
  if (!code) code = bench_check_only(table, o->only);
  if (!code && !o->rows) fprintf(stderr, "%zu rows of %s, which is built in\n", table->count, o->name);
  return code;
}

static int validate(bench_options *o) {
  bench_table table = {.rows = NULL};
  int code = check_page(o);
  if (!code) code = read_rows(o, false, &table);
  if (!code) code = bench_predict(&table, o->only, o->keep, NULL);
  if (!code && o->write) code = bench_write_validation(o->write, &table);
  if (!code) {
    bench_leave_out(&table, o->only);
    bench_write_rows(stdout, &table, false);
    bench_write_errors(stdout, &table, false);
    puts("\norder");
    bench_write_order(stdout, &table);
    puts("\nPredicted by a model, for our kernels; measured by the sources, on theirs.");
  }
  bench_table_free(&table);
  return code;
}

static int targets(bench_options *o) {
  bench_table table = {.rows = NULL};
  int code = check_page(o);
  if (!code) code = read_rows(o, true, &table);
  if (!code) code = bench_limits_begin();
  if (!code) {
    code = bench_predict(&table, o->only, o->keep, bench_profiled_limit);
    bench_limits_end();
  }
  if (!code && o->write) code = bench_write_targets_page(o->write, &table);
  if (!code) bench_leave_out(&table, o->only);
  if (!code) bench_write_targets(stdout, &table);
  bench_table_free(&table);
  return code;
}

int tool_bench(int argc, char **argv) {
  static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
  } own[] = {{"sim", tool_bench_sim},
             {"binaries", tool_bench_binaries},
             {"choice", tool_bench_choice},
             {"cliffs", tool_bench_cliffs}};  // with options of their own
  for (size_t i = 0; i < sizeof own / sizeof *own; ++i)
    if (argc > 1 && strcmp(argv[1], own[i].name) == 0) return own[i].run(argc - 1, argv + 1);
  bench_options options = {.rows = NULL};
  tool_option table[OPTIONS];
  const char *what = NULL;
  option_table(&options, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, &what, 1);
  if (code) return code;
  if (options.help) {
    tool_help(
        "usage: wavetile bench validate [options]\n"
        "       wavetile bench binaries --cases FILE [options]\n"
        "       wavetile bench choice [options]\n"
        "       wavetile bench cliffs [options]\n"
        "       wavetile bench targets [options]\n"
        "       wavetile bench sim [options]\n\n"
        "validate predicts published measurements with the timing model (docs/timing.md) and prints the "
        "errors.\n"
        "targets predicts the library's kernels, beside the figures they shall reach, and says what limits "
        "each.\n"
        "binaries predicts launches of any code objects: see wavetile bench binaries --help.\n"
        "choice predicts what wt_gemm chooses beside other kernels: see wavetile bench choice --help.\n"
        "cliffs finds sizes and strides at which calls are suddenly slow: see wavetile bench cliffs --help.\n"
        "sim measures the simulator on this host: see wavetile bench sim --help.\n",
        table, OPTIONS);
    return TOOL_OK;
  }
  const bool wants_targets = what && strcmp(what, "targets") == 0;
  if (what && !wants_targets && strcmp(what, "validate") != 0) {
    char near[256];
    nearest search = nearest_begin(what);
    nearest_offer(&search, "validate"), nearest_offer(&search, "binaries"), nearest_offer(&search, "choice");
    nearest_offer(&search, "cliffs"), nearest_offer(&search, "targets"), nearest_offer(&search, "sim");
    nearest_text(&search, "", near, sizeof near);
    return tool_error(
        TOOL_USAGE,
        "wavetile bench takes \"validate\", \"binaries\", \"choice\", \"cliffs\", \"targets\" or \"sim\", "
        "but got \"%s\"%s",
        what, near);
  }
  if (!what)
    return tool_error(
        TOOL_USAGE,
        "wavetile bench takes \"validate\", \"binaries\", \"choice\", \"cliffs\", \"targets\" or \"sim\"; "
        "see wavetile bench --help");
  return wants_targets ? targets(&options) : validate(&options);
}
