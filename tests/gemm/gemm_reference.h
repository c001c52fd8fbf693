// SPDX-License-Identifier: MIT
// Runs GEMM through the C API against float64, for every type, epilogue and arrangement in memory: what the
// tests of the ladder and of the library's kernels share.
#ifndef WT_TESTS_GEMM_REFERENCE_H
#define WT_TESTS_GEMM_REFERENCE_H

#include <stdbool.h>

#include "include/wavetile.h"
#include "tests/check.h"

typedef struct gemm_case {
  int m, n, k;
  int lda, ldb, ldc;  // of the stored matrices
  int trans_a, trans_b;
  int offset_a, offset_b;          // bytes by which A and B miss the allocation's alignment
  int batch, gap_a, gap_b, gap_c;  // elements between the matrices of a batch; gap_b < 0: one B for all
  float alpha, beta;
  bool integers;  // small integers and powers of two: exact but for the rounding of C
  wt_type type_a, type_b, type_c;
  bool row_scale, column_scale, bias;
  wt_activation activation;
  int split_k;
  bool workspace;  // as much as wt_gemm_workspace_size says
} gemm_case;

// Describes a pair of input types with the types that C may have.
typedef struct gemm_types {
  wt_type a, b;
  const wt_type *outputs;
  int output_count;
  bool is_common;  // kernels of every tile take it
} gemm_types;
enum { GEMM_TYPES = 7 };

// Sets the pairs that there are on the context's chip.
void gemm_types_of(const wt_context *context, gemm_types types[GEMM_TYPES]);

// Describes what a kernel can take, for random cases.
typedef enum gemm_orders {
  GEMM_K_CONTIGUOUS,  // in A and B
  GEMM_ANY_ORDER,
  GEMM_TRANSPOSED  // A, B or both
} gemm_orders;
typedef struct gemm_ranges {
  int most_m, most_n, least_k, most_k;
  gemm_orders orders;
  int alignment;   // of rows and matrices of A and B, in bytes; 1: any
  bool epilogues;  // vectors, activations and splits of K
} gemm_ranges;

gemm_case gemm_case_random(test_rng *rng, const gemm_ranges *ranges, wt_type type_a, wt_type type_b,
                           wt_type type_c);

// Runs a case on the context's device, which is current, by `kernel` (NULL: the one chosen), under each of
// the schedules (WT_SIM_SCHEDULE). The first result is checked against float64, the others must have its
// bits. Padding of A and B holds NaN, that of C must be untouched, and with beta 0 C holds NaN before. False,
// and the failures are printed, when something is wrong.
bool gemm_case_run(wt_context *context, const char *kernel, const gemm_case *c, const char *const *schedules,
                   int schedule_count, test_rng *rng);

// Return the number that element code `bits` of a type stands for, and the code nearest to a number.
double gemm_value(wt_type type, uint32_t bits);
uint32_t gemm_code(wt_type type, double value);
int gemm_element(wt_type type);  // bytes

#endif
