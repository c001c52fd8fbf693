// SPDX-License-Identifier: MIT
// What a launch sets up is right for every code object version and with preloaded arguments, under every
// schedule.
#include <hip/hip_runtime_api.h>

#include "check.h"

static const char *label;
static hipModule_t module;

static hipFunction_t find(const char *name) {
  hipFunction_t function = NULL;
  hipError_t error = hipModuleGetFunction(&function, module, name);
  CHECK(error == hipSuccess, "%s: %s: %s", label, name, hipGetErrorString(error));
  return function;
}

static void run(const char *name, unsigned groups, void **args) {
  hipFunction_t function = find(name);
  if (!function) return;
  hipError_t error = hipModuleLaunchKernel(function, groups, 1, 1, 64, 1, 1, 0, NULL, args, NULL);
  CHECK(error == hipSuccess, "%s: launch %s: %s", label, name, hipGetErrorString(error));
  error = hipDeviceSynchronize();
  CHECK(error == hipSuccess, "%s: run %s: %s", label, name, hipGetErrorString(error));
}

static void ids_and_sizes_are_right_in_three_dimensions(void) {
  enum { GX = 3, GY = 2, GZ = 2, BX = 5, BY = 4, BZ = 3, WIDTH = GX * BX, HEIGHT = GY * BY, DEPTH = GZ * BZ };
  static unsigned out[WIDTH * HEIGHT * DEPTH];
  unsigned *device;
  hipMalloc((void **)&device, sizeof out);
  hipMemset(device, 0xff, sizeof out);
  void *args[] = {&device};
  hipFunction_t function = find("places");
  if (function)
    CHECK(hipModuleLaunchKernel(function, GX, GY, GZ, BX, BY, BZ, 0, NULL, args, NULL) == hipSuccess,
          "launch");
  CHECK(hipMemcpy(out, device, sizeof out, hipMemcpyDeviceToHost) == hipSuccess, "%s: copy", label);
  for (unsigned z = 0; z < DEPTH; ++z)
    for (unsigned y = 0; y < HEIGHT; ++y)
      for (unsigned x = 0; x < WIDTH; ++x) {
        unsigned got = out[(z * HEIGHT + y) * WIDTH + x];
        CHECK(got == (x | y << 8 | z << 16), "%s: (%u,%u,%u) holds %#x", label, x, y, z, got);
      }
  hipFree(device);
}

static void arguments_arrive_whatever_their_size(void) {
  struct {
    char c;
    double d;
    short s[3];
  } g = {-7, -123456.0, {4, 5, 6}};
  long long *out, d = 0x123456789abcdef;
  int *h, c = -70000;
  char a = -3;
  short b = -30000;
  float e = -1024.0f;
  double f = 1e15;
  hipHostMalloc((void **)&out, 10 * sizeof *out, 0);
  hipHostMalloc((void **)&h, sizeof *h, 0);
  *h = 424242;
  void *args[] = {&out, &a, &b, &c, &d, &e, &f, &g, &h};
  run("arguments", 1, args);
  const long long expected[] = {-3,      -30000, -70000, 0x123456789abcdef, -1024, 1000000000000000, -7,
                                -123456, 654,    424242};
  for (int i = 0; i < 10; ++i)
    CHECK(out[i] == expected[i], "%s: argument %d is %lld, expected %lld", label, i + 1, out[i], expected[i]);
  hipHostFree(out);
  hipHostFree(h);
}

static unsigned scratch_expected(unsigned item, unsigned step) {
  unsigned table[64], sum = 0;
  for (unsigned i = 0; i < 64; ++i) table[(i * step) % 64] = item * 100 + i;
  for (unsigned i = 0; i < 64; i += 3) sum = sum * 31 + table[(i + item) % 64];
  return sum;
}

static unsigned operation(unsigned which, unsigned x) {
  return which == 0 ? 2 * x : which == 1 ? x + 7 : x * x;
}

static unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

static void scratch_calls_and_recursion_work(void) {
  enum { GROUPS = 5, ITEMS = GROUPS * 64 };
  unsigned *out, step = 13;
  hipHostMalloc((void **)&out, ITEMS * sizeof *out, 0);
  void *scratch_args[] = {&out, &step};
  run("scratch", GROUPS, scratch_args);
  for (unsigned i = 0; i < ITEMS; ++i)
    CHECK(out[i] == scratch_expected(i, step), "%s: scratch: item %u got %u", label, i, out[i]);
  for (unsigned which = 0; which < 3; ++which) {
    void *call_args[] = {&out, &which};
    run("indirect_calls", GROUPS, call_args);
    for (unsigned i = 0; i < ITEMS; ++i)
      CHECK(out[i] == operation(which, operation((which + 1) % 3, i)), "%s: call %u: item %u got %u", label,
            which, i, out[i]);
  }
  void *recursion_args[] = {&out};
  run("recursion", GROUPS, recursion_args);
  for (unsigned i = 0; i < ITEMS; ++i)
    CHECK(out[i] == fibonacci(i % 11), "%s: recursion: item %u got %u", label, i, out[i]);
  hipHostFree(out);
}

int main(int argc, char **argv) {
  static const char *const schedules[] = {"late", "early", "lockstep", "timed", "random:1", "random:2"};
  for (int i = 1; i < argc; ++i) {
    label = argv[i];
    CHECK(hipSetDevice(strstr(label, "gfx942") != NULL) == hipSuccess, "device");
    hipError_t error = hipModuleLoad(&module, label);
    CHECK(error == hipSuccess, "%s: %s", label, hipGetErrorString(error));
    if (error) continue;
    for (size_t s = 0; s < sizeof schedules / sizeof schedules[0]; ++s) {
      setenv("WT_SIM_SCHEDULE", schedules[s], 1);
      ids_and_sizes_are_right_in_three_dimensions();
      arguments_arrive_whatever_their_size();
      scratch_calls_and_recursion_work();
    }
    hipModuleUnload(module);
  }
  return test_result();
}
