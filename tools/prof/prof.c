// SPDX-License-Identifier: MIT
// `wavetile prof -- PROGRAM` runs a HIP program on the simulated device and tells where its kernels' time
// goes.
#include "prof.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "core/cleanup.h"
#include "core/tool.h"
#include "core/whole_file.h"

// Checks that --kernel leaves a kernel to show.
static int check_filter(const prof_run *run, const prof_options *options) {
  for (size_t i = 0; i < run->count; ++i)
    if (prof_shown(&run->kernels[i], options)) return TOOL_OK;
  return run->count ? tool_error(TOOL_USAGE, "no kernel has \"%s\" in its name; the one with most time is %s",
                                 options->kernel, run->kernels[0].title)
                    : TOOL_OK;
}

// An exit code above 128 is that of a shell for a program that a signal ended.
static void report_end(const char *program, int exit_code, const char *then) {
  const char *name = exit_code > 128 ? strsignal(exit_code - 128) : NULL;
  if (name)
    tool_error(TOOL_FAILED, "%s was ended by signal %d (%s)%s", program, exit_code - 128, name, then);
  else
    tool_error(TOOL_FAILED, "%s ended with exit code %d%s", program, exit_code, then);
}

// Reports how the program ended, then what its launches did.
static int show(const prof_run *run, const prof_options *options, int exit_code) {
  const char *program = options->program[0];
  tool_flush_output();
  if (exit_code)
    report_end(program, exit_code,
               run->launches ? "; its launches are shown all the same" : " before it launched a kernel");
  if (run->broken)
    tool_error(TOOL_FAILED, "%llu process%s ended amid writing a record; its last launch is missing here",
               (unsigned long long)run->broken, run->broken == 1 ? "" : "es");
  if (run->launches == 0 && run->unrecorded)
    return tool_error(
        TOOL_FAILED,
        "no launch of %s could be recorded among the temporary files; make place there, or name another "
        "folder in TMPDIR",
        program);
  if (run->launches == 0 && !exit_code)
    return tool_error(TOOL_FAILED,
                      "%s launched no kernel on the simulated device; if it should have, see with \"ldd %s\" "
                      "whether it loads another HIP runtime",
                      program, program);
  int code = check_filter(run, options);
  if (code) return exit_code ? exit_code : code;
  if (run->launches) prof_print(run, options);
  if (run->launches && options->json) code = prof_write_json(run, options, options->json);
  if (run->launches && options->trace && !code) code = prof_write_trace(run, options, options->trace);
  if (run->launches && options->html && !code) code = prof_write_html(run, options, options->html);
  return exit_code ? exit_code : code;
}

static int profile(const prof_options *options) {
  char folder[2048];
  int exit_code, code = prof_make_folder(folder, sizeof folder);
  if (code) return code;
  prof_run run = {.kernels = NULL};
  code = prof_run_program(options, folder, &exit_code);
  if (code == TOOL_OK) code = prof_load(folder, &run);
  cleanup_remove_folder(folder);
  if (code == TOOL_OK) code = show(&run, options, exit_code);
  prof_free(&run);
  return code;
}

// Returns whether two paths name one file, which need not exist yet.
static bool same_file(const char *a, const char *b) {
  struct stat x, y;
  if (stat(a, &x) == 0 && stat(b, &y) == 0) return x.st_dev == y.st_dev && x.st_ino == y.st_ino;
  const char *name_a = strrchr(a, '/'), *name_b = strrchr(b, '/');
  if (strcmp(name_a ? name_a + 1 : a, name_b ? name_b + 1 : b) != 0) return false;
  char folder[2][WHOLE_FILE_PATH];
  snprintf(folder[0], sizeof folder[0], "%.*s", name_a ? (int)(name_a - a) + 1 : 1, name_a ? a : ".");
  snprintf(folder[1], sizeof folder[1], "%.*s", name_b ? (int)(name_b - b) + 1 : 1, name_b ? b : ".");
  return stat(folder[0], &x) == 0 && stat(folder[1], &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

// Refuses what can be known to fail before the program runs.
static int check_options(const prof_options *o) {
  static const char *const names[] = {"json", "trace", "html"};
  const char *const files[] = {o->json, o->trace, o->html};
  char message[WHOLE_FILE_PATH + 256];
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    for (size_t j = i + 1; j < sizeof files / sizeof *files; ++j)
      if (files[i] && files[j] && same_file(files[i], files[j]))
        return tool_error(TOOL_USAGE, "--%s and --%s both write \"%s\"; pass two files", names[i], names[j],
                          files[i]);
  if (strcmp(o->timing, "all") != 0 && strcmp(o->timing, "only") != 0 && strcmp(o->timing, "die") != 0)
    return tool_error(TOOL_USAGE, "--timing is \"%s\"; pass all, only or die", o->timing);
  for (size_t i = 0; i < sizeof files / sizeof *files; ++i)
    if (files[i] && !whole_file_allowed(files[i], message, sizeof message))
      return tool_error(TOOL_USAGE, "--%s %s", names[i], message);
  return TOOL_OK;
}

static void print_help(const tool_option *table, size_t count) {
  tool_help(
      "usage: wavetile prof [options] -- PROGRAM [arguments]\n"
      "       wavetile prof --compare A.json B.json\n\n"
      "Runs a HIP program, unchanged, on the simulated device and predicts where the time of its kernels "
      "goes.\n",
      table, count);
}

int tool_prof(int argc, char **argv) {
  prof_options o = {.timing = "all", .launches = 1, .top = 8, .cycles = 20000};
  const tool_option table[] = {
      {"listing", TOOL_FLAG, &o.listing, NULL,
       "also list the instructions of the hot loops with their cycles"},
      {"source", TOOL_FLAG, &o.source, NULL,
       "also list the kernel's source lines with their cycles, where it was compiled with -g or "
       "-gline-tables-only"},
      {"html", TOOL_STRING, &o.html, "FILE", "write a page with rooflines, listing and timeline"},
      {"trace", TOOL_STRING, &o.trace, "FILE", "write the timeline of one compute unit for ui.perfetto.dev"},
      {"from", TOOL_SEED, &o.from, "CYCLE", "the cycle at which the timeline begins (default 0)"},
      {"cycles", TOOL_SIZE, &o.cycles, "N", "length of the timeline in cycles (default 20000)"},
      {"json", TOOL_STRING, &o.json, "FILE", "write all numbers as JSON"},
      {"compare", TOOL_FLAG, &o.compare, NULL, "compare two files written with --json"},
      {"kernel", TOOL_STRING, &o.kernel, "TEXT", "show only kernels whose name has this in it"},
      {"top", TOOL_SIZE, &o.top, "N", "number of kernels that are shown at length (default 8)"},
      {"launches", TOOL_SIZE, &o.launches, "N",
       "number of equal launches that are timed; further ones are taken as equal (default 1)"},
      {"timing", TOOL_STRING, &o.timing, "MODE",
       "which work-groups are executed: all (default), only the first ones (only), or only the first ones of "
       "one die (die). After only and die, memory does not hold what the program expects"},
      {"repeats", TOOL_FLAG, &o.repeats, NULL,
       "predict every launch as a repeat on the same data, which begins with what the last one left in the "
       "caches"},
      {"help", TOOL_FLAG, &o.help, NULL, "print this help"}};
  const size_t count = sizeof table / sizeof *table;
  const char *files[2] = {NULL, NULL};
  int own = 1;
  while (own < argc && strcmp(argv[own], "--") != 0) ++own;
  int code = tool_options_parse(own, argv, table, count, files, 2);
  if (code) return code;
  if (o.help) {
    print_help(table, count);
    return TOOL_OK;
  }
  o.program = argv + own + 1;
  if (o.compare && files[1] && own == argc) return prof_compare(files[0], files[1]);
  if (o.compare)
    return tool_error(TOOL_USAGE,
                      "--compare takes two files, as in: wavetile prof --compare before.json after.json");
  if (own + 1 >= argc || files[0])
    return tool_error(TOOL_USAGE, "%s%s%sname the program after --, as in: wavetile prof -- ./my_hip_program",
                      files[0] ? "unexpected \"" : "", files[0] ? files[0] : "", files[0] ? "\"; " : "");
  code = check_options(&o);
  return code ? code : profile(&o);
}
