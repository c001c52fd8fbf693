// SPDX-License-Identifier: MIT
// Tests what a process reports of its launches in check mode: text, JSON and exit status. Arguments: the
// source of the kernels, and their code objects for gfx950 (device 0) and gfx942 (device 1). The test starts
// itself again with the name of a kernel, or "both".
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <unistd.h>

#include "include/wavetile_sim.h"
#include "tests/check/rerun.h"

enum { GROUPS = 6, THREADS = 128, LDS = 512, BEHIND = 8 };

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
          hipMalloc((void **)&out, (GROUPS * THREADS + BEHIND) * sizeof *out) == hipSuccess;
    ok = ok && launch(module, both ? "right" : name, out) && (!both || launch(module, "racing", out));
    ok = ok && hipFree(out) == hipSuccess && hipModuleUnload(module) == hipSuccess;
  }
  return ok ? 0 : 1;
}

static bool read_text(const char *path, char *text, size_t size) {
  FILE *f = fopen(path, "r");
  const size_t got = f ? fread(text, 1, size - 1, f) : 0;
  text[got] = 0;
  if (f) fclose(f);
  return f;
}

// Returns the number of the line after a comment; 0 where there is none.
static unsigned line_after(const char *source, const char *comment) {
  char text[8192];
  if (!read_text(source, text, sizeof text)) return 0;
  const char *end = strstr(text, comment);
  unsigned line = end ? 2 : 0;  // the line after it
  for (const char *at = text; end && at < end; ++at) line += *at == '\n';
  return line;
}

static void the_report_names_the_race(char **argv, unsigned line) {
  static outcome o, again;
  char source[64];
  snprintf(source, sizeof source, "report.hip:%u", line);
  start(4, argv, "WT_SIM_CHECK=1 WT_SIM_THREADS=1", "both", &o);
  CHECK(o.status == 0, "status %d:\n%s", o.status, o.text);
  expect(&o, "lds-race (12 times)");  // once in each work-group by the read, and once by the write
  expect(&o, "kernel  racing (gfx950), first in work-group (0,0,0)");
  expect(&o, "kernel  racing (gfx942), first in work-group (0,0,0)");
  expect(&o, ": ds_read_b32 ");
  expect(&o, ": ds_write_b32 ");
  expect(&o, source);
  expect(&o, "s_barrier is needed between the two");
  expect(&o, "4 errors, 0 places that depend on timing");
  CHECK(!strstr(o.text, "kernel  right"), "the right kernel is accused:\n%s", o.text);
  start(4, argv, "WT_SIM_CHECK=1 WT_SIM_THREADS=3", "both", &again);
  CHECK(strcmp(o.text, again.text) == 0, "one thread:\n%sthree threads:\n%s", o.text, again.text);
  start(4, argv, "WT_SIM_CHECK=0", "both", &o);
  CHECK(o.status == 0 && o.text[0] == 0, "nobody asked for:\n%s", o.text);
}

static void ci_fails_when_asked(char **argv) {
  static outcome o;
  start(4, argv, "WT_SIM_CHECK=fail", "racing", &o);
  CHECK(o.status == 70, "status %d of a race:\n%s", o.status, o.text);
  start(4, argv, "WT_SIM_CHECK=fail", "right", &o);
  CHECK(o.status == 0, "status %d without a race:\n%s", o.status, o.text);
  expect(&o, "0 errors, 0 places that depend on timing");
  start(4, argv, "WT_SIM_CHECK=fail", "leaning", &o);
  CHECK(o.status == 0, "status %d of timing alone:\n%s", o.status, o.text);
  expect(&o, "0 errors, 4 places that depend on timing");
  start(4, argv, "WT_SIM_CHECK=strict", "leaning", &o);
  CHECK(o.status == 70, "status %d of timing under strict:\n%s", o.status, o.text);
  start(4, argv, "WT_SIM_CHECK=fail", "hasty", &o);
  CHECK(o.status == 0, "status %d of what only the table asks for:\n%s", o.status, o.text);
  expect(&o, "wavetile check: table (12 times)");
  expect(&o, "0 errors, 0 places that depend on timing, 2 where only the manual's table asks for more");
  start(4, argv, "WT_SIM_CHECK=strict", "hasty", &o);
  CHECK(o.status == 70, "status %d of what the table asks for under strict:\n%s", o.status, o.text);
  start(4, argv, "WT_SIM_CHECK=strict", "right", &o);
  CHECK(o.status == 0, "status %d of strict without a finding:\n%s", o.status, o.text);
}

static unsigned times(const char *text, const char *part) {
  unsigned count = 0;
  for (; (text = strstr(text, part)); text += strlen(part)) ++count;
  return count;
}

// Four loads are used in one line each time: these are two findings, not eight, and each names the line of
// the kernel beside that of the function which was inlined there.
static void one_finding_for_each_cause(char **argv) {
  static outcome o;
  static const char *const comments[] = {"// The first wait:\n", "// The second wait:\n"};
  const char *kernel = "_ZN5traps9forgetfulEPj";
  char source[64];
  start(4, argv, "WT_SIM_CHECK=1", kernel, &o);
  CHECK(o.status == 0, "status %d:\n%s", o.status, o.text);
  CHECK(times(o.text, "wavetile check: read-before-wait (48 times, at 4 pairs of instructions)") == 4,
        "not two findings on each of two devices, in 12 waves and at 4 places each:\n%s", o.text);
  expect(&o, "kernel  traps::forgetful(unsigned int*) (gfx950)");
  expect(&o, "wavetile check: 4 errors,");
  snprintf(source, sizeof source, "report.hip:%u\n          inlined at",
           line_after(argv[1], "// Inlined:\n"));
  CHECK(times(o.text, source) == 4, "'%s' does not stand in each finding:\n%s", source, o.text);
  for (int i = 0; i < 2; ++i) {
    snprintf(source, sizeof source, "report.hip:%u\n", line_after(argv[1], comments[i]));
    CHECK(times(o.text, source) == 2, "'%s' does not stand in one finding a device:\n%s", source, o.text);
  }
}

static void a_fault_names_its_lines(char **argv) {
  static outcome o;
  char source[64];
  start(4, argv, "WT_SIM_CHECK=0", "_ZN5traps8reachingEPj", &o);
  CHECK(o.status == 1, "status %d:\n%s", o.status, o.text);
  expect(&o, "access outside every allocation");
  expect(&o, "kernel  traps::reaching(unsigned int*) (");
  snprintf(source, sizeof source, "report.hip:%u\n          inlined at ",
           line_after(argv[1], "// The store:\n"));
  expect(&o, source);
  snprintf(source, sizeof source, "report.hip:%u\n  why ", line_after(argv[1], "// The fault:\n"));
  expect(&o, source);
}

// A slip of the pen must not switch checking off.
static void a_wrong_setting_stops_the_first_call(char **argv) {
  static outcome o;
  start(4, argv, "WT_SIM_CHECK=fial", "right", &o);
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
  start(4, argv, environment, "racing", &o);
  CHECK(o.text[0] == 0, "not quiet:\n%s", o.text);
  CHECK(read_text(path, o.text, sizeof o.text), "no report");
  snprintf(source, sizeof source, "report.hip:%u\"", line);
  expect(&o,
         "{\"errors\": 4, \"timing_dependent\": 0, \"table\": 0, \"range_readings\": 0, \"complete\": true,");
  expect(&o, "\"kind\": \"lds-race\", \"class\": \"error\", \"error\": true, \"count\": 12, \"pairs\": 1,");
  expect(&o, "\"kernel\": \"racing\", \"name\": \"racing\", \"target\": \"gfx942\"");
  expect(&o, source);
  expect(&o, "\"remedy\": \"s_barrier is needed between the two\"");
  start(4, argv, environment, "quoted", &o);
  CHECK(read_text(path, o.text, sizeof o.text), "no report of a file with a tab in its name");
  expect(&o, "a\\u0009tab, a \\\"quote\\\" and a \\\\.hip:10\"");
  int depth = 0;
  for (const char *at = o.text; *at; ++at) depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
  CHECK(depth == 0, "brackets do not close:\n%s", o.text);
  unlink(path);
}

// Counts by class, through the runtime's own call; the module and the devices are those of this process.
static void the_program_can_ask(char **argv) {
  wt_sim_check_counts before, after;
  struct {
    wt_sim_check_counts known;
    uint64_t beyond;
  } longer = {.beyond = 1};
  uint64_t errors = 0;
  CHECK(wtSimCheckCounts(NULL, sizeof before) == 1, "NULL is taken");
  CHECK(wtSimCheckCounts(&before, sizeof before) == 0, "refused");
  wtSimCheck(1, NULL, NULL);
  CHECK(run(argv + 2, "hasty") == 0 && run(argv + 2, "racing") == 0, "the kernels do not run");
  wtSimCheck(0, NULL, NULL);
  CHECK(wtSimCheckCounts(&after, sizeof after) == 0, "refused");
  CHECK(after.table - before.table == 24, "%llu findings of the table in 12 waves on two devices",
        (unsigned long long)(after.table - before.table));
  CHECK(after.errors > before.errors, "the race is not counted");
  CHECK(after.timing == before.timing && after.range == before.range, "other classes are counted");
  CHECK(wtSimCheckCounts((wt_sim_check_counts *)&errors, sizeof errors) == 0 && errors == after.errors,
        "a shorter struct gets %llu errors", (unsigned long long)errors);
  CHECK(wtSimCheckCounts(&longer.known, sizeof longer) == 0 && longer.beyond == 0 &&
            longer.known.table == after.table,
        "a longer struct is not filled");
}

int main(int argc, char **argv) {
  if (argc == 5) return run(argv + 2, argv[4]);
  CHECK(argc == 4, "arguments: source, objects for gfx950 and gfx942");
  if (argc != 4) return test_result();
  const unsigned line = line_after(argv[1], "// The race:\n");
  CHECK(line > 0, "%s has no race", argv[1]);
  the_report_names_the_race(argv, line);
  ci_fails_when_asked(argv);
  a_wrong_setting_stops_the_first_call(argv);
  json_says_the_same(argv, line);
  one_finding_for_each_cause(argv);
  the_program_can_ask(argv);
  a_fault_names_its_lines(argv);
  return test_result();
}
