// SPDX-License-Identifier: MIT
// Compares random cases with references that share nothing with the simulator: exact integers and long double
// for f16, the host's division for the compiler's division sequence, bit fields bit by bit.
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

// Returns the f16 nearest to an exact value, by binary search over all magnitudes; ties to the even code.
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

// "if (S2 == 0 || S1 == 0) D = NAN", and VCC is 0: v_div_fixup puts the infinity or the zero in.
static void scaling_a_division_that_holds_a_zero_gives_nan(const char *target) {
  static const char *const code[] = {"v_div_scale_f32 v0, s[10:11], v2, v4, v6",
                                     "v_div_scale_f64 v[0:1], s[10:11], v[2:3], v[4:5], v[6:7]"};
  static const double values[] = {0.0, -0.0, 3.0, -0.5};
  enum { VALUES = sizeof values / sizeof *values, PAIRS = VALUES * VALUES };
  isa_program *p = isa_assemble(target, code, 2);
  for (unsigned i = 0; i < 2; ++i) {
    sim_wave *w = isa_begin(p, i);
    for (unsigned l = 0; l < 2 * PAIRS; ++l) {
      const double under = values[l % VALUES], over = values[l / VALUES % VALUES];
      const double source[] = {l < PAIRS ? under : over, under, over};
      for (unsigned s = 0; s < 3; ++s)
        isa_set_v64(w, 2 + 2 * s, l, i ? sim_bits64(source[s]) : sim_bits32((float)source[s]));
    }
    CHECK_RUN(p);
    for (unsigned l = 0; l < 2 * PAIRS; ++l) {
      const double under = values[l % VALUES], over = values[l / VALUES % VALUES];
      const double got = i ? sim_f64(w->v[0][l] | (uint64_t)w->v[1][l] << 32) : (double)sim_f32(w->v[0][l]);
      const bool right = under == 0 || over == 0 ? isnan(got) : got == (l < PAIRS ? under : over);
      CHECK(right && !(sim_s64(w, 10) >> l & 1), "%s %s of %g / %g: got %g and VCC %d", target, code[i], over,
            under, got, (int)(sim_s64(w, 10) >> l & 1));
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
  division("gfx942");
  division("gfx950");
  scaling_a_division_that_holds_a_zero_gives_nan("gfx942");
  scaling_a_division_that_holds_a_zero_gives_nan("gfx950");
  integers("gfx942");
  integers("gfx950");
  return test_result();
}
