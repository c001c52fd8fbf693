// SPDX-License-Identifier: MIT
// Defines vectors of as many columns of a matrix as a register of the host has.
#ifndef SIM_EXEC_MFMA_COLUMNS_H
#define SIM_EXEC_MFMA_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#if defined(__AVX512F__)
enum { COLUMNS = 16 };
#elif defined(__AVX2__)
enum { COLUMNS = 8 };
#else
enum { COLUMNS = 4 };
#endif
typedef float floats __attribute__((vector_size(COLUMNS * sizeof(float))));
typedef int32_t ints __attribute__((vector_size(COLUMNS * sizeof(int32_t))));
typedef uint32_t uints __attribute__((vector_size(COLUMNS * sizeof(uint32_t))));
// There are half as many, so that these fill a register too.
enum { HALF = COLUMNS / 2 };
typedef double doubles __attribute__((vector_size(HALF * sizeof(double))));
typedef int64_t longs __attribute__((vector_size(HALF * sizeof(int64_t))));

#define ALWAYS_INLINE static inline __attribute__((always_inline))
#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

ALWAYS_INLINE floats load_floats(const float *from) {
  floats x;
  memcpy(&x, from, sizeof x);
  return x;
}
ALWAYS_INLINE ints load_ints(const int32_t *from) {
  ints x;
  memcpy(&x, from, sizeof x);
  return x;
}

ALWAYS_INLINE ints choose_ints(ints mask, ints yes, ints no) { return (mask & yes) | (~mask & no); }
ALWAYS_INLINE floats choose(ints mask, floats yes, floats no) {
  return (floats)choose_ints(mask, (ints)yes, (ints)no);
}

// Returns whether an element is not zero.
ALWAYS_INLINE bool any_set(ints x) {
#if defined(__AVX512F__)
  return _mm512_test_epi32_mask((__m512i)x, (__m512i)x) != 0;
#elif defined(__AVX2__)
  return !_mm256_testz_si256((__m256i)x, (__m256i)x);
#else
  int32_t any = 0;
  for (int j = 0; j < COLUMNS; ++j) any |= x[j];
  return any != 0;
#endif
}

// Returns the larger of each two numbers; the numbers are not NaN.
ALWAYS_INLINE floats larger(floats x, floats y) {
#if defined(__AVX512F__)
  return (floats)_mm512_max_ps((__m512)x, (__m512)y);
#elif defined(__AVX2__)
  return (floats)_mm256_max_ps((__m256)x, (__m256)y);
#elif defined(__SSE2__)
  return (floats)_mm_max_ps((__m128)x, (__m128)y);
#else
  return choose(x > y, x, y);
#endif
}

// Returns the smaller of each two numbers; the numbers are not NaN.
ALWAYS_INLINE floats smaller(floats x, floats y) {
#if defined(__AVX512F__)
  return (floats)_mm512_min_ps((__m512)x, (__m512)y);
#elif defined(__AVX2__)
  return (floats)_mm256_min_ps((__m256)x, (__m256)y);
#elif defined(__SSE2__)
  return (floats)_mm_min_ps((__m128)x, (__m128)y);
#else
  return choose(x < y, x, y);
#endif
}

// Both halves of x as f64.
ALWAYS_INLINE void widen_floats(floats x, doubles out[2]) {
#if defined(__AVX512F__)
  out[0] = (doubles)_mm512_cvtps_pd(_mm512_castps512_ps256((__m512)x));
  out[1] = (doubles)_mm512_cvtps_pd(_mm512_extractf32x8_ps((__m512)x, 1));
#elif defined(__AVX2__)
  out[0] = (doubles)_mm256_cvtps_pd(_mm256_castps256_ps128((__m256)x));
  out[1] = (doubles)_mm256_cvtps_pd(_mm256_extractf128_ps((__m256)x, 1));
#else
  for (int j = 0; j < COLUMNS; ++j) out[j / HALF][j % HALF] = x[j];
#endif
}
ALWAYS_INLINE void widen_ints(ints x, doubles out[2]) {
#if defined(__AVX512F__)
  out[0] = (doubles)_mm512_cvtepi32_pd(_mm512_castsi512_si256((__m512i)x));
  out[1] = (doubles)_mm512_cvtepi32_pd(_mm512_extracti32x8_epi32((__m512i)x, 1));
#elif defined(__AVX2__)
  out[0] = (doubles)_mm256_cvtepi32_pd(_mm256_castsi256_si128((__m256i)x));
  out[1] = (doubles)_mm256_cvtepi32_pd(_mm256_extracti128_si256((__m256i)x, 1));
#else
  for (int j = 0; j < COLUMNS; ++j) out[j / HALF][j % HALF] = x[j];
#endif
}
// Rounds both halves to f32.
ALWAYS_INLINE floats narrow(const doubles in[2]) {
#if defined(__AVX512F__)
  const __m512 low = _mm512_castps256_ps512(_mm512_cvtpd_ps((__m512d)in[0]));
  return (floats)_mm512_insertf32x8(low, _mm512_cvtpd_ps((__m512d)in[1]), 1);
#elif defined(__AVX2__)
  return (floats)_mm256_set_m128(_mm256_cvtpd_ps((__m256d)in[1]), _mm256_cvtpd_ps((__m256d)in[0]));
#else
  floats x;
  for (int j = 0; j < COLUMNS; ++j) x[j] = (float)in[j / HALF][j % HALF];
  return x;
#endif
}

// Each element is two numbers of 16 bits: returns the sums of their products.
ALWAYS_INLINE ints multiply_pairs(ints x, ints y) {
#if defined(__AVX512BW__)
  return (ints)_mm512_madd_epi16((__m512i)x, (__m512i)y);
#elif defined(__AVX2__)
  return (ints)_mm256_madd_epi16((__m256i)x, (__m256i)y);
#elif defined(__SSE2__)
  return (ints)_mm_madd_epi16((__m128i)x, (__m128i)y);
#else
  return (x << 16 >> 16) * (y << 16 >> 16) + (x >> 16) * (y >> 16);
#endif
}

#endif
