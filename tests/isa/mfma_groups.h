// SPDX-License-Identifier: MIT
// Says how CDNA3's matrix cores add a group of products to an accumulator, one element at a time. It is
// written from Algorithms 10 and 11 of "Bit-Accurate Modeling of GPU Matrix Multiply-Accumulate Units"
// (MMA-Sim, arXiv 2511.10909) and from what its authors published of their tests on an MI300X. It shares
// nothing with sim/exec/mfma: significands and exponents are doubles and ints, as in the paper, never bits.
#ifndef WT_TESTS_ISA_MFMA_GROUPS_H
#define WT_TESTS_ISA_MFMA_GROUPS_H

#include "mfma_reference.h"

enum { REF_MOST_PRODUCTS = 16 };

typedef struct ref_group {
  ref_type type_a, type_b;
  bool ocp;   // gfx950
  int count;  // products
  double a[REF_MOST_PRODUCTS], b[REF_MOST_PRODUCTS];
  double scale;   // 2^n, or NaN; 1 without block scales
  bool saturate;  // FP16_OVFL
} ref_group;

// Returns the number of products that hardware adds at a time for the type; 0: one after the other, each
// rounded.
int ref_group_size(ref_type type);
// Returns c plus the group's products, with the bits of the hardware (any NaN for a NaN).
float ref_group_add(const ref_group *g, float c);

#endif
