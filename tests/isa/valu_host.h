// SPDX-License-Identifier: MIT
// Reference arithmetic of the VALU tests: the host's IEEE operations under the rounding mode and denormal
// rules of a MODE register, and f16 through exact long double. MODE fields: CDNA3 ISA 3.5.
#ifndef WT_TESTS_ISA_VALU_HOST_H
#define WT_TESTS_ISA_VALU_HOST_H

#include <fenv.h>
#include <math.h>

#include "tests/isa/valu_check.h"

// Returns the host's rounding mode for a MODE field: nearest even, up, down, to zero.
static inline int host_rounding(uint32_t field) {
  static const int modes[] = {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
  return modes[field & 3];
}

// ---- f32 and f64: sources as MODE lets them in, results as it lets them out.

static inline float in32(const valu_lane *x, uint64_t bits) {
  uint32_t v = (uint32_t)bits;
  return sim_f32((x->mode & 0x10) || (v & 0x7f800000u) ? v : v & 0x80000000u);
}
static inline uint32_t out32(const valu_lane *x, float value) {
  uint32_t v = sim_bits32(value);
  return (x->mode & 0x20) || (v & 0x7f800000u) ? v : v & 0x80000000u;
}
static inline double in64(const valu_lane *x, uint64_t v) {
  return sim_f64((x->mode & 0x40) || (v & 0x7ff0000000000000u) ? v : v & 0x8000000000000000u);
}
static inline uint64_t out64(const valu_lane *x, double value) {
  uint64_t v = sim_bits64(value);
  return (x->mode & 0x80) || (v & 0x7ff0000000000000u) ? v : v & 0x8000000000000000u;
}

// name(x, a, b, c): `expr` under the rounding mode of MODE; volatile keeps it there.
#define HOST_OP(name, type, field, expr)                                                      \
  __attribute__((noinline)) static type name(const valu_lane *x, type a0, type b0, type c0) { \
    volatile type a = a0, b = b0, c = c0;                                                     \
    fesetround(host_rounding(x->mode >> (field)));                                            \
    volatile type r = (expr);                                                                 \
    fesetround(FE_TONEAREST);                                                                 \
    (void)a, (void)b, (void)c;                                                                \
    return r;                                                                                 \
  }

// ---- f16

static inline long double value16(uint64_t bits) {
  uint32_t h = (uint32_t)bits & 0xffff;
  int e = (int)(h >> 10 & 31);
  long double m = (long double)(h & 1023), v;
  if (e == 31)
    v = h & 1023 ? (long double)NAN : (long double)INFINITY;
  else
    v = e ? ldexpl(m + 1024, e - 25) : ldexpl(m, -24);
  return h & 0x8000 ? -v : v;
}
static inline uint32_t in16(const valu_lane *x, uint64_t bits) {
  uint32_t h = (uint32_t)bits & 0xffff;
  return (x->mode & 0x40) || (h & 0x7c00) ? h : h & 0x8000;
}
static inline long double from16(const valu_lane *x, uint64_t bits) { return value16(in16(x, bits)); }

// Returns an integer from a magnitude of whole and part, as a MODE field rounds it.
static inline long double rounded_units(long double units, bool negative, uint32_t field) {
  long double whole = floorl(units), part = units - whole;
  bool up = (field & 3) == 0   ? part > 0.5L || (part == 0.5L && fmodl(whole, 2) == 1)
            : (field & 3) == 1 ? part > 0 && !negative
            : (field & 3) == 2 ? part > 0 && negative
                               : false;
  return up ? whole + 1 : whole;
}

// Returns the f16 code of an exact value under a MODE rounding field. zero_sign: of a zero.
static inline uint32_t code16(long double v, uint32_t field, bool zero_sign) {
  if (isnan(v)) return 0x7e00;
  bool negative = signbit(v);
  uint32_t sign = negative ? 0x8000 : 0;
  if (isinf(v)) return sign | 0x7c00;
  if (v == 0) return zero_sign ? 0x8000 : 0;
  long double m = fabsl(v);
  int e = ilogbl(m) < -14 ? -14 : ilogbl(m);
  long double r = ldexpl(rounded_units(ldexpl(m, 10 - e), negative, field), e - 10);
  if (r >= 65536) {
    bool stays = (field & 3) == 3 || ((field & 3) == 1 && negative) || ((field & 3) == 2 && !negative);
    return sign | (stays ? 0x7bff : 0x7c00);
  }
  if (r == 0) return sign;
  e = ilogbl(r);
  if (e < -14) return sign | (uint32_t)ldexpl(r, 24);
  return sign | ((uint32_t)(e + 15) << 10) | ((uint32_t)ldexpl(r, 10 - e) & 1023);
}
static inline uint32_t flush16(const valu_lane *x, uint32_t h) {
  return (x->mode & 0x80) || (h & 0x7c00) ? h : h & 0x8000;
}
// Rounds a sum or product under MODE: an exact zero of terms of both signs is -0 only when rounding down.
static inline uint32_t out16(const valu_lane *x, long double v, bool all_negative, bool any_negative) {
  bool down = (x->mode >> 2 & 3) == 2;
  return flush16(x, code16(v, x->mode >> 2, all_negative || (any_negative && down)));
}

#endif
