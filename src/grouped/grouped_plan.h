// SPDX-License-Identifier: MIT
// Describes a grouped descriptor after checking, for one pass: the product that each group is, C = A * B^T,
// its operands, and the kernel.
#ifndef WT_SRC_GROUPED_PLAN_H
#define WT_SRC_GROUPED_PLAN_H

#include "core/launch.h"
#include "core/operand.h"

// Says how a kernel computes (kernels/grouped/instances.def).
typedef enum wt_grouped_mechanism {
  WT_GROUPED_GENERAL,   // the tokens are rows of A; any order of A and B
  WT_GROUPED_SKINNY,    // the tokens are rows of A, what is summed over lies along rows, and waves share it
  WT_GROUPED_BY_DEPTH,  // the tokens are what is summed over
  WT_GROUPED_DEPTH_4WAVE,   // likewise, and tiles are copied as they lie
  WT_GROUPED_TRANSPOSED,    // the tokens are rows of A, and tiles are copied as they lie, those of B k by k
  WT_GROUPED_4WAVE,         // the tokens are rows of A, and tiles are copied as they lie
  WT_GROUPED_PERSISTENT,    // likewise; C in 16 bits with factors of whole groups alone
  WT_GROUPED_BLOCK_TILES,   // the tokens are either; scales for blocks of 128, which 128 rows of B share
  WT_GROUPED_BLOCK_ROWS,    // likewise, and each row of B has its own
  WT_GROUPED_POWERS_TILES,  // as WT_GROUPED_BLOCK_TILES, and scales are powers of two
  WT_GROUPED_POWERS_ROWS,   // as WT_GROUPED_BLOCK_ROWS, likewise
  WT_GROUPED_MX,            // the tokens are either; operands in MX formats
  WT_GROUPED_MX_SKINNY,     // the tokens are rows of A; operands in MX formats, and waves share K
} wt_grouped_mechanism;

// Which scales of blocks the operands that are multiplied have.
typedef enum wt_grouped_scaling {
  WT_GROUPED_UNSCALED,
  WT_GROUPED_F32,  // both, for 128 elements
  WT_GROUPED_E8M0  // B, in an MX format, and A unless it is of BF16: for 32 elements
} wt_grouped_scaling;

// Holds what the descriptor says of one of its matrices.
typedef struct wt_grouped_member {
  const char *name;                       // of the argument
  const char *type_name, *ld_name;        // of members
  const char *scale_name, *scale_member;  // with and without "desc->"
  const char *scale_row_name, *scale_block_name;
  wt_type type;
  int64_t ld;
  const void *scale;
  int64_t scale_row, scale_block;
} wt_grouped_member;

typedef struct wt_grouped_kernel {
  const char *stem;  // file name without ".hip", prefix of its symbols, and its public name
  wt_grouped_mechanism mechanism;
  int tile_m, tile_n;           // rows and columns of C that a work-group computes at once
  int threads;                  // of a work-group
  int waves_k;                  // waves that share K
  int stages[WT_TARGET_IDS];    // K steps that LDS holds, or WT_STAGES_* (gemm/kernels.h)
  int resident[WT_TARGET_IDS];  // work-groups that a compute unit holds at once
  int least_steps;              // K steps that the main loop needs
  double efficiency;            // percent of the matrix cores' rate, to rank kernels by
  unsigned inputs;              // pairs of types of A and B, a mask of WT_INPUT_* (gemm/kernels.h)
} wt_grouped_kernel;

// Says how an operand of the product lies in memory. `row` and `column` are its own, `token` and `group` lead
// to the rows of a group; all in elements of the operand, which are bytes in MX formats. Where tokens with
// scales are summed over, `token` leads to the next block of them.
typedef struct wt_grouped_matrix {
  wt_grouped_member member;
  wt_operand operand;
  int64_t row, column, token, group;
} wt_grouped_matrix;

typedef struct wt_grouped_plan {
  wt_grouped_desc desc;
  wt_grouped_pass pass;
  wt_grouped_scaling scaling;
  int64_t rows;                 // of tokens in all groups, as memory has them
  int64_t expected;             // of a group
  int64_t m, n, k;              // of the product; -1 for the axis of the tokens
  wt_grouped_matrix a, b, c;    // of the product
  wt_operand places;            // the array that says which rows are whose
  wt_operand a_scale, b_scale;  // with strides as the descriptor or its defaults say, where there are scales
  const wt_grouped_kernel *kernel;
} wt_grouped_plan;

// Describes the rows and columns of A and B as they lie, and the matrices that B has: those with scales have
// what is summed over along their rows.
typedef struct wt_grouped_size {
  int64_t rows, columns;
} wt_grouped_size;
typedef struct wt_grouped_shape {
  wt_grouped_size a, b;
  int64_t b_groups;
} wt_grouped_shape;
wt_grouped_shape wt_grouped_shape_of(const wt_grouped_plan *plan);

// Holds what a call passes, in the order of the pass: x, w, y; dy, w, dx; or dy, x, dw.
typedef struct wt_grouped_pointers {
  const void *a, *b, *c;
  const int32_t *places;
} wt_grouped_pointers;

// Copies a caller's descriptor and checks its sizes, which the passes share.
wt_status wt_grouped_desc_check(wt_context *context, const wt_grouped_desc *desc, wt_grouped_desc *out);

// Checks everything that does not depend on memory, in the order of the members of the descriptor, and
// chooses the kernel for these addresses; NULL stands for well aligned ones.
wt_status wt_grouped_plan_make(wt_context *context, const wt_grouped_desc *desc, wt_grouped_pass pass,
                               wt_grouped_pointers pointers, wt_grouped_plan *plan);

// Chooses the kernel of a plan that is complete but for it.
wt_status wt_grouped_choose(wt_context *context, wt_grouped_plan *plan);

// Returns whether the matrix cores apply F32 scales, which are powers of two.
bool wt_grouped_takes_powers(const wt_grouped_kernel *kernel);

// Returns how many tiles of C a kernel has to expect, and the most there can be where rows are as the
// contract says.
int64_t wt_grouped_tiles_expected(const wt_grouped_plan *plan, const wt_grouped_kernel *kernel);
int64_t wt_grouped_tiles_most(const wt_grouped_plan *plan, const wt_grouped_kernel *kernel);

// Returns the bytes that rows by index need in the workspace; 0 for other contracts.
size_t wt_grouped_workspace(const wt_grouped_desc *desc);

// Enqueues the kernels of a plan whose memory has been checked. `workspace` is NULL where none is needed. The
// device must be current.
wt_status wt_grouped_launch(wt_context *context, const wt_grouped_plan *plan, void *workspace,
                            hipStream_t stream);

#endif
