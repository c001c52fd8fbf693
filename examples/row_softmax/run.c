// SPDX-License-Identifier: MIT
// Launches row_softmax on a matrix of random numbers and checks every element of y.
// Usage: run CODE_OBJECT [ROWS COLUMNS]
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALL(call)                                                  \
  do {                                                              \
    const hipError_t error = (call);                                \
    if (error) {                                                    \
      fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error)); \
      exit(1);                                                      \
    }                                                               \
  } while (0)

// A bf16 is the upper half of a float.
static double value_of(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return (double)value;
}

// Multiples of 1/8 from -8 to 8, which are exact in bf16; one in 32 is minus infinity, which is masked out.
static uint16_t random_entry(void) {
  static uint32_t state = 1;
  state = state * 1664525 + 1013904223;
  const float value = state >> 27 ? (float)((int)(state >> 20 & 127) - 64) / 8 : -INFINITY;
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return (uint16_t)(word >> 16);
}

// The largest relative error of a row of probabilities; 1 where it should be 0 and is not.
static double error_of(const uint16_t *x, const uint16_t *y, int columns) {
  double max = -INFINITY, sum = 0, worst = 0;
  for (int j = 0; j < columns; ++j) max = fmax(max, value_of(x[j]));
  for (int j = 0; j < columns; ++j) sum += max == -INFINITY ? 0 : exp(value_of(x[j]) - max);
  for (int j = 0; j < columns; ++j) {
    const double want = sum == 0 ? 0 : exp(value_of(x[j]) - max) / sum, got = value_of(y[j]);
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
  uint16_t *x, *y;
  CALL(hipHostMalloc((void **)&x, count * sizeof *x, 0));
  CALL(hipHostMalloc((void **)&y, count * sizeof *y, 0));
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
  // Rounding to bf16; exp in f32, whose argument is up to 16 off the largest; a sum of columns / 256 terms.
  const double bound = 1.0 / 256 + (16 * 2.5 + 8 + 4 * (columns / 256.0 + 8)) * 0x1p-24;
  printf("softmax of %d rows of %d: largest relative error %.2g, allowed %.2g\n", rows, columns, worst,
         bound);
  return !(worst <= bound);
}
