// SPDX-License-Identifier: MIT
// Describes the MX formats as numbers, from the definitions in the OCP Microscaling specification v1.0
// (sections 5.3 and 6.3): elements, packed blocks, E8M0 scales, and the scale of a block from its largest
// magnitude.
#ifndef WT_TESTS_BLOCK_SCALE_MX_H
#define WT_TESTS_BLOCK_SCALE_MX_H

#include <math.h>

#include "row_matrix.h"
#include "tools/core/philox.h"

enum { MX_BLOCK = 32, MX_MOST_CODES = 128, MX_SCALE_NAN = 255 };

typedef struct mx_format {
  wt_type type;
  int bits, exponent_bits, fraction_bits, bias;
  int top;         // the exponent of the largest number
  double largest;  // as the specification's tables state it
} mx_format;

static const mx_format mx_formats[] = {{WT_TYPE_F8E4M3, 8, 4, 3, 7, 8, 448},
                                       {WT_TYPE_F8E5M2, 8, 5, 2, 15, 15, 57344},
                                       {WT_TYPE_F6E2M3, 6, 2, 3, 1, 2, 7.5},
                                       {WT_TYPE_F6E3M2, 6, 3, 2, 3, 4, 28},
                                       {WT_TYPE_F4E2M1, 4, 2, 1, 1, 2, 6}};
enum { MX_FORMATS = sizeof mx_formats / sizeof *mx_formats };

static inline const mx_format *mx_format_of(wt_type type) {
  for (int i = 0; i < MX_FORMATS; ++i)
    if (mx_formats[i].type == type) return &mx_formats[i];
  return NULL;
}

// Lists the types of A and B that products of MX formats take (gemm_mx.h).
static const wt_type mx_pairs[][2] = {
    {WT_TYPE_F4E2M1, WT_TYPE_F4E2M1}, {WT_TYPE_F6E2M3, WT_TYPE_F6E2M3}, {WT_TYPE_F6E3M2, WT_TYPE_F6E3M2},
    {WT_TYPE_F6E2M3, WT_TYPE_F4E2M1}, {WT_TYPE_F6E3M2, WT_TYPE_F4E2M1}, {WT_TYPE_F8E4M3, WT_TYPE_F8E4M3},
    {WT_TYPE_F8E4M3, WT_TYPE_F4E2M1}, {WT_TYPE_F8E5M2, WT_TYPE_F8E4M3}, {WT_TYPE_BF16, WT_TYPE_F4E2M1}};
enum { MX_PAIRS = sizeof mx_pairs / sizeof *mx_pairs };

static inline int mx_block_bytes(const mx_format *f) { return MX_BLOCK * f->bits / 8; }

// Only FP8 has codes that are not numbers: NaN, and the infinities of E5M2.
static inline double mx_value(const mx_format *f, unsigned code) {
  if (f->bits == 8) return fp8_value(f->type, (uint8_t)code);
  const int fraction = (int)(code & ((1u << f->fraction_bits) - 1));
  const int exponent = (int)(code >> f->fraction_bits) & ((1 << f->exponent_bits) - 1);
  const double magnitude =
      exponent ? ldexp(fraction + (1 << f->fraction_bits), exponent - f->bias - f->fraction_bits)
               : ldexp(fraction, 1 - f->bias - f->fraction_bits);
  return code >> (f->bits - 1) ? -magnitude : magnitude;
}

// The codes of a block follow each other from the lowest bit of the first byte on.
static inline unsigned mx_code(const mx_format *f, const unsigned char *block, int element) {
  unsigned code = 0;
  for (int i = 0; i < f->bits; ++i) {
    const int bit = element * f->bits + i;
    code |= (unsigned)(block[bit / 8] >> bit % 8 & 1) << i;
  }
  return code;
}

// Sets one of them.
static inline void mx_put_code(const mx_format *f, unsigned char *block, int element, unsigned code) {
  for (int i = 0; i < f->bits; ++i) {
    const int bit = element * f->bits + i;
    block[bit / 8] = (unsigned char)((block[bit / 8] & ~(1u << bit % 8)) | (code >> i & 1) << bit % 8);
  }
}

static inline double mx_scale(int byte) { return byte == MX_SCALE_NAN ? NAN : ldexp(1, byte - 127); }

// Shuffled scales: rows of 32 matrix rows each, in which the scale of a row and a block is this byte. The
// layout is stated as the shape (rows / 32, 2, 16, blocks / 8, 2, 4), whose axes take the order 0, 3, 5, 2,
// 4, 1.
enum { MX_SHUFFLED_ROWS = 32, MX_SHUFFLED_BLOCKS = 8, MX_SHUFFLED_BYTES = 256, MX_SCALE_ONE = 127 };
static inline int mx_shuffled_byte(int row, int block) {
  const int axes[6] = {row / 32, row / 16 % 2, row % 16, block / 8, block / 4 % 2, block % 4};
  return (((axes[3] * 4 + axes[5]) * 16 + axes[2]) * 2 + axes[4]) * 2 + axes[1];
}
static inline int mx_shuffled_rows(int rows) { return (rows + 31) / 32; }
static inline int mx_shuffled_columns(int blocks) { return (blocks + 7) / 8 * MX_SHUFFLED_BYTES; }

// Says where shuffled weights lie, stated as the shape (rows / 16, 16, bytes / 16, 16), whose axes take the
// order 0, 2, 1, 3: the byte in 16 rows where byte `byte` of row `row` lies.
enum { MX_WEIGHT_ROWS = 16, MX_WEIGHT_BYTES = 16 };
static inline int mx_shuffled_weight(int row, int byte) {
  return (byte / MX_WEIGHT_BYTES * MX_WEIGHT_ROWS + row % MX_WEIGHT_ROWS) * MX_WEIGHT_BYTES +
         byte % MX_WEIGHT_BYTES;
}

// Returns the lower of the two codes without sign, one after the other, between which a magnitude lies, or
// beyond which it lies where the upper one is the largest. Magnitudes rise with their codes.
static inline unsigned mx_lower_code(const mx_format *f, double magnitude) {
  unsigned low = 0, high = (1u << (f->bits - 1)) - 1;
  while (!isfinite(mx_value(f, high))) --high;
  while (high - low > 1) {
    const unsigned middle = (low + high) / 2;
    if (mx_value(f, middle) <= magnitude)
      low = middle;
    else
      high = middle;
  }
  return low;
}

static inline unsigned mx_signed_code(const mx_format *f, unsigned code, double value) {
  return code | (unsigned)(signbit(value) != 0) << (f->bits - 1);
}

// Returns the nearest code to a number, of two the even one; beyond the largest number, that.
static inline unsigned mx_encode(const mx_format *f, double value) {
  const double magnitude = fabs(value);
  const unsigned low = mx_lower_code(f, magnitude), high = low + 1;
  const double below = magnitude - mx_value(f, low), above = mx_value(f, high) - magnitude;
  return mx_signed_code(f, above < below || (above == below && high % 2 == 0) ? high : low, value);
}

// Returns how far a magnitude is on its way between the two, 1 where it is at the upper one or beyond.
static inline double mx_part_of_step(const mx_format *f, double magnitude) {
  const unsigned low = mx_lower_code(f, magnitude);
  const double below = mx_value(f, low), above = mx_value(f, low + 1);
  return magnitude >= above ? 1 : (magnitude - below) / (above - below);
}

// Returns the code of a number that is rounded up where its part of the step and the random bits reach 1.
static inline unsigned mx_encode_stochastic(const mx_format *f, double value, uint32_t random) {
  const double part = floor(mx_part_of_step(f, fabs(value)) * 0x1p32);
  const unsigned up = part + random >= 0x1p32;
  return mx_signed_code(f, mx_lower_code(f, fabs(value)) + up, value);
}

// Returns the random bits of an element: those of its word, after V_PRNG_B32 for each element before it.
static inline uint32_t mx_random(const mx_format *f, uint64_t seed, int row, int element) {
  const int together = f->bits == 8 ? 1 : f->bits == 4 ? 2 : MX_BLOCK;
  uint32_t random = philox_word(seed, (uint64_t)row, (uint32_t)(element / together));
  for (int i = 0; i < element % together; ++i) random = random << 1 ^ (random >> 31 ? 0xc5 : 0);
  return random;
}

// Returns the scale's byte for the largest magnitude of a block, which is finite.
static inline int mx_scale_of(const mx_format *f, double largest, wt_scale_rounding rounding) {
  int exponent;  // largest = mantissa * 2^exponent with a mantissa of at least 1/2 and below 1
  if (largest == 0) return 0;
  double mantissa = frexp(largest, &exponent);
  int scale = exponent - 1 - f->top;
  switch (rounding) {
    case WT_SCALE_UP: scale += largest > ldexp(f->largest, scale); break;
    case WT_SCALE_DOWN: break;
    case WT_SCALE_EVEN:
      mantissa = floor(ldexp(mantissa, f->fraction_bits + 1) + 0.5);
      scale += mantissa == ldexp(1, f->fraction_bits + 1);
      break;
    case WT_SCALE_CEIL: scale += mantissa > 0.5; break;
  }
  return scale < -127 ? 0 : scale + 127;
}

#endif
