// SPDX-License-Identifier: MIT
// Every setting of the environment takes what it may be, and whatever else is refused at the first HIP call,
// whichever that is, in one sentence that names what is near; every later call fails as well.
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/check.h"

typedef struct row {
  const char *name, *value, *sentence;  // what the sentence contains; NULL: the value is taken
} row;

static const row rows[] = {
    {"WT_SIM_NOSUCH", "1",
     "WT_SIM_NOSUCH is not a setting of the simulated device; there are WT_SIM_BUDGET, "},
    {"WT_SIM_", "1", "WT_SIM_ is not a setting"},
    {"WT_SIM_TIMNIG", "1",
     "WT_SIM_TIMNIG is not a setting of the simulated device; did you mean WT_SIM_TIMING?"},
    {"WT_SIM_SCHEDUL", "late", "did you mean WT_SIM_SCHEDULE?"},
    {"WT_SIM_DEVICE", "mi300x", "did you mean WT_SIM_DEVICES?"},
    {"WT_SIM_check", "1", "WT_SIM_check is not a setting of the simulated device; did you mean WT_SIM_CHECK"},
    {"WT_SIM_REPORT", "/nowhere/x",
     "WT_SIM_REPORT=/nowhere/x cannot be written: No such file or directory; name a file"},
    {"WT_SIM_REPORT", "/", "WT_SIM_REPORT=/ cannot be written: Is a directory"},
    {"WT_SIM_REPORT", "/dev/null", NULL},
    {"WT_SIM_PROFILE", "/nowhere", "WT_SIM_PROFILE=/nowhere is no folder that can be written: No such file"},
    {"WT_SIM_PROFILE", "/dev/null",
     "WT_SIM_PROFILE=/dev/null is no folder that can be written: Not a directory"},
    {"WT_SIM_PROFILE", ".", NULL},
    {"WT_SIM_TALLY", "/nowhere", "WT_SIM_TALLY=/nowhere is no tally of wavetile run"},
    {"WT_SIM_TALLY", "/proc/0/fd/3", NULL},
    {"WT_SIM_PROGRESS", "x", "WT_SIM_PROGRESS=x is not one of 0, 1"},
    {"WT_SIM_PROGRESS", "1", NULL},
    {"WT_SIM_SCHEDULE", "tmied", "WT_SIM_SCHEDULE=tmied is not one of late, "},
    {"WT_SIM_SCHEDULE", "tmied", "; did you mean timed?"},
    {"WT_SIM_SCHEDULE", "late_vmem", "did you mean late-vmem?"},
    {"WT_SIM_SCHEDULE", "random", "random:SEED"},
    {"WT_SIM_SCHEDULE", "random:", "WT_SIM_SCHEDULE=random: is not one of"},
    {"WT_SIM_SCHEDULE", "random:-1", "is not one of"},
    {"WT_SIM_SCHEDULE", "random:0x12", NULL},
    {"WT_SIM_SCHEDULE", "lockstep", NULL},
    {"WT_SIM_SCHEDULE", "", NULL},
    {"WT_SIM_CHECK", "fial", "WT_SIM_CHECK=fial is not one of 0, 1, fail, strict; did you mean fail?"},
    {"WT_SIM_CHECK", "0", NULL},
    {"WT_SIM_TIMING", "2", "WT_SIM_TIMING=2 is not one of 0, 1, only, die"},
    {"WT_SIM_TIMING", "die", NULL},
    {"WT_SIM_TIMING_REPEATS", "yes", "WT_SIM_TIMING_REPEATS=yes is not one of 0, 1, copies, cold"},
    {"WT_SIM_TIMING_ROUNDS", "0", "WT_SIM_TIMING_ROUNDS=0 is not a whole number from 1 on"},
    {"WT_SIM_TIMING_ROUNDS", "3", NULL},
    {"WT_SIM_LDS_CONFLICTS", "on", "WT_SIM_LDS_CONFLICTS=on is not one of 0, 1"},
    {"WT_SIM_QUIET", "2", "WT_SIM_QUIET=2 is not one of 0, 1"},
    {"WT_SIM_RESIDENT", "no", "WT_SIM_RESIDENT=no is not one of 0, 1"},
    {"WT_SIM_SOFFSET", "count", "WT_SIM_SOFFSET=count is not one of counted, ignored; did you mean counted?"},
    {"WT_SIM_SOFFSET", "ignored", NULL},
    {"WT_SIM_MFMA", "exat", "WT_SIM_MFMA=exat is not one of exact, fast; did you mean exact?"},
    {"WT_SIM_MFMA", "fast", NULL},
    {"WT_SIM_HIP_VERSION", "5.2", "WT_SIM_HIP_VERSION=5.2 is not one of 5, 6, 7"},
    {"WT_SIM_HIP_VERSION", "8", "WT_SIM_HIP_VERSION=8 is not one of 5, 6, 7"},
    {"WT_SIM_HIP_VERSION", "7", NULL},
    {"WT_SIM_HOST", "avx", "WT_SIM_HOST=avx is not one of avx512, avx2, portable; did you mean "},
    {"WT_SIM_HOST", "portable", NULL},
    {"WT_SIM_BUDGET", "-5", "WT_SIM_BUDGET=-5 is not a whole number from 1 on"},
    {"WT_SIM_BUDGET", "1e6", "is not a whole number"},
    {"WT_SIM_BUDGET", "99999999999999999999", "is not a whole number"},
    {"WT_SIM_BUDGET", "1000000", NULL},
    {"WT_SIM_THREADS", "all", "WT_SIM_THREADS=all is not a whole number from 1 on"},
    {"WT_SIM_THREADS", "0", "from 1 on"},
    {"WT_SIM_COMPUTE_UNITS", "33", "WT_SIM_COMPUTE_UNITS=33 is not a multiple of 32"},
    {"WT_SIM_COMPUTE_UNITS", "0", "is not a multiple of 32"},
    {"WT_SIM_COMPUTE_UNITS", "some", "is not a multiple of 32"},
    {"WT_SIM_COMPUTE_UNITS", "64", NULL},
    {"WT_SIM_PROFILE_LAUNCHES", "0", "from 1 on"},
    {"WT_SIM_PROFILE_FROM", "0", NULL},
    {"WT_SIM_PROFILE_ISSUES", "many", "from 0 on"},
    {"WT_SIM_DEVICES", "mi300x,mi999", "there is no simulated device \"mi999\"; name some of mi355x, mi300x"},
    {"WT_SIM_DEVICES", "mi30x", "did you mean mi300x"},
    {"WT_SIM_DEVICES", "mi300x,", "there is no simulated device \"\""},
    {"WT_SIM_DEVICES", "mi300x,mi300x,mi355x", NULL},
};

// ---- first calls

static hipError_t count_devices(void) {
  int count = -1;
  const hipError_t error = hipGetDeviceCount(&count);
  return error == hipErrorNoDevice && count != 0 ? hipSuccess : error;
}

static hipError_t allocate(void) {
  void *p;
  return hipMalloc(&p, 16);
}

static hipError_t ask_version(void) {
  int version;
  return hipRuntimeGetVersion(&version);
}

static hipError_t make_stream(void) {
  hipStream_t stream;
  return hipStreamCreate(&stream);
}

static hipError_t load_module(void) {
  hipModule_t module;
  return hipModuleLoad(&module, "/nowhere");
}

static hipError_t initialise(void) { return hipInit(0); }

static hipError_t (*const calls[])(void) = {count_devices, allocate,   ask_version,          make_stream,
                                            load_module,   initialise, hipDeviceSynchronize, hipGetLastError};
enum { CALLS = sizeof calls / sizeof *calls };

// Makes, in a process of its own, the calls from `first` on; its exit status is how many did not fail.
// Returns that, and what the process wrote to standard error.
static int try_calls(const row *r, int first, bool quiet, char *text, size_t size) {
  int ends[2], status;
  if (pipe(ends) != 0) return -1;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    dup2(ends[1], STDERR_FILENO);
    close(ends[0]);
    if (quiet) setenv("WT_SIM_QUIET", "1", 1);
    setenv(r->name, r->value, 1);
    int succeeded = 0;
    for (int i = 0; i < CALLS; ++i) succeeded += calls[(first + i) % CALLS]() != hipErrorNoDevice;
    _exit(succeeded);
  }
  close(ends[1]);
  size_t used = 0;
  for (ssize_t n; used < size - 1 && (n = read(ends[0], text + used, size - 1 - used)) > 0;)
    used += (size_t)n;
  text[used] = 0;
  close(ends[0]);
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Returns, from a process of its own, how many compute units device 0 has (MI355X), or device 1 (MI300X).
static int units_of(int device, const char *setting) {
  int status, units = 0;
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    setenv("WT_SIM_DEVICES", "mi355x,mi300x", 1), setenv("WT_SIM_COMPUTE_UNITS", setting, 1);
    if (hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, device)) units = 0;
    _exit(units / 32);
  }
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? 32 * WEXITSTATUS(status) : -1;
}

static void check_units(void) {
  CHECK(units_of(0, "64") == 64 && units_of(1, "64") == 64, "WT_SIM_COMPUTE_UNITS=64: not what devices have");
  CHECK(units_of(0, "288") == 256, "WT_SIM_COMPUTE_UNITS=288: not what an MI355X has, which is 256");
  CHECK(units_of(1, "288") == 288, "WT_SIM_COMPUTE_UNITS=288: not what an MI300X has");
}

int main(void) {
  char text[4096];
  check_units();
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i) {
    const row *r = &rows[i];
    for (int first = 0; first < CALLS; ++first) {
      const int succeeded = try_calls(r, first, false, text, sizeof text);
      if (!r->sentence) {
        CHECK(succeeded == CALLS && !strstr(text, r->name), "%s=%s: %d calls succeed: %s", r->name, r->value,
              succeeded, text);
        continue;
      }
      const char *end = strchr(text, '\n');
      CHECK(succeeded == 0, "%s=%s: %d calls succeed", r->name, r->value, succeeded);
      CHECK(strstr(text, r->sentence) && end && !end[1], "%s=%s: %s", r->name, r->value, text);
    }
    if (!r->sentence || strcmp(r->name, "WT_SIM_QUIET") == 0) continue;
    CHECK(try_calls(r, 0, true, text, sizeof text) == 0 && strstr(text, r->sentence), "%s=%s, quiet: %s",
          r->name, r->value, text);
  }
  return test_result();
}
