// SPDX-License-Identifier: MIT
// Handles rows and lane masks on the host's vector unit: filling, merging under a mask, mask to row and back;
// and the host's rounding mode.
#ifndef SIM_EXEC_VECTOR_LANES_H
#define SIM_EXEC_VECTOR_LANES_H

#include "sim/exec/vector/vector.h"

#if defined(__SSE2__)
#include <immintrin.h>
#else
#include <fenv.h>
#endif

static inline void fill_row(uint32_t row[SIM_LANES], uint32_t value) {
  for (int l = 0; l < SIM_LANES; ++l) row[l] = value;
}

// Sets the row to 1 in the lanes of the mask, to 0 elsewhere.
static inline void spread_mask(uint32_t row[SIM_LANES], uint64_t mask) {
#if defined(__AVX512F__)
  for (int i = 0; i < 4; ++i)
    _mm512_storeu_si512(row + 16 * i, _mm512_maskz_set1_epi32((__mmask16)(mask >> (16 * i)), 1));
#else
  for (int l = 0; l < SIM_LANES; ++l) row[l] = (uint32_t)(mask >> l) & 1;
#endif
}

// Returns the mask of the lanes whose value is odd; rows of masks hold 0 or 1.
static inline uint64_t gather_mask(const uint32_t row[SIM_LANES]) {
  uint64_t mask = 0;
#if defined(__AVX512F__)
  for (int i = 0; i < 4; ++i)
    mask |= (uint64_t)_mm512_test_epi32_mask(_mm512_loadu_si512(row + 16 * i), _mm512_set1_epi32(1))
            << (16 * i);
#elif defined(__AVX2__)
  for (int i = 0; i < 8; ++i) {
    __m256i bits = _mm256_slli_epi32(_mm256_loadu_si256((const __m256i *)(row + 8 * i)), 31);
    mask |= (uint64_t)(uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(bits)) << (8 * i);
  }
#else
  for (int l = 0; l < SIM_LANES; ++l) mask |= (uint64_t)(row[l] & 1) << l;
#endif
  return mask;
}

// Copies s to d in the lanes of the mask.
static inline void merge_row(uint32_t *d, const uint32_t *s, uint64_t mask) {
#if defined(__AVX512F__)
  for (int i = 0; i < 4; ++i)
    _mm512_mask_storeu_epi32(d + 16 * i, (__mmask16)(mask >> (16 * i)), _mm512_loadu_si512(s + 16 * i));
#else
  if (mask == UINT64_MAX) {
    memcpy(d, s, SIM_LANES * sizeof *d);
    return;
  }
  for (int l = 0; l < SIM_LANES; ++l) d[l] = mask >> l & 1 ? s[l] : d[l];
#endif
}

// Sets the host's rounding from a MODE field (0 nearest even, 1 up, 2 down, 3 to zero). Returns what to
// restore.
static inline int set_host_rounding(unsigned field) {
#if defined(__SSE2__)
  static const unsigned control[4] = {0, 2, 1, 3};  // MXCSR.RC
  unsigned before = _mm_getcsr();
  _mm_setcsr((before & ~0x6000u) | control[field] << 13);
  return (int)before;
#else
  static const int control[4] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  int before = fegetround();
  fesetround(control[field]);
  return before;
#endif
}

static inline void restore_host_rounding(int before) {
#if defined(__SSE2__)
  _mm_setcsr((unsigned)before);
#else
  fesetround(before);
#endif
}

#endif
