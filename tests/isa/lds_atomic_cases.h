// SPDX-License-Identifier: MIT
// Lists what atomics compute, as literal cases: memory before, operands, memory after. The cases serve for
// LDS and for global memory. Sources: the manual's pseudocode; CDNA4 ISA 9.2 for NaN, zeros and denormals.
#ifndef WT_TESTS_ISA_LDS_ATOMIC_CASES_H
#define WT_TESTS_ISA_LDS_ATOMIC_CASES_H

#include <stdint.h>

typedef struct atomic_case {
  const char *name;
  uint64_t old, a, b, after;
} atomic_case;

#define INF32 0x7f800000
#define QNAN32 0x7fc00001
#define SNAN32 0x7f800001
#define INF64 0x7ff0000000000000
#define QNAN64 0x7ff8000000000001
#define SNAN64 0x7ff0000000000001
#define ONE64 0x3ff0000000000000
#define NEG0_64 0x8000000000000000

// 32-bit integers. b is the compare value of cmpswap.
static const atomic_case integer_cases32[] = {
    {"swap", 5, 9, 0, 9},
    {"cmpswap", 5, 9, 5, 9},
    {"cmpswap", 5, 9, 4, 5},
    {"add", 0xffffffff, 2, 0, 1},
    {"sub", 1, 2, 0, 0xffffffff},
    {"smin", 0x80000000, 1, 0, 0x80000000},
    {"smin", 7, 0xffffffff, 0, 0xffffffff},
    {"umin", 0x80000000, 1, 0, 1},
    {"smax", 0x80000000, 1, 0, 1},
    {"umax", 0x80000000, 1, 0, 0x80000000},
    {"and", 0xff00ff00, 0x0ff00ff0, 0, 0x0f000f00},
    {"or", 0xff00ff00, 0x0ff00ff0, 0, 0xfff0fff0},
    {"xor", 0xff00ff00, 0x0ff00ff0, 0, 0xf0f0f0f0},
    {"inc", 6, 7, 0, 7},
    {"inc", 7, 7, 0, 0},
    {"inc", 0xffffffff, 7, 0, 0},
    {"dec", 0, 7, 0, 7},
    {"dec", 8, 7, 0, 7},
    {"dec", 7, 7, 0, 6},
};
static const atomic_case integer_cases64[] = {
    {"swap", 5, 0x900000001, 0, 0x900000001},
    {"cmpswap", 0x100000005, 9, 0x100000005, 9},
    {"cmpswap", 0x100000005, 9, 5, 0x100000005},
    {"add", 0xffffffff, 1, 0, 0x100000000},
    {"sub", 0x100000000, 1, 0, 0xffffffff},
    {"smin", 0x8000000000000000, 1, 0, 0x8000000000000000},
    {"umin", 0x8000000000000000, 1, 0, 1},
    {"smax", 0x8000000000000000, 1, 0, 1},
    {"umax", 0x8000000000000000, 1, 0, 0x8000000000000000},
    {"and", 0xff00000000000001, 0x0ff0000000000003, 0, 0x0f00000000000001},
    {"or", 0xff00000000000001, 0x0ff0000000000002, 0, 0xfff0000000000003},
    {"xor", 0xff00000000000001, 0x0ff0000000000003, 0, 0xf0f0000000000002},
    {"inc", 0xffffffff, 0x100000000, 0, 0x100000000},
    {"inc", 0x100000000, 0x100000000, 0, 0},
    {"dec", 0, 0x100000007, 0, 0x100000007},
    {"dec", 0x100000000, 0x100000007, 0, 0xffffffff},
};
// These cases of f64 do not flush, the same in LDS and in the L2.
static const atomic_case f64_cases[] = {
    {"add_f64", ONE64, 0x3ff8000000000000, 0, 0x4004000000000000},
    {"add_f64", 1, 1, 0, 2},                                        // denormals kept
    {"add_f64", INF64, INF64 | NEG0_64, 0, 0xfff8000000000000},     // invalid
    {"add_f64", SNAN64, ONE64, 0, 0x7ff8000000000001},              // NaN quieted
    {"add_f64", NEG0_64, 0, 0, 0},                                  // -0 + 0 = +0
    {"add_f64", 0x4340000000000000, ONE64, 0, 0x4340000000000000},  // 2^53 + 1: ties to even
    {"min_f64", ONE64, QNAN64, 0, ONE64},
    {"min_f64", QNAN64, ONE64, 0, ONE64},
    {"min_f64", 0, NEG0_64, 0, NEG0_64},
    {"min_f64", SNAN64, ONE64, 0, 0x7ff8000000000001},
    {"min_f64", ONE64, SNAN64, 0, 0x7ff8000000000001},
    {"max_f64", NEG0_64, 0, 0, 0},
    {"max_f64", ONE64 | NEG0_64, ONE64, 0, ONE64},
    {"max_f64", QNAN64, INF64 | NEG0_64, 0, INF64 | NEG0_64},
};
// Packed halves without flushing.
static const atomic_case packed_cases[] = {
    {"pk_add_f16", 0x3c004000, 0x3c003c00, 0, 0x40004200},   // 1+1, 2+1
    {"pk_add_f16", 0x00010001, 0x00010002, 0, 0x00020003},   // denormals
    {"pk_add_f16", 0x7bff7c00, 0x7bfffc00, 0, 0x7c00fe00},   // overflow; inf - inf
    {"pk_add_f16", 0x68006800, 0x3c003e00, 0, 0x68006801},   // 2048+1 ties to even, 2048+1.5 rounds up
    {"pk_add_bf16", 0x3f804000, 0x3f803f80, 0, 0x40004040},  // 1+1, 2+1
    {"pk_add_bf16", 0x43804380, 0x3f803fc0, 0, 0x43804381},  // 256+1 ties to even, 256+1.5 rounds up
    {"pk_add_bf16", 0x00010001, 0x00010002, 0, 0x00020003},  // denormals
};

#define CASES(table) table, sizeof table / sizeof table[0]

#endif
