// SPDX-License-Identifier: MIT
// Launches reversed on some blocks of numbers and checks every one.
// Usage: run CODE_OBJECT
// Build: wavetile hipcc --kernel -g examples/check_mode/reversed.hip -o reversed.co
// Build: cc -D__HIP_PLATFORM_AMD__ examples/check_mode/run.c -Lbuild/lib -lamdhip64 -o reversed
#include "../host.h"

enum { BLOCK = 256, BLOCKS = 6 };

int main(int argc, char **argv) {
  if (argc != 2) return fprintf(stderr, "usage: %s CODE_OBJECT\n", argv[0]), 2;
  float *x = shared_memory(BLOCKS * BLOCK * sizeof *x), *y = shared_memory(BLOCKS * BLOCK * sizeof *y);
  for (int i = 0; i < BLOCKS * BLOCK; ++i) x[i] = (float)i;

  hipModule_t module;
  hipFunction_t kernel;
  CALL(hipModuleLoad(&module, argv[1]));
  CALL(hipModuleGetFunction(&kernel, module, "reversed"));
  void *arguments[] = {&x, &y};
  CALL(hipModuleLaunchKernel(kernel, BLOCKS, 1, 1, BLOCK, 1, 1, 0, NULL, arguments, NULL));
  CALL(hipDeviceSynchronize());

  int wrong = 0;
  for (int i = 0; i < BLOCKS * BLOCK; ++i) wrong += y[i] != x[i / BLOCK * BLOCK + BLOCK - 1 - i % BLOCK];
  printf("%d of %d numbers are wrong\n", wrong, BLOCKS * BLOCK);
  return wrong != 0;
}
