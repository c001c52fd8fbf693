// SPDX-License-Identifier: MIT
// Conversions among integers, f16, bf16, f32 and f64 under every rounding mode, with denormals kept and
// flushed and with FP16_OVFL: truncation and saturation towards integers, normalised formats, packed results,
// stochastic rounding to f16 and bf16. The expressions come from the manual's pseudocode.
#include "tests/isa/valu_host.h"

// ---- to integers: towards zero, saturating, NaN is 0.

static int64_t whole(long double v, int64_t low, int64_t high) {
  if (isnan(v)) return 0;
  return v <= (long double)low ? low : v >= (long double)high ? high : (int64_t)v;
}
static uint32_t to_i32(long double v) { return (uint32_t)whole(v, INT32_MIN, INT32_MAX); }
static uint32_t to_u32(long double v) { return (uint32_t)whole(v, 0, UINT32_MAX); }
static uint32_t to_i16(long double v) { return (uint32_t)whole(v, -32768, 32767) & 0xffff; }
static uint32_t to_u16(long double v) { return (uint32_t)whole(v, 0, 65535); }
// Converts -1 to 1 to -32767 to 32767, and 0 to 1 to 0 to 65535, to nearest even.
static uint32_t snorm(long double v) {
  if (isnan(v)) return 0;
  return (uint32_t)(int32_t)rintl(fminl(fmaxl(v, -1), 1) * 32767) & 0xffff;
}
static uint32_t unorm(long double v) { return isnan(v) ? 0 : (uint32_t)rintl(fminl(fmaxl(v, 0), 1) * 65535); }
static uint32_t with_byte(uint32_t word, uint32_t index, uint32_t value) {
  unsigned shift = 8 * (index & 3);
  return (word & ~(255u << shift)) | value << shift;
}
static uint32_t to_u8(float v) { return (uint32_t)whole((long double)v, 0, 255); }
static uint32_t within(int64_t v, int64_t low, int64_t high) {
  return (uint32_t)(v < low ? low : v > high ? high : v) & 0xffff;
}
static uint32_t pair(uint32_t low, uint32_t high) { return low | high << 16; }

// ---- between floats

// Converts an integer or f64 to f32, rounded once as MODE says.
__attribute__((noinline)) static float single_of(const valu_lane *x, double v0) {
  volatile double v = v0;
  fesetround(host_rounding(x->mode));
  volatile float r = (float)v;
  fesetround(FE_TONEAREST);
  return r;
}
// FP16_OVFL: a finite value that overflows becomes the largest number (CDNA3 ISA 3.5).
static uint32_t half_of(const valu_lane *x, float v, uint32_t rounding) {
  if (isnan(v)) return 0x7e00;
  uint32_t h = code16((long double)v, rounding, signbit(v));
  if ((x->mode >> 23 & 1) && isfinite(v) && (h & 0x7fff) == 0x7c00) h -= 1;
  return flush16(x, h);
}
static uint32_t bf16_of(uint32_t bits) {
  if ((bits & 0x7fffffff) > 0x7f800000) return bits >> 16 | 0x40;
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
// The random bits count from the place below the last.
static uint32_t bf16_random(uint32_t bits, uint32_t random) {
  if ((bits & 0x7fffffff) >= 0x7f800000) return bf16_of(bits);
  return (bits + (random >> 16)) >> 16;
}
static uint32_t half_random(const valu_lane *x, float v, uint32_t random) {
  if (!isfinite(v)) return half_of(x, v, 0);
  long double m = fabsl((long double)v);
  int e = v == 0 || ilogbl(m) < -14 ? -14 : ilogbl(m);
  long double units = ldexpl(m, 10 - e), low = floorl(units);
  // 13 bits are cut from a normal result, and as many random bits added; a denormal one uses all 32.
  bool normal = v != 0 && ilogbl(m) >= -14;
  long double part = units - low, carry = normal ? ldexpl(random >> 19, -13) : ldexpl(random, -32);
  if (!normal) part = ldexpl(floorl(ldexpl(part, 32)), -32);
  uint32_t h = code16(ldexpl(low + (part + carry >= 1), e - 10), 0, false) | (signbit(v) ? 0x8000 : 0);
  if ((x->mode >> 23 & 1) && (h & 0x7fff) == 0x7c00) h -= 1;
  return flush16(x, h);
}
static uint32_t keep(uint32_t old, uint32_t low) { return (old & 0xffff0000u) | low; }
static float quarter_table(uint32_t v) { return (float)((int)(v & 15) - (v & 8 ? 16 : 0)) / 16; }

#define A32 in32(x, x->a)
#define B32 in32(x, x->b)
#define A64 in64(x, x->a)
#define A16 value16(in16(x, x->a))
#define B16 value16(in16(x, x->b))

#define INTEGERS(X)                                                                                   \
  X(i32_f32, "v_cvt_i32_f32 v0, v2", BOTH, B32, to_i32((long double)A32))                             \
  X(i32_f32_signs, "v_cvt_i32_f32 v0, -|v2|", BOTH, B32, to_i32(-fabsl((long double)A32)))            \
  X(u32_f32, "v_cvt_u32_f32 v0, v2", BOTH, B32, to_u32((long double)A32))                             \
  X(i32_f64, "v_cvt_i32_f64 v0, v[2:3]", BOTH, B32, to_i32((long double)A64))                         \
  X(u32_f64, "v_cvt_u32_f64 v0, v[2:3]", BOTH, B32, to_u32((long double)A64))                         \
  X(rpi, "v_cvt_rpi_i32_f32 v0, v2", BOTH, B32, to_i32(floorl((long double)(A32 + 0.5f))))            \
  X(flr, "v_cvt_flr_i32_f32 v0, v2", BOTH, B32, to_i32(floorl((long double)A32)))                     \
  X(i16_f16, "v_cvt_i16_f16 v0, v2", BOTH, B32, to_i16(A16))                                          \
  X(u16_f16, "v_cvt_u16_f16 v0, v2", BOTH, B32, to_u16(A16))                                          \
  X(norm_i16, "v_cvt_norm_i16_f16 v0, v2", BOTH, B32, snorm(A16))                                     \
  X(norm_u16, "v_cvt_norm_u16_f16 v0, v2", BOTH, B32, unorm(A16))                                     \
  X(pknorm_i16_f32, "v_cvt_pknorm_i16_f32 v0, v2, v4", BOTH, B32,                                     \
    pair(snorm((long double)A32), snorm((long double)B32)))                                           \
  X(pknorm_u16_f32, "v_cvt_pknorm_u16_f32 v0, v2, v4", BOTH, B32,                                     \
    pair(unorm((long double)A32), unorm((long double)B32)))                                           \
  X(pknorm_i16_f16, "v_cvt_pknorm_i16_f16 v0, v2, v4", BOTH, B32, pair(snorm(A16), snorm(B16)))       \
  X(pknorm_u16_f16, "v_cvt_pknorm_u16_f16 v0, v2, -v4", BOTH, B32, pair(unorm(A16), unorm(-B16)))     \
  X(pk_u8, "v_cvt_pk_u8_f32 v0, v2, v4, v6", BOTH, B32, with_byte(c, b, to_u8(A32)))                  \
  X(pkaccum, "v_cvt_pkaccum_u8_f32 v0, v2, v4", BOTH, B32, with_byte(old, b, to_u8(A32)))             \
  X(pk_u16, "v_cvt_pk_u16_u32 v0, v2, v4", BOTH, B32, pair(within(a, 0, 65535), within(b, 0, 65535))) \
  X(pk_i16, "v_cvt_pk_i16_i32 v0, v2, v4", BOTH, B32,                                                 \
    pair(within((int32_t)a, -32768, 32767), within((int32_t)b, -32768, 32767)))

#define FLOATS(X)                                                                                         \
  X(f32_i32, "v_cvt_f32_i32 v0, v2", BOTH, F32, sim_bits32(single_of(x, (int32_t)a)))                     \
  X(f32_u32, "v_cvt_f32_u32 v0, v2", BOTH, F32, sim_bits32(single_of(x, a)))                              \
  X(f64_i32, "v_cvt_f64_i32 v[0:1], v2", BOTH, F64, sim_bits64((int32_t)a))                               \
  X(f64_u32, "v_cvt_f64_u32 v[0:1], v2", BOTH, F64, sim_bits64(a))                                        \
  X(f32_f64, "v_cvt_f32_f64 v0, v[2:3]", BOTH, F32, out32(x, single_of(x, A64)))                          \
  X(f64_f32, "v_cvt_f64_f32 v[0:1], v2", BOTH, F64, sim_bits64(A32))                                      \
  X(f16_f32, "v_cvt_f16_f32 v0, v2", BOTH, F16, half_of(x, A32, x->mode >> 2))                            \
  X(f32_f16, "v_cvt_f32_f16 v0, v2", BOTH, F32, sim_bits32((float)A16))                                   \
  X(f32_f16_high, "v_cvt_f32_f16_sdwa v0, v2 dst_sel:DWORD dst_unused:UNUSED_PAD src0_sel:WORD_1", BOTH,  \
    F32, sim_bits32((float)value16(in16(x, x->a >> 16))))                                                 \
  X(f16_u16, "v_cvt_f16_u16 v0, v2", BOTH, F16, half_of(x, (float)(a & 0xffff), x->mode >> 2))            \
  X(f16_i16, "v_cvt_f16_i16 v0, v2", BOTH, F16, half_of(x, (float)(int16_t)a, x->mode >> 2))              \
  X(f32_bf16, "v_cvt_f32_bf16 v0, v2", GFX950, F32, sim_bits32(in32(x, (uint64_t)(a << 16))))             \
  X(ubyte0, "v_cvt_f32_ubyte0 v0, v2", BOTH, F32, sim_bits32((float)(a & 255)))                           \
  X(ubyte1, "v_cvt_f32_ubyte1 v0, v2", BOTH, F32, sim_bits32((float)(a >> 8 & 255)))                      \
  X(ubyte2, "v_cvt_f32_ubyte2 v0, v2", BOTH, F32, sim_bits32((float)(a >> 16 & 255)))                     \
  X(ubyte3, "v_cvt_f32_ubyte3 v0, v2", BOTH, F32, sim_bits32((float)(a >> 24)))                           \
  X(off_i4, "v_cvt_off_f32_i4 v0, v2", BOTH, F32, sim_bits32(quarter_table(a)))                           \
  X(pkrtz, "v_cvt_pkrtz_f16_f32 v0, v2, v4", BOTH, PKF16, pair(half_of(x, A32, 3), half_of(x, B32, 3)))   \
  X(pk_f16, "v_cvt_pk_f16_f32 v0, v2, -v4", GFX950, PKF16, pair(half_of(x, A32, 0), half_of(x, -B32, 0))) \
  X(pk_bf16, "v_cvt_pk_bf16_f32 v0, v2, v4", GFX950, B32,                                                 \
    pair(bf16_of(sim_bits32(A32)), bf16_of(sim_bits32(B32))))                                             \
  X(sr_f16, "v_cvt_sr_f16_f32 v0, v2, v4", GFX950, F16, keep(old, half_random(x, A32, b)))                \
  X(sr_bf16, "v_cvt_sr_bf16_f32 v0, v2, v4", GFX950, B32, keep(old, bf16_random(sim_bits32(A32), b)))

INTEGERS(VALU_DEFINE)
FLOATS(VALU_DEFINE)
static const valu_op integers[] = {INTEGERS(VALU_ROW)};
static const valu_op floats[] = {FLOATS(VALU_ROW)};

int main(void) {
  static const uint32_t modes[] = {0x3f0, 0x0f0, 0x3f5, 0x3fa, 0x3ff, 0x300, 0x8003f0};
  valu_check(integers, sizeof integers / sizeof integers[0], modes, 2, 24);
  valu_check(floats, sizeof floats / sizeof floats[0], modes, sizeof modes / sizeof modes[0], 12);
  return test_result();
}
