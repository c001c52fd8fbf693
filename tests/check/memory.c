// SPDX-License-Identifier: MIT
// Tests global memory that nothing has written, byte by byte, and memory that is never freed: both are looked
// for when asked to. Argument: the code object of memory.hip. The test starts itself again with what to do.
#include <hip/hip_runtime_api.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/check/rerun.h"

enum { THREADS = 64, BYTES = THREADS * 4 };

static unsigned host[THREADS];
static hipModule_t module;

static bool launch(const char *name, void *out, void *in) {
  hipFunction_t f;
  void *arguments[] = {&out, &in};
  return hipModuleGetFunction(&f, module, name) == hipSuccess &&
         hipModuleLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, BYTES, NULL, arguments, NULL) == hipSuccess &&
         hipDeviceSynchronize() == hipSuccess;
}

// Fills the memory that a kernel reads in the way that is asked for. Returns false when a call fails.
static bool fill(const char *how, char *in) {
  void *other = NULL;
  bool ok = true;
  if (strcmp(how, "nothing") == 0) return true;
  if (strcmp(how, "copy") == 0) return hipMemcpy(in, host, BYTES, hipMemcpyHostToDevice) == hipSuccess;
  if (strcmp(how, "all_but_one") == 0)
    return hipMemcpy(in, host, BYTES - 1, hipMemcpyHostToDevice) == hipSuccess;
  if (strcmp(how, "all_but_first") == 0)
    return hipMemcpy(in + 1, host, BYTES - 1, hipMemcpyHostToDevice) == hipSuccess;
  if (strcmp(how, "set") == 0) return hipMemset(in, 1, BYTES) == hipSuccess;
  if (strcmp(how, "set_dwords") == 0) return hipMemsetD32((hipDeviceptr_t)in, 1, THREADS) == hipSuccess;
  if (hipMalloc(&other, BYTES) != hipSuccess) return false;
  if (strcmp(how, "kernel") == 0)
    ok = hipMemset(other, 0, BYTES) == hipSuccess && launch("dwords", in, other);
  else if (strcmp(how, "copy_of_copy") == 0)
    ok = hipMemcpy(other, host, BYTES, hipMemcpyHostToDevice) == hipSuccess;
  else if (strcmp(how, "copy_of_part") == 0)
    ok = hipMemcpy(other, host, BYTES - 1, hipMemcpyHostToDevice) == hipSuccess;
  if (strncmp(how, "copy_of", 7) == 0)
    ok = ok && hipMemcpy(in, other, BYTES, hipMemcpyDeviceToDevice) == hipSuccess;
  return ok && hipFree(other) == hipSuccess;
}

static int read_memory(const char *object, const char *kernel, const char *how) {
  char *in, *out;
  if (hipModuleLoad(&module, object) != hipSuccess) return 2;
  // What was written before it was freed is fresh again.
  if (hipMalloc((void **)&in, BYTES) != hipSuccess || !fill("copy", in) || hipFree(in) != hipSuccess)
    return 2;
  if (hipMalloc((void **)&in, BYTES) != hipSuccess || hipMalloc((void **)&out, BYTES) != hipSuccess) return 2;
  const bool ok = fill(how, in) && launch(kernel, out, in);
  return ok && hipFree(in) == hipSuccess && hipFree(out) == hipSuccess ? 0 : 2;
}

static int allocate(const char *what) {
  void *device[3], *pinned;
  bool ok = hipHostMalloc(&pinned, 24, 0) == hipSuccess;
  for (int i = 0; i < 3; ++i) ok &= hipMalloc(&device[i], i < 2 ? 1000 : 5000) == hipSuccess;
  ok &= hipFree(device[2]) == hipSuccess;
  if (strcmp(what, "kept") == 0) return ok ? 0 : 2;
  ok &= hipFree(device[0]) == hipSuccess && hipFree(device[1]) == hipSuccess;
  return ok && hipHostFree(pinned) == hipSuccess ? 0 : 2;
}

static void unwritten_memory_is_told(char **argv) {
  static const struct {
    const char *kernel, *how;
    bool told;
  } cases[] = {{"dwords", "nothing", true},       {"dwords", "copy", false},
               {"dwords", "all_but_one", true},   {"dwords", "all_but_first", true},
               {"dwords", "set", false},          {"dwords", "set_dwords", false},
               {"dwords", "kernel", false},       {"dwords", "copy_of_copy", false},
               {"dwords", "copy_of_part", true},  {"dwords", "copy_of_nothing", true},
               {"bytes", "all_but_one", false},  // it reads the first 64 bytes
               {"bytes", "all_but_first", true},  {"bytes", "nothing", true},
               {"scalar", "all_but_one", true},   {"scalar", "all_but_first", false},
               {"direct", "all_but_first", true}, {"direct", "copy", false},
               {"add", "nothing", false}};  // nobody looks at the sum
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    static outcome o;
    char more[64];
    snprintf(more, sizeof more, "%s %s", cases[i].kernel, cases[i].how);
    start(2, argv, "WT_SIM_CHECK=fail WT_SIM_CHECK_UNWRITTEN=1", more, &o);
    CHECK(o.status == (cases[i].told ? 70 : 0), "%s: status %d:\n%s", more, o.status, o.text);
    if (cases[i].told) expect(&o, "wavetile check: uninitialised");
    if (cases[i].told) expect(&o, strcmp(cases[i].kernel, "direct") ? "load" : "ds_read");
  }
}

static void unwritten_memory_is_looked_for_on_request(char **argv) {
  static outcome o;
  start(2, argv, "WT_SIM_CHECK=fail", "dwords nothing", &o);
  CHECK(o.status == 0, "status %d:\n%s", o.status, o.text);
  start(2, argv, "WT_SIM_CHECK_UNWRITTEN=1", "dwords nothing", &o);
  CHECK(o.status == 0 && !o.text[0], "status %d without check mode:\n%s", o.status, o.text);
}

static void kept_memory_is_told(char **argv) {
  static outcome o;
  char path[] = "/tmp/wt-leaks-XXXXXX", environment[160];
  const int fd = mkstemp(path);
  CHECK(fd >= 0, "no temporary file");
  if (fd < 0) return;
  close(fd);
  snprintf(environment, sizeof environment, "WT_SIM_CHECK=fail WT_SIM_CHECK_LEAKS=1 WT_SIM_REPORT='%s'",
           path);
  start(2, argv, environment, "allocate kept", &o);
  CHECK(o.status == 70, "status %d:\n%s", o.status, o.text);
  expect(&o, "wavetile check: leak (2 times)\n  why     1000 bytes of hipMalloc are");
  expect(&o, "wavetile check: leak (1 times)\n  why     24 bytes of hipHostMalloc are");
  expect(&o, "wavetile check: 2 errors,");
  CHECK(!strstr(o.text, "5000"), "what was freed is told:\n%s", o.text);
  FILE *f = fopen(path, "r");
  const size_t got = f ? fread(o.text, 1, sizeof o.text - 1, f) : 0;
  o.text[got] = 0;
  if (f) fclose(f);
  expect(&o, "\"leaks\": [");
  expect(&o, "{\"call\": \"hipMalloc\", \"bytes\": 1000, \"count\": 2}");
  unlink(path);
  start(2, argv, "WT_SIM_CHECK=fail WT_SIM_CHECK_LEAKS=1", "allocate freed", &o);
  CHECK(o.status == 0, "status %d:\n%s", o.status, o.text);
  start(2, argv, "WT_SIM_CHECK=fail", "allocate kept", &o);
  CHECK(o.status == 0, "status %d where nobody asked:\n%s", o.status, o.text);
}

int main(int argc, char **argv) {
  if (argc == 4 && strcmp(argv[2], "allocate") == 0) return allocate(argv[3]);
  if (argc == 4) return read_memory(argv[1], argv[2], argv[3]);
  CHECK(argc == 2, "argument: a code object");
  if (argc != 2) return test_result();
  unwritten_memory_is_told(argv);
  unwritten_memory_is_looked_for_on_request(argv);
  kept_memory_is_told(argv);
  return test_result();
}
