// SPDX-License-Identifier: MIT
// Random and exhaustive comparisons against references that share nothing with the simulator: exact integers
// and long double for f16, nearest-value search for the small floats, libm for the transcendentals, the
// host's division for the compiler's division sequence, min/max word for word from the pseudocode.
#include <math.h>

#include "tests/isa/valu_text.h"

// ---- f16

static long double half_value(uint32_t h) {
  int e = (int)(h >> 10 & 31);
  long double m = (long double)(h & 1023);
  long double v = e ? ldexpl(m + 1024, e - 25) : ldexpl(m, -24);
  return h & 0x8000 ? -v : v;
}
static bool half_finite(uint32_t h) { return (h & 0x7c00) != 0x7c00; }

// The f16 nearest to an exact value, by binary search over all magnitudes; ties to the even code.
static uint32_t nearest_half(long double v, bool negative_zero) {
  uint32_t sign = v < 0 || (v == 0 && negative_zero) ? 0x8000 : 0;
  long double m = fabsl(v);
  uint32_t low = 0, high = 0x7c00;  // 0x7c00 stands for 65536, the next number
  while (high - low > 1) {
    uint32_t middle = (low + high) / 2;
    *(half_value(middle) <= m ? &low : &high) = middle;
  }
  long double below = half_value(low), above = high == 0x7c00 ? 65536.0L : half_value(high);
  long double toward_low = m - below, toward_high = above - m;
  uint32_t code = toward_low < toward_high || (toward_low == toward_high && !(low & 1)) ? low : high;
  if (m >= 65536) code = 0x7c00;
  return sign | code;
}

static void half_arithmetic(const char *target) {
  static const char *const code[] = {"v_add_f16 v0, v2, v4", "v_mul_f16 v0, v2, v4",
                                     "v_fma_legacy_f16 v0, v2, v4, v6", "v_pk_fma_f16 v0, v2, v4, v6",
                                     "v_cvt_f16_f32 v0, v2"};
  test_rng rng = test_seed(1);
  isa_program *p = isa_assemble(target, code, 5);
  for (int round = 0; round < 400; ++round) {
    for (size_t i = 0; i < 5; ++i) {
      sim_wave *w = isa_begin(p, i);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        w->v[2][l] = i == 4 ? valu_value(&rng) : (uint32_t)test_random(&rng) & 0xffff;
        w->v[4][l] = (uint32_t)test_random(&rng) & 0xffff;
        w->v[6][l] = (uint32_t)test_random(&rng) & 0xffff;
        // Products close to an addend's half place exercise the sticky bit.
        if (l % 4 == 0) w->v[6][l] = (w->v[2][l] & 0x7c00) | (uint32_t)(test_random(&rng) & 0x83ff);
      }
      CHECK_RUN(p);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        uint32_t a = w->v[2][l], b = w->v[4][l], c = w->v[6][l], got = w->v[0][l] & 0xffff, want;
        if (i == 4) {
          float v = sim_f32(a);
          if (!isfinite(v)) continue;
          want = nearest_half((long double)v, a >> 31);
        } else {
          if (!half_finite(a) || !half_finite(b) || !half_finite(c)) continue;
          long double x = half_value(a), y = half_value(b), z = half_value(c);
          // Every intermediate fits the 64 bits of long double: 22-bit products, sums over 60 binary places
          // or rounding far below f16's last place.
          long double r = i == 0 ? x + y : i == 1 ? x * y : x * y + z;
          bool sign = i == 0 ? (a & b) >> 15 & 1 : i == 1 ? (a ^ b) >> 15 & 1 : ((a ^ b) & c) >> 15 & 1;
          // A sum of opposite values is +0.
          want = nearest_half(r, sign);
        }
        CHECK(got == want, "%s a=%x b=%x c=%x: got %04x, expected %04x", code[i], a, b, c, got, want);
      }
    }
  }
  isa_free(p);
}

// ---- small floats

typedef struct format {
  const char *target, *encode, *decode;
  int exponent_bits, mantissa_bits, bias, codes, max;
  bool fnuz;
} format;

static long double small_value(const format *f, int code) {
  int e = code >> f->mantissa_bits, m = code & ((1 << f->mantissa_bits) - 1);
  if (e == 0) return ldexpl(m, 1 - f->bias - f->mantissa_bits);
  return ldexpl(m + (1 << f->mantissa_bits), e - f->bias - f->mantissa_bits);
}

// Nearest code by trying all of them; ties to the even code. max + 1 stands for an overflow.
static int nearest_small(const format *f, long double m) {
  int best = 0;
  long double distance = m;
  for (int code = 1; code <= f->max + 1; ++code) {
    long double d = fabsl(small_value(f, code) - m);
    if (d < distance || (d == distance && !(code & 1))) best = code, distance = d;
  }
  return best;
}

static void small_floats(void) {
  static const format formats[] = {
      {"gfx950", "v_cvt_pk_fp8_f32 v0, v2, v4", "v_cvt_f32_fp8 v0, v2", 4, 3, 7, 128, 0x7e, false},
      {"gfx950", "v_cvt_pk_bf8_f32 v0, v2, v4", "v_cvt_f32_bf8 v0, v2", 5, 2, 15, 128, 0x7b, false},
      {"gfx942", "v_cvt_pk_fp8_f32 v0, v2, v4", "v_cvt_f32_fp8 v0, v2", 4, 3, 8, 128, 0x7f, true},
      {"gfx942", "v_cvt_pk_bf8_f32 v0, v2, v4", "v_cvt_f32_bf8 v0, v2", 5, 2, 16, 128, 0x7f, true},
      {"gfx950", "v_mov_b32 v8, 1.0\n v_cvt_scalef32_pk_fp4_f32 v0, v2, v4, v8",
       "v_mov_b32 v8, 1.0\n v_cvt_scalef32_pk_f32_fp4 v[0:1], v2, v8", 2, 1, 1, 8, 7, false},
  };
  test_rng rng = test_seed(2);
  for (size_t f = 0; f < sizeof formats / sizeof formats[0]; ++f) {
    const format *fmt = &formats[f];
    const char *code[] = {fmt->encode, fmt->decode};
    bool four = fmt->codes == 8;
    isa_program *p = isa_assemble(fmt->target, code, 2);
    for (int first = 0; first < fmt->codes; first += SIM_LANES) {
      sim_wave *w = isa_begin(p, 1);
      for (unsigned l = 0; l < SIM_LANES; ++l) w->v[2][l] = (uint32_t)first + l;
      CHECK_RUN(p);
      for (unsigned l = 0; l < SIM_LANES && first + (int)l <= fmt->max; ++l)
        CHECK((long double)sim_f32(w->v[0][l]) == small_value(fmt, first + (int)l), "%s code %x: got %g",
              fmt->decode, first + l, (double)sim_f32(w->v[0][l]));
    }
    for (int round = 0; round < 100; ++round) {
      sim_wave *w = isa_begin(p, 0);
      w->mode |= 1u << 23;  // saturate
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        // Values around the middle between neighbours, and random exponents.
        int at = (int)(test_random(&rng) % (unsigned)(fmt->max + 1));
        float middle = (float)((small_value(fmt, at) + small_value(fmt, at + 1)) / 2);
        uint32_t bits = sim_bits32(middle) + (uint32_t)(test_random(&rng) % 3) - 1;
        if (l % 2) bits = (uint32_t)(test_random(&rng) % 0x09000000u) + 0x39000000u;
        w->v[2][l] = bits;
        w->v[4][l] = bits | 0x80000000u;
      }
      CHECK_RUN(p);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        int want = nearest_small(fmt, (long double)sim_f32(w->v[2][l]));
        if (want > fmt->max) want = fmt->max;
        int sign = four ? 8 : 128, negative = want == 0 && fmt->fnuz ? 0 : want | sign;
        uint32_t both = four ? (uint32_t)(want | negative << 4) : (uint32_t)(want | negative << 8);
        uint32_t got = w->v[0][l] & (four ? 0xff : 0xffff);
        CHECK(got == both, "%s %s of %g: got %04x, expected %04x", fmt->target, fmt->encode,
              (double)sim_f32(w->v[2][l]), got, both);
      }
    }
    isa_free(p);
  }
}

// Six-bit blocks: encode 32 values and decode them again; order and packing.
static void six_bit_blocks(void) {
  static const char *const code[] = {
      "v_mov_b32 v90, 2.0\n v_cvt_scalef32_2xpk16_fp6_f32 v[80:85], v[0:15], v[16:31], v90\n"
      "v_cvt_scalef32_pk32_f32_fp6 v[40:71], v[80:85], v90",
      "v_mov_b32 v90, 0.5\n v_cvt_scalef32_2xpk16_bf6_f32 v[80:85], v[0:15], v[16:31], v90\n"
      "v_cvt_scalef32_pk32_f16_bf6 v[40:55], v[80:85], v90\n v_cvt_scalef32_pk32_bf6_f16 v[80:85], v[40:55], "
      "v90\n"
      "v_cvt_scalef32_pk32_f32_bf6 v[40:71], v[80:85], v90",
      "v_mov_b32 v90, 1.0\n v_cvt_scalef32_sr_pk32_fp6_f32 v[80:85], v[0:31], v91, v90\n"
      "v_cvt_scalef32_pk32_bf16_fp6 v[40:55], v[80:85], v90\n v_cvt_scalef32_pk32_fp6_bf16 v[80:85], "
      "v[40:55], v90\n"
      "v_cvt_scalef32_pk32_f32_fp6 v[0:31], v[80:85], v90",
  };
  static const float fp6[] = {0,      0.125f, -0.125f, 0.875f, 1,    -1.125f, 1.875f, 2,
                              -2.25f, 3.75f,  4,       -4.5f,  7.5f, -7.5f,   0.5f,   6};
  static const float bf6[] = {0,  0.0625f, -0.0625f, 0.1875f, 0.25f, -0.3125f, 0.4375f, 0.5f,
                              -1, 1.75f,   8,        -10,     28,    -28,      14,      20};
  isa_program *p = isa_assemble("gfx950", code, 3);
  for (size_t i = 0; i < 3; ++i) {
    sim_wave *w = isa_begin(p, i);
    float scale = i == 0 ? 2.0f : i == 1 ? 0.5f : 1.0f, value[SIM_LANES][32];
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      w->v[91][l] = 0x12345678u * (l + 1);
      for (unsigned k = 0; k < 32; ++k) {
        value[l][k] = (i == 1 ? bf6 : fp6)[(l + 3 * k) % 16] * scale;
        w->v[k][l] = sim_bits32(value[l][k]);
      }
    }
    CHECK_RUN(p);
    for (unsigned l = 0; l < SIM_LANES; ++l)
      for (unsigned k = 0; k < 32; ++k) {
        // Element k of a 2xpk16 result is element k / 2 of the even or the odd source.
        float want = i == 2 ? value[l][k] : value[l][(k & 1) * 16 + k / 2];
        float got = sim_f32(w->v[(i == 2 ? 0 : 40) + k][l]);
        CHECK(got == want, "snippet %zu lane %u element %u: got %g, expected %g", i, l, k, (double)got,
              (double)want);
      }
  }
  isa_free(p);
}

// ---- transcendentals

static double ulps(float got, long double want) {
  if (want == 0) return got == 0 ? 0 : 1e9;
  int e = ilogbl(want);
  if (e < -126) e = -126;
  return (double)fabsl(((long double)got - want) / ldexpl(1, e - 23));
}

static void transcendentals(const char *target) {
  static const char *const code[] = {"v_exp_f32 v0, v2", "v_log_f32 v0, v2", "v_sin_f32 v0, v2",
                                     "v_cos_f32 v0, v2", "v_rcp_f32 v0, v2", "v_rsq_f32 v0, v2",
                                     "v_sqrt_f32 v0, v2"};
  const long double two_pi = 6.283185307179586476925286766559L;
  test_rng rng = test_seed(3);
  isa_program *p = isa_assemble(target, code, 7);
  double worst[7] = {0};
  for (int round = 0; round < 300; ++round) {
    for (size_t i = 0; i < 7; ++i) {
      sim_wave *w = isa_begin(p, i);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        double unit = (double)(test_random(&rng) >> 11) * 0x1p-53;
        float v = i == 0             ? (float)(unit * 252 - 125)
                  : i == 2 || i == 3 ? (float)(unit * 512 - 256)
                                     : sim_f32((uint32_t)(test_random(&rng) % 0x7e000000u) + 0x00800000u);
        if (i == 1 && l % 4 == 0) v = 1.0f + (float)(unit - 0.5) * 0.01f;
        w->v[2][l] = sim_bits32(v);
      }
      CHECK_RUN(p);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        float v = sim_f32(w->v[2][l]), got = sim_f32(w->v[0][l]);
        long double x = (long double)v, want = 0, turns = x - floorl(x);
        if (i == 0) want = exp2l(x);
        if (i == 1) want = log2l(x);
        if (i == 2) want = sinl(two_pi * turns);
        if (i == 3) want = cosl(two_pi * turns);
        if (i == 4) want = 1 / x;
        if (i == 5) want = 1 / sqrtl(x);
        if (i == 6) want = sqrtl(x);
        if (fabsl(want) < 0x1p-126L) continue;  // flushed, or a zero of sine that long double does not hit
        if ((i == 2 || i == 3) && fabsl(want) < 1e-9L) continue;
        double error = ulps(got, want);
        if (error > worst[i]) worst[i] = error;
        CHECK(error <= 0.51, "%s of %.9g: got %.9g, expected %.9Lg (%g ulp)", code[i], (double)v, (double)got,
              want, error);
      }
    }
  }
  for (int i = 0; i < 7; ++i) printf("%s: %.4f ulp\n", code[i], worst[i]);
  isa_free(p);
}

// ---- division

// The sequences LLVM emits for IEEE division: Newton steps between v_div_scale, v_div_fmas and v_div_fixup.
static const char f32_division[] =
    "v_div_scale_f32 v10, s[4:5], v4, v4, v2\n v_div_scale_f32 v11, vcc, v2, v4, v2\n v_rcp_f32 v12, v10\n"
    "v_fma_f32 v13, -v10, v12, 1.0\n v_fma_f32 v12, v13, v12, v12\n v_mul_f32 v13, v11, v12\n"
    "v_fma_f32 v14, -v10, v13, v11\n v_fma_f32 v13, v14, v12, v13\n v_fma_f32 v10, -v10, v13, v11\n"
    "v_div_fmas_f32 v10, v10, v12, v13\n v_div_fixup_f32 v0, v10, v4, v2";
static const char f64_division[] =
    "v_div_scale_f64 v[10:11], s[4:5], v[4:5], v[4:5], v[2:3]\n v_rcp_f64 v[12:13], v[10:11]\n"
    "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
    "v_fma_f64 v[14:15], -v[10:11], v[12:13], 1.0\n v_fma_f64 v[12:13], v[12:13], v[14:15], v[12:13]\n"
    "v_div_scale_f64 v[14:15], vcc, v[2:3], v[4:5], v[2:3]\n v_mul_f64 v[16:17], v[14:15], v[12:13]\n"
    "v_fma_f64 v[10:11], -v[10:11], v[16:17], v[14:15]\n v_div_fmas_f64 v[10:11], v[10:11], v[12:13], "
    "v[16:17]\n"
    "v_div_fixup_f64 v[0:1], v[10:11], v[4:5], v[2:3]";

static void division(const char *target) {
  static const char *const code[] = {f32_division, f64_division};
  test_rng rng = test_seed(4);
  isa_program *p = isa_assemble(target, code, 2);
  for (int round = 0; round < 1500; ++round) {
    sim_wave *w = isa_begin(p, 0);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      uint32_t a = l % 4 ? (uint32_t)test_random(&rng) : valu_value(&rng);
      uint32_t b = l % 4 ? (uint32_t)test_random(&rng) : valu_value(&rng);
      if (l % 4 == 2) b = (b & 0x7fffff) | 0x7e800000 | (b & 0x01000000);  // denominators near the top
      if (l % 8 == 5) a &= 0x807fffff;                                     // denormal numerators
      if (l % 8 == 7) b &= 0x807fffff;
      w->v[2][l] = a, w->v[4][l] = b;
    }
    CHECK_RUN(p);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      volatile float a = sim_f32(w->v[2][l]), b = sim_f32(w->v[4][l]);
      float want = a / b, got = sim_f32(w->v[0][l]);
      CHECK(isnan(want) ? isnan(got) : sim_bits32(got) == sim_bits32(want), "%a / %a: got %a, expected %a",
            (double)a, (double)b, (double)got, (double)want);
    }
    w = isa_begin(p, 1);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      uint64_t a = test_random(&rng), b = test_random(&rng);
      if (l % 4 == 2) b = (b & 0x801fffffffffffff) | 0x7fc0000000000000;
      if (l % 8 == 5) a &= 0x800fffffffffffff;
      if (l % 8 == 7) b &= 0x800fffffffffffff;
      isa_set_v64(w, 2, l, a), isa_set_v64(w, 4, l, b);
    }
    CHECK_RUN(p);
    for (unsigned l = 0; l < SIM_LANES; ++l) {
      volatile double a = sim_f64(w->v[2][l] | (uint64_t)w->v[3][l] << 32);
      volatile double b = sim_f64(w->v[4][l] | (uint64_t)w->v[5][l] << 32);
      double want = a / b, got = sim_f64(w->v[0][l] | (uint64_t)w->v[1][l] << 32);
      CHECK(isnan(want) ? isnan(got) : sim_bits64(got) == sim_bits64(want), "%a / %a: got %a, expected %a", a,
            b, got, want);
    }
  }
  isa_free(p);
}

// ---- integers bit by bit

static uint32_t bit_at(uint32_t v, unsigned i) { return v >> i & 1; }

static void integers(const char *target) {
  static const char *const code[] = {"v_bfe_u32 v0, v2, v4, v6",
                                     "v_bfe_i32 v0, v2, v4, v6",
                                     "v_ffbh_u32 v0, v2",
                                     "v_ffbl_b32 v0, v2",
                                     "v_ffbh_i32 v0, v2",
                                     "v_bfrev_b32 v0, v2",
                                     "v_bcnt_u32_b32 v0, v2, v4",
                                     "v_perm_b32 v0, v2, v4, v6",
                                     "v_mbcnt_hi_u32_b32 v0, v2, v4",
                                     "v_med3_u32 v0, v2, v4, v6",
                                     "v_bitop3_b32 v0, v2, v4, v6 bitop3:0x1d"};
  test_rng rng = test_seed(5);
  size_t count = strcmp(target, "gfx950") == 0 ? 11 : 10;  // v_bitop3 is gfx950 only
  isa_program *p = isa_assemble(target, code, count);
  for (int round = 0; round < 60; ++round) {
    for (size_t i = 0; i < count; ++i) {
      sim_wave *w = isa_begin(p, i);
      for (unsigned l = 0; l < SIM_LANES; ++l)
        for (unsigned r = 2; r < 8; r += 2) w->v[r][l] = valu_value(&rng);
      if (i == 7)
        for (unsigned l = 0; l < SIM_LANES; ++l) w->v[6][l] &= 0x0f0f0f0f;
      CHECK_RUN(p);
      for (unsigned l = 0; l < SIM_LANES; ++l) {
        uint32_t a = w->v[2][l], b = w->v[4][l], c = w->v[6][l], want = 0;
        if (i <= 1) {
          unsigned width = c & 31, offset = b & 31;
          for (unsigned k = 0; k < 32; ++k) {
            unsigned source = i == 1 && k >= width && width ? width - 1 : k;
            // v_bfe_i32 shifts arithmetically: bits beyond the top repeat the sign.
            unsigned at = source + offset;
            uint32_t bit = at < 32 ? bit_at(a, at) : i == 1 ? a >> 31 : 0;
            if (width && (k < width || i == 1)) want |= bit << k;
          }
        }
        if (i == 2 || i == 3 || i == 4) {
          want = UINT32_MAX;
          for (unsigned k = 31; k < 32; --k)
            if (i == 2 ? bit_at(a, 31 - k) : i == 3 ? bit_at(a, k) : k >= 1 && bit_at(a, 31 - k) != a >> 31)
              want = k;
        }
        for (unsigned k = 0; k < 32; ++k) {
          if (i == 5) want |= bit_at(a, k) << (31 - k);
          if (i == 6) want += bit_at(a, k);
          if (i == 8 && l >= 32 && k < l - 32) want += bit_at(a, k);
          if (i == 10) want |= (0x1du >> (bit_at(a, k) * 4 + bit_at(b, k) * 2 + bit_at(c, k)) & 1) << k;
        }
        if (i == 6 || i == 8) want += b;
        for (unsigned k = 0; i == 7 && k < 4; ++k) {
          unsigned sel = c >> (8 * k) & 0xff;
          uint8_t bytes[8];
          memcpy(bytes, &b, 4), memcpy(bytes + 4, &a, 4);
          uint32_t byte = sel <= 7    ? bytes[sel]
                          : sel <= 11 ? (bytes[2 * (sel - 8) + 1] & 0x80 ? 0xffu : 0)
                          : sel == 12 ? 0
                                      : 0xffu;
          want |= byte << (8 * k);
        }
        if (i == 9) want = a > b ? (b > c ? b : a > c ? c : a) : (a > c ? a : b > c ? c : b);
        CHECK_V32(p, 0, l, want);
      }
    }
  }
  isa_free(p);
}

int main(void) {
  half_arithmetic("gfx942");
  half_arithmetic("gfx950");
  small_floats();
  six_bit_blocks();
  transcendentals("gfx942");
  transcendentals("gfx950");
  division("gfx942");
  division("gfx950");
  integers("gfx942");
  integers("gfx950");
  return test_result();
}
