// SPDX-License-Identifier: MIT
// Describes a GEMM descriptor after checking: defaults resolved, the kernel chosen, the extent of each
// operand known.
#ifndef WT_SRC_GEMM_PLAN_H
#define WT_SRC_GEMM_PLAN_H

#include "core/operand.h"
#include "kernels.h"

// Describes A, B or C of each member of the batch.
typedef struct wt_gemm_matrix {
  const char *name;  // "a"
  size_t element_bytes;
  bool transposed;     // a stored row is a column of the operand
  int64_t rows, cols;  // as stored
  int64_t ld, stride;  // elements
  uint64_t bytes;      // from the first to past the last element of the batch
  size_t misaligned;   // low bits of the address: 0 when it is a multiple of 16
  bool packed;         // it is brought to the workspace before it is multiplied (pack.h)
  bool in_llc;         // it has just been written, and the last-level cache holds it
} wt_gemm_matrix;

// Describes a kernel and how it cuts the work.
typedef struct wt_choice {
  const wt_kernel *kernel;
  int64_t tiles_m, tiles_n;
  int window, chunk;         // of wt_grid_order
  int64_t parts, k_part;     // parts of K: all but the last have k_part columns of it; one part is all of K
  uint64_t workspace_bytes;  // for the sums of the parts; 0 with one part
} wt_choice;

// Says where C is cut into two pieces, one above the other or side by side: the row or the column at which
// the second one begins. Both are 0 where C is in one piece.
typedef struct wt_gemm_cut {
  int64_t row, column;
  wt_choice choice;  // of the second piece
} wt_gemm_cut;

typedef struct wt_gemm_plan {
  wt_gemm_desc desc;  // with all members, whatever version was passed
  wt_gemm_matrix a, b, c;
  int64_t grain;                  // parts of K are multiples of it
  uint64_t workspace_most_bytes;  // for the parts' sums: of the descriptor's workspace, else of the context's
  wt_choice choice;               // of all of C, or of its first piece, for the operands as they are packed
  wt_gemm_cut cut;
  bool tuned;  // the choice came from the context's tuning table
} wt_gemm_plan;

// Checks everything that does not depend on memory, in the order of the members of the descriptor, except the
// choice of a kernel.
wt_status wt_gemm_plan_check(wt_context *context, const wt_gemm_desc *desc, wt_gemm_plan *plan);

// Does what wt_gemm_plan_check does, and chooses the kernel for these addresses; NULL stands for well aligned
// ones.
wt_status wt_gemm_plan_make(wt_context *context, const wt_gemm_desc *desc, const void *a, const void *b,
                            const void *c, wt_gemm_plan *plan);

// Returns what the kernel multiplies the product with: alpha and both scales.
float wt_gemm_plan_alpha(const wt_gemm_plan *plan);

// Returns the bytes of workspace that the plan needs: packed operands, and behind them the sums of parts, of
// which those of the second piece take the place of those of the first.
uint64_t wt_gemm_plan_workspace(const wt_context *context, const wt_gemm_plan *plan);

// Returns the elements from one row of the parts' sums in the workspace to the next: rows begin at multiples
// of 16 bytes.
int64_t wt_gemm_sums_row(int64_t n);

// A line of L2 has so many bytes (RPC, as in core/target.c).
enum { WT_LINE = 128 };

// Returns whether all stored rows of a member of the batch begin with lines.
bool wt_gemm_rows_begin_lines(const wt_gemm_matrix *matrix);

// Returns the elements of K in a step of the kernels that copy tiles.
int64_t wt_gemm_plan_step(const wt_context *context, const wt_gemm_plan *plan);

// Returns the matrix as an operand of the call.
wt_operand wt_gemm_operand(const wt_gemm_plan *plan, const wt_gemm_matrix *matrix, const void *pointer);

// Checks the pointers of a plan and of its descriptor: alignment, overlap, and that each is long enough and
// on the context's device, which must be current.
wt_status wt_gemm_plan_check_memory(wt_context *context, const wt_gemm_plan *plan, const void *a,
                                    const void *b, const void *c);

#endif
