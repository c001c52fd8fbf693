// SPDX-License-Identifier: MIT
// Declares atomic operations on values, and how they behave when several work-groups meet at one address.
#ifndef SIM_EXEC_MEMORY_ATOMIC_H
#define SIM_EXEC_MEMORY_ATOMIC_H

#include "sim/exec/memory/memory_ops.h"

typedef enum sim_atomic_kind {
  SIM_AT_NONE,
  SIM_AT_SWAP,
  SIM_AT_CMPSWAP,   // a = new value, b = compare
  SIM_AT_FCMPSWAP,  // floating-point comparison
  SIM_AT_ADD,
  SIM_AT_SUB,
  SIM_AT_RSUB,
  SIM_AT_SMIN,
  SIM_AT_UMIN,
  SIM_AT_SMAX,
  SIM_AT_UMAX,
  SIM_AT_AND,
  SIM_AT_OR,
  SIM_AT_XOR,
  SIM_AT_INC,
  SIM_AT_DEC,
  SIM_AT_MSKOR,  // a = mask, b = bits
  SIM_AT_WRAP,
  SIM_AT_CONDXCHG,
  SIM_AT_FADD,
  SIM_AT_FMIN,
  SIM_AT_FMAX,
  SIM_AT_PK_ADD_F16,
  SIM_AT_PK_ADD_BF16
} sim_atomic_kind;

enum { SIM_FLUSH_IN = 1, SIM_FLUSH_OUT = 2 };  // denormals become zeros before the operation, and after it

// Returns the value that an atomic leaves in memory. a and b are the data operands.
uint32_t sim_atomic32(sim_atomic_kind kind, unsigned flush, uint32_t old, uint32_t a, uint32_t b);
uint64_t sim_atomic64(sim_atomic_kind kind, unsigned flush, uint64_t old, uint64_t a, uint64_t b);

// Return how an atomic handles denormals (SIM_FLUSH_*) in LDS, by the MODE register, and in the L2, which is
// fixed: CDNA4 ISA table 53.
unsigned sim_atomic_flush_lds(sim_atomic_kind kind, bool wide, uint32_t mode);
unsigned sim_atomic_flush_l2(sim_atomic_kind kind, bool wide);

static inline sim_atomic_kind sim_atomic_kind_of(const sim_op *op) {
  return (sim_atomic_kind)(op->info->arg >> SIM_M_KIND);
}

// Says how a global atomic of a program depends on the order of work-groups.
typedef enum sim_atomic_order {
  SIM_ORDER_NONE,  // not a global atomic
  SIM_ORDER_ADD,   // up to SIM_ORDER_UMAX: commutes with its own kind (integers, nothing returned)
  SIM_ORDER_AND,
  SIM_ORDER_OR,
  SIM_ORDER_XOR,
  SIM_ORDER_SMIN,
  SIM_ORDER_UMIN,
  SIM_ORDER_SMAX,
  SIM_ORDER_UMAX,
  SIM_ORDER_FIXED  // result or memory depends on the order: it lands in dispatch order (sim_wait_in_order)
} sim_atomic_order;

// Returns the order by operation alone. A program that mixes two of the commuting orders, or widths of one,
// on one address depends on the order of work-groups too.
sim_atomic_order sim_atomic_order_of(const sim_op *op);

// These are the two halves of handlers that buffer, global and flat atomics share: the first captures the
// data operand, the second lands the operation with host atomics.
void sim_atomic_capture(sim_wave *w, const sim_op *op, sim_access *a, unsigned data_reg);
void sim_land_atomic(sim_wave *w, sim_access *a);

#endif
