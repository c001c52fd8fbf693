// SPDX-License-Identifier: MIT
// Converts sixteen lanes of packed values to f32: plain loops over formats.h, and AVX-512 forms of the
// formats that kernels use most.
#ifndef SIM_EXEC_MFMA_EXPAND_H
#define SIM_EXEC_MFMA_EXPAND_H

#include "sim/exec/mfma/formats.h"
#include "sim/exec/mfma/mfma.h"
#if defined(__F16C__)
#include <immintrin.h>
#endif

#define LOOP_LANES for (int i = 0; i < 16; ++i)

// ---- 16 lanes of one dword: item e goes to out + e * stride

#define EXPAND(name, per_dword, width, convert)                                                \
  static inline void name(const uint32_t *x, float *out, size_t stride) {                      \
    for (int e = 0; e < per_dword; ++e)                                                        \
      LOOP_LANES out[(size_t)e * stride + i] =                                                 \
          convert(width == 32 ? x[i] : x[i] >> (e * (width % 32)) & ((1u << width % 32) - 1)); \
  }
EXPAND(expand_f32, 1, 32, from_f32)
EXPAND(expand_xf32, 1, 32, from_xf32)
EXPAND(expand_bf8_fnuz, 4, 8, from_bf8_fnuz)

#if defined(__AVX512F__)
static inline void expand_bf16(const uint32_t *x, float *out, size_t stride) {
  __m512i d = _mm512_loadu_si512(x);
  _mm512_storeu_si512(out, _mm512_slli_epi32(d, 16));
  _mm512_storeu_si512(out + stride, _mm512_and_si512(d, _mm512_set1_epi32((int)0xffff0000)));
}

static inline void expand_i8(const uint32_t *x, float *out, size_t stride) {
  __m512i d = _mm512_loadu_si512(x);
  for (int e = 0; e < 4; ++e) {
    __m512i top = _mm512_sllv_epi32(d, _mm512_set1_epi32(24 - 8 * e));
    _mm512_storeu_ps(out + (size_t)e * stride, _mm512_cvtepi32_ps(_mm512_srai_epi32(top, 24)));
  }
}

// Expands sixteen f16 in 256 bits; the conversion quiets NaNs and keeps subnormals.
static inline void expand_f16(const uint32_t *x, float *out, size_t stride) {
  __m512i d = _mm512_loadu_si512(x);
  _mm512_storeu_ps(out, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(d)));
  _mm512_storeu_ps(out + stride, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(d, 16))));
}

// Stores words 2l (byte 0 or 1 of lane l) to `even` and words 2l + 1 (byte 2 or 3) to `odd`.
static inline void store_halves(__m512i words, float scale, float *even, float *odd) {
  const __m512i order = _mm512_set_epi16(31, 29, 27, 25, 23, 21, 19, 17, 15, 13, 11, 9, 7, 5, 3, 1, 30, 28,
                                         26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
  words = _mm512_permutexvar_epi16(order, words);
  __m512 factor = _mm512_set1_ps(scale);
  _mm512_storeu_ps(even, _mm512_mul_ps(_mm512_cvtph_ps(_mm512_castsi512_si256(words)), factor));
  _mm512_storeu_ps(odd, _mm512_mul_ps(_mm512_cvtph_ps(_mm512_extracti64x4_epi64(words, 1)), factor));
}

// E4M3 shifted into f16 is the value times 2^-(15 - bias); a NaN code becomes an f16 NaN first.
static inline __m512i fp8_words(__m512i high_bytes, bool fnuz) {
  __m512i words = _mm512_and_si512(_mm512_srai_epi16(high_bytes, 1), _mm512_set1_epi16((short)0xbf80));
  __mmask32 nan = fnuz ? _mm512_cmpeq_epi16_mask(high_bytes, _mm512_set1_epi16((short)0x8000))
                       : _mm512_cmpeq_epi16_mask(_mm512_and_si512(words, _mm512_set1_epi16(0x7fff)),
                                                 _mm512_set1_epi16(0x3f80));
  return _mm512_mask_mov_epi16(words, nan, _mm512_set1_epi16(0x7e00));
}

static inline void expand_fp8(const uint32_t *x, float *out, size_t stride, bool fnuz) {
  __m512i d = _mm512_loadu_si512(x);
  float scale = fnuz ? 128.0f : 256.0f;
  __m512i even = fp8_words(_mm512_slli_epi16(d, 8), fnuz);
  __m512i odd = fp8_words(_mm512_and_si512(d, _mm512_set1_epi16((short)0xff00)), fnuz);
  store_halves(even, scale, out, out + 2 * stride);
  store_halves(odd, scale, out + stride, out + 3 * stride);
}
static inline void expand_fp8_ocp(const uint32_t *x, float *out, size_t stride) {
  expand_fp8(x, out, stride, false);
}
static inline void expand_fp8_fnuz(const uint32_t *x, float *out, size_t stride) {
  expand_fp8(x, out, stride, true);
}

static inline void expand_bf8_ocp(const uint32_t *x, float *out, size_t stride) {
  __m512i d = _mm512_loadu_si512(x);
  store_halves(_mm512_slli_epi16(d, 8), 1.0f, out, out + 2 * stride);
  store_halves(_mm512_and_si512(d, _mm512_set1_epi16((short)0xff00)), 1.0f, out + stride, out + 3 * stride);
}

static inline void expand_fp4(const uint32_t *x, float *out, size_t stride) {
  const __m512 table = _mm512_setr_ps(0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f, -0.0f, -0.5f, -1.0f,
                                      -1.5f, -2.0f, -3.0f, -4.0f, -6.0f);
  __m512i d = _mm512_loadu_si512(x);
  for (int e = 0; e < 8; ++e)  // the permutation looks at the low 4 bits only
    _mm512_storeu_ps(out + (size_t)e * stride,
                     _mm512_permutexvar_ps(_mm512_srlv_epi32(d, _mm512_set1_epi32(4 * e)), table));
}
// Six bits that begin at bit `shift` of x and may continue in y: magnitude by a table of 32, sign to bit 31.
static inline void expand_6bit(const uint32_t *x, const uint32_t *y, int shift, __m512 low, __m512 high,
                               float *out) {
  __m512i code = _mm512_srlv_epi32(_mm512_loadu_si512(x), _mm512_set1_epi32(shift));
  // Shift counts of 32 and more give zero.
  code = _mm512_or_si512(
      code, _mm512_sllv_epi32(_mm512_loadu_si512(y), _mm512_set1_epi32(x == y ? 32 : 32 - shift)));
  __m512i magnitude = _mm512_castps_si512(_mm512_permutex2var_ps(low, code, high));
  __m512i sign = _mm512_and_si512(_mm512_slli_epi32(code, 26), _mm512_set1_epi32((int)0x80000000));
  _mm512_storeu_si512(out, _mm512_or_si512(magnitude, sign));
}
static inline void expand_fp6(const uint32_t *x, const uint32_t *y, int shift, float *out) {
  expand_6bit(
      x, y, shift,
      _mm512_setr_ps(0, 0.125f, 0.25f, 0.375f, 0.5f, 0.625f, 0.75f, 0.875f, 1, 1.125f, 1.25f, 1.375f, 1.5f,
                     1.625f, 1.75f, 1.875f),
      _mm512_setr_ps(2, 2.25f, 2.5f, 2.75f, 3, 3.25f, 3.5f, 3.75f, 4, 4.5f, 5, 5.5f, 6, 6.5f, 7, 7.5f), out);
}
static inline void expand_bf6(const uint32_t *x, const uint32_t *y, int shift, float *out) {
  expand_6bit(x, y, shift,
              _mm512_setr_ps(0, 0.0625f, 0.125f, 0.1875f, 0.25f, 0.3125f, 0.375f, 0.4375f, 0.5f, 0.625f,
                             0.75f, 0.875f, 1, 1.25f, 1.5f, 1.75f),
              _mm512_setr_ps(2, 2.5f, 3, 3.5f, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28), out);
}
#else
#if defined(__F16C__) && defined(__AVX2__)
static inline void expand_f16(const uint32_t *x, float *out, size_t stride) {
  uint16_t half[2][16];
  LOOP_LANES {
    half[0][i] = (uint16_t)x[i];
    half[1][i] = (uint16_t)(x[i] >> 16);
  }
  for (int e = 0; e < 2; ++e)
    for (int i = 0; i < 16; i += 8)
      _mm256_storeu_ps(out + (size_t)e * stride + i,
                       _mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)(half[e] + i))));
}

// These do the same as the AVX-512 forms, eight lanes at a time.
static inline void store_halves(__m256i words, float scale, float *even, float *odd) {
  const __m256i order =
      _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15));
  words = _mm256_permute4x64_epi64(_mm256_shuffle_epi8(words, order), 0xd8);
  __m256 factor = _mm256_set1_ps(scale);
  _mm256_storeu_ps(even, _mm256_mul_ps(_mm256_cvtph_ps(_mm256_castsi256_si128(words)), factor));
  _mm256_storeu_ps(odd, _mm256_mul_ps(_mm256_cvtph_ps(_mm256_extracti128_si256(words, 1)), factor));
}

static inline __m256i fp8_words(__m256i high_bytes, bool fnuz) {
  __m256i words = _mm256_and_si256(_mm256_srai_epi16(high_bytes, 1), _mm256_set1_epi16((short)0xbf80));
  __m256i nan = fnuz ? _mm256_cmpeq_epi16(high_bytes, _mm256_set1_epi16((short)0x8000))
                     : _mm256_cmpeq_epi16(_mm256_and_si256(words, _mm256_set1_epi16(0x7fff)),
                                          _mm256_set1_epi16(0x3f80));
  return _mm256_or_si256(words, _mm256_and_si256(nan, _mm256_set1_epi16(0x7e00)));
}

static inline void expand_fp8(const uint32_t *x, float *out, size_t stride, bool fnuz) {
  float scale = fnuz ? 128.0f : 256.0f;
  for (int i = 0; i < 16; i += 8) {
    __m256i d = _mm256_loadu_si256((const __m256i *)(x + i));
    __m256i even = fp8_words(_mm256_slli_epi16(d, 8), fnuz);
    __m256i odd = fp8_words(_mm256_and_si256(d, _mm256_set1_epi16((short)0xff00)), fnuz);
    store_halves(even, scale, out + i, out + 2 * stride + i);
    store_halves(odd, scale, out + stride + i, out + 3 * stride + i);
  }
}
static inline void expand_fp8_ocp(const uint32_t *x, float *out, size_t stride) {
  expand_fp8(x, out, stride, false);
}
static inline void expand_fp8_fnuz(const uint32_t *x, float *out, size_t stride) {
  expand_fp8(x, out, stride, true);
}

static inline void expand_bf8_ocp(const uint32_t *x, float *out, size_t stride) {
  for (int i = 0; i < 16; i += 8) {
    __m256i d = _mm256_loadu_si256((const __m256i *)(x + i));
    store_halves(_mm256_slli_epi16(d, 8), 1.0f, out + i, out + 2 * stride + i);
    store_halves(_mm256_and_si256(d, _mm256_set1_epi16((short)0xff00)), 1.0f, out + stride + i,
                 out + 3 * stride + i);
  }
}
#else
EXPAND(expand_f16, 2, 16, from_f16)
EXPAND(expand_fp8_ocp, 4, 8, from_fp8_ocp)
EXPAND(expand_fp8_fnuz, 4, 8, from_fp8_fnuz)
EXPAND(expand_bf8_ocp, 4, 8, from_bf8_ocp)
#endif
EXPAND(expand_fp4, 8, 4, from_fp4)
EXPAND(expand_bf16, 2, 16, from_bf16)
EXPAND(expand_i8, 4, 8, from_i8)
#define EXPAND_6BIT(name, convert)                                                        \
  static inline void name(const uint32_t *x, const uint32_t *y, int shift, float *out) {  \
    LOOP_LANES out[i] = convert((uint32_t)((x[i] | (uint64_t)y[i] << 32) >> shift) & 63); \
  }
EXPAND_6BIT(expand_fp6, from_fp6)
EXPAND_6BIT(expand_bf6, from_bf6)
#endif

#endif
