// SPDX-License-Identifier: MIT
// Runs the project's own kernel, embedded in this program, and compares it with the library's product and
// with sums of its own.
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <wavetile.h>
#include <wavetile_sim.h>

#include "own_kernels.h"

enum { ROWS = 37, COLUMNS = 101 };

static int failed(const char *what, hipError_t error) {
  return fprintf(stderr, "%s: %s\n", what, hipGetErrorString(error)), 1;
}

// Small integers, of which bf16 and float hold every sum.
static int element(int row, int column) { return (row * 7 + column * 3) % 9 - 4; }

static unsigned short bf16_of(int value) {
  const union {
    float number;
    unsigned bits;
  } u = {(float)value};
  return (unsigned short)(u.bits >> 16);
}

static int launch(const unsigned short *x, float *g) {
  hipDeviceProp_t properties;
  hipModule_t module;
  hipFunction_t gram;
  int rows = ROWS, columns = COLUMNS;
  void *arguments[] = {&x, &g, &rows, &columns};
  hipError_t error = hipGetDeviceProperties(&properties, 0);
  if (error) return failed("hipGetDeviceProperties", error);
  const own_kernels *object = own_kernels_find("gram", properties.gcnArchName);
  if (!object) return fprintf(stderr, "no code object for %s\n", properties.gcnArchName), 1;
  error = hipModuleLoadData(&module, object->image);
  if (error) return failed("hipModuleLoadData", error);
  error = hipModuleGetFunction(&gram, module, "gram");
  if (error) return failed("hipModuleGetFunction", error);
  const unsigned tiles = (ROWS + 15) / 16;
  error = hipModuleLaunchKernel(gram, tiles, tiles, 1, 64, 1, 1, 0, NULL, arguments, NULL);
  if (!error) error = hipDeviceSynchronize();
  if (error) return failed("gram", error);
  (void)hipModuleUnload(module);
  return own_kernels_find("gram", "gfx90a") != NULL || own_kernels_find("nothing", object->target) != NULL;
}

static int multiply(const unsigned short *x, float *g) {
  wt_context *context;
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = desc.n = ROWS;
  desc.k = COLUMNS;
  desc.type_a = desc.type_b = WT_TYPE_BF16;
  desc.type_c = WT_TYPE_F32;
  if (wt_context_create(0, &context)) return fprintf(stderr, "%s\n", wt_last_error(NULL)), 1;
  const int wrong = wt_gemm(context, &desc, x, x, g, NULL) || hipDeviceSynchronize();
  if (wrong) fprintf(stderr, "%s\n", wt_last_error(context));
  wt_context_destroy(context);
  return wrong;
}

int main(void) {
  unsigned short *x;
  float *own, *library;
  unsigned long long workgroups = 0;
  int wrong = 0;
  if (hipHostMalloc((void **)&x, ROWS * COLUMNS * sizeof *x, 0) ||
      hipHostMalloc((void **)&own, ROWS * ROWS * sizeof *own, 0) ||
      hipHostMalloc((void **)&library, ROWS * ROWS * sizeof *library, 0))
    return fprintf(stderr, "hipHostMalloc failed\n"), 1;
  for (int i = 0; i < ROWS; ++i)
    for (int k = 0; k < COLUMNS; ++k) x[i * COLUMNS + k] = bf16_of(element(i, k));
  if (launch(x, own) || multiply(x, library)) return 1;
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < ROWS; ++j) {
      int sum = 0;
      for (int k = 0; k < COLUMNS; ++k) sum += element(i, k) * element(j, k);
      wrong += !(own[i * ROWS + j] == (float)sum) || !(library[i * ROWS + j] == (float)sum);
    }
  wtSimTotals(NULL, &workgroups);
  printf("%d of %d elements wrong, %llu work-groups on the simulated device\n", wrong, ROWS * ROWS,
         workgroups);
  return wrong || workgroups < 9;
}
