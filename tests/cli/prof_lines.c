// SPDX-License-Identifier: MIT
// Launches a kernel of prof_lines.hip once.
// usage: prof_lines CODE_OBJECT DEVICE KERNEL WORK_GROUPS WORK_ITEMS COUNT
#include <hip/hip_runtime_api.h>
#include <stdlib.h>

enum { BYTES = 16 << 10 };

int main(int argc, char **argv) {
  hipModule_t module;
  hipFunction_t function;
  void *data;
  int count = argc == 7 ? atoi(argv[6]) : 0;
  void *parameters[] = {&data, &count};
  if (argc != 7 || hipSetDevice(atoi(argv[2])) || hipModuleLoad(&module, argv[1]) ||
      hipModuleGetFunction(&function, module, argv[3]) || hipMalloc(&data, BYTES) ||
      hipMemset(data, 0, BYTES) ||
      hipModuleLaunchKernel(function, (unsigned)atoi(argv[4]), 1, 1, (unsigned)atoi(argv[5]), 1, 1, 0, NULL,
                            parameters, NULL))
    return 3;
  return hipDeviceSynchronize() ? 3 : 0;
}
