// SPDX-License-Identifier: MIT
// The 16x16 tile product all f32 matrix instructions are made of.
//
// It serves F32 and I8, and every type under WT_SIM_MFMA=fast (grouped.c has the hardware's arithmetic of the
// others): products are exact and each is added to the f32 accumulator in order of k with one rounding to
// nearest even (a fused multiply-add), starting from C. Subnormals are kept. Which NaN the hardware returns
// is not published; here it is always 0x7fc00000, so that every host gives the same bits.
#include <float.h>
#include <math.h>

#include "sim/exec/mfma/mfma.h"

#if defined(__FMA__)
#include <immintrin.h>
#endif

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

#if defined(__AVX512F__)

// One zmm holds a row of the tile: 16 accumulators hide the latency of the fused multiply-add.
static inline void tile(const float *a, const float *b, size_t stride, int depth, const float *const c[16],
                        float *const d[16]) {
  __m512 acc[16];
  UNROLL for (int i = 0; i < 16; ++i) acc[i] = _mm512_loadu_ps(c[i]);
  for (int k = 0; k < depth; ++k, a += stride, b += stride) {
    __m512 row = _mm512_loadu_ps(b);
    UNROLL for (int i = 0; i < 16; ++i) acc[i] = _mm512_fmadd_ps(_mm512_set1_ps(a[i]), row, acc[i]);
  }
  const __m512 nan = _mm512_castsi512_ps(_mm512_set1_epi32(0x7fc00000));
  UNROLL for (int i = 0; i < 16; ++i) {
    __mmask16 unordered = _mm512_cmp_ps_mask(acc[i], acc[i], _CMP_UNORD_Q);
    _mm512_storeu_ps(d[i], _mm512_mask_mov_ps(acc[i], unordered, nan));
  }
}

#elif defined(__FMA__)

// This takes four rows at a time: eight accumulators, two of B and one broadcast fit the 16 registers.
static inline void tile(const float *a, const float *b, size_t stride, int depth, const float *const c[16],
                        float *const d[16]) {
  const __m256 nan = _mm256_castsi256_ps(_mm256_set1_epi32(0x7fc00000));
  for (int i0 = 0; i0 < 16; i0 += 4) {
    __m256 acc[8];
    UNROLL for (int i = 0; i < 8; ++i) acc[i] = _mm256_loadu_ps(c[i0 + i / 2] + i % 2 * 8);
    const float *ak = a + i0, *bk = b;
    for (int k = 0; k < depth; ++k, ak += stride, bk += stride) {
      __m256 left = _mm256_loadu_ps(bk), right = _mm256_loadu_ps(bk + 8);
      UNROLL for (int i = 0; i < 4; ++i) {
        __m256 factor = _mm256_broadcast_ss(ak + i);
        acc[2 * i] = _mm256_fmadd_ps(factor, left, acc[2 * i]);
        acc[2 * i + 1] = _mm256_fmadd_ps(factor, right, acc[2 * i + 1]);
      }
    }
    UNROLL for (int i = 0; i < 8; ++i) {
      __m256 unordered = _mm256_cmp_ps(acc[i], acc[i], _CMP_UNORD_Q);
      _mm256_storeu_ps(d[i0 + i / 2] + i % 2 * 8, _mm256_blendv_ps(acc[i], nan, unordered));
    }
  }
}

#else

// This is without a fused multiply-add: where the product is exact in f32, multiplying and then adding rounds
// once too. Otherwise this is the library's fmaf, which is slow but right.
#define TILE(name, STEP)                                                                                  \
  static void name(const float *a, const float *b, size_t stride, int depth, const float *const c[16],    \
                   float *const d[16]) {                                                                  \
    for (int i0 = 0; i0 < 16; i0 += 2) {                                                                  \
      float acc[2][16];                                                                                   \
      for (int i = 0; i < 2; ++i) memcpy(acc[i], c[i0 + i], sizeof acc[i]);                               \
      for (int k = 0; k < depth; ++k)                                                                     \
        for (int i = 0; i < 2; ++i)                                                                       \
          for (int j = 0; j < 16; ++j)                                                                    \
            acc[i][j] = STEP(a[(size_t)k * stride + (size_t)(i0 + i)], b[(size_t)k * stride + (size_t)j], \
                             acc[i][j]);                                                                  \
      for (int i = 0; i < 2; ++i)                                                                         \
        for (int j = 0; j < 16; ++j) d[i0 + i][j] = sim_canonical(acc[i][j]);                             \
    }                                                                                                     \
  }
#define MULTIPLY_ADD(x, y, z) ((x) * (y) + (z))
TILE(tile_exact, MULTIPLY_ADD)
TILE(tile_fused, fmaf)

#endif

void SIM_VARIANT_NAME(sim_mfma_tile)(const float *a, const float *b, size_t stride, int depth, bool exact,
                                     const float *const c[16], float *const d[16]) {
#if defined(__FMA__)
  (void)exact;
  tile(a, b, stride, depth, c, d);
#else
  (exact ? tile_exact : tile_fused)(a, b, stride, depth, c, d);
#endif
}

bool SIM_VARIANT_NAME(sim_mfma_exact)(sim_elem elem, const float *values, size_t count) {
#if defined(__FMA__)
  (void)elem, (void)values, (void)count;
  return true;
#else
  if (elem == SIM_ELEM_F32) return false;
  if (elem != SIM_ELEM_BF16 && elem != SIM_ELEM_XF32) return true;
  // They have at most 11 significant bits each: exact unless the product leaves the range of normal numbers.
  // Zeros, infinities and NaNs behave alike in both forms; other magnitudes must lie in [2^-59, 2^63).
  bool exact = true;
  for (size_t i = 0; i < count; ++i) {
    uint32_t magnitude = sim_bits32(values[i]) & 0x7fffffff;
    exact &= (magnitude - (68u << 23) < (122u << 23)) | (magnitude == 0) | (magnitude >= 0x7f800000u);
  }
  return exact;
#endif
}

void SIM_VARIANT_NAME(sim_mfma_lanes)(float *acc, const float *a, const float *b, int count, bool exact) {
#if defined(__FMA__)
  (void)exact;
  for (int i = 0; i < count; ++i) acc[i] = __builtin_fmaf(a[i], b[i], acc[i]);
#else
  for (int i = 0; i < count; ++i) acc[i] = exact ? a[i] * b[i] + acc[i] : fmaf(a[i], b[i], acc[i]);
#endif
}

// ---- under MODE

static float flush(float x, unsigned on) { return on && fabsf(x) < FLT_MIN ? copysignf(0.0f, x) : x; }

static float saturate(float result, bool finite, unsigned flags) {
  return flags & SIM_MFMA_SATURATE && isinf(result) && finite ? copysignf(FLT_MAX, result) : result;
}

float SIM_VARIANT_NAME(sim_mfma_step)(float acc, float a, float b, unsigned flags) {
  a = flush(a, flags & SIM_MFMA_FLUSH_IN);
  b = flush(b, flags & SIM_MFMA_FLUSH_IN);
  acc = flush(acc, flags & SIM_MFMA_FLUSH_IN);
  float sum = saturate(fmaf(a, b, acc), isfinite(a) && isfinite(b) && isfinite(acc), flags);
  return flush(sim_canonical(sum), flags & SIM_MFMA_FLUSH_OUT);
}

void SIM_VARIANT_NAME(sim_mfma_tile_by_mode)(const float *a, const float *b, size_t stride, int depth,
                                             unsigned flags, const float *const c[16], float *const d[16]) {
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j) {
      float acc = c[i][j];
      for (size_t k = 0; k < (size_t)depth; ++k)
        acc =
            SIM_VARIANT_NAME(sim_mfma_step)(acc, a[k * stride + (size_t)i], b[k * stride + (size_t)j], flags);
      d[i][j] = acc;
    }
}

// ---- E8M0 scales

void SIM_VARIANT_NAME(sim_mfma_add_scaled)(const float *block, double a, const double *b, unsigned flags,
                                           const float *c, float *d) {
  float scaled[16], sum[16];
  for (int j = 0; j < 16; ++j) scaled[j] = (float)(block[j] * (a * b[j]));
  for (int j = 0; j < 16 && flags; ++j) scaled[j] = saturate(scaled[j], isfinite(block[j]), flags);
  for (int j = 0; j < 16; ++j) sum[j] = scaled[j] + c[j];
  for (int j = 0; j < 16 && flags; ++j)
    sum[j] = saturate(sum[j], isfinite(scaled[j]) && isfinite(c[j]), flags);
  for (int j = 0; j < 16; ++j) d[j] = sim_canonical(sum[j]);
}
