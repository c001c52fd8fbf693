// SPDX-License-Identifier: MIT
// Computes the result of each atomic. The rules for NaN, signed zeros and denormals are those of CDNA4 ISA
// 9.2; the rest follows the manual's pseudocode.
#include "sim/exec/memory/atomic.h"

#include "sim/exec/vector/number.h"

static uint32_t flush_if(unsigned flush, unsigned when, uint32_t bits) {
  return flush & when ? sim_flush32(bits) : bits;
}

static uint32_t add_f32(unsigned flush, uint32_t old, uint32_t data) {
  uint32_t x = flush_if(flush, SIM_FLUSH_IN, old), y = flush_if(flush, SIM_FLUSH_IN, data);
  return flush_if(flush, SIM_FLUSH_OUT,
                  sim_bits32(sim_nan2(sim_f32(x) + sim_f32(y), sim_f32(x), sim_f32(y))));
}

// Returns whether a minimum or maximum replaces `old` by `data`. Bits of a float are compared as an integer
// of the same order, -0 below +0; a number wins over a NaN.
static bool replaces(bool max, int64_t old, bool old_nan, int64_t data, bool data_nan) {
  if (old_nan || data_nan) return old_nan && !data_nan;
  return max ? data > old : data < old;
}
static int64_t order32(uint32_t bits) {
  return bits >> 31 ? -(int64_t)(bits & 0x7fffffff) - 1 : (int64_t)bits;
}
static int64_t order64(uint64_t bits) {
  return bits >> 63 ? -(int64_t)(bits & 0x7fffffffffffffff) - 1 : (int64_t)bits;
}

// They compare flushed values but keep the chosen source as it was.
static uint32_t min_max_f32(bool max, unsigned flush, uint32_t old, uint32_t data) {
  if (sim_issnan32(old)) return sim_quiet32(old);
  if (sim_issnan32(data)) return sim_quiet32(data);
  int64_t x = order32(flush_if(flush, SIM_FLUSH_IN, old)), y = order32(flush_if(flush, SIM_FLUSH_IN, data));
  return replaces(max, x, sim_isnan32(old), y, sim_isnan32(data)) ? data : old;
}

static uint64_t min_max_f64(bool max, unsigned flush, uint64_t old, uint64_t data) {
  if (sim_issnan64(old)) return sim_quiet64(old);
  if (sim_issnan64(data)) return sim_quiet64(data);
  bool in = flush & SIM_FLUSH_IN;
  int64_t x = order64(in ? sim_flush64(old) : old), y = order64(in ? sim_flush64(data) : data);
  return replaces(max, x, sim_isnan64(old), y, sim_isnan64(data)) ? data : old;
}

static uint32_t flush_half(unsigned flush, unsigned when, uint32_t bits, uint32_t exponent) {
  return (flush & when) && !(bits & exponent) ? bits & 0x8000 : bits;
}

// f32 holds the sum of two f16 or bf16 values closely enough that rounding twice equals rounding once: 24
// bits are at least 2p + 2 for p = 11 and p = 8.
static uint32_t add_f16(unsigned flush, uint32_t old, uint32_t data) {
  uint32_t x = sim_from_f16(flush_half(flush, SIM_FLUSH_IN, old & 0xffff, 0x7c00));
  uint32_t y = sim_from_f16(flush_half(flush, SIM_FLUSH_IN, data & 0xffff, 0x7c00));
  uint32_t sum = add_f32(0, x, y);
  return flush_half(flush, SIM_FLUSH_OUT, sim_to_f16(sum), 0x7c00);
}

static uint32_t add_bf16(unsigned flush, uint32_t old, uint32_t data) {
  uint32_t x = flush_half(flush, SIM_FLUSH_IN, old & 0xffff, 0x7f80) << 16;
  uint32_t y = flush_half(flush, SIM_FLUSH_IN, data & 0xffff, 0x7f80) << 16;
  return flush_half(flush, SIM_FLUSH_OUT, sim_to_bf16(add_f32(0, x, y)), 0x7f80);
}

uint32_t sim_atomic32(sim_atomic_kind kind, unsigned flush, uint32_t old, uint32_t a, uint32_t b) {
  switch (kind) {
    case SIM_AT_NONE: return old;
    case SIM_AT_SWAP: return a;
    case SIM_AT_CMPSWAP: return old == b ? a : old;
    case SIM_AT_FCMPSWAP: {
      uint32_t x = flush_if(flush, SIM_FLUSH_IN, old);
      return sim_f32(x) == sim_f32(flush_if(flush, SIM_FLUSH_IN, b)) ? flush_if(flush, SIM_FLUSH_IN, a) : x;
    }
    case SIM_AT_ADD: return old + a;
    case SIM_AT_SUB: return old - a;
    case SIM_AT_RSUB: return a - old;
    case SIM_AT_SMIN: return (int32_t)a < (int32_t)old ? a : old;
    case SIM_AT_UMIN: return a < old ? a : old;
    case SIM_AT_SMAX: return (int32_t)a >= (int32_t)old ? a : old;
    case SIM_AT_UMAX: return a >= old ? a : old;
    case SIM_AT_AND: return old & a;
    case SIM_AT_OR: return old | a;
    case SIM_AT_XOR: return old ^ a;
    case SIM_AT_INC: return old >= a ? 0 : old + 1;
    case SIM_AT_DEC: return old == 0 || old > a ? a : old - 1;
    case SIM_AT_MSKOR: return (old & ~a) | b;
    case SIM_AT_WRAP: return old >= a ? old - a : old + b;
    case SIM_AT_CONDXCHG: return a >> 31 ? a & 0x7fffffff : old;
    case SIM_AT_FADD: return add_f32(flush, old, a);
    case SIM_AT_FMIN: return min_max_f32(false, flush, old, a);
    case SIM_AT_FMAX: return min_max_f32(true, flush, old, a);
    case SIM_AT_PK_ADD_F16: return add_f16(flush, old, a) | add_f16(flush, old >> 16, a >> 16) << 16;
    case SIM_AT_PK_ADD_BF16: return add_bf16(flush, old, a) | add_bf16(flush, old >> 16, a >> 16) << 16;
  }
  return old;
}

uint64_t sim_atomic64(sim_atomic_kind kind, unsigned flush, uint64_t old, uint64_t a, uint64_t b) {
  switch (kind) {
    case SIM_AT_SWAP: return a;
    case SIM_AT_CMPSWAP: return old == b ? a : old;
    case SIM_AT_FCMPSWAP: {
      bool in = flush & SIM_FLUSH_IN;
      uint64_t x = in ? sim_flush64(old) : old, y = in ? sim_flush64(b) : b;
      return sim_f64(x) == sim_f64(y) ? (in ? sim_flush64(a) : a) : x;
    }
    case SIM_AT_ADD: return old + a;
    case SIM_AT_SUB: return old - a;
    case SIM_AT_RSUB: return a - old;
    case SIM_AT_SMIN: return (int64_t)a < (int64_t)old ? a : old;
    case SIM_AT_UMIN: return a < old ? a : old;
    case SIM_AT_SMAX: return (int64_t)a >= (int64_t)old ? a : old;
    case SIM_AT_UMAX: return a >= old ? a : old;
    case SIM_AT_AND: return old & a;
    case SIM_AT_OR: return old | a;
    case SIM_AT_XOR: return old ^ a;
    case SIM_AT_INC: return old >= a ? 0 : old + 1;
    case SIM_AT_DEC: return old == 0 || old > a ? a : old - 1;
    case SIM_AT_MSKOR: return (old & ~a) | b;
    // ds_condxchg32 treats two dwords independently.
    case SIM_AT_CONDXCHG:
      return sim_atomic32(kind, 0, (uint32_t)old, (uint32_t)a, 0) |
             (uint64_t)sim_atomic32(kind, 0, (uint32_t)(old >> 32), (uint32_t)(a >> 32), 0) << 32;
    case SIM_AT_FADD: return sim_bits64(sim_dnan2(sim_f64(old) + sim_f64(a), sim_f64(old), sim_f64(a)));
    case SIM_AT_FMIN: return min_max_f64(false, flush, old, a);
    case SIM_AT_FMAX: return min_max_f64(true, flush, old, a);
    default: return old;
  }
}

static unsigned flush_by(uint32_t mode, uint32_t keep_in, uint32_t keep_out) {
  return (mode & keep_in ? 0 : SIM_FLUSH_IN) | (mode & keep_out ? 0 : SIM_FLUSH_OUT);
}

unsigned sim_atomic_flush_lds(sim_atomic_kind kind, bool wide, uint32_t mode) {
  switch (kind) {
    case SIM_AT_FADD: return wide ? 0 : flush_by(mode, SIM_MODE_IN_F32, SIM_MODE_OUT_F32);
    case SIM_AT_PK_ADD_F16:
    case SIM_AT_PK_ADD_BF16: return flush_by(mode, SIM_MODE_IN_F16_F64, SIM_MODE_OUT_F16_F64);
    case SIM_AT_FMIN:
    case SIM_AT_FMAX:
    case SIM_AT_FCMPSWAP: return flush_by(mode, wide ? SIM_MODE_IN_F16_F64 : SIM_MODE_IN_F32, ~0u);
    default: return 0;
  }
}

unsigned sim_atomic_flush_l2(sim_atomic_kind kind, bool wide) {
  return kind == SIM_AT_FADD && !wide ? SIM_FLUSH_IN | SIM_FLUSH_OUT : 0;
}

sim_atomic_order sim_atomic_order_of(const sim_op *op) {
  if (!op->info || op->info->klass != SIM_CLASS_VMEM) return SIM_ORDER_NONE;
  sim_atomic_kind kind = sim_atomic_kind_of(op);
  if (kind == SIM_AT_NONE) return SIM_ORDER_NONE;
  if (op->flags & SIM_F_SC0) return SIM_ORDER_FIXED;
  switch (kind) {
    case SIM_AT_ADD:
    case SIM_AT_SUB: return SIM_ORDER_ADD;
    case SIM_AT_AND: return SIM_ORDER_AND;
    case SIM_AT_OR: return SIM_ORDER_OR;
    case SIM_AT_XOR: return SIM_ORDER_XOR;
    case SIM_AT_SMIN: return SIM_ORDER_SMIN;
    case SIM_AT_UMIN: return SIM_ORDER_UMIN;
    case SIM_AT_SMAX: return SIM_ORDER_SMAX;
    case SIM_AT_UMAX: return SIM_ORDER_UMAX;
    default: return SIM_ORDER_FIXED;
  }
}
