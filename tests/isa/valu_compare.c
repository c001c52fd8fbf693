// SPDX-License-Identifier: MIT
// Every vector compare of every type, v_cmp and v_cmpx, in the 32-bit encoding (VCC) and the 64-bit one (any
// SGPR pair, sign modifiers), and the class tests. Names and meanings: CDNA3 ISA, "VOPC instructions": the
// relation's number says in bits 0, 1 and 2 whether less, equal and greater make it true; of floats, numbers
// from 7 on are true for unordered sources.
#include "tests/isa/valu_text.h"

enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8, MOST_CODES = 2048 };

typedef struct value_type {
  const char *name;
  int bits, exponent_bits;  // exponent_bits 0: an integer
  bool is_signed;
} value_type;

static const value_type types[] = {{"f16", 16, 5, true},  {"f32", 32, 8, true},  {"f64", 64, 11, true},
                                   {"i16", 16, 0, true},  {"u16", 16, 0, false}, {"i32", 32, 0, true},
                                   {"u32", 32, 0, false}, {"i64", 64, 0, true},  {"u64", 64, 0, false}};
enum { TYPES = sizeof types / sizeof types[0] };

static const char *const float_relations[16] = {"f", "lt",  "eq",  "le",  "gt",  "lg",  "ge",  "o",
                                                "u", "nge", "nlg", "ngt", "nle", "neq", "nlt", "tru"};
static const char *const int_relations[8] = {"f", "lt", "eq", "le", "gt", "ne", "ge", "t"};

typedef struct compare {
  const value_type *type;
  int relation;  // -1: class
  bool writes_exec, wide;
  char code[96];
} compare;

static compare compares[MOST_CODES];
static size_t compare_count;

static uint64_t mask_of(int bits) { return bits == 64 ? ~0ull : (1ull << bits) - 1; }

// Returns -1, 0, 1, or 2 when one is not a number.
static int order(const value_type *t, uint64_t a, uint64_t b) {
  uint64_t sign = 1ull << (t->bits - 1), mask = mask_of(t->bits);
  a &= mask, b &= mask;
  if (t->exponent_bits) {
    uint64_t infinity = ((1ull << t->exponent_bits) - 1) << (t->bits - 1 - t->exponent_bits);
    if ((a & ~sign) > infinity || (b & ~sign) > infinity) return 2;
    if (((a | b) & ~sign) == 0) return 0;
    // This turns sign and magnitude into an order of unsigned integers.
    a = a & sign ? mask - a : a | sign;
    b = b & sign ? mask - b : b | sign;
  } else if (t->is_signed) {
    a ^= sign, b ^= sign;
  }
  return a < b ? -1 : a > b;
}

static bool holds(const compare *c, uint64_t a, uint64_t b) {
  int found = order(c->type, a, b);
  int outcome = found == 2 ? UNORDERED : found < 0 ? LESS : found == 0 ? EQUAL : GREATER;
  if (!c->type->exponent_bits) return c->relation & outcome;
  // Codes 0 to 7 list what is true; 8 to 15 are the negations of 7 to 0.
  return c->relation < 8 ? (c->relation & outcome) != 0 : ((15 - c->relation) & outcome) == 0;
}

static bool is_class(const value_type *t, uint64_t a, uint32_t tested) {
  uint64_t sign = 1ull << (t->bits - 1);
  int mantissa_bits = t->bits - 1 - t->exponent_bits;
  uint64_t exponent = a >> mantissa_bits & ((1ull << t->exponent_bits) - 1);
  uint64_t mantissa = a & ((1ull << mantissa_bits) - 1);
  bool negative = a & sign;
  int bit;
  if (exponent == (1ull << t->exponent_bits) - 1)
    bit = mantissa ? (mantissa >> (mantissa_bits - 1) & 1 ? 1 : 0) : negative ? 2 : 9;
  else if (exponent)
    bit = negative ? 3 : 8;
  else if (mantissa)
    bit = negative ? 4 : 7;
  else
    bit = negative ? 5 : 6;
  return tested >> bit & 1;
}

static void add(const value_type *t, const char *relation, int number, bool writes_exec, bool wide) {
  compare *c = &compares[compare_count++];
  *c = (compare){.type = t, .relation = number, .writes_exec = writes_exec, .wide = wide};
  const char *a = t->bits == 64 ? "v[2:3]" : "v2";
  const char *b = t->bits == 64 && number >= 0 ? "v[4:5]" : "v4";
  bool signs = wide && t->exponent_bits && number >= 0;
  snprintf(c->code, sizeof c->code, "v_cmp%s_%s_%s%s %s, %s%s, %s%s%s", writes_exec ? "x" : "", relation,
           t->name, wide ? "_e64" : "_e32", wide ? "s[10:11]" : "vcc", signs ? "-" : "", a, signs ? "|" : "",
           b, signs ? "|" : "");
}

static void list(void) {
  for (int t = 0; t < TYPES; ++t)
    for (int form = 0; form < 4; ++form) {
      int count = types[t].exponent_bits ? 16 : 8;
      for (int r = 0; r < count; ++r)
        add(&types[t], count == 16 ? float_relations[r] : int_relations[r], r, form & 1, form >> 1);
      if (count == 16) add(&types[t], "class", -1, form & 1, form >> 1);
    }
}

static uint64_t random_value(test_rng *rng, const value_type *t) {
  uint64_t high = valu_value(rng), low = valu_value(rng);
  if (t->bits == 64) return high << 32 | (test_random(rng) & 1 ? low : 0);
  return t->bits == 16 ? high << 16 | (low >> (t->exponent_bits && (low & 1) ? 16 : 0) & 0xffff) : high;
}

static void check(isa_program *p, size_t snippet, const char *target, test_rng *rng) {
  const compare *c = &compares[snippet];
  const value_type *t = c->type;
  sim_wave *w = isa_begin(p, snippet);
  uint64_t exec = test_random(rng) | 1, a[SIM_LANES], b[SIM_LANES], expected = 0;
  sim_set_s64(w, SIM_EXEC, exec);
  sim_set_s64(w, SIM_VCC, ~0ull), sim_set_s64(w, 10, ~0ull);
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    a[l] = random_value(rng, t), b[l] = random_value(rng, t);
    uint64_t sign = 1ull << (t->bits - 1), r = test_random(rng);
    if ((r & 3) == 0) b[l] = a[l];
    if ((r & 15) == 1) b[l] = a[l] ^ sign;
    if (c->relation < 0) b[l] = (uint32_t)(r >> 8) & 0x3ff;
    isa_set_v64(w, 2, l, a[l]), isa_set_v64(w, 4, l, b[l]);
    bool signs = c->wide && t->exponent_bits && c->relation >= 0;
    uint64_t left = signs ? a[l] ^ sign : a[l], right = signs ? b[l] & ~sign : b[l];
    bool hit = c->relation < 0 ? is_class(t, a[l], (uint32_t)b[l]) : holds(c, left, right);
    if (hit && (exec >> l & 1)) expected |= 1ull << l;
  }
  CHECK_RUN(p);
  uint64_t got = sim_s64(w, c->wide ? 10 : SIM_VCC), other = sim_s64(w, c->wide ? SIM_VCC : 10);
  uint64_t wrong = got ^ expected;
  unsigned l = wrong ? (unsigned)__builtin_ctzll(wrong) : 0;
  CHECK(wrong == 0, "%s %s lane %u: 0x%llx and 0x%llx give %d", target, c->code, l, (unsigned long long)a[l],
        (unsigned long long)b[l], (int)(got >> l & 1));
  CHECK(other == ~0ull, "%s %s also writes another mask", target, c->code);
  CHECK(sim_exec(w) == (c->writes_exec ? expected : exec), "%s %s leaves exec 0x%llx", target, c->code,
        (unsigned long long)sim_exec(w));
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  static const char *code[MOST_CODES];
  test_rng rng = test_seed(20261122);
  list();
  for (size_t i = 0; i < compare_count; ++i) code[i] = compares[i].code;
  for (int t = 0; t < 2; ++t) {
    isa_program *p = isa_assemble(targets[t], code, compare_count);
    for (size_t i = 0; i < compare_count; ++i)
      for (int round = 0; round < 4; ++round) check(p, i, targets[t], &rng);
    isa_free(p);
  }
  printf("%zu compares\n", compare_count);
  return test_result();
}
