// SPDX-License-Identifier: MIT
// The loads, stores and integer atomics that buffer, flat, global and scratch instructions have in common;
// each encoding makes its rows from these lines.
#ifndef SIM_EXEC_MEMORY_COMMON_ROWS_H
#define SIM_EXEC_MEMORY_COMMON_ROWS_H

#include "sim/exec/memory/memory_ops.h"

enum { HI = SIM_M_D16 | SIM_M_HIGH };

// LOAD and STORE(name, type of the data, sim_opinfo.arg)
#define SIM_M_TRANSFERS(LOAD, STORE)                                                                      \
  LOAD("ubyte", "b32", 1), LOAD("sbyte", "b32", 1 | SIM_M_SIGNED), LOAD("ushort", "b32", 2),              \
      LOAD("sshort", "b32", 2 | SIM_M_SIGNED), LOAD("dword", "b32", 4), LOAD("dwordx2", "b64", 8),        \
      LOAD("dwordx3", "b96", 12), LOAD("dwordx4", "b128", 16), LOAD("ubyte_d16", "b32", 1 | SIM_M_D16),   \
      LOAD("ubyte_d16_hi", "b32", 1 | HI), LOAD("sbyte_d16", "b32", 1 | SIM_M_SIGNED | SIM_M_D16),        \
      LOAD("sbyte_d16_hi", "b32", 1 | SIM_M_SIGNED | HI), LOAD("short_d16", "b32", 2 | SIM_M_D16),        \
      LOAD("short_d16_hi", "b32", 2 | HI), STORE("byte", "b32", 1),                                       \
      STORE("byte_d16_hi", "b32", 1 | SIM_M_HIGH), STORE("short", "b32", 2),                              \
      STORE("short_d16_hi", "b32", 2 | SIM_M_HIGH), STORE("dword", "b32", 4), STORE("dwordx2", "b64", 8), \
      STORE("dwordx3", "b96", 12), STORE("dwordx4", "b128", 16)

// INTEGER(name, sim_atomic_kind without prefix): 32 and 64 bits
#define SIM_M_INTEGER_ATOMICS(INTEGER)                                                          \
  INTEGER("swap", SWAP), INTEGER("add", ADD), INTEGER("sub", SUB), INTEGER("smin", SMIN),       \
      INTEGER("umin", UMIN), INTEGER("smax", SMAX), INTEGER("umax", UMAX), INTEGER("and", AND), \
      INTEGER("or", OR), INTEGER("xor", XOR), INTEGER("inc", INC), INTEGER("dec", DEC)

#endif
