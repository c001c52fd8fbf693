// SPDX-License-Identifier: MIT
// Bit and byte arithmetic of one lane, written without branches so that loops over lanes become vector code.
#ifndef SIM_EXEC_VECTOR_BITS_H
#define SIM_EXEC_VECTOR_BITS_H

#include <stdint.h>

#define SIM_MIN(a, b) ((a) < (b) ? (a) : (b))
#define SIM_MAX(a, b) ((a) > (b) ? (a) : (b))
#define SIM_MED(a, b, c) SIM_MAX(SIM_MIN(a, b), SIM_MIN(SIM_MAX(a, b), c))

static inline int32_t sim_sext24(uint32_t v) { return (int32_t)(v << 8) >> 8; }

static inline uint32_t sim_count(uint32_t v) {
  v = v - (v >> 1 & 0x55555555u);
  v = (v & 0x33333333u) + (v >> 2 & 0x33333333u);
  return ((v + (v >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

// Returns a mask of the bits below position n: none for n <= 0, all for n >= 32.
static inline uint32_t sim_below(int n) { return n <= 0 ? 0 : n >= 32 ? UINT32_MAX : (1u << (n & 31)) - 1; }

static inline uint32_t sim_reverse(uint32_t v) {
  v = (v >> 1 & 0x55555555u) | (v & 0x55555555u) << 1;
  v = (v >> 2 & 0x33333333u) | (v & 0x33333333u) << 2;
  v = (v >> 4 & 0x0f0f0f0fu) | (v & 0x0f0f0f0fu) << 4;
  v = (v >> 8 & 0x00ff00ffu) | (v & 0x00ff00ffu) << 8;
  return v >> 16 | v << 16;
}

// Count the zeros above the highest, and below the lowest, set bit; -1 when no bit is set.
static inline int32_t sim_find_high(uint32_t v) {
  v |= v >> 1;
  v |= v >> 2;
  v |= v >> 4;
  v |= v >> 8;
  v |= v >> 16;
  return v ? 32 - (int32_t)sim_count(v) : -1;
}
static inline int32_t sim_find_low(uint32_t v) { return v ? (int32_t)sim_count((v & (0u - v)) - 1) : -1; }

static inline int32_t sim_bfe_i32(int32_t v, uint32_t offset, uint32_t width) {
  uint32_t field = (uint32_t)(v >> offset) & ((1u << width) - 1);
  uint32_t sign = width ? 1u << (width - 1) : 0;
  return (int32_t)((field ^ sign) - sign);
}

static inline uint32_t sim_sat_i8(int32_t v) {
  return (uint32_t)(v < -128 ? -128 : v > 127 ? 127 : v) & 0xff;
}
static inline uint32_t sim_sat_u8(int32_t v) { return v < 0 ? 0 : v > 255 ? 255 : (uint32_t)v; }
static inline uint32_t sim_sat_pk_u8(uint32_t v) {
  return sim_sat_u8((int16_t)v) | sim_sat_u8((int32_t)v >> 16) << 8;
}

// Implements V_PRNG_B32 (CDNA4 ISA).
static inline uint32_t sim_prng(uint32_t v) { return v << 1 ^ (v >> 31 ? 0xc5u : 0); }

// Implements V_PERM_B32 (CDNA3 ISA): selectors 0-7 pick a byte of {a, b}, 8-11 the sign of bytes 1, 3, 5, 7,
// 12 zero, above 0xff.
static inline uint32_t sim_perm_byte(uint64_t data, uint32_t sel) {
  uint32_t byte = (uint32_t)(data >> (8 * (sel & 7))) & 0xff;
  uint32_t sign = (0u - (uint32_t)(data >> (16 * (sel & 3) + 15) & 1)) & 0xff;
  uint32_t r = sel > 12 ? 0xffu : 0;
  r = sel < 12 ? sign : r;
  return sel < 8 ? byte : r;
}
static inline uint32_t sim_perm(uint32_t a, uint32_t b, uint32_t c) {
  uint64_t data = (uint64_t)a << 32 | b;
  return sim_perm_byte(data, c & 0xff) | sim_perm_byte(data, c >> 8 & 0xff) << 8 |
         sim_perm_byte(data, c >> 16 & 0xff) << 16 | sim_perm_byte(data, c >> 24) << 24;
}

static inline uint32_t sim_absdiff(uint32_t a, uint32_t b) { return a > b ? a - b : b - a; }
static inline uint32_t sim_byte(uint32_t v, int i) { return v >> (8 * i) & 0xff; }
static inline uint32_t sim_sad_u8(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += sim_absdiff(sim_byte(a, i), sim_byte(b, i));
  return sum;
}
// Bytes that are zero in b do not count.
static inline uint32_t sim_msad_u8(uint32_t a, uint32_t b) {
  uint32_t sum = 0;
  for (int i = 0; i < 4; ++i) sum += sim_byte(b, i) ? sim_absdiff(sim_byte(a, i), sim_byte(b, i)) : 0;
  return sum;
}
static inline uint32_t sim_sad_u16(uint32_t a, uint32_t b) {
  return sim_absdiff(a & 0xffff, b & 0xffff) + sim_absdiff(a >> 16, b >> 16);
}
static inline uint32_t sim_lerp_u8(uint32_t a, uint32_t b, uint32_t c) {
  uint32_t r = 0;
  for (int i = 0; i < 4; ++i) r |= (sim_byte(a, i) + sim_byte(b, i) + (c >> (8 * i) & 1)) >> 1 << (8 * i);
  return r;
}

#endif
