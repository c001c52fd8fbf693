// SPDX-License-Identifier: MIT
// Tests conversions to and from 8-, 6- and 4-bit floats: every code is decoded, and values are encoded with
// rounding to nearest even and stochastically, with and without a scale, one by one, in pairs and in blocks
// of 32. The reference compares exact values with the list of all codes. Formats: OCP on gfx950, FNUZ on
// gfx942 (AMD's HIP documentation of low-precision types); instructions: CDNA3 and CDNA4 ISA, V_CVT_*.
#include "tests/isa/valu_host.h"

typedef struct format {
  const char *name;
  int exponent_bits, mantissa_bits, bias;
  uint32_t max;       // the largest finite code
  uint32_t overflow;  // the code of an overflow that does not saturate; max where all do
  uint32_t nan;       // 0: the format has none, and a NaN saturates
  bool fnuz;          // neither -0 nor infinities; the code of -0 is the NaN
} format;

enum { FP8, BF8, FP6, BF6, FP4, FORMATS };
static const format ocp[FORMATS] = {{"fp8", 4, 3, 7, 0x7e, 0x7f, 0x7f, false},
                                    {"bf8", 5, 2, 15, 0x7b, 0x7c, 0x7f, false},
                                    {"fp6", 2, 3, 1, 0x1f, 0x1f, 0, false},
                                    {"bf6", 3, 2, 3, 0x1f, 0x1f, 0, false},
                                    {"fp4", 2, 1, 1, 7, 7, 0, false}};
static const format fnuz[2] = {{"fp8", 4, 3, 8, 0x7f, 0x80, 0x80, true},
                               {"bf8", 5, 2, 16, 0x7f, 0x80, 0x80, true}};

static int code_bits(const format *f) { return 1 + f->exponent_bits + f->mantissa_bits; }

// Returns the value of a code without sign, also of the one beyond the largest.
static long double magnitude_of(const format *f, uint32_t code) {
  int e = (int)(code >> f->mantissa_bits), m = (int)(code & ((1u << f->mantissa_bits) - 1));
  if (e == 0) return ldexpl(m, 1 - f->bias - f->mantissa_bits);
  return ldexpl(m + (1 << f->mantissa_bits), e - f->bias - f->mantissa_bits);
}

static long double decoded(const format *f, uint32_t code) {
  uint32_t sign = 1u << (code_bits(f) - 1), magnitude = code & (sign - 1);
  long double v;
  if (f->fnuz && code == f->nan) return NAN;
  if (!f->fnuz && f->nan && magnitude > f->max)
    v = magnitude == f->overflow && f->overflow != f->nan ? (long double)INFINITY : (long double)NAN;
  else
    v = magnitude_of(f, magnitude);
  return code & sign ? -v : v;
}

// random: the 32 bits that are added below the last place; NULL rounds to nearest even.
static uint32_t encoded(const format *f, long double v, const uint32_t *random, bool saturate) {
  uint32_t sign = signbit(v) ? 1u << (code_bits(f) - 1) : 0, low = 0, code;
  if (isnan(v)) return f->fnuz ? f->nan : sign | (f->nan ? f->nan : f->max);
  long double m = fabsl(v);
  while (low <= f->max && magnitude_of(f, low + 1) <= m) ++low;
  if (low > f->max) {
    code = low;
  } else {
    long double part = (m - magnitude_of(f, low)) / (magnitude_of(f, low + 1) - magnitude_of(f, low));
    bool up =
        random ? floorl(part * 0x1p32L) + *random >= 0x1p32L : part > 0.5L || (part == 0.5L && (low & 1));
    code = low + up;
  }
  if (code > f->max) return saturate ? sign | f->max : f->fnuz ? f->nan : sign | f->overflow;
  return code == 0 && f->fnuz ? 0 : sign | code;
}

// ---- elements of the other type

typedef enum element { F32, F16, BF16 } element;
static const char *const element_names[] = {"f32", "f16", "bf16"};

static long double element_value(element type, uint32_t bits) {
  if (type == F32) return (long double)sim_f32(bits);
  return type == F16 ? value16(bits) : (long double)sim_f32(bits << 16);
}
static uint32_t element_bits(element type, long double v, bool saturate) {
  if (type == F16) {
    uint32_t h = code16(v, 0, signbit(v));
    return saturate && isfinite(v) && (h & 0x7fff) == 0x7c00 ? h - 1 : h;
  }
  uint32_t bits = sim_bits32((float)v);
  if (type == F32) return bits;
  return isnan(v) ? 0x7fc0 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
static bool same_element(element type, uint32_t got, uint32_t want) {
  if (got == want) return true;
  return isnan(element_value(type, got)) && isnan(element_value(type, want)) &&
         (got & (type == F32   ? 0x400000
                 : type == F16 ? 0x200
                               : 0x40));
}

// ---- conversions
//
// Sources begin at v16 (the second of two at v18, the second block at v32), the scale is v60, random bits are
// v61, results begin at v64.
enum { SOURCE = 16, SCALE = 60, RANDOM = 61, RESULT = 64 };

typedef struct conversion {
  char code[160];
  const char *target;
  const format *format;
  element element;
  int count;
  bool encodes, stochastic, scaled;
  int second;                // register of the second operand; 0: elements follow each other
  int source_at, result_at;  // bit offsets of the small codes, or of a half
} conversion;

static conversion conversions[512];
static size_t conversion_count;

static conversion *add(const char *target, const format *f, element type, int count, bool encodes) {
  conversion *c = &conversions[conversion_count++];
  *c = (conversion){.target = target, .format = f, .element = type, .count = count, .encodes = encodes};
  return c;
}
#define CODE(c, ...) snprintf((c)->code, sizeof(c)->code, __VA_ARGS__)

// Tests fp8 and bf8 of either chip, without scale.
static void unscaled(const char *target, const format *f) {
  for (int part = 0; part < 2; ++part) {
    conversion *c = add(target, f, F32, 2, true);
    c->second = 18, c->result_at = 16 * part;
    CODE(c, "v_cvt_pk_%s_f32 v64, v16, v18%s", f->name, part ? " op_sel:[0,0,1]" : "");
    c = add(target, f, F32, 2, false);
    c->source_at = 16 * part;
    CODE(c, part ? "v_cvt_pk_f32_%s_sdwa v[64:65], v16 src0_sel:WORD_1" : "v_cvt_pk_f32_%s v[64:65], v16",
         f->name);
  }
  static const char *const bytes[] = {"", " op_sel:[0,0,1,0]", " op_sel:[0,0,0,1]", " op_sel:[0,0,1,1]"};
  for (int byte = 0; byte < 4; ++byte) {
    conversion *c = add(target, f, F32, 1, true);
    c->stochastic = true, c->result_at = 8 * byte;
    CODE(c, "v_cvt_sr_%s_f32 v64, v16, v61%s", f->name, bytes[byte]);
    c = add(target, f, F32, 1, false);
    c->source_at = 8 * byte;
    CODE(c, "v_cvt_f32_%s_sdwa v64, v16 src0_sel:BYTE_%d", f->name, byte);
  }
}

static void scaled_eights(const format *f) {
  for (int type = F32; type <= BF16; ++type) {
    const char *name = element_names[type];
    for (int part = 0; part < 2; ++part) {
      conversion *c = add("gfx950", f, (element)type, 2, true);
      c->scaled = true, c->result_at = 16 * part;
      if (type == F32) {
        c->second = 18;
        CODE(c, "v_cvt_scalef32_pk_%s_f32 v64, v16, v18, v60%s", f->name, part ? " op_sel:[0,0,0,1]" : "");
      } else {
        CODE(c, "v_cvt_scalef32_pk_%s_%s v64, v16, v60%s", f->name, name, part ? " op_sel:[0,0,1]" : "");
      }
      c = add("gfx950", f, (element)type, 1, true);
      c->scaled = c->stochastic = true, c->result_at = part ? 24 : 8;
      CODE(c, "v_cvt_scalef32_sr_%s_%s v64, v16, v61, v60 op_sel:[0,0,1,%d]", f->name, name, part);
      c = add("gfx950", f, (element)type, 2, false);
      c->scaled = true, c->source_at = 16 * part;
      CODE(c, "v_cvt_scalef32_pk_%s_%s %s, v16, v60%s", name, f->name, type == F32 ? "v[64:65]" : "v64",
           part ? " op_sel:[1,0,0]" : "");
      if (type == BF16) continue;
      c = add("gfx950", f, (element)type, 1, false);
      c->scaled = true, c->source_at = part ? 24 : 16, c->result_at = type == F16 ? 16 * part : 0;
      CODE(c, "v_cvt_scalef32_%s_%s v64, v16, v60 op_sel:[%d,1,%d]", name, f->name, part,
           type == F16 && part);
    }
  }
}

static void scaled_fours(const format *f) {
  for (int type = F32; type <= BF16; ++type) {
    const char *name = element_names[type];
    conversion *c = add("gfx950", f, (element)type, 2, true);
    c->scaled = true, c->result_at = type == F32 ? 8 : 24;
    c->second = type == F32 ? 18 : 0;
    CODE(c,
         type == F32 ? "v_cvt_scalef32_pk_fp4_%s v64, v16, v18, v60 op_sel:[0,0,1,0]"
                     : "v_cvt_scalef32_pk_fp4_%s v64, v16, v60 op_sel:[0,0,1,1]",
         name);
    c = add("gfx950", f, (element)type, 2, true);
    c->scaled = c->stochastic = true, c->result_at = 16;
    CODE(c, "v_cvt_scalef32_sr_pk_fp4_%s v64, %s, v61, v60 op_sel:[0,0,0,1]", name,
         type == F32 ? "v[16:17]" : "v16");
    for (int byte = 0; byte < 4; ++byte) {
      c = add("gfx950", f, (element)type, 2, false);
      c->scaled = true, c->source_at = 8 * byte;
      CODE(c, "v_cvt_scalef32_pk_%s_fp4 %s, v16, v60 op_sel:[%d,%d,0]", name,
           type == F32 ? "v[64:65]" : "v64", byte & 1, byte >> 1);
    }
  }
}

static void scaled_blocks(const format *f) {
  conversion *c = add("gfx950", f, F32, 32, true);
  c->scaled = true, c->second = 32;
  CODE(c, "v_cvt_scalef32_2xpk16_%s_f32 v[64:69], v[16:31], v[32:47], v60", f->name);
  for (int type = F32; type <= BF16; ++type) {
    const char *name = element_names[type];
    int last = type == F32 ? 31 : 15;
    c = add("gfx950", f, (element)type, 32, true);
    c->scaled = c->stochastic = true;
    CODE(c, "v_cvt_scalef32_sr_pk32_%s_%s v[64:69], v[16:%d], v61, v60", f->name, name, SOURCE + last);
    c = add("gfx950", f, (element)type, 32, false);
    c->scaled = true;
    CODE(c, "v_cvt_scalef32_pk32_%s_%s v[64:%d], v[16:21], v60", name, f->name, RESULT + last);
    if (type == F32) continue;
    c = add("gfx950", f, (element)type, 32, true);
    c->scaled = true;
    CODE(c, "v_cvt_scalef32_pk32_%s_%s v[64:69], v[16:31], v60", f->name, name);
  }
}

// ---- running

static uint32_t bits_at(const sim_wave *w, unsigned lane, int row, int at, int width) {
  uint64_t two = w->v[row + at / 32][lane] | (uint64_t)w->v[row + at / 32 + 1][lane] << 32;
  return (uint32_t)(two >> (at % 32) & ((1ull << width) - 1));
}

static uint32_t source_element(const sim_wave *w, unsigned lane, const conversion *c, int i) {
  if (c->second && c->count == 32) return w->v[(i & 1 ? c->second : SOURCE) + i / 2][lane];
  if (c->second) return w->v[i ? c->second : SOURCE][lane];
  if (c->element == F32) return w->v[SOURCE + i][lane];
  return bits_at(w, lane, SOURCE, 16 * i, 16);
}

// Returns values near the codes of the format and in the middle between two, any bits, NaN and infinities.
static uint32_t random_element(test_rng *rng, const conversion *c, uint32_t scale) {
  uint64_t r = test_random(rng);
  if ((r & 7) == 0) return c->element == F32 ? valu_value(rng) : valu_value(rng) >> 16;
  uint32_t code = (uint32_t)(r >> 8) % (c->format->max + 2);
  long double v = magnitude_of(c->format, code);
  if (r & 16) v = (v + magnitude_of(c->format, code + 1)) / 2;
  if (r & 32) v *= 1 + ((r >> 40 & 255) - 128.0L) * 0x1p-12L;
  if (c->scaled) v = ldexpl(v, (int)(scale >> 23) - 127);
  uint32_t bits = element_bits(c->element, r & 64 ? -v : v, false);
  return bits + (uint32_t)(r >> 50 & 3) - 1;
}

static void fill(sim_wave *w, const conversion *c, test_rng *rng, int round) {
  for (int row = 0; row < 104; ++row)
    for (unsigned l = 0; l < SIM_LANES; ++l) w->v[row][l] = (uint32_t)test_random(rng);
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    uint32_t spread = c->element == F16 ? 12 : 60;
    uint32_t scale = (127 + (uint32_t)(test_random(rng) % (2 * spread)) - spread) << 23;
    w->v[SCALE][l] = scale | ((uint32_t)test_random(rng) & 0x7fffff);
    if (round % 4 == 3) w->v[RANDOM][l] = l & 1 ? UINT32_MAX : 0;
    for (int i = 0; c->encodes && i < 32; ++i) {
      uint32_t bits = random_element(rng, c, scale);
      if (c->element == F32)
        w->v[SOURCE + i][l] = bits;
      else if (i % 2 == 0)
        w->v[SOURCE + i / 2][l] = (bits & 0xffff) | random_element(rng, c, scale) << 16;
    }
  }
}

static void check_lane(const sim_wave *w, const sim_wave *before, unsigned l, const conversion *c,
                       bool saturate) {
  const format *f = c->format;
  int bits = code_bits(f), width = c->element == F32 ? 32 : 16, step = c->encodes ? bits : width;
  int exponent = c->scaled ? (int)(before->v[SCALE][l] >> 23 & 255) - 127 : 0;
  uint32_t random = before->v[RANDOM][l], written[40] = {0};
  for (int i = 0; i < c->count; ++i) {
    uint32_t source, want, got = bits_at(w, l, RESULT, c->result_at + i * step, step);
    bool right;
    if (c->encodes) {
      source = source_element(before, l, c, i);
      long double v = ldexpl(element_value(c->element, source), -exponent);
      want = encoded(f, v, c->stochastic ? &random : NULL, saturate);
      right = got == want;
      random = random << 1 ^ (random >> 31 ? 0xc5 : 0);  // V_PRNG_B32 between elements
    } else {
      source = bits_at(before, l, SOURCE, c->source_at + i * bits, bits);
      want = element_bits(c->element, ldexpl(decoded(f, source), exponent), saturate);
      right = same_element(c->element, got, want);
    }
    CHECK(right, "%s %s lane %u element %d: 0x%x with scale 2^%d and random 0x%x gives 0x%x, expected 0x%x",
          c->target, c->code, l, i, source, exponent, before->v[RANDOM][l], got, want);
    for (int b = 0; b < step; ++b) {
      int at = c->result_at + i * step + b;
      written[at / 32] |= 1u << at % 32;
    }
  }
  for (int row = 0; row < 36; ++row)
    CHECK(((w->v[RESULT + row][l] ^ before->v[RESULT + row][l]) & ~written[row]) == 0,
          "%s %s lane %u: v%d changes beyond the result", c->target, c->code, l, RESULT + row);
}

static void run(const char *target) {
  static const char *code[512];
  static const conversion *here[512];
  static sim_wave before;
  size_t count = 0;
  test_rng rng = test_seed(2);
  for (size_t i = 0; i < conversion_count; ++i)
    if (strcmp(conversions[i].target, target) == 0) {
      here[count] = &conversions[i];
      code[count++] = conversions[i].code;
    }
  isa_program *p = isa_assemble(target, code, count);
  for (size_t i = 0; i < count; ++i)
    for (int round = 0; round < 12; ++round) {
      sim_wave *w = isa_begin(p, i);
      bool saturate = round & 1;
      if (saturate) w->mode |= SIM_MODE_FP16_OVFL;
      fill(w, here[i], &rng, round);
      memcpy(&before, w, sizeof before);
      CHECK_RUN(p);
      for (unsigned l = 0; l < SIM_LANES; ++l) check_lane(w, &before, l, here[i], saturate);
    }
  isa_free(p);
  printf("%s: %zu conversions\n", target, count);
}

int main(void) {
  for (int f = FP8; f <= BF8; ++f) {
    unscaled("gfx942", &fnuz[f]);
    unscaled("gfx950", &ocp[f]);
    scaled_eights(&ocp[f]);
  }
  scaled_fours(&ocp[FP4]);
  scaled_blocks(&ocp[FP6]);
  scaled_blocks(&ocp[BF6]);
  run("gfx942");
  run("gfx950");
  return test_result();
}
