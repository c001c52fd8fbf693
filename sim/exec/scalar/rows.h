// SPDX-License-Identifier: MIT
// Says how a scalar operation is written: one line with its mnemonic, its operand form, its facts (SIM_ROW_*)
// and what it computes. A form says which C types a, b and d have, how they are read and written, and the
// row's operand signature. The same list is expanded twice, into handlers (SIM_SCALAR_RUN) and into table
// rows (SIM_SCALAR_ROW).
//
// Inside the statement: a and b are the sources, d is the destination (it holds the old value only in the
// SOPK form and those whose name ends in _OLD), scc is the condition code, w the wave.
#ifndef SIM_EXEC_SCALAR_ROWS_H
#define SIM_EXEC_SCALAR_ROWS_H

#include "sim/exec/wave.h"

#define SIM_READ_32(i) sim_src32(w, &op->src[i])
#define SIM_READ_64(i) sim_src64(w, &op->src[i])
#define SIM_OLD_32 w->s[op->dst[0].reg]
#define SIM_OLD_64 sim_s64(w, op->dst[0].reg)
#define SIM_NONE 0

// FORM(signature, type of d, old d, store, type of a, a, type of b, b)
#define SIM_FORM_32_32_32 \
  "=b32,b32,b32", uint32_t, SIM_NONE, sim_dst32, uint32_t, SIM_READ_32(0), uint32_t, SIM_READ_32(1)
#define SIM_FORM_I32_I32_I32 \
  "=i32,i32,i32", int32_t, SIM_NONE, sim_dst32, int32_t, SIM_READ_32(0), int32_t, SIM_READ_32(1)
#define SIM_FORM_64_64_64 \
  "=b64,b64,b64", uint64_t, SIM_NONE, sim_dst64, uint64_t, SIM_READ_64(0), uint64_t, SIM_READ_64(1)
#define SIM_FORM_64_64_32 \
  "=b64,b64,b32", uint64_t, SIM_NONE, sim_dst64, uint64_t, SIM_READ_64(0), uint32_t, SIM_READ_32(1)
#define SIM_FORM_I64_I64_32 \
  "=i64,i64,b32", int64_t, SIM_NONE, sim_dst64, int64_t, SIM_READ_64(0), uint32_t, SIM_READ_32(1)
#define SIM_FORM_64_32_32 \
  "=b64,b32,b32", uint64_t, SIM_NONE, sim_dst64, uint32_t, SIM_READ_32(0), uint32_t, SIM_READ_32(1)
#define SIM_FORM_32_32 "=b32,b32", uint32_t, SIM_NONE, sim_dst32, uint32_t, SIM_READ_32(0), uint32_t, SIM_NONE
#define SIM_FORM_I32_I32 "=i32,i32", int32_t, SIM_NONE, sim_dst32, int32_t, SIM_READ_32(0), uint32_t, SIM_NONE
#define SIM_FORM_64_64 "=b64,b64", uint64_t, SIM_NONE, sim_dst64, uint64_t, SIM_READ_64(0), uint32_t, SIM_NONE
#define SIM_FORM_32_64 "=b32,b64", uint32_t, SIM_NONE, sim_dst32, uint64_t, SIM_READ_64(0), uint32_t, SIM_NONE
#define SIM_FORM_64_32 "=b64,b32", uint64_t, SIM_NONE, sim_dst64, uint32_t, SIM_READ_32(0), uint32_t, SIM_NONE
#define SIM_FORM_32_32_OLD \
  "=b32,b32", uint32_t, SIM_OLD_32, sim_dst32, uint32_t, SIM_READ_32(0), uint32_t, SIM_NONE
#define SIM_FORM_64_64_OLD \
  "=b64,b64", uint64_t, SIM_OLD_64, sim_dst64, uint64_t, SIM_READ_64(0), uint32_t, SIM_NONE
#define SIM_FORM_64_32_OLD \
  "=b64,b32", uint64_t, SIM_OLD_64, sim_dst64, uint32_t, SIM_READ_32(0), uint32_t, SIM_NONE
// SOPK: b is the 16-bit constant, sign-extended.
#define SIM_FORM_K "=i32,any", int32_t, SIM_OLD_32, sim_dst32, uint32_t, SIM_NONE, int32_t, op->imm
// Comparisons: no destination.
#define SIM_NO_STORE(w, operand, value) (void)(value)
#define SIM_FORM_C32 \
  "b32,b32", uint32_t, SIM_NONE, SIM_NO_STORE, uint32_t, SIM_READ_32(0), uint32_t, SIM_READ_32(1)
#define SIM_FORM_CI32 \
  "i32,i32", uint32_t, SIM_NONE, SIM_NO_STORE, int32_t, SIM_READ_32(0), int32_t, SIM_READ_32(1)
#define SIM_FORM_C64 \
  "b64,b64", uint32_t, SIM_NONE, SIM_NO_STORE, uint64_t, SIM_READ_64(0), uint64_t, SIM_READ_64(1)
#define SIM_FORM_C64_32 \
  "b64,b32", uint32_t, SIM_NONE, SIM_NO_STORE, uint64_t, SIM_READ_64(0), uint32_t, SIM_READ_32(1)
#define SIM_FORM_CIK "i32,any", uint32_t, SIM_NONE, SIM_NO_STORE, int32_t, SIM_READ_32(0), int32_t, op->imm
#define SIM_FORM_CUK \
  "b32,any", uint32_t, SIM_NONE, SIM_NO_STORE, uint32_t, SIM_READ_32(0), uint32_t, (uint16_t)op->imm

#define SIM_EXPAND_RUN(name, facts_, signature, dt, old, store, at, a_value, bt, b_value, ...) \
  static void run_##name(sim_wave *w, const sim_op *op) {                                      \
    at a = (at)a_value;                                                                        \
    bt b = (bt)b_value;                                                                        \
    dt d = (dt)old;                                                                            \
    uint32_t scc = w->scc;                                                                     \
    (void)a, (void)b;                                                                          \
    __VA_ARGS__;                                                                               \
    store(w, &op->dst[0], d);                                                                  \
    w->scc = scc;                                                                              \
  }
#define SIM_EXPAND_ROW(mnemonic, facts_, signature, ...) \
  {.name = #mnemonic,                                    \
   .operands = signature,                                \
   .run = run_##mnemonic,                                \
   .chips = SIM_ON_BOTH,                                 \
   .klass = SIM_CLASS_SALU,                              \
   .facts = facts_},

#define SIM_CALL(macro, ...) macro(__VA_ARGS__)
#define SIM_SCALAR_RUN(name, form, facts, ...) \
  SIM_CALL(SIM_EXPAND_RUN, name, facts, SIM_FORM_##form, __VA_ARGS__)
#define SIM_SCALAR_ROW(name, form, facts, ...) \
  SIM_CALL(SIM_EXPAND_ROW, name, facts, SIM_FORM_##form, __VA_ARGS__)

#endif
