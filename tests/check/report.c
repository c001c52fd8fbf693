// SPDX-License-Identifier: MIT
// What a process reports of its launches in check mode: text, JSON and exit status. Arguments: the source of
// the kernels, and their code objects for gfx950 (device 0) and gfx942 (device 1). The test starts itself
// again with the name of a kernel, or "both".
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check.h"

enum { GROUPS = 6, THREADS = 128, LDS = 512 };

static bool launch(hipModule_t module, const char *name, unsigned *out) {
  hipFunction_t f;
  void *arguments[] = {&out};
  return hipModuleGetFunction(&f, module, name) == hipSuccess &&
         hipModuleLaunchKernel(f, GROUPS, 1, 1, THREADS, 1, 1, LDS, NULL, arguments, NULL) == hipSuccess &&
         hipDeviceSynchronize() == hipSuccess;
}

// The module is gone when the process reports.
static int run(char **objects, const char *name) {
  bool ok = true;
  for (int device = 0; device < 2; ++device) {
    hipModule_t module;
    unsigned *out;
    const bool both = strcmp(name, "both") == 0;
    ok &= hipSetDevice(device) == hipSuccess && hipModuleLoad(&module, objects[device]) == hipSuccess &&
          hipMalloc((void **)&out, GROUPS * THREADS * sizeof *out) == hipSuccess;
    ok = ok && launch(module, both ? "right" : name, out) && (!both || launch(module, "racing", out));
    ok = ok && hipFree(out) == hipSuccess && hipModuleUnload(module) == hipSuccess;
  }
  return ok ? 0 : 1;
}

typedef struct outcome {
  char text[16384];
  int status;
} outcome;

static void start(char **argv, const char *environment, const char *kernel, outcome *o) {
  char command[4096];
  snprintf(command, sizeof command, "%s '%s' '%s' '%s' '%s' %s 2>&1", environment, argv[0], argv[1], argv[2],
           argv[3], kernel);
  FILE *f = popen(command, "r");
  const size_t got = f ? fread(o->text, 1, sizeof o->text - 1, f) : 0;
  o->text[got] = 0;
  const int status = f ? pclose(f) : -1;
  o->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static bool read_text(const char *path, char *text, size_t size) {
  FILE *f = fopen(path, "r");
  const size_t got = f ? fread(text, 1, size - 1, f) : 0;
  text[got] = 0;
  if (f) fclose(f);
  return f;
}

static unsigned line_of_the_race(const char *source) {
  char text[8192];
  if (!read_text(source, text, sizeof text)) return 0;
  const char *end = strstr(text, "// The race:\n");
  unsigned line = end ? 2 : 0;  // the line after it
  for (const char *at = text; end && at < end; ++at) line += *at == '\n';
  return line;
}

static void expect(const outcome *o, const char *part) {
  CHECK(strstr(o->text, part), "\"%s\" is missing in:\n%s", part, o->text);
}

static void the_report_names_the_race(char **argv, unsigned line) {
  static outcome o, again;
  char source[64];
  snprintf(source, sizeof source, "report.hip:%u", line);
  start(argv, "WT_SIM_CHECK=1 WT_SIM_THREADS=1", "both", &o);
  CHECK(o.status == 0, "status %d:\n%s", o.status, o.text);
  expect(&o, "lds-race (6 times)");  // once in each work-group
  expect(&o, "kernel  racing (gfx950), first in work-group (0,0,0)");
  expect(&o, "kernel  racing (gfx942), first in work-group (0,0,0)");
  expect(&o, ": ds_read_b32 ");
  expect(&o, ": ds_write_b32 ");
  expect(&o, source);
  expect(&o, "s_barrier is needed between the two");
  expect(&o, "6 errors, 0 places that depend on timing");
  CHECK(!strstr(o.text, "kernel  right"), "the right kernel is accused:\n%s", o.text);
  start(argv, "WT_SIM_CHECK=1 WT_SIM_THREADS=3", "both", &again);
  CHECK(strcmp(o.text, again.text) == 0, "one thread:\n%sthree threads:\n%s", o.text, again.text);
  start(argv, "WT_SIM_CHECK=0", "both", &o);
  CHECK(o.status == 0 && o.text[0] == 0, "nobody asked for:\n%s", o.text);
}

static void ci_fails_when_asked(char **argv) {
  static outcome o;
  start(argv, "WT_SIM_CHECK=fail", "racing", &o);
  CHECK(o.status == 70, "status %d of a race:\n%s", o.status, o.text);
  start(argv, "WT_SIM_CHECK=fail", "right", &o);
  CHECK(o.status == 0, "status %d without a race:\n%s", o.status, o.text);
  expect(&o, "0 errors, 0 places that depend on timing");
  start(argv, "WT_SIM_CHECK=fail", "leaning", &o);
  CHECK(o.status == 0, "status %d of timing alone:\n%s", o.status, o.text);
  expect(&o, "0 errors, 4 places that depend on timing");
  start(argv, "WT_SIM_CHECK=strict", "leaning", &o);
  CHECK(o.status == 70, "status %d of timing under strict:\n%s", o.status, o.text);
  start(argv, "WT_SIM_CHECK=strict", "right", &o);
  CHECK(o.status == 0, "status %d of strict without a finding:\n%s", o.status, o.text);
}

// A slip of the pen must not switch checking off.
static void a_wrong_setting_stops_the_first_call(char **argv) {
  static outcome o;
  start(argv, "WT_SIM_CHECK=fial", "right", &o);
  CHECK(o.status == 1, "status %d:\n%s", o.status, o.text);
  expect(&o, "WT_SIM_CHECK=fial is not one of 0, 1, fail, strict; did you mean fail?");
}

static void json_says_the_same(char **argv, unsigned line) {
  static outcome o;
  char path[] = "/tmp/wt-check-XXXXXX", environment[128], source[64];
  const int fd = mkstemp(path);
  CHECK(fd >= 0, "no temporary file");
  if (fd < 0) return;
  close(fd);
  snprintf(environment, sizeof environment, "WT_SIM_CHECK=1 WT_SIM_QUIET=1 WT_SIM_REPORT='%s'", path);
  start(argv, environment, "racing", &o);
  CHECK(o.text[0] == 0, "not quiet:\n%s", o.text);
  CHECK(read_text(path, o.text, sizeof o.text), "no report");
  snprintf(source, sizeof source, "report.hip:%u\"", line);
  expect(&o,
         "{\"errors\": 6, \"timing_dependent\": 0, \"table\": 0, \"range_readings\": 0, \"complete\": true,");
  expect(&o, "\"kind\": \"lds-race\", \"class\": \"error\", \"error\": true, \"count\": 6,");
  expect(&o, "\"kernel\": \"racing\", \"target\": \"gfx942\"");
  expect(&o, source);
  expect(&o, "\"remedy\": \"s_barrier is needed between the two\"");
  int depth = 0;
  for (const char *at = o.text; *at; ++at) depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
  CHECK(depth == 0, "brackets do not close:\n%s", o.text);
  unlink(path);
}

int main(int argc, char **argv) {
  if (argc == 5) return run(argv + 2, argv[4]);
  CHECK(argc == 4, "arguments: source, objects for gfx950 and gfx942");
  if (argc != 4) return test_result();
  const unsigned line = line_of_the_race(argv[1]);
  CHECK(line > 0, "%s has no race", argv[1]);
  the_report_names_the_race(argv, line);
  ci_fails_when_asked(argv);
  a_wrong_setting_stops_the_first_call(argv);
  json_says_the_same(argv, line);
  return test_result();
}
