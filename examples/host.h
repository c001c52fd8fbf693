// SPDX-License-Identifier: MIT
// Defines what the host programs of the examples share: HIP calls that may fail, bf16 numbers, and matrices
// of small integers.
#ifndef WT_EXAMPLES_HOST_H
#define WT_EXAMPLES_HOST_H

#include <hip/hip_runtime_api.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the program with a sentence when a HIP call fails.
#define CALL(call)                                                  \
  do {                                                              \
    const hipError_t error = (call);                                \
    if (error) {                                                    \
      fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error)); \
      exit(1);                                                      \
    }                                                               \
  } while (0)

// A bf16 is the upper half of a float.
static inline float float_of_bf16(uint16_t bits) {
  const uint32_t word = (uint32_t)bits << 16;
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

// Rounds to the nearest bf16, and to the even one of two that are equally near. The value must be finite.
static inline uint16_t bf16_of_float(float value) {
  uint32_t word;
  memcpy(&word, &value, sizeof word);
  return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

// Returns the next of a fixed sequence of pseudo-random numbers; its upper bits are the good ones.
static inline uint32_t next_random(void) {
  static uint32_t state = 1;
  return state = state * 1664525 + 1013904223;
}

// Returns `count` random integers from -4 to 4.
static inline signed char *random_integers(size_t count) {
  signed char *values = malloc(count);
  if (!values) fprintf(stderr, "there is no memory for %zu numbers\n", count), exit(1);
  for (size_t i = 0; i < count; ++i) values[i] = (signed char)((int)((next_random() >> 16) % 9) - 4);
  return values;
}

// Returns an integer from -4 to 4 as an FP8 byte (E4M3). In FNUZ encoding, which gfx942 has, the exponent is
// larger by one.
static inline unsigned char fp8_of_integer(int value, int fnuz) {
  static const unsigned char magnitudes[] = {0x00, 0x38, 0x40, 0x44, 0x48};  // 0 1 2 3 4
  const int byte = magnitudes[abs(value)] + (fnuz && value ? 8 : 0);
  return (unsigned char)(byte | (value < 0 ? 0x80 : 0));
}

// Returns whether the FP8 numbers of the device are FNUZ, not OCP.
static inline int has_fnuz(const hipDeviceProp_t *device) {
  return strncmp(device->gcnArchName, "gfx942", 6) == 0;
}

// Returns memory that host and device share.
static inline void *shared_memory(size_t bytes) {
  void *memory;
  CALL(hipHostMalloc(&memory, bytes, 0));
  return memory;
}

// Returns element (row, column) of A * B^T, both matrices with rows of k integers. The sum is exact, and so
// is the same sum in f32 as long as k is at most a million.
static inline int product_element(const signed char *a, const signed char *b, int k, int row, int column) {
  const signed char *x = a + (size_t)row * (size_t)k, *y = b + (size_t)column * (size_t)k;
  int sum = 0;
  for (int i = 0; i < k; ++i) sum += x[i] * y[i];
  return sum;
}

// Returns how many elements of C, m x n in f32, are not those of A * B^T; names the first one.
static inline int wrong_elements_f32(const float *c, const signed char *a, const signed char *b, int m, int n,
                                     int k) {
  int wrong = 0;
  for (int i = 0; i < m; ++i) {
    for (int j = 0; j < n; ++j) {
      const int expected = product_element(a, b, k, i, j);
      const float got = c[(size_t)i * (size_t)n + (size_t)j];
      if (got != (float)expected && wrong++ == 0)
        printf("C[%d][%d] is %g, expected %d\n", i, j, (double)got, expected);
    }
  }
  return wrong;
}

#endif
