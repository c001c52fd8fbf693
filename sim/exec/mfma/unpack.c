// SPDX-License-Identifier: MIT
// Turns the packed values of MFMA operands into f32, exactly (xf32 alone rounds), in the order the product
// wants.
//
// All formats share one lane layout (CDNA4 ISA 7.1.4): with G = 64 / (m * blocks) lanes per row, lane l
// belongs to row l % m of block (l / m) % blocks and holds the k slice number g = l / m / blocks. So 16
// neighbouring lanes are 16 neighbouring rows, and one register row converts into whole rows of [k][m].
#include "sim/exec/mfma/formats.h"
#include "sim/exec/mfma/mfma.h"
#if defined(__F16C__)
#include <immintrin.h>
#endif

#define LOOP_LANES for (int i = 0; i < 16; ++i)

// ---- 16 lanes of one dword: item e goes to out + e * stride
// ---------------------------------------------------------------

#define EXPAND(name, per_dword, width, convert)                                                \
  static inline void name(const uint32_t *x, float *out, size_t stride) {                      \
    for (int e = 0; e < per_dword; ++e)                                                        \
      LOOP_LANES out[(size_t)e * stride + i] =                                                 \
          convert(width == 32 ? x[i] : x[i] >> (e * (width % 32)) & ((1u << width % 32) - 1)); \
  }
EXPAND(expand_f32, 1, 32, from_f32)
EXPAND(expand_xf32, 1, 32, from_xf32)
EXPAND(expand_bf16, 2, 16, from_bf16)
EXPAND(expand_i8, 4, 8, from_i8)
EXPAND(expand_bf8_fnuz, 4, 8, from_bf8_fnuz)

#if defined(__AVX512F__)
// Sixteen f16 in 256 bits; the conversion quiets NaNs and keeps subnormals.
static inline void expand_f16(const uint32_t *x, float *out, size_t stride) {
  __m512i d = _mm512_loadu_si512(x);
  _mm512_storeu_ps(out, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(d)));
  _mm512_storeu_ps(out + stride, _mm512_cvtph_ps(_mm512_cvtepi32_epi16(_mm512_srli_epi32(d, 16))));
}

// Words 2l (byte 0 or 1 of lane l) to the lower half, words 2l + 1 (byte 2 or 3) to the upper half.
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
#else
#if defined(__F16C__)
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
#else
EXPAND(expand_f16, 2, 16, from_f16)
#endif
EXPAND(expand_fp8_ocp, 4, 8, from_fp8_ocp)
EXPAND(expand_fp8_fnuz, 4, 8, from_fp8_fnuz)
EXPAND(expand_bf8_ocp, 4, 8, from_bf8_ocp)
EXPAND(expand_fp4, 8, 4, from_fp4)
#endif

// ---- whole operands
// ----------------------------------------------------------------------------------------------------------

static int elem_bits(sim_elem elem) {
  switch (elem) {
    case SIM_ELEM_F32:
    case SIM_ELEM_XF32: return 32;
    case SIM_ELEM_F16:
    case SIM_ELEM_BF16: return 16;
    case SIM_ELEM_FP6:
    case SIM_ELEM_BF6: return 6;
    case SIM_ELEM_FP4: return 4;
    default: return 8;
  }
}

typedef struct layout {
  size_t width;   // columns of an output row
  int k, slices;  // depth, lanes that share a row
  int blocks, per_lane;
  bool halves;  // 32 bytes of 8-bit data per lane: two runs of 16, K / 2 apart (CDNA4 ISA 7, f8f6f4)
} layout;

static inline int k_of(const layout *l, int slice, int item) {
  if (l->halves) return item / 16 * (l->k / 2) + 16 * slice + item % 16;
  return l->per_lane * slice + item;
}

// Calls expand(row, out, stride) for every 16 lanes of every register row.
#define FOR_ROWS(expand)                                                                  \
  for (int r = 0; r * items < l.per_lane; ++r)                                            \
    for (size_t lane = 0; lane < SIM_LANES; lane += 16) {                                 \
      int part = (int)(lane / l.width), block = part % l.blocks, slice = part / l.blocks; \
      size_t k = (size_t)(block * l.k + k_of(&l, slice, r * items));                      \
      expand(rows[r] + lane, out + k * l.width + lane % l.width, l.width);                \
    }

// 6-bit items: 32 per lane, densely over 6 dwords.
static void unpack_6bit(const uint32_t (*rows)[SIM_LANES], const layout *l, sim_elem elem, float *out) {
  for (int item = 0; item < l->per_lane; ++item) {
    int bit = 6 * item, low = bit / 32, high = (bit + 5) / 32, shift = bit % 32;
    for (size_t lane = 0; lane < SIM_LANES; lane += 16) {
      float *to = out + (size_t)k_of(l, (int)(lane / l->width), item) * l->width + lane % l->width;
      const uint32_t *x = rows[low] + lane, *y = rows[high] + lane;
      if (elem == SIM_ELEM_FP6)
        LOOP_LANES to[i] = from_fp6((uint32_t)((x[i] | (uint64_t)y[i] << 32) >> shift) & 63);
      else
        LOOP_LANES to[i] = from_bf6((uint32_t)((x[i] | (uint64_t)y[i] << 32) >> shift) & 63);
    }
  }
}

void SIM_VARIANT_NAME(sim_mfma_unpack)(const uint32_t (*rows)[SIM_LANES], const sim_mfma_shape *shape,
                                       sim_elem elem, sim_chip chip, float *out) {
  layout l = {.width = shape->m, .k = shape->k, .blocks = shape->blocks};
  if (shape->m < 16) {  // every lane is a column of its own
    l.width = SIM_LANES;
    l.blocks = 1;
  }
  l.slices = SIM_LANES / (int)l.width / l.blocks;
  l.per_lane = l.k / l.slices;
  int items = 32 / elem_bits(elem);  // per dword
  l.halves = elem_bits(elem) == 8 && l.per_lane == 32;
  bool ocp = chip == SIM_GFX950;
  switch (elem) {
    case SIM_ELEM_F32: FOR_ROWS(expand_f32) break;
    case SIM_ELEM_XF32: FOR_ROWS(expand_xf32) break;
    case SIM_ELEM_F16: FOR_ROWS(expand_f16) break;
    case SIM_ELEM_BF16: FOR_ROWS(expand_bf16) break;
    case SIM_ELEM_I8: FOR_ROWS(expand_i8) break;
    case SIM_ELEM_FP8:
      if (ocp)
        FOR_ROWS(expand_fp8_ocp)
      else
        FOR_ROWS(expand_fp8_fnuz)
      break;
    case SIM_ELEM_BF8:
      if (ocp)
        FOR_ROWS(expand_bf8_ocp)
      else
        FOR_ROWS(expand_bf8_fnuz)
      break;
    case SIM_ELEM_FP4: FOR_ROWS(expand_fp4) break;
    default: unpack_6bit(rows, &l, elem, out);
  }
}

uint64_t SIM_VARIANT_NAME(sim_mfma_constant)(unsigned code, bool wide) {
  static const double floats[] = {0.5, -0.5, 1.0, -1.0, 2.0, -2.0, 4.0, -4.0};
  if (code >= 128 && code <= 192) return code - 128;
  if (code >= 193 && code <= 208) return wide ? (uint64_t)(192 - (int64_t)code) : (uint32_t)(192 - (int)code);
  if (code == 248) return wide ? 0x3fc45f306dc9c882u : 0x3e22f983u;  // 1 / (2 pi)
  if (code < 240 || code > 247) return 0;
  double value = floats[code - 240];
  if (!wide) return sim_bits((float)value);
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
