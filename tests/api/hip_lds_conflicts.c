// SPDX-License-Identifier: MIT
// LDS bank conflicts through the runtime: wtSimLdsConflicts, and the report WT_SIM_LDS_CONFLICTS asks for.
// Arguments: code objects for gfx950 (device 0) and gfx942 (device 1); the test starts itself again with a
// third one to see the report.
#include "hip_capture.h"
#include "wavetile_sim.h"

enum { BLOCKS = 600 };

typedef unsigned long long count;

// Conflict cycles of a write and of a read of 64 consecutive lanes whose dwords are `stride` apart, a power
// of two up to 32. Writes go in two phases over 32 banks; reads alike on gfx942, in one over 64 banks on
// gfx950 (sim/machine/lds_banks.c has the sources).
static count write_cycles(unsigned stride) { return 2 * (stride - 1); }
static count read_cycles(unsigned stride, bool gfx950) { return (gfx950 ? 1 : 2) * (stride - 1); }

static count expected_writes(unsigned blocks) {
  count sum = 0;
  for (unsigned b = 0; b < blocks; ++b) sum += write_cycles(1u << b % 6);
  return sum;
}

static count expected_reads(unsigned blocks, bool gfx950) {
  count sum = 0;
  for (unsigned b = 0; b < blocks; ++b) sum += read_cycles(1u << b % 6, gfx950);
  return sum;
}

static void launch(hipModule_t module, unsigned *out, unsigned blocks) {
  hipFunction_t f;
  void *params[] = {&out};
  OK(hipModuleGetFunction(&f, module, "lds_strides"));
  OK(hipModuleLaunchKernel(f, blocks, 1, 1, 64, 1, 1, 0, NULL, params, NULL));
}

static void check_result(unsigned *out, const char *when) {
  unsigned wrong = 0;
  OK(hipDeviceSynchronize());
  for (unsigned i = 0; i < BLOCKS * 64; ++i) wrong += out[i] != ((63 - i % 64) ^ i / 64);
  CHECK(wrong == 0, "%s: %u results are wrong", when, wrong);
  memset(out, 0, BLOCKS * 64 * sizeof *out);
}

static void totals_grow_while_counting_is_on(hipModule_t module, unsigned *out, bool gfx950) {
  static const char *const threads[] = {"1", "2", "3", "8"};
  count cycles = expected_writes(BLOCKS) + expected_reads(BLOCKS, gfx950);
  for (int i = 0; i < 4; ++i) {
    count before[2], off[2], on[2];
    setenv("WT_SIM_THREADS", threads[i], 1);
    CHECK(wtSimLdsConflicts(-1, &before[0], &before[1]) == 0, "asking");
    launch(module, out, BLOCKS);
    check_result(out, "off");
    CHECK(wtSimLdsConflicts(1, &off[0], &off[1]) == 0, "switching on");
    CHECK(off[0] == before[0] && off[1] == before[1], "counted while off");
    launch(module, out, BLOCKS);
    check_result(out, "on");
    CHECK(wtSimLdsConflicts(0, &on[0], &on[1]) == 0, "switching off");
    CHECK(on[0] - off[0] == 2 * BLOCKS && on[1] - off[1] == cycles,
          "%s threads: %llu instructions, %llu conflict cycles, expected %u and %llu", threads[i],
          on[0] - off[0], on[1] - off[1], 2 * BLOCKS, cycles);
  }
  unsetenv("WT_SIM_THREADS");
}

static void asking_leaves_the_switch_alone(hipModule_t module, unsigned *out) {
  count before, after;
  wtSimLdsConflicts(1, NULL, NULL);
  wtSimLdsConflicts(-1, &before, NULL);
  launch(module, out, 3);
  wtSimLdsConflicts(-1, &after, NULL);
  CHECK(after - before == 6, "%llu instructions", after - before);
  wtSimLdsConflicts(0, NULL, NULL);
}

static void a_launch_that_faults_adds_nothing(hipModule_t module) {
  count before[2], after[2];
  char said[1024];
  wtSimLdsConflicts(1, &before[0], &before[1]);
  hip_capture capture = capture_begin();
  launch(module, (unsigned *)256, BLOCKS);
  const hipError_t error = hipDeviceSynchronize();
  capture_end(capture, said);
  CHECK(error == hipErrorIllegalAddress, "the kernel stores at address 256: %s", said);
  CHECK(hipGetLastError() == hipErrorIllegalAddress, "the last error");
  wtSimLdsConflicts(0, &after[0], &after[1]);
  CHECK(after[0] == before[0] && after[1] == before[1],
        "%llu instructions, %llu cycles of a launch that faulted", after[0] - before[0],
        after[1] - before[1]);
}

// ---- the report

enum { REPORT_BLOCKS = 12 };

// Runs what the report is about: two launches on each device, from modules that are gone when the process
// ends.
static int run_for_report(char **paths) {
  for (int device = 0; device < 2; ++device)
    for (int round = 0; round < 2; ++round) {
      hipModule_t module;
      unsigned *out;
      OK(hipSetDevice(device));
      OK(hipModuleLoad(&module, paths[device]));
      OK(hipMalloc((void **)&out, REPORT_BLOCKS * 64 * sizeof *out));
      launch(module, out, REPORT_BLOCKS);
      OK(hipFree(out));
      OK(hipModuleUnload(module));
    }
  return check_failures;
}

static void read_report(const char *environment, char **argv, char *text, size_t size) {
  char command[4096];
  snprintf(command, sizeof command, "%s '%s' '%s' '%s' report 2>&1", environment, argv[0], argv[1], argv[2]);
  FILE *f = popen(command, "r");
  size_t got = f ? fread(text, 1, size - 1, f) : 0;
  text[got] = 0;
  CHECK(f && pclose(f) == 0, "%s failed: %s", command, text);
}

// The line about the instruction must follow the kernel's.
static void check_line(const char *report, const char *target, const char *mnemonic, count cycles) {
  char kernel[64], end[80];
  snprintf(kernel, sizeof kernel, "kernel  lds_strides (%s): ", target);
  snprintf(end, sizeof end, ": executed %d times, %llu conflict cycles\n", 2 * REPORT_BLOCKS, cycles);
  const char *at = strstr(report, kernel);
  at = at ? strstr(at, mnemonic) : NULL;
  const char *line_end = at ? strstr(at, end) : NULL;
  CHECK(line_end && line_end < strchr(at, '\n'), "%s %s with \"%s\" is missing in:\n%s", target, mnemonic,
        end, report);
}

static void the_report_names_the_instructions(char **argv) {
  static const char *const targets[] = {"gfx950", "gfx942"};
  char report[8192], again[8192];
  read_report("WT_SIM_LDS_CONFLICTS=1 WT_SIM_QUIET=1 WT_SIM_THREADS=1", argv, report, sizeof report);
  read_report("WT_SIM_LDS_CONFLICTS=1 WT_SIM_THREADS=3", argv, again, sizeof again);
  CHECK(strcmp(report, again) == 0, "one thread:\n%sthree threads:\n%s", report, again);
  for (int i = 0; i < 2; ++i) {
    count writes = 2 * expected_writes(REPORT_BLOCKS), reads = 2 * expected_reads(REPORT_BLOCKS, i == 0);
    char total[128];
    snprintf(total, sizeof total, "lds_strides (%s): %d LDS instructions, %llu conflict cycles\n", targets[i],
             4 * REPORT_BLOCKS, writes + reads);
    CHECK(strstr(report, total), "\"%s\" is missing in:\n%s", total, report);
    check_line(report, targets[i], ": ds_write_b32 ", writes);
    check_line(report, targets[i], ": ds_read_b32 ", reads);
  }
  read_report("WT_SIM_LDS_CONFLICTS=0", argv, report, sizeof report);
  CHECK(report[0] == 0, "nobody asked for: %s", report);
}

int main(int argc, char **argv) {
  CHECK(argc >= 3, "arguments: code objects for gfx950 and gfx942");
  if (argc < 3) return test_result();
  if (argc == 4) return run_for_report(argv + 1);
  for (int device = 0; device < 2; ++device) {
    hipModule_t module;
    unsigned *out;
    OK(hipSetDevice(device));
    OK(hipModuleLoad(&module, argv[device + 1]));
    OK(hipMallocManaged((void **)&out, BLOCKS * 64 * sizeof *out, hipMemAttachGlobal));
    totals_grow_while_counting_is_on(module, out, device == 0);
    asking_leaves_the_switch_alone(module, out);
    a_launch_that_faults_adds_nothing(module);
    OK(hipFree(out));
    OK(hipModuleUnload(module));
  }
  the_report_names_the_instructions(argv);
  return test_result();
}
