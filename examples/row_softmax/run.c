// SPDX-License-Identifier: MIT
// Launches row_softmax on a matrix of random numbers and checks every element of y.
// Usage: run CODE_OBJECT [ROWS COLUMNS]
// Build: wavetile hipcc --kernel examples/row_softmax/row_softmax.hip -o row_softmax.co
// Build: cc -D__HIP_PLATFORM_AMD__ examples/row_softmax/run.c -Lbuild/lib -lamdhip64 -lm -o row_softmax
#include <math.h>

#include "../host.h"

// The elements are multiples of 1/8 from -8 to 8, which are exact in bf16; one in 32 is minus infinity, which
// is masked out.
static uint16_t random_entry(void) {
  const uint32_t random = next_random();
  return random >> 27 ? bf16_of_float((float)((int)(random >> 20 & 127) - 64) / 8) : 0xff80;
}

// Returns the largest relative error of a row of probabilities; 1 where it should be 0 and is not.
static double error_of(const uint16_t *x, const uint16_t *y, int columns) {
  double max = -INFINITY, sum = 0, worst = 0;
  for (int j = 0; j < columns; ++j) max = fmax(max, float_of_bf16(x[j]));
  for (int j = 0; j < columns; ++j) sum += max == -INFINITY ? 0 : exp(float_of_bf16(x[j]) - max);
  for (int j = 0; j < columns; ++j) {
    const double want = sum == 0 ? 0 : exp(float_of_bf16(x[j]) - max) / sum, got = float_of_bf16(y[j]);
    const double error = want == 0 ? got != 0 : fabs(got - want) / want;
    if (!(error <= worst)) worst = error;  // a NaN counts, too
  }
  return worst;
}

int main(int argc, char **argv) {
  if (argc != 2 && argc != 4) return fprintf(stderr, "usage: %s CODE_OBJECT [ROWS COLUMNS]\n", argv[0]), 2;
  const int rows = argc > 2 ? atoi(argv[2]) : 5;
  int columns = argc > 2 ? atoi(argv[3]) : 10000;
  long long stride = columns + 3;  // of both matrices: rows need not be packed, nor aligned
  const size_t count = (size_t)rows * (size_t)stride;
  uint16_t *x = shared_memory(count * sizeof *x), *y = shared_memory(count * sizeof *y);
  for (size_t i = 0; i < count; ++i) x[i] = random_entry();

  hipModule_t module;
  hipFunction_t kernel;
  CALL(hipModuleLoad(&module, argv[1]));
  CALL(hipModuleGetFunction(&kernel, module, "row_softmax"));
  void *arguments[] = {&x, &y, &columns, &stride, &stride};
  CALL(hipModuleLaunchKernel(kernel, (unsigned)rows, 1, 1, 256, 1, 1, 0, NULL, arguments, NULL));
  CALL(hipDeviceSynchronize());

  double worst = 0;
  for (int i = 0; i < rows; ++i) {
    const double error = error_of(x + i * stride, y + i * stride, columns);
    if (!(error <= worst)) worst = error;
  }
  // The bound covers rounding to bf16, exp in f32, whose argument is up to 16 off the largest, and a sum of
  // columns / 256 terms.
  const double bound = 1.0 / 256 + (16 * 2.5 + 8 + 4 * (columns / 256.0 + 8)) * 0x1p-24;
  printf("softmax of %d rows of %d: largest relative error %.2g, allowed %.2g\n", rows, columns, worst,
         bound);
  return !(worst <= bound);
}
