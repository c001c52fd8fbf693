// SPDX-License-Identifier: MIT
// Runs the kernels of a code object on one device: this is what the checks of ops/isa share.
#ifndef WT_TESTS_KERNELS_ISA_RUN_H
#define WT_TESTS_KERNELS_ISA_RUN_H

#include <hip/hip_runtime_api.h>
#include <stdbool.h>

#include "tests/check.h"

static inline bool isa_ok(hipError_t status, const char *what) {
  CHECK(status == hipSuccess, "%s: %s", what, hipGetErrorString(status));
  return status == hipSuccess;
}

// Returns memory that host and device both see; it stays for the life of the program.
static inline void *isa_memory(size_t bytes) {
  void *memory = NULL;
  if (hipHostMalloc(&memory, bytes, 0) != hipSuccess) {
    fprintf(stderr, "no %zu bytes of host memory\n", bytes);
    exit(1);
  }
  return memory;
}

// Launches one work-group and waits.
static inline bool isa_run(hipModule_t module, const char *name, unsigned threads, void **arguments) {
  hipFunction_t function = NULL;
  return isa_ok(hipModuleGetFunction(&function, module, name), name) &&
         isa_ok(hipModuleLaunchKernel(function, 1, 1, 1, threads, 1, 1, 0, NULL, arguments, NULL), name) &&
         isa_ok(hipDeviceSynchronize(), name);
}

// Runs `check` for each device with the code object of its place on the command line; the first device is a
// gfx950, the second a gfx942.
static inline int isa_main(int argc, char **argv, void (*check)(hipModule_t module, bool gfx950)) {
  int devices = 0;
  isa_ok(hipGetDeviceCount(&devices), "hipGetDeviceCount");
  CHECK(devices == 2 && argc == 3, "%d devices and %d arguments, expected 2 and 2", devices, argc - 1);
  for (int device = 0; device < devices && device < argc - 1; ++device) {
    hipModule_t module = NULL;
    if (isa_ok(hipSetDevice(device), "hipSetDevice") &&
        isa_ok(hipModuleLoad(&module, argv[device + 1]), argv[device + 1])) {
      check(module, device == 0);
      isa_ok(hipModuleUnload(module), "hipModuleUnload");
    }
  }
  return test_result();
}

#endif
