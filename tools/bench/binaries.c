// SPDX-License-Identifier: MIT
// Implements `wavetile bench binaries`: its options and its tables.
#include "bench/binaries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench_jobs.h"
#include "core/record.h"

typedef struct binaries_options {
  const char *cases, *only, *role, *keep;
  long long jobs;
  bool json, csv, help;
} binaries_options;

enum { OPTIONS = 8 };

static void option_table(binaries_options *o, tool_option table[OPTIONS]) {
  const tool_option rows[OPTIONS] = {
      {"cases", TOOL_STRING, &o->cases, "FILE", "the launches, as docs/guide/binaries.md describes them"},
      {"jobs", TOOL_JOBS, &o->jobs, "COUNT", "predict so many at a time (default 1, up to 256)"},
      {"keep", TOOL_STRING, &o->keep, "FILE",
       "go on from the predictions in this file, and add to it (of the same model only)"},
      {"only", TOOL_STRING, &o->only, "TEXT",
       "predict only cases whose group, name, code object or kernel contains this"},
      {"role", TOOL_STRING, &o->role, "ROLE", "predict only cases of this role: choose or compare"},
      {"json", TOOL_FLAG, &o->json, NULL,
       "print an array of objects, one for each case, and no errors by group"},
      {"csv", TOOL_FLAG, &o->csv, NULL, "print a line for each case, and no errors by group"},
      {"help", TOOL_FLAG, &o->help, NULL, "print this help"}};
  memcpy(table, rows, sizeof rows);
}

static const char *role_name(bench_role role) { return role == BENCH_CHOOSE ? "choose" : "compare"; }

static bool is_wanted(const binary_case *c, const binaries_options *o) {
  if (o->role && strcmp(o->role, role_name(c->role)) != 0) return false;
  return !o->only || strstr(c->group, o->only) || strstr(c->name, o->only) ||
         strstr(c->code_object, o->only) || strstr(c->kernel, o->only);
}

// Drops the cases that nobody asked for.
static int leave_out(binary_cases *cases, const binaries_options *o) {
  size_t wanted = 0;
  for (size_t i = 0; i < cases->count; ++i) {
    if (!is_wanted(&cases->cases[i], o)) continue;
    const binary_case kept = cases->cases[wanted];
    cases->cases[wanted++] = cases->cases[i];
    cases->cases[i] = kept;
  }
  if (!wanted)
    return tool_error(TOOL_USAGE, "no case of %s is what --only and --role ask for; leave them out",
                      o->cases);
  for (size_t i = wanted; i < cases->count; ++i) free(cases->cases[i].path);
  cases->count = wanted;
  return TOOL_OK;
}

double binary_error(const binary_case *c) {
  return c->predicted ? 100 * (c->number[BINARY_US] / c->measured - 1) : NAN;
}

// ---- tables

// Texts come last, because they differ in length.
static void put_case(record_writer *writer, const binary_case *c) {
  record r = {.count = 0};
  record_number(&r, "measured_us", c->measured), record_brief(&r);
  for (int i = 0; i < BINARY_NUMBERS; ++i) {
    record_number(&r, binary_number_names[i], c->predicted ? c->number[i] : NAN);
    if (i != BINARY_US) continue;
    record_brief(&r);
    record_number(&r, "error_percent", binary_error(c)), record_brief(&r);
  }
  record_text(&r, "chip", c->machine->name), record_brief(&r);
  record_text(&r, "role", role_name(c->role)), record_brief(&r);
  record_text(&r, "memory", binary_memory_names[c->memory]), record_brief(&r);
  record_text(&r, "group", c->group), record_brief(&r);
  record_text(&r, "name", c->name), record_brief(&r);
  record_text(&r, "code_object", c->code_object);
  record_text(&r, "kernel", c->kernel);
  record_text(&r, "source", c->source);
  record_put(writer, &r);
}

typedef struct group_errors {
  int cases, measured;
  double sum, amount;
  const binary_case *worst;
} group_errors;

static group_errors errors_of(const binary_cases *cases, const char *group, bench_role role) {
  group_errors e = {0};
  for (size_t i = 0; i < cases->count; ++i) {
    const binary_case *c = &cases->cases[i];
    const double error = binary_error(c);
    if (c->role != role || strcmp(c->group, group) != 0) continue;
    ++e.cases;
    if (isnan(error)) continue;
    ++e.measured;
    e.sum += error;
    e.amount += fabs(error);
    if (!e.worst || fabs(error) > fabs(binary_error(e.worst))) e.worst = c;
  }
  return e;
}

static void put_errors(record_writer *writer, const char *group, bench_role role, const group_errors *e) {
  record r = {.count = 0};
  record_whole(&r, "cases", e->measured), record_brief(&r);
  record_number(&r, "mean_absolute_percent", e->amount / e->measured), record_brief(&r);
  record_number(&r, "bias_percent", e->sum / e->measured), record_brief(&r);
  record_number(&r, "worst_percent", binary_error(e->worst)), record_brief(&r);
  record_text(&r, "role", role_name(role)), record_brief(&r);
  record_text(&r, "group", group), record_brief(&r);
  record_text(&r, "worst", e->worst->name), record_brief(&r);
  record_put(writer, &r);
}

static bool first_of_group(const binary_cases *cases, size_t at) {
  for (size_t i = 0; i < at; ++i)
    if (strcmp(cases->cases[i].group, cases->cases[at].group) == 0) return false;
  return true;
}

static void print_errors(const binary_cases *cases) {
  record_writer writer = {.format = RECORD_TABLE};
  for (size_t i = 0; i < cases->count; ++i)
    for (int role = BENCH_CHOOSE; role >= BENCH_COMPARE && first_of_group(cases, i); --role) {
      const group_errors e = errors_of(cases, cases->cases[i].group, (bench_role)role);
      if (!e.measured) continue;
      if (!writer.rows) puts("\nerrors of the predicted time");
      put_errors(&writer, cases->cases[i].group, (bench_role)role, &e);
    }
  record_end(&writer);
  puts("\nPredicted by a model; measured by the sources.");
}

static void print_cases(const binary_cases *cases, record_format format) {
  record_writer writer = {.format = format};
  for (size_t i = 0; i < cases->count; ++i) put_case(&writer, &cases->cases[i]);
  record_end(&writer);
  if (format == RECORD_TABLE) print_errors(cases);
}

// ---- the command

static int check_options(const binaries_options *o) {
  if (!o->cases)
    return tool_error(TOOL_USAGE, "--cases is missing; pass the file that describes the launches");
  if (o->json && o->csv) return tool_error(TOOL_USAGE, "--json and --csv are both given; pass one of them");
  if (o->role && strcmp(o->role, "choose") != 0 && strcmp(o->role, "compare") != 0)
    return tool_error(TOOL_USAGE, "--role is \"%s\"; pass choose or compare", o->role);
  return TOOL_OK;
}

static int run(const binaries_options *o) {
  binary_cases cases;
  int code = binary_cases_read(o->cases, &cases);
  cases.keep = o->keep;
  if (!code) code = leave_out(&cases, o);
  if (!code && o->keep) code = binary_keep_read(o->keep, &cases);
  if (!code) {
    code = binary_predict_all(&cases, (size_t)o->jobs);
    bool any = false;
    for (size_t i = 0; i < cases.count; ++i) any = any || cases.cases[i].predicted;
    if (any) print_cases(&cases, o->json ? RECORD_JSON : o->csv ? RECORD_CSV : RECORD_TABLE);
  }
  binary_cases_free(&cases);
  return code;
}

int tool_bench_binaries(int argc, char **argv) {
  binaries_options options = {.jobs = 1};
  tool_option table[OPTIONS];
  option_table(&options, table);
  int code = tool_options_parse(argc, argv, table, OPTIONS, NULL, 0);
  if (code) return code;
  if (options.help) {
    tool_help(
        "usage: wavetile bench binaries --cases FILE [options]\n\n"
        "Predicts launches of any code objects with the timing model (docs/timing.md), beside what was "
        "measured of them, and prints the errors by group.\n",
        table, OPTIONS);
    return TOOL_OK;
  }
  code = check_options(&options);
  return code ? code : run(&options);
}
