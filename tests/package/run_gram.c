// SPDX-License-Identifier: MIT
// Runs the kernel of consumer/gram.hip from a code object, its argument, with the HIP runtime alone.
#include <hip/hip_runtime_api.h>
#include <stdio.h>

enum { ROWS = 18, COLUMNS = 70, BF16_ONE = 0x3f80 };

int main(int argc, char **argv) {
  hipModule_t module;
  hipFunction_t gram;
  unsigned short *x;
  float *g;
  int rows = ROWS, columns = COLUMNS, wrong = 0;
  if (argc != 2) return fprintf(stderr, "usage: run_gram CODE_OBJECT\n"), 2;
  if (hipModuleLoad(&module, argv[1]) || hipModuleGetFunction(&gram, module, "gram")) return 1;
  if (hipHostMalloc((void **)&x, ROWS * COLUMNS * sizeof *x, 0) ||
      hipHostMalloc((void **)&g, ROWS * ROWS * sizeof *g, 0))
    return 1;
  // Row i begins with i + 1 ones, so that G[i][j] is the smaller of i + 1 and j + 1.
  for (int i = 0; i < ROWS; ++i)
    for (int k = 0; k < COLUMNS; ++k) x[i * COLUMNS + k] = k <= i ? BF16_ONE : 0;
  void *arguments[] = {&x, &g, &rows, &columns};
  if (hipModuleLaunchKernel(gram, 2, 2, 1, 64, 1, 1, 0, NULL, arguments, NULL) || hipDeviceSynchronize())
    return 1;
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < ROWS; ++j) wrong += !(g[i * ROWS + j] == (float)((i < j ? i : j) + 1));
  printf("%d of %d elements wrong\n", wrong, ROWS * ROWS);
  return wrong != 0;
}
