// SPDX-License-Identifier: MIT
// Launches the kernel of prof_lines.hip once. usage: prof_lines CODE_OBJECT DEVICE
#include <hip/hip_runtime_api.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  hipModule_t module;
  hipFunction_t function;
  float *out;
  int count = 50;
  void *parameters[] = {&out, &count};
  if (argc != 3 || hipSetDevice(atoi(argv[2])) || hipModuleLoad(&module, argv[1]) ||
      hipModuleGetFunction(&function, module, "lines") || hipMalloc((void **)&out, 64 * sizeof *out) ||
      hipModuleLaunchKernel(function, 8, 1, 1, 64, 1, 1, 0, NULL, parameters, NULL))
    return 3;
  return hipDeviceSynchronize() ? 3 : 0;
}
