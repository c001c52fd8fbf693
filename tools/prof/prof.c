// SPDX-License-Identifier: MIT
// `wavetile prof -- PROGRAM`: runs a HIP program on the simulated device and tells where its kernels' time
// goes.
#include "prof.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/report.h"
#include "core/tool.h"

static int make_folder(char *out, size_t size) {
  const char *root = getenv("TMPDIR");
  snprintf(out, size, "%s/wavetile-prof-XXXXXX", root && *root ? root : "/tmp");
  if (!mkdtemp(out)) return tool_error(TOOL_FAILED, "cannot make the folder %s: %s", out, strerror(errno));
  return TOOL_OK;
}

static void remove_folder(const char *folder) {
  DIR *dir = opendir(folder);
  for (struct dirent *entry; dir && (entry = readdir(dir));) {
    char path[8192];
    snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
    if (entry->d_name[0] != '.') unlink(path);
  }
  if (dir) closedir(dir);
  rmdir(folder);
}

// What became of the program, then what its launches did.
static int show(const prof_run *run, const prof_options *options, const char *program, int exit_code) {
  fflush(stdout);
  if (exit_code)
    tool_error(TOOL_FAILED, "%s ended with exit code %d%s", program, exit_code,
               run->launches ? "; its launches are shown all the same" : " before it launched a kernel");
  if (run->broken)
    tool_error(TOOL_FAILED, "%llu process%s ended amid writing a record; its last launch is missing here",
               (unsigned long long)run->broken, run->broken == 1 ? "" : "es");
  if (run->launches) {
    prof_print(run, options);
    return exit_code;
  }
  if (exit_code) return exit_code;
  return tool_error(
      TOOL_FAILED,
      "%s launched no kernel on the simulated device; if it should have, see with \"ldd %s\" whether "
      "it loads another HIP runtime",
      program, program);
}

static int profile(char **argv, const prof_options *options) {
  char folder[2048];
  int exit_code, code = make_folder(folder, sizeof folder);
  if (code) return code;
  const double begin = tool_seconds();
  prof_run run = {.kernels = NULL};
  code = prof_run_program(argv, folder, options, &exit_code);
  run.host_seconds = tool_seconds() - begin;
  if (code == TOOL_OK) code = prof_load(folder, &run);
  remove_folder(folder);
  if (code == TOOL_OK) code = show(&run, options, argv[0], exit_code);
  prof_free(&run);
  return code;
}

int tool_prof(int argc, char **argv) {
  prof_options o = {.timing = "all", .launches = 1};
  const tool_option table[] = {
      {"listing", TOOL_FLAG, &o.listing, NULL, "also list the hot loop, with cycles beside each instruction"},
      {"kernel", TOOL_STRING, &o.kernel, "TEXT", "show only kernels whose name has this in it"},
      {"launches", TOOL_SIZE, &o.launches, "N",
       "how many equal launches are timed in detail; default: 1, the others are taken as equal"},
      {"timing", TOOL_STRING, &o.timing, "MODE",
       "what is executed: all; only: the first work-groups; die: those of one die. Only with all are results "
       "right"},
      {"help", TOOL_FLAG, &o.help, NULL, "print this"}};
  const size_t count = sizeof table / sizeof *table;
  int own = 1;
  while (own < argc && strcmp(argv[own], "--") != 0) ++own;
  const int code = tool_options_parse(own, argv, table, count, NULL, 0);
  if (code) return code;
  if (o.help) {
    puts(
        "usage: wavetile prof [options] -- PROGRAM [arguments]\n\n"
        "Runs a HIP program on the simulated device and predicts where the time of its kernels goes.\n");
    tool_options_help(table, count);
    return TOOL_OK;
  }
  if (strcmp(o.timing, "all") != 0 && strcmp(o.timing, "only") != 0 && strcmp(o.timing, "die") != 0)
    return tool_error(TOOL_USAGE, "--timing is \"%s\"; pass all, only or die", o.timing);
  if (own + 1 >= argc)
    return tool_error(TOOL_USAGE, "name the program after --, as in: wavetile prof -- ./my_hip_program");
  return profile(argv + own + 1, &o);
}
