// SPDX-License-Identifier: MIT
// Every scalar operation on all pairs of edge operands, equal, smallest and largest ones among them, with
// both values of SCC, against a reference written from the ISA manual's pseudocode: bit by bit and by
// division, where the device shifts and masks.
#include "sim/isa/tables.h"
#include "tests/isa/harness.h"

// Describes a case: s[2:3] = a, s[4:5] = b, s[0:1] = OLD before.
typedef struct operands {
  uint64_t a, b;
  bool scc;
} operands;

typedef struct outcome {
  uint64_t d;
  bool scc;
} outcome;

typedef struct scalar_op {
  const char *code;
  int bits;  // of the result; 0: there is none
  outcome (*want)(const operands *x);
} scalar_op;

#define OLD 0x1357246889abcdefull

static uint64_t bit(uint64_t value, int at) { return value / (1ull << at) % 2; }

// Returns the bits [first, first + count) of a value of `bits` bits. What lies beyond it is `fill`.
static uint64_t field(uint64_t value, int bits, int first, int count, uint64_t fill) {
  uint64_t out = 0;
  for (int i = 0; i < count && i < 64; ++i)
    out += (first + i < bits ? bit(value, first + i) : fill) * (1ull << i);
  return out;
}

// The same of a signed value, and the field's own sign is extended to all bits of the result.
static uint64_t signed_field(uint64_t value, int bits, int first, int count) {
  if (count == 0) return 0;
  uint64_t out = field(value, bits, first, count, bit(value, bits - 1));
  for (int i = count; i < bits; ++i) out += bit(out, count - 1) * (1ull << i);
  return out;
}

static __int128 floor_divide(__int128 value, __int128 by) { return value / by - (value % by < 0); }

static uint64_t reversed(uint64_t value, int bits) {
  uint64_t out = 0;
  for (int i = 0; i < bits; ++i) out = 2 * out + bit(value, i);
  return out;
}

static int ones(uint64_t value, int bits) {
  int count = 0;
  for (int i = 0; i < bits; ++i) count += bit(value, i) != 0;
  return count;
}

// Returns the lowest bit with this value; -1 if there is none.
static int lowest(uint64_t value, int bits, unsigned wanted) {
  for (int i = 0; i < bits; ++i)
    if (bit(value, i) == wanted) return i;
  return -1;
}

// Returns how many bits stand above the highest bit with this value; -1 if there is none.
static int above_highest(uint64_t value, int bits, unsigned wanted) {
  for (int i = bits - 1; i >= 0; --i)
    if (bit(value, i) == wanted) return bits - 1 - i;
  return -1;
}

// Returns, for each four bits of which one is set, all four, or one bit beside the others.
static uint64_t quads(uint64_t value, int bits, bool whole) {
  uint64_t out = 0;
  for (int i = 0; i < bits; ++i)
    if (value / (1ull << (i / 4 * 4)) % 16 && (whole || i % 4 == 0)) out += 1ull << (whole ? i : i / 4);
  return out;
}

static uint64_t doubled(uint64_t value) {
  uint64_t out = 0;
  for (int i = 0; i < 64; ++i) out += bit(value, i / 2) * (1ull << i);
  return out;
}

static bool fits(__int128 value) { return value >= INT32_MIN && value <= INT32_MAX; }

#define TWO "s0, s2, s4"
#define TWO_WIDE "s[0:1], s[2:3], s[4:5]"
#define SHIFT_WIDE "s[0:1], s[2:3], s4"
#define ONE "s0, s2"
#define ONE_WIDE "s[0:1], s[2:3]"
#define TO_NARROW "s0, s[2:3]"
#define TO_WIDE "s[0:1], s2"

// X(mnemonic, operands, bits of the result, result, SCC): a and b are unsigned and 64 bits wide, A and B
// their low halves, sa and sb these as signed numbers, r is the result before it is cut to its bits, and d
// after.
#define OPS(X)                                                                          \
  X(s_add_u32, TWO, 32, A + B, r > UINT32_MAX)                                          \
  X(s_sub_u32, TWO, 32, A - B, r < 0)                                                   \
  X(s_add_i32, TWO, 32, sa + sb, !fits(r))                                              \
  X(s_sub_i32, TWO, 32, sa - sb, !fits(r))                                              \
  X(s_addc_u32, TWO, 32, A + B + scc, r > UINT32_MAX)                                   \
  X(s_subb_u32, TWO, 32, A - B - scc, r < 0)                                            \
  X(s_min_i32, TWO, 32, sa > sb ? sb : sa, sa - sb < 0)                                 \
  X(s_min_u32, TWO, 32, A > B ? B : A, A - B < 0)                                       \
  X(s_max_i32, TWO, 32, sb > sa ? sb : sa, sb - sa <= 0)                                \
  X(s_max_u32, TWO, 32, B > A ? B : A, B - A <= 0)                                      \
  X(s_cselect_b32, TWO, 32, scc == 0 ? B : A, scc)                                      \
  X(s_cselect_b64, TWO_WIDE, 64, scc == 0 ? b : a, scc)                                 \
  X(s_and_b32, TWO, 32, ~(~a | ~b), d > 0)                                              \
  X(s_and_b64, TWO_WIDE, 64, ~(~a | ~b), d > 0)                                         \
  X(s_or_b32, TWO, 32, ~(~a & ~b), d > 0)                                               \
  X(s_or_b64, TWO_WIDE, 64, ~(~a & ~b), d > 0)                                          \
  X(s_xor_b32, TWO, 32, (a | b) - (a & b), d > 0)                                       \
  X(s_xor_b64, TWO_WIDE, 64, (a | b) - (a & b), d > 0)                                  \
  X(s_andn2_b32, TWO, 32, a - (a & b), d > 0)                                           \
  X(s_andn2_b64, TWO_WIDE, 64, a - (a & b), d > 0)                                      \
  X(s_orn2_b32, TWO, 32, ~(b & ~a), d > 0)                                              \
  X(s_orn2_b64, TWO_WIDE, 64, ~(b & ~a), d > 0)                                         \
  X(s_nand_b32, TWO, 32, ~a | ~b, d > 0)                                                \
  X(s_nand_b64, TWO_WIDE, 64, ~a | ~b, d > 0)                                           \
  X(s_nor_b32, TWO, 32, ~a & ~b, d > 0)                                                 \
  X(s_nor_b64, TWO_WIDE, 64, ~a & ~b, d > 0)                                            \
  X(s_xnor_b32, TWO, 32, (a & b) + (~a & ~b), d > 0)                                    \
  X(s_xnor_b64, TWO_WIDE, 64, (a & b) + (~a & ~b), d > 0)                               \
  X(s_lshl_b32, TWO, 32, A * (1ll << b % 32), d > 0)                                    \
  X(s_lshl_b64, SHIFT_WIDE, 64, a * (1ull << b % 64), d > 0)                            \
  X(s_lshr_b32, TWO, 32, A / (1ll << b % 32), d > 0)                                    \
  X(s_lshr_b64, SHIFT_WIDE, 64, a / (1ull << b % 64), d > 0)                            \
  X(s_ashr_i32, TWO, 32, floor_divide(sa, 1ll << b % 32), d > 0)                        \
  X(s_ashr_i64, SHIFT_WIDE, 64, floor_divide((int64_t)a, (__int128)1 << b % 64), d > 0) \
  X(s_bfm_b32, TWO, 32, ((1ll << a % 32) - 1) * (1ll << b % 32), scc)                   \
  X(s_bfm_b64, "s[0:1], s2, s4", 64, ((1ull << a % 64) - 1) * (1ull << b % 64), scc)    \
  X(s_mul_i32, TWO, 32, sa *sb, scc)                                                    \
  X(s_bfe_u32, TWO, 32, field(A, 32, b % 32, B / 65536 % 128, 0), d > 0)                \
  X(s_bfe_i32, TWO, 32, signed_field(A, 32, b % 32, B / 65536 % 128), d > 0)            \
  X(s_bfe_u64, SHIFT_WIDE, 64, field(a, 64, b % 64, B / 65536 % 128, 0), d > 0)         \
  X(s_bfe_i64, SHIFT_WIDE, 64, signed_field(a, 64, b % 64, B / 65536 % 128), d > 0)     \
  X(s_absdiff_i32, TWO, 32, (int32_t)(sa - sb) < 0 ? sb - sa : sa - sb, d > 0)          \
  X(s_mul_hi_u32, TWO, 32, floor_divide(A *B, 1ll << 32), scc)                          \
  X(s_mul_hi_i32, TWO, 32, floor_divide(sa *sb, 1ll << 32), scc)                        \
  X(s_lshl1_add_u32, TWO, 32, 2 * A + B, r > UINT32_MAX)                                \
  X(s_lshl2_add_u32, TWO, 32, 4 * A + B, r > UINT32_MAX)                                \
  X(s_lshl3_add_u32, TWO, 32, 8 * A + B, r > UINT32_MAX)                                \
  X(s_lshl4_add_u32, TWO, 32, 16 * A + B, r > UINT32_MAX)                               \
  X(s_pack_ll_b32_b16, TWO, 32, B % 65536 * 65536 + A % 65536, scc)                     \
  X(s_pack_lh_b32_b16, TWO, 32, B / 65536 * 65536 + A % 65536, scc)                     \
  X(s_pack_hh_b32_b16, TWO, 32, B / 65536 * 65536 + A / 65536, scc)                     \
  X(s_mov_b32, ONE, 32, A, scc)                                                         \
  X(s_mov_b64, ONE_WIDE, 64, a, scc)                                                    \
  X(s_cmov_b32, ONE, 32, scc == 0 ? OLD : A, scc)                                       \
  X(s_cmov_b64, ONE_WIDE, 64, scc == 0 ? OLD : a, scc)                                  \
  X(s_not_b32, ONE, 32, UINT32_MAX - A, d > 0)                                          \
  X(s_not_b64, ONE_WIDE, 64, UINT64_MAX - a, d > 0)                                     \
  X(s_wqm_b32, ONE, 32, quads(A, 32, true), d > 0)                                      \
  X(s_wqm_b64, ONE_WIDE, 64, quads(a, 64, true), d > 0)                                 \
  X(s_quadmask_b32, ONE, 32, quads(A, 32, false), d > 0)                                \
  X(s_quadmask_b64, ONE_WIDE, 64, quads(a, 64, false), d > 0)                           \
  X(s_brev_b32, ONE, 32, reversed(A, 32), scc)                                          \
  X(s_brev_b64, ONE_WIDE, 64, reversed(a, 64), scc)                                     \
  X(s_bcnt0_i32_b32, ONE, 32, 32 - ones(A, 32), d > 0)                                  \
  X(s_bcnt0_i32_b64, TO_NARROW, 32, 64 - ones(a, 64), d > 0)                            \
  X(s_bcnt1_i32_b32, ONE, 32, ones(A, 32), d > 0)                                       \
  X(s_bcnt1_i32_b64, TO_NARROW, 32, ones(a, 64), d > 0)                                 \
  X(s_ff0_i32_b32, ONE, 32, lowest(A, 32, 0), scc)                                      \
  X(s_ff0_i32_b64, TO_NARROW, 32, lowest(a, 64, 0), scc)                                \
  X(s_ff1_i32_b32, ONE, 32, lowest(A, 32, 1), scc)                                      \
  X(s_ff1_i32_b64, TO_NARROW, 32, lowest(a, 64, 1), scc)                                \
  X(s_flbit_i32_b32, ONE, 32, above_highest(A, 32, 1), scc)                             \
  X(s_flbit_i32_b64, TO_NARROW, 32, above_highest(a, 64, 1), scc)                       \
  X(s_flbit_i32, ONE, 32, above_highest(A, 32, !bit(A, 31)), scc)                       \
  X(s_flbit_i32_i64, TO_NARROW, 32, above_highest(a, 64, !bit(a, 63)), scc)             \
  X(s_sext_i32_i8, ONE, 32, signed_field(A, 32, 0, 8), scc)                             \
  X(s_sext_i32_i16, ONE, 32, signed_field(A, 32, 0, 16), scc)                           \
  X(s_bitset0_b32, ONE, 32, OLD - bit(OLD, a % 32) * (1ull << a % 32), scc)             \
  X(s_bitset0_b64, TO_WIDE, 64, OLD - bit(OLD, a % 64) * (1ull << a % 64), scc)         \
  X(s_bitset1_b32, ONE, 32, OLD + (1 - bit(OLD, a % 32)) * (1ull << a % 32), scc)       \
  X(s_bitset1_b64, TO_WIDE, 64, OLD + (1 - bit(OLD, a % 64)) * (1ull << a % 64), scc)   \
  X(s_abs_i32, ONE, 32, sa < 0 ? -sa : sa, d > 0)                                       \
  X(s_bitreplicate_b64_b32, TO_WIDE, 64, doubled(A), scc)                               \
  X(s_cmp_eq_u64, "s[2:3], s[4:5]", 0, 0, !(a < b) && !(b < a))                         \
  X(s_cmp_lg_u64, "s[2:3], s[4:5]", 0, 0, a < b || b < a)                               \
  X(s_bitcmp0_b32, "s2, s4", 0, 0, bit(A, b % 32) == 0)                                 \
  X(s_bitcmp1_b32, "s2, s4", 0, 0, bit(A, b % 32) == 1)                                 \
  X(s_bitcmp0_b64, "s[2:3], s4", 0, 0, bit(a, b % 64) == 0)                             \
  X(s_bitcmp1_b64, "s[2:3], s4", 0, 0, bit(a, b % 64) == 1)

#define DEFINE(name, registers, bits, result, new_scc)         \
  static outcome want_##name(const operands *x) {              \
    const uint64_t a = x->a, b = x->b;                         \
    const __int128 A = (uint32_t)a, B = (uint32_t)b;           \
    const __int128 sa = (int32_t)a, sb = (int32_t)b;           \
    const int scc = x->scc;                                    \
    const __int128 r = (__int128)(result);                     \
    const uint64_t d = bits == 32 ? (uint32_t)r : (uint64_t)r; \
    (void)a, (void)b, (void)A, (void)B, (void)sa, (void)sb;    \
    (void)scc;                                                 \
    return (outcome){d, (new_scc)};                            \
  }
#define ROW(name, registers, bits, ...) {#name " " registers, bits, want_##name},

OPS(DEFINE)
static const scalar_op ops[] = {OPS(ROW)};
enum { OP_COUNT = sizeof ops / sizeof *ops };

// Offsets and widths of fields stand in bits 5:0 and 22:16, and every value serves as either operand.
static const uint64_t edges[] = {0,
                                 1,
                                 31,
                                 32,
                                 63,
                                 64,
                                 0x7fff,
                                 0x8000,
                                 0xffff,
                                 0x7fffffff,
                                 0x80000000,
                                 0x80000001,
                                 0xffffffff,
                                 1ull << 32,
                                 0x7fffffffffffffffull,
                                 1ull << 63,
                                 ~0ull,
                                 0x0000000100000000ull | 8 << 16 | 4,
                                 0x1f << 16 | 31,
                                 0x20 << 16,
                                 0x40 << 16 | 1,
                                 0x7f << 16 | 33,
                                 0xfedcba9876543210ull,
                                 0x0001020480000800ull};
enum { EDGE_COUNT = sizeof edges / sizeof *edges };

static bool uses_b(const char *code) { return strstr(code, ", s4") || strstr(code, ", s[4:5]"); }

static void check_op(isa_program *p, size_t i, const operands *x) {
  const outcome want = ops[i].want(x);
  const uint64_t kept = ops[i].bits == 64 ? 0 : ops[i].bits == 32 ? ~(uint64_t)UINT32_MAX : ~0ull;
  sim_wave *w = isa_begin(p, i);
  sim_set_s64(w, 0, OLD);
  sim_set_s64(w, 2, x->a);
  sim_set_s64(w, 4, x->b);
  w->scc = x->scc;
  CHECK_RUN(p);
  const uint64_t got = sim_s64(w, 0), expected = (OLD & kept) | (want.d & ~kept);
  CHECK(got == expected && w->scc == want.scc,
        "%s: a=%llx b=%llx scc=%d give %llx and SCC %u, expected %llx and %d", ops[i].code,
        (unsigned long long)x->a, (unsigned long long)x->b, x->scc, (unsigned long long)got, w->scc,
        (unsigned long long)expected, want.scc);
}

// Every row of the device's table is tried here, except for comparisons of 32 bits and operations with a
// constant, which scalar_arithmetic.c tries on pairs of its own, and those that write EXEC, which are in
// scalar_exec.c.
static bool is_tried(const char *name) {
  if (strstr(name, "exec") || strstr(name, "k_i32") || strncmp(name, "s_cmpk_", 7) == 0) return true;
  if (strncmp(name, "s_cmp_", 6) == 0 && strstr(name, "32")) return true;
  for (size_t i = 0; i < OP_COUNT; ++i) {
    const size_t length = strcspn(ops[i].code, " ");
    if (strlen(name) == length && strncmp(name, ops[i].code, length) == 0) return true;
  }
  return false;
}

int main(void) {
  static const char *const targets[] = {"gfx942", "gfx950"};
  const char *code[OP_COUNT];
  for (size_t i = 0; i < OP_COUNT; ++i) code[i] = ops[i].code;
  for (size_t i = 0; i < sim_table_salu.count; ++i)
    CHECK(is_tried(sim_table_salu.rows[i].name), "%s is not tried on edge operands",
          sim_table_salu.rows[i].name);
  for (int t = 0; t < 2; ++t) {
    isa_program *p = isa_assemble(targets[t], code, OP_COUNT);
    for (size_t i = 0; i < OP_COUNT; ++i)
      for (int pair = 0; pair < EDGE_COUNT * EDGE_COUNT; pair += uses_b(code[i]) ? 1 : EDGE_COUNT)
        for (int scc = 0; scc < 2; ++scc)
          check_op(p, i, &(operands){edges[pair / EDGE_COUNT], edges[pair % EDGE_COUNT], scc});
    isa_free(p);
  }
  return test_result();
}
