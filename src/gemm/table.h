// SPDX-License-Identifier: MIT
// Tuning tables: which kernel and grid order are to be used for a problem (docs/guide/tuning.md).
#ifndef WT_SRC_TABLE_H
#define WT_SRC_TABLE_H

#include "gemm_plan.h"

typedef struct wt_gemm_entry {
  char target[16], type_a[8], type_b[8];  // "gfx950", "f8e4m3"
  int64_t m, n, k;
  const wt_kernel *kernel;
  int window, chunk;  // 0: the kernel's own
  int parts;          // of K; 0: as many as the library would choose
} wt_gemm_entry;

typedef struct wt_gemm_table {
  size_t count;
  wt_gemm_entry *entries;
} wt_gemm_table;

// Finds the context's entry for a plan's problem. Returns false when there is none. Entries are for one
// product of matrices: not for a batch, nor where several parts of K are asked for.
bool wt_gemm_table_find(wt_context *context, const wt_gemm_plan *plan, wt_gemm_entry *entry);

void wt_gemm_table_free(wt_gemm_table *table);  // NULL is accepted

#endif
