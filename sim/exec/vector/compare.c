// SPDX-License-Identifier: MIT
// Vector compares: every relation of every type, class tests, and their v_cmpx forms that also write EXEC.
#include "sim/exec/vector/number.h"
#include "sim/exec/vector/vector.h"

// Defines the relations of floats (a false relation is also false on NaN; the n- forms are its negation) and
// of integers.
#define FLOAT_RELATIONS(R, T)  \
  R(f, T, 0 * (a == b))        \
  R(lt, T, a < b)              \
  R(eq, T, a == b)             \
  R(le, T, a <= b)             \
  R(gt, T, a > b)              \
  R(lg, T, a<b || a> b)        \
  R(ge, T, a >= b)             \
  R(o, T, a == a && b == b)    \
  R(u, T, a != a || b != b)    \
  R(nge, T, !(a >= b))         \
  R(nlg, T, !(a < b || a > b)) \
  R(ngt, T, !(a > b))          \
  R(nle, T, !(a <= b))         \
  R(neq, T, !(a == b))         \
  R(nlt, T, !(a < b))          \
  R(tru, T, 1 | (a == b))
#define INT_RELATIONS(R, T) \
  R(f, T, 0 * (a == b))     \
  R(lt, T, a < b)           \
  R(eq, T, a == b)          \
  R(le, T, a <= b)          \
  R(gt, T, a > b)           \
  R(ne, T, a != b)          \
  R(ge, T, a >= b)          \
  R(t, T, 1 | (a == b))
#define ALL_TYPES(R)      \
  FLOAT_RELATIONS(R, f32) \
  FLOAT_RELATIONS(R, f64) \
  INT_RELATIONS(R, i32)   \
  INT_RELATIONS(R, u32)   \
  INT_RELATIONS(R, i64)   \
  INT_RELATIONS(R, u64)

#define DEFINE(name, T, expr) SIM_FN2(lanes_##name##_##T, m64, T, T, (uint32_t)(expr))
ALL_TYPES(DEFINE)

#define ROW(m, T, fn, flags) \
  SIM_VROW(m, "=m64," #T "," #T, sim_valu_mask, SIM_ON_BOTH, SIM_CLASS_VALU, (flags) | SIM_NARROW_##T, 0, fn)
#define ROWS(name, T, expr)                         \
  ROW(v_cmp_##name##_##T, T, lanes_##name##_##T, 0) \
  ROW(v_cmpx_##name##_##T, T, lanes_##name##_##T, SIM_V_CMPX)
// 16-bit types arrive widened and use the 32-bit functions.
#define ROWS16(name, T, wide)                          \
  ROW(v_cmp_##name##_##T, T, lanes_##name##_##wide, 0) \
  ROW(v_cmpx_##name##_##T, T, lanes_##name##_##wide, SIM_V_CMPX)
#define ROWS_f16(name, T, expr) ROWS16(name, f16, f32)
#define ROWS_i16(name, T, expr) ROWS16(name, i16, i32)
#define ROWS_u16(name, T, expr) ROWS16(name, u16, u32)

// Class tests: b selects among sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf (bits 0
// to 9; CDNA3 ISA, V_CMP_CLASS_F32). `exponent` and `quiet` are the type's exponent field and quiet bit.
#define CLASS(fn, bits_type, bits, sign, exponent, quiet)                                                    \
  SIM_LANES_FN(fn, const bits_type v = (bits); const uint32_t b = pb[l];                                     \
               const bits_type fraction = v & (bits_type) ~((sign) | (exponent));                            \
               const bits_type field = v & (exponent); const uint32_t kind = field == 0 ? (fraction ? 1 : 0) \
                                                                             : field != (exponent) ? 2       \
                                                                                                   : 3;      \
               const uint32_t number = v & (sign) ? 5 - kind : 6 + kind;                                     \
               const uint32_t nan = v & (quiet) ? 1 : 0;                                                     \
               d[l] = b >> (kind == 3 && fraction ? nan : number) & 1;)
CLASS(lanes_class_f32, uint32_t, pa[l], 0x80000000u, 0x7f800000u, 0x400000u)
CLASS(lanes_class_f64, uint64_t, sim_get64(pa, l), 0x8000000000000000u, 0x7ff0000000000000u, 0x8000000000000u)
// f16 arrives as f32: its denormals have become small normal numbers, so they are told apart by magnitude.
SIM_LANES_FN(lanes_class_f16, const uint32_t v = pa[l]; const uint32_t b = pb[l];
             const uint32_t m = v & 0x7fffffffu; const uint32_t kind = m == 0            ? 0
                                                                       : m < 0x38800000u ? 1
                                                                       : m < 0x7f800000u ? 2
                                                                                         : 3;
             const uint32_t number = v >> 31 ? 5 - kind : 6 + kind; const uint32_t nan = v >> 22 & 1;
             d[l] = b >> (m > 0x7f800000u ? nan : number) & 1;)
#define CLASS_ROW(m, T, flags)                                               \
  SIM_VROW(m, "=m64," #T ",b32", sim_valu_mask, SIM_ON_BOTH, SIM_CLASS_VALU, \
           (flags) | SIM_V_RAW | SIM_NARROW_##T, 0, lanes_class_##T)

static const sim_opinfo rows[] = {
    // clang-format off
    ALL_TYPES(ROWS)
    FLOAT_RELATIONS(ROWS_f16, f16)
    INT_RELATIONS(ROWS_i16, i16)
    INT_RELATIONS(ROWS_u16, u16)
    CLASS_ROW(v_cmp_class_f32, f32, 0)
    CLASS_ROW(v_cmpx_class_f32, f32, SIM_V_CMPX)
    CLASS_ROW(v_cmp_class_f64, f64, 0)
    CLASS_ROW(v_cmpx_class_f64, f64, SIM_V_CMPX)
    CLASS_ROW(v_cmp_class_f16, f16, 0)
    CLASS_ROW(v_cmpx_class_f16, f16, SIM_V_CMPX)
    // clang-format on
};
SIM_EXPORT_TABLE(sim_table_valu_compare, rows);
