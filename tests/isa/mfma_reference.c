// SPDX-License-Identifier: MIT
#include "mfma_reference.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "mfma_groups.h"

enum { MOST_K = 128 };

static const struct {
  const char *name;
  ref_type type;
  int bits;
} types[] = {{"f32", REF_F32, 32}, {"xf32", REF_XF32, 32}, {"f16", REF_F16, 16}, {"bf16", REF_BF16, 16},
             {"i8", REF_I8, 8},    {"fp8", REF_FP8, 8},    {"bf8", REF_BF8, 8},  {"fp6", REF_FP6, 6},
             {"bf6", REF_BF6, 6},  {"fp4", REF_FP4, 4},    {"f64", REF_F64, 64}, {"f8f6f4", REF_F8F6F4, 0}};

static bool find_type(const char *name, ref_type *type) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    if (strcmp(types[i].name, name) == 0) {
      *type = types[i].type;
      return true;
    }
  return false;
}

bool ref_parse(const char *name, ref_shape *s) {
  memset(s, 0, sizeof *s);
  s->sparse = strncmp(name, "v_smfmac_", 9) == 0;
  s->scaled = strncmp(name, "v_mfma_scale_", 13) == 0;
  if (!s->sparse && strncmp(name, "v_mfma_", 7) != 0) return false;
  const char *rest = name + (s->sparse ? 9 : s->scaled ? 13 : 7);
  s->d = strncmp(rest, "i32", 3) == 0 ? 'i' : strncmp(rest, "f64", 3) == 0 ? 'd' : 'f';
  int used = 0;
  if (sscanf(rest + 4, "%dx%dx%d_%n", &s->m, &s->n, &s->k, &used) != 3 || !used) return false;
  rest += 4 + used;
  s->blocks = 1;
  int blocks;
  used = 0;
  if (sscanf(rest, "%db_%n", &blocks, &used) == 1 && used) {
    s->blocks = blocks;
    rest += used;
  }
  char first[16], second[16];
  int count = sscanf(rest, "%15[^_]_%15s", first, second);
  return count > 0 && find_type(first, &s->a) && find_type(count == 2 ? second : first, &s->b);
}

int ref_bits(ref_type type) {
  for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
    if (types[i].type == type) return types[i].bits;
  return 0;
}

ref_type ref_format(int field) {
  static const ref_type formats[] = {REF_FP8, REF_BF8, REF_FP6, REF_BF6, REF_FP4};
  return formats[field];
}

int ref_registers(const ref_shape *s, ref_type type, bool is_a) {
  int items = s->m * s->k * s->blocks / 64;
  if (s->sparse && is_a) items /= 2;
  return items * ref_bits(type) / 32;
}

int ref_result_registers(const ref_shape *s) { return s->m * s->n * s->blocks / 64 * (s->d == 'd' ? 2 : 1); }

// ---- values

static double minifloat(uint64_t code, int exp_bits, int man_bits, int bias) {
  int sign = (int)(code >> (exp_bits + man_bits) & 1);
  int exponent = (int)(code >> man_bits & ((1u << exp_bits) - 1));
  double mantissa = (double)(code & ((1u << man_bits) - 1));
  double value = exponent ? ldexp(mantissa + ldexp(1, man_bits), exponent - bias - man_bits)
                          : ldexp(mantissa, 1 - bias - man_bits);
  return sign ? -value : value;
}

static double ieee(uint64_t code, int exp_bits, int man_bits) {
  uint64_t exponent = code >> man_bits & ((1u << exp_bits) - 1), mantissa = code & ((1u << man_bits) - 1);
  if (exponent != (1u << exp_bits) - 1) return minifloat(code, exp_bits, man_bits, (1 << (exp_bits - 1)) - 1);
  if (mantissa) return NAN;
  return code >> (exp_bits + man_bits) & 1 ? -INFINITY : INFINITY;
}

double ref_decode(ref_type type, bool ocp, uint64_t code) {
  double value;
  switch (type) {
    case REF_F64: memcpy(&value, &code, sizeof value); return value;
    case REF_F32: return ieee(code, 8, 23);
    case REF_XF32:  // ten bits of the fraction; a NaN remains one
      value = ieee(code, 8, 23);
      return isfinite(value) ? ieee(code & ~0x1fffull, 8, 23) : value;
    case REF_F16: return ieee(code, 5, 10);
    case REF_BF16: return ieee(code, 8, 7);
    case REF_I8: return code < 128 ? (double)code : (double)code - 256;
    case REF_FP8:
      if (ocp) return (code & 127) == 127 ? NAN : minifloat(code, 4, 3, 7);
      return code == 128 ? NAN : minifloat(code, 4, 3, 8);
    case REF_BF8:
      if (ocp) return ieee(code, 5, 2);
      return code == 128 ? NAN : minifloat(code, 5, 2, 16);
    case REF_FP6: return minifloat(code, 2, 3, 1);
    case REF_BF6: return minifloat(code, 3, 2, 3);
    default: return minifloat(code, 2, 1, 1);
  }
}

// ---- layouts

static double item_value(const ref_case *c, const uint32_t (*v)[SIM_LANES], int row, int lane, int item,
                         ref_type type) {
  const int bits = ref_bits(type), at = item * bits, within = at % 32;
  uint64_t code = v[row + at / 32][lane] >> within;
  if (within + bits > 32) code |= (uint64_t)v[row + at / 32 + 1][lane] << (32 - within);
  return ref_decode(type, c->ocp, bits < 64 ? code & ((1ull << bits) - 1) : code);
}

// Finds where element (block, x, k) of A (x a row) or B (x a column) lives; dense depth.
static void locate(const ref_shape *s, ref_type type, int block, int x, int k, int *lane, int *item) {
  int per_lane = s->k / (64 / (s->m * s->blocks));
  if (ref_bits(type) * per_lane == 256) {  // two runs of 16 bytes, half the depth apart
    int half = k / (s->k / 2), rest = k % (s->k / 2), run = per_lane / 2;
    *lane = x + s->m * (rest / run);
    *item = run * half + rest % run;
    return;
  }
  *lane = x + s->m * (block + s->blocks * (k / per_lane));
  *item = k % per_lane;
}

static int broadcast_a(const ref_case *c, int lane) {
  int s = 64 >> c->cbsz;
  return (lane % s) + s * c->abid;
}

static int broadcast_b(const ref_case *c, int lane) {
  if (c->blgp == 0) return lane;
  if (c->blgp <= 2) return lane % 32 + 32 * (c->blgp - 1);
  if (c->blgp == 3) return (lane + 16) & 63;
  return lane % 16 + 16 * (c->blgp - 4);
}

// Return the types of A and B, by CBSZ and BLGP where these choose them.
static ref_type type_a(const ref_case *c) {
  return c->shape.a == REF_F8F6F4 ? ref_format(c->cbsz) : c->shape.a;
}
static ref_type type_b(const ref_case *c) {
  return c->shape.b == REF_F8F6F4 ? ref_format(c->blgp) : c->shape.b;
}

static double read_a(const ref_case *c, const uint32_t (*v)[SIM_LANES], int block, int i, int k) {
  const ref_shape *s = &c->shape;
  ref_type type = type_a(c);
  int lane, item;
  locate(s, type, block, i, k, &lane, &item);
  if (s->a != REF_F8F6F4 && s->d != 'd') lane = broadcast_a(c, lane);
  double value = item_value(c, v, c->a, lane, item, type);
  return s->d == 'd' && (c->blgp & 1) ? -value : value;
}

static double read_b(const ref_case *c, const uint32_t (*v)[SIM_LANES], int block, int j, int k) {
  const ref_shape *s = &c->shape;
  ref_type type = type_b(c);
  int lane, item;
  locate(s, type, block, j, k, &lane, &item);
  if (s->b != REF_F8F6F4 && s->d != 'd' && !s->sparse) lane = broadcast_b(c, lane);
  double value = item_value(c, v, c->b, lane, item, type);
  return s->d == 'd' && (c->blgp & 2) ? -value : value;
}

// These are the elements of the instruction that ref_run computes, which each of its results would read
// again: [block][i][k] of A, unless it is sparse, and [block][j][k] of B.
enum { MOST_ELEMENTS = 32 * MOST_K };
static double elements_a[MOST_ELEMENTS], elements_b[MOST_ELEMENTS];

static void read_elements(const ref_case *c, const uint32_t (*v)[SIM_LANES]) {
  const ref_shape *s = &c->shape;
  for (int b = 0; b < s->blocks; ++b)
    for (int k = 0; k < s->k; ++k) {
      for (int i = 0; i < s->m && !s->sparse; ++i)
        elements_a[(b * s->m + i) * s->k + k] = read_a(c, v, b, i, k);
      for (int j = 0; j < s->n; ++j) elements_b[(b * s->n + j) * s->k + k] = read_b(c, v, b, j, k);
    }
}

static double element_a(const ref_case *c, int block, int i, int k) {
  return elements_a[(block * c->shape.m + i) * c->shape.k + k];
}
static double element_b(const ref_case *c, int block, int j, int k) {
  return elements_b[(block * c->shape.n + j) * c->shape.k + k];
}

// Bands of H rows (1 for f64), N lanes wide, fill a register set before the next one begins; blocks that are
// smaller than a register lie side by side within a band (AMD matrix instruction calculator, output layout of
// gfx9).
static void locate_result(const ref_shape *s, int b, int i, int j, int *reg, int *lane) {
  int h = s->d == 'd' ? 1 : 4, bands = 64 / s->n, block_lanes = s->n * s->m / h;
  int side_by_side = (64 + block_lanes - 1) / block_lanes;
  *reg = i % h + i / (h * bands) * h + b * (s->m * s->n / 64);
  *lane = j + s->n * (b % side_by_side + side_by_side * (i / h % bands));
}

// ---- arithmetic

static float mode_in(const ref_case *c, float x) { return c->flush_in && fabsf(x) < FLT_MIN ? 0 * x : x; }

static float mode_out(const ref_case *c, float x, bool finite) {
  if (c->saturate && isinf(x) && finite) x = x > 0 ? FLT_MAX : -FLT_MAX;
  return c->flush_out && fabsf(x) < FLT_MIN ? 0 * x : x;
}

static float step(const ref_case *c, float acc, double a, double b) {
  float x = mode_in(c, (float)a), y = mode_in(c, (float)b), z = mode_in(c, acc);
  return mode_out(c, fmaf(x, y, z), isfinite(x) && isfinite(y) && isfinite(z));
}

// Returns 2^(byte - 127), NaN for 255, of operand n for row or column x in block kb of 32 k.
static double scale(const ref_case *c, const uint32_t (*v)[SIM_LANES], int n, int x, int kb) {
  if (c->scale[n] < 0) return 1;
  int byte = v[c->scale[n]][x + c->shape.m * kb] >> (8 * c->scale_byte[n]) & 255;
  return byte == 255 ? NAN : ldexp(1, byte - 127);
}

// Adds `count` products to acc in groups, as hardware does. scales: a factor for each 32 of them, or NULL.
static float add_groups(const ref_case *c, float acc, const double *a, const double *b, int count,
                        const double *scales) {
  const int size = ref_group_size(type_a(c));
  for (int first = 0; first < count; first += size) {
    ref_group g = {.type_a = type_a(c),
                   .type_b = type_b(c),
                   .ocp = c->ocp,
                   .count = count - first < size ? count - first : size,
                   .scale = scales ? scales[first / 32] : 1,
                   .saturate = c->saturate};
    memcpy(g.a, a + first, (size_t)g.count * sizeof *a);
    memcpy(g.b, b + first, (size_t)g.count * sizeof *b);
    acc = ref_group_add(&g, acc);
  }
  return acc;
}

static float add_products(const ref_case *c, float acc, const double *a, const double *b, int count) {
  if (!c->fast && ref_group_size(type_a(c))) return add_groups(c, acc, a, b, count, NULL);
  for (int n = 0; n < count; ++n) acc = step(c, acc, a[n], b[n]);
  return acc;
}

static float add_scaled(const ref_case *c, float acc, const double *a, const double *b,
                        const double *scales) {
  if (!c->fast) return add_groups(c, acc, a, b, c->shape.k, scales);
  for (int kb = 0; kb < c->shape.k / 32; ++kb) {
    const float dot = add_products(c, 0, a + 32 * kb, b + 32 * kb, 32);
    const float scaled = mode_out(c, (float)(scales[kb] * dot), isfinite(dot));
    acc = mode_out(c, acc + scaled, isfinite(acc) && isfinite(scaled));
  }
  return acc;
}

static float element_f32(const ref_case *c, const uint32_t (*v)[SIM_LANES], int b, int i, int j,
                         float start) {
  double left[MOST_K], right[MOST_K], scales[MOST_K / 32];
  for (int k = 0; k < c->shape.k; ++k) {
    left[k] = element_a(c, b, i, k);
    right[k] = element_b(c, b, j, k);
  }
  if (!c->shape.scaled) return add_products(c, start, left, right, c->shape.k);
  for (int kb = 0; kb < c->shape.k / 32; ++kb) scales[kb] = scale(c, v, 0, i, kb) * scale(c, v, 1, j, kb);
  return add_scaled(c, start, left, right, scales);
}

// Finds the stored values of row i in order: value and dense k. Slice g of A has two values per group of four
// k.
static int sparse_row(const ref_case *c, const uint32_t (*v)[SIM_LANES], int i, double *value, int *k) {
  const ref_shape *s = &c->shape;
  int slices = 64 / s->m, per_lane = s->k / 2 / slices, sets = 32 / (2 * per_lane), count = 0;
  int shift = c->cbsz ? 0 : c->abid % sets * (2 * per_lane);
  for (int g = 0; g < slices; ++g)
    for (int t = 0; t < per_lane; ++t) {
      int lane = i + s->m * g;
      value[count] = item_value(c, v, c->a, lane, t, s->a);
      k[count++] = s->k / slices * g + 4 * (t / 2) + (int)(v[c->c][lane] >> (shift + 2 * t) & 3);
    }
  return count;
}

static uint64_t result_bits(const ref_case *c, const uint32_t (*v)[SIM_LANES], int b, int i, int j,
                            uint64_t c_bits, bool *good) {
  const ref_shape *s = &c->shape;
  double values[128], exact = 0;
  int ks[128], count = s->k;
  if (s->sparse) count = sparse_row(c, v, i, values, ks);
  if (c->integers || s->d == 'i')
    for (int n = 0; n < count; ++n)
      exact +=
          s->sparse ? values[n] * element_b(c, 0, j, ks[n]) : element_a(c, b, i, n) * element_b(c, b, j, n);
  if (s->d == 'i') return (uint32_t)c_bits + (uint32_t)(int32_t)exact;
  if (s->d == 'd') {
    double acc;
    memcpy(&acc, &c_bits, sizeof acc);
    if (c->blgp & 4) acc = -acc;
    exact += acc;
    for (int k = 0; k < s->k; ++k) acc = fma(element_a(c, b, i, k), element_b(c, b, j, k), acc);
    if (c->integers && acc != exact) *good = false;
    if (isnan(acc)) return 0x7ff8000000000000u;
    uint64_t bits;
    memcpy(&bits, &acc, sizeof bits);
    return bits;
  }
  float acc;
  uint32_t bits = (uint32_t)c_bits;
  memcpy(&acc, &bits, sizeof acc);
  exact += acc;
  if (s->sparse) {
    double right[MOST_K];
    for (int n = 0; n < count; ++n) right[n] = element_b(c, 0, j, ks[n]);
    acc = add_products(c, acc, values, right, count);
  } else {
    acc = element_f32(c, v, b, i, j, acc);
  }
  if (c->integers && !s->scaled && acc != exact) *good = false;
  memcpy(&bits, &acc, sizeof bits);
  return isnan(acc) ? 0x7fc00000u : bits;
}

bool ref_run(const ref_case *c, const uint32_t (*v)[SIM_LANES], uint32_t (*out)[SIM_LANES]) {
  const ref_shape *s = &c->shape;
  bool good = true, wide = s->d == 'd';
  int from = s->sparse ? c->d : c->c;
  read_elements(c, v);
  for (int b = 0; b < s->blocks; ++b)
    for (int i = 0; i < s->m; ++i)
      for (int j = 0; j < s->n; ++j) {
        int reg, lane;
        locate_result(s, b, i, j, &reg, &lane);
        if (wide) reg *= 2;
        uint64_t c_bits = c->c_value;
        if (!c->c_constant) c_bits = v[from + reg][lane];
        if (!c->c_constant && wide) c_bits |= (uint64_t)v[from + reg + 1][lane] << 32;
        uint64_t bits = result_bits(c, v, b, i, j, c_bits, &good);
        out[reg][lane] = (uint32_t)bits;
        if (wide) out[reg + 1][lane] = (uint32_t)(bits >> 32);
      }
  return good;
}
