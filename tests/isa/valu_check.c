// SPDX-License-Identifier: MIT
#include "tests/isa/valu_check.h"

// Both halves of a dword, or the exponent of an f64, come from the same edge values as an f32.
static uint32_t random_dword(test_rng *rng) {
  uint64_t r = test_random(rng);
  if (r & 1) return valu_value(rng);
  return (valu_value(rng) & 0xffff) | (valu_value(rng) << (r & 2 ? 16 : 0) & 0xffff0000u);
}

static uint64_t random_pair(test_rng *rng) {
  uint64_t high = random_dword(rng), r = test_random(rng);
  return high << 32 | (r & 1 ? 0 : r & 2 ? random_dword(rng) : (uint32_t)(r >> 32));
}

// Sources that are equal, or equal but for the sign, meet special cases that random ones miss.
static uint64_t related(test_rng *rng, uint64_t other) {
  uint64_t r = test_random(rng) & 15;
  return r == 0 ? other : r == 1 ? other ^ 0x8000000080008000u : random_pair(rng);
}

// Every operation is tried on all pairs of these: equal, smallest and largest operands of each width, signed,
// unsigned and floating point. Both halves of a register, and both registers of a pair, hold such values.
static const uint64_t edges[] = {0,
                                 1,
                                 0x00010001,
                                 0x7fff7fff,
                                 0x80008000,
                                 0xffffffff,
                                 0x7fffffff,
                                 0x80000000,
                                 0x3f800000,
                                 0x7f7fffff,
                                 0x7bff7bff,
                                 0xffffffffffffffffull,
                                 0x7fffffffffffffffull,
                                 0x8000000000000000ull,
                                 0x3ff0000000000000ull,
                                 0x7fefffffffffffffull};
enum { EDGES = sizeof edges / sizeof *edges, EDGE_ROUNDS = EDGES * EDGES / SIM_LANES };

// Returns the sources of a lane in one of the rounds with edge operands; the third one takes its turn.
static valu_lane edge_lane(int round, unsigned lane) {
  const unsigned pair = (unsigned)round * SIM_LANES + lane, a = pair / EDGES, b = pair % EDGES;
  return (valu_lane){.a = edges[a], .b = edges[b], .c = edges[(5 * a + 3 * b) % EDGES]};
}

static valu_lane random_lane(test_rng *rng) {
  const uint64_t a = random_pair(rng), b = related(rng, a);
  return (valu_lane){.a = a, .b = b, .c = related(rng, b)};
}

static bool is_nan(uint64_t bits, int exponent_bits, int mantissa_bits) {
  uint64_t exponent = ((1ull << exponent_bits) - 1) << mantissa_bits;
  return (bits & exponent) == exponent && (bits & ((1ull << mantissa_bits) - 1));
}

// Returns whether they are the same float, or both NaN and that of the device quiet.
static bool same_float(uint64_t got, uint64_t want, int exponent_bits, int mantissa_bits) {
  if (got == want) return true;
  return is_nan(want, exponent_bits, mantissa_bits) && is_nan(got, exponent_bits, mantissa_bits) &&
         (got >> (mantissa_bits - 1) & 1);
}

static bool same(valu_result result, uint64_t got, uint64_t want) {
  switch (result) {
    case VALU_F16: return same_float(got & 0xffff, want & 0xffff, 5, 10) && (uint32_t)(got ^ want) >> 16 == 0;
    case VALU_PKF16:
      return same_float(got & 0xffff, want & 0xffff, 5, 10) &&
             same_float(got >> 16 & 0xffff, want >> 16 & 0xffff, 5, 10);
    case VALU_F32: return same_float((uint32_t)got, (uint32_t)want, 8, 23);
    case VALU_PKF32:
      return same_float((uint32_t)got, (uint32_t)want, 8, 23) && same_float(got >> 32, want >> 32, 8, 23);
    case VALU_F64: return same_float(got, want, 11, 52);
    case VALU_B64: return got == want;
    case VALU_VCC: return ((got ^ want) & 0x1ffffffff) == 0;
    default: return (uint32_t)got == (uint32_t)want;
  }
}

// The first rounds have edge operands.
static void check_round(isa_program *p, size_t snippet, const valu_op *op, const char *target, uint32_t mode,
                        int round, test_rng *rng) {
  sim_wave *w = isa_begin(p, snippet);
  valu_lane lanes[SIM_LANES];
  uint64_t vcc = test_random(rng);
  w->mode = mode;
  sim_set_s64(w, SIM_VCC, vcc);
  sim_set_s64(w, 10, vcc);
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    valu_lane *x = &lanes[l];
    *x = round < EDGE_ROUNDS ? edge_lane(round, l) : random_lane(rng);
    x->old = random_pair(rng), x->vcc = vcc, x->mode = mode, x->lane = l;
    isa_set_v64(w, 0, l, x->old), isa_set_v64(w, 2, l, x->a), isa_set_v64(w, 4, l, x->b),
        isa_set_v64(w, 6, l, x->c);
  }
  CHECK_RUN(p);
  for (unsigned l = 0; l < SIM_LANES; ++l) {
    const valu_lane *x = &lanes[l];
    uint64_t got = w->v[0][l] | (uint64_t)w->v[1][l] << 32, want = op->want(x);
    if (op->result == VALU_VCC) got = (uint32_t)got | (sim_s64(w, SIM_VCC) >> l & 1) << 32;
    CHECK(same((valu_result)op->result, got, want),
          "%s %s mode 0x%x lane %u a=%llx b=%llx c=%llx old=%llx: got %llx, expected %llx", target, op->code,
          mode, l, (unsigned long long)x->a, (unsigned long long)x->b, (unsigned long long)x->c,
          (unsigned long long)x->old, (unsigned long long)got, (unsigned long long)want);
  }
}

void valu_check(const valu_op *ops, size_t count, const uint32_t *modes, size_t mode_count, int rounds) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  static const uint8_t chips[] = {SIM_ON_GFX942, SIM_ON_GFX950};
  const char **code = calloc(count, sizeof *code);
  size_t *which = calloc(count, sizeof *which);
  if (!code || !which) exit(EXIT_FAILURE);
  test_rng rng = test_seed(20261121);
  for (int t = 0; t < 2; ++t) {
    size_t here = 0;
    for (size_t i = 0; i < count; ++i)
      if (ops[i].chips & chips[t]) code[here] = ops[i].code, which[here++] = i;
    if (!here) continue;
    isa_program *p = isa_assemble(targets[t], code, here);
    for (size_t i = 0; i < here; ++i)
      for (size_t m = 0; m < mode_count; ++m)
        for (int round = 0; round < EDGE_ROUNDS + rounds; ++round)
          check_round(p, i, &ops[which[i]], targets[t], modes[m], round, &rng);
    isa_free(p);
  }
  free(code);
  free(which);
}
