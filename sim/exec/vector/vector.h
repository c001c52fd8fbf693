// SPDX-License-Identifier: MIT
// Declares what the folders of the vector ALU share. A row's `lanes` function computes all 64 lanes from rows
// of dwords; the handlers in vector.c fetch sources (modifiers, SDWA, DPP, conversion of 16-bit types), call
// it and write back.
#ifndef SIM_EXEC_VECTOR_VECTOR_H
#define SIM_EXEC_VECTOR_VECTOR_H

#include <math.h>

#include "sim/exec/wave.h"
#include "sim/isa/tables.h"

// Lists the values of sim_opinfo.flags in vector rows.
enum {
  SIM_V_NARROW = 1,  // a 16-bit or packed operand: sources are converted before the lane function sees them
  SIM_V_READS_DST = 2,   // the old destination is the last source
  SIM_V_READS_VCC = 4,   // VCC is the last source (v_div_fmas)
  SIM_V_CMPX = 8,        // the mask is also written to EXEC
  SIM_V_KEEP_HIGH = 16,  // a 16-bit result leaves the other half of the destination alone
  SIM_V_RAW = 32,        // denormal sources are seen as they are, whatever MODE says
  SIM_V_MIX = 64,        // v_fma_mix: op_sel_hi chooses f16 or f32 per source, neg_hi is abs
  SIM_V_CLAMPS = 128     // integer row with a saturating form
};

// Holds what a lane function may want to know besides its sources.
typedef struct sim_lane_context {
  const sim_op *op;
  uint32_t mode;           // MODE register
  uint32_t clamp;          // integer clamp asked for
  const uint32_t *fourth;  // source after the third, NULL when there is none
} sim_lane_context;

// Lists the values of sim_opinfo.arg in vector rows.
enum {
  SIM_V_SIGNED = 1,   // pk16 sources are sign-extended
  SIM_V_HIGH = 2,     // the 16-bit result always goes to the high half (v_fma_mixhi)
  SIM_V_NEAREST = 4,  // rounds to nearest even whatever MODE says
};

// Rows hold 64 dwords each. A 64-bit operand is two rows, low first; a mask is one row of 0 or 1; f16 and
// bf16 are handed over as f32, 16-bit integers extended to 32 bits. Destinations follow each other in d. d
// may be the same row as a source: a lane function reads lane l of everything before it writes lane l.
typedef void sim_lanes_fn(uint32_t *d, const uint32_t *pa, const uint32_t *pb, const uint32_t *pc,
                          const sim_lane_context *x);

// Handlers, one set per host variant.
#define sim_valu SIM_VARIANT_NAME(sim_valu)
#define sim_valu_mask SIM_VARIANT_NAME(sim_valu_mask)
#define sim_valu_pair SIM_VARIANT_NAME(sim_valu_pair)
#define sim_valu_wide SIM_VARIANT_NAME(sim_valu_wide)
void sim_valu(sim_wave *w, const sim_op *op);       // destination: vector registers (and possibly a mask)
void sim_valu_mask(sim_wave *w, const sim_op *op);  // destination: a lane mask (compares)
void sim_valu_pair(sim_wave *w, const sim_op *op);  // packed f32
void sim_valu_wide(sim_wave *w, const sim_op *op);  // sources of more than two dwords: only registers

// Lanes never depend on each other, even when d is a source.
#ifdef __clang__
#pragma clang diagnostic ignored "-Wpass-failed"  // a loop that is not vectorised is slower, not wrong
#define SIM_EACH_LANE _Pragma("clang loop vectorize(assume_safety)") for (int l = 0; l < SIM_LANES; ++l)
#else
#define SIM_EACH_LANE _Pragma("GCC ivdep") for (int l = 0; l < SIM_LANES; ++l)
#endif

// ---- values in lanes

static inline uint64_t sim_get64(const uint32_t *p, int l) { return p[l] | (uint64_t)p[SIM_LANES + l] << 32; }
static inline void sim_put64(uint32_t *d, int l, uint64_t value) {
  d[l] = (uint32_t)value;
  d[SIM_LANES + l] = (uint32_t)(value >> 32);
}

// These are, per operand type of a signature, the C type of the value, how it is read and written, and
// whether it is narrow.
#define SIM_C_b32 uint32_t
#define SIM_C_u32 uint32_t
#define SIM_C_i32 int32_t
#define SIM_C_f32 float
#define SIM_C_b16 uint32_t
#define SIM_C_u16 uint32_t
#define SIM_C_i16 int32_t
#define SIM_C_f16 float
#define SIM_C_bf16 float
#define SIM_C_pk16 uint32_t
#define SIM_C_pkf16 uint32_t
#define SIM_C_pkbf16 uint32_t
#define SIM_C_m64 uint32_t
#define SIM_C_b64 uint64_t
#define SIM_C_u64 uint64_t
#define SIM_C_i64 int64_t
#define SIM_C_f64 double
#define SIM_GET_b32(p) p[l]
#define SIM_GET_u32(p) p[l]
#define SIM_GET_i32(p) (int32_t)p[l]
#define SIM_GET_f32(p) sim_f32(p[l])
#define SIM_GET_b16(p) p[l]
#define SIM_GET_u16(p) p[l]
#define SIM_GET_i16(p) (int32_t)p[l]
#define SIM_GET_f16(p) sim_f32(p[l])
#define SIM_GET_bf16(p) sim_f32(p[l])
#define SIM_GET_pk16(p) p[l]
#define SIM_GET_pkf16(p) p[l]
#define SIM_GET_pkbf16(p) p[l]
#define SIM_GET_m64(p) p[l]
#define SIM_GET_b64(p) sim_get64(p, l)
#define SIM_GET_u64(p) sim_get64(p, l)
#define SIM_GET_i64(p) (int64_t)sim_get64(p, l)
#define SIM_GET_f64(p) sim_f64(sim_get64(p, l))
#define SIM_PUT_b32(value) d[l] = (uint32_t)(value)
#define SIM_PUT_u32(value) d[l] = (uint32_t)(value)
#define SIM_PUT_i32(value) d[l] = (uint32_t)(value)
#define SIM_PUT_f32(value) d[l] = sim_bits32(value)
#define SIM_PUT_b16(value) d[l] = (uint32_t)(value)
#define SIM_PUT_u16(value) d[l] = (uint32_t)(value)
#define SIM_PUT_i16(value) d[l] = (uint32_t)(value)
#define SIM_PUT_f16(value) d[l] = sim_bits32(value)
#define SIM_PUT_pk16(value) d[l] = (uint32_t)(value)
#define SIM_PUT_m64(value) d[l] = (uint32_t)(value)
#define SIM_PUT_b64(value) sim_put64(d, l, (uint64_t)(value))
#define SIM_PUT_u64(value) sim_put64(d, l, (uint64_t)(value))
#define SIM_PUT_i64(value) sim_put64(d, l, (uint64_t)(value))
#define SIM_PUT_f64(value) sim_put64(d, l, sim_bits64(value))
enum {
  SIM_NARROW_b32 = 0,
  SIM_NARROW_u32 = 0,
  SIM_NARROW_i32 = 0,
  SIM_NARROW_f32 = 0,
  SIM_NARROW_m64 = 0,
  SIM_NARROW_b64 = 0,
  SIM_NARROW_u64 = 0,
  SIM_NARROW_i64 = 0,
  SIM_NARROW_f64 = 0,
  SIM_NARROW_b16 = SIM_V_NARROW,
  SIM_NARROW_u16 = SIM_V_NARROW,
  SIM_NARROW_i16 = SIM_V_NARROW,
  SIM_NARROW_f16 = SIM_V_NARROW,
  SIM_NARROW_bf16 = SIM_V_NARROW,
  SIM_NARROW_pk16 = SIM_V_NARROW,
  SIM_NARROW_pkf16 = SIM_V_NARROW,
  SIM_NARROW_pkbf16 = SIM_V_NARROW
};

// ---- one line per operation

// Defines a 64-lane function; `body` sees l, d, pa, pb, pc, x.
#define SIM_LANES_FN(fn, body)                                                            \
  static void fn(uint32_t *d, const uint32_t *pa, const uint32_t *pb, const uint32_t *pc, \
                 const sim_lane_context *context) {                                       \
    const sim_lane_context copy = *context, *const x = &copy; /* d cannot alias it */     \
    (void)pa, (void)pb, (void)pc, (void)x;                                                \
    SIM_EACH_LANE { body }                                                                \
  }
// These define a 64-lane function from an expression over a, b, c of the given types.
#define SIM_FN1(fn, TD, TA, expr) \
  SIM_LANES_FN(fn, const SIM_C_##TA a = SIM_GET_##TA(pa); SIM_PUT_##TD((expr));)
#define SIM_FN2(fn, TD, TA, TB, expr)                                                            \
  SIM_LANES_FN(fn, const SIM_C_##TA a = SIM_GET_##TA(pa); const SIM_C_##TB b = SIM_GET_##TB(pb); \
               SIM_PUT_##TD((expr));)
#define SIM_FN3(fn, TD, TA, TB, TC, expr)                                                        \
  SIM_LANES_FN(fn, const SIM_C_##TA a = SIM_GET_##TA(pa); const SIM_C_##TB b = SIM_GET_##TB(pb); \
               const SIM_C_##TC c = SIM_GET_##TC(pc); SIM_PUT_##TD((expr));)

// `flags_` holds SIM_V_*, and above them facts (SIM_ROW_*).
#define SIM_VROW(mnemonic, signature, handler, chips_, klass_, flags_, arg_, fn)                            \
  {.name = #mnemonic,                                                                                       \
   .operands = signature,                                                                                   \
   .run = handler,                                                                                          \
   .chips = chips_,                                                                                         \
   .klass = klass_,                                                                                         \
   .flags = (uint8_t)(flags_),                                                                              \
   .arg = arg_,                                                                                             \
   .lanes = (void (*)(void))fn,                                                                             \
   .facts = ((uint64_t)(flags_) & ~UINT64_C(0xff)) | ((flags_) & SIM_V_READS_VCC ? SIM_ROW_READS_VCC : 0) | \
            ((flags_) & SIM_V_CMPX ? SIM_ROW_WRITES_EXEC : 0)},

// Lists of lines L1/L2/L3(mnemonic, types..., chips, flags, expression) become functions or rows.
#define SIM_DEF1(m, TD, TA, chips, flags, expr) SIM_FN1(lanes_##m, TD, TA, expr)
#define SIM_DEF2(m, TD, TA, TB, chips, flags, expr) SIM_FN2(lanes_##m, TD, TA, TB, expr)
#define SIM_DEF3(m, TD, TA, TB, TC, chips, flags, expr) SIM_FN3(lanes_##m, TD, TA, TB, TC, expr)
#define SIM_ROW1(m, TD, TA, chips, flags, expr)                          \
  SIM_VROW(m, "=" #TD "," #TA, sim_valu, SIM_ON_##chips, SIM_CLASS_VALU, \
           (flags) | SIM_NARROW_##TD | SIM_NARROW_##TA, 0, lanes_##m)
#define SIM_ROW2(m, TD, TA, TB, chips, flags, expr)                              \
  SIM_VROW(m, "=" #TD "," #TA "," #TB, sim_valu, SIM_ON_##chips, SIM_CLASS_VALU, \
           (flags) | SIM_NARROW_##TD | SIM_NARROW_##TA | SIM_NARROW_##TB, 0, lanes_##m)
#define SIM_ROW3(m, TD, TA, TB, TC, chips, flags, expr)                                  \
  SIM_VROW(m, "=" #TD "," #TA "," #TB "," #TC, sim_valu, SIM_ON_##chips, SIM_CLASS_VALU, \
           (flags) | SIM_NARROW_##TD | SIM_NARROW_##TA | SIM_NARROW_##TB | SIM_NARROW_##TC, 0, lanes_##m)

// Takes a destination that is also the last source: c has its type.
#define SIM_DEFR2(m, TD, TA, TB, chips, flags, expr) SIM_FN3(lanes_##m, TD, TA, TB, TD, expr)
#define SIM_ROWR2(m, TD, TA, TB, chips, flags, expr) \
  SIM_ROW2(m, TD, TA, TB, chips, (flags) | SIM_V_READS_DST | SIM_ROW_USES_DST, expr)
// Makes another row that a lane function serves which exists already.
#define SIM_AS(m, signature, handler, chips, flags, arg, fn) \
  SIM_VROW(m, signature, handler, SIM_ON_##chips, SIM_CLASS_VALU, flags, arg, fn)

// Exports the rows of a file as its table.
#define SIM_EXPORT_TABLE(table, rows) \
  const sim_optable SIM_VARIANT_NAME(table) = {rows, sizeof rows / sizeof rows[0]}

#endif
