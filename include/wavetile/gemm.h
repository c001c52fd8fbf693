// SPDX-License-Identifier: MIT
// These are matrix products with scales, bias and activation. This header is part of wavetile.h and serves
// C11 and C++.
#ifndef WAVETILE_GEMM_H
#define WAVETILE_GEMM_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Describes, for each member of the batch,
//   C = activation(row_scale[m] * column_scale[n] * alpha * scale_a * scale_b * op(A) * op(B)^T
//                  + beta * C + bias[n])
// accumulated in f32 (for WT_TYPE_I8 in i32, which wraps) and rounded once, to nearest even. For results of
// WT_TYPE_I32, alpha and beta are whole numbers, the formula has nothing else, and all of it is exact modulo
// 2^32.
//
//   A and B                                C
//   two WT_TYPE_F8* as the device has it   F32, BF16, F16
//   both BF16, or both F16                 F32, BF16, F16
//   both I8                                I32, F32, BF16, F16
//
// All matrices are row-major. By default A is m x k, B is n x k, C is m x n. Start from WT_GEMM_DESC_INIT,
// which sets what the comments call the default, and fill in m, n, k and the types.
typedef struct wt_gemm_desc {
  size_t struct_size;          // sizeof(wt_gemm_desc)
  int64_t m, n, k;             // sizes of the product, each from 1 to 2^31 - 1
  wt_type type_a, type_b;      // types of A and B, as in the table
  wt_type type_c;              // type of C, as in the table
  int32_t trans_a;             // 1 says that A is stored k x m; default 0
  int32_t trans_b;             // 1 says that B is stored k x n; default 0
  int64_t lda, ldb, ldc;       // elements between the starts of stored rows; default 0: rows are packed
  int64_t batch;               // members of the batch; default 1
  int64_t stride_a, stride_b;  // elements between matrices of the batch; default 0: all use the same one
  int64_t stride_c;            // the same for C; with batch > 1 the outputs must not overlap
  float alpha, beta;           // factors, default 1 and 0; with beta 0, C is never read
  float scale_a,
      scale_b;         // what one unit of A and B stands for (host values, multiplied into alpha); default 1
  const char *kernel;  // name from wt_gemm_kernel_at, or NULL (default) for the fastest that can run this

  // A struct that ends here (struct_size of version 0.1.0 as first published) is taken as one with all of the
  // following at zero, their default.
  const float *row_scale;  // memory of the device, m factors, the same for the whole batch; NULL means none
  const float *column_scale;  // the same, n factors
  const float *bias;          // the same, n summands
  wt_activation activation;   // function of the result

  // Says how many parts of K are summed apart, for small m and n. With 0 the library chooses, as far as the
  // workspace allows; with 1 K is not split; with up to 1024 there are as many parts (fewer where K is
  // short).
  int32_t split_k;
  void *workspace;  // memory of the device for the parts' sums and for packed operands, aligned to 16 bytes;
                    // NULL means that the context's is used (wt_context_set_workspace_limit). Two calls that
                    // may run at the same time need two workspaces of their own
  size_t workspace_bytes;  // bytes of the workspace; wt_gemm_workspace_size says how many are of use

  // A struct that ends here is taken as one with the following at zero, their default.
  int32_t grid_window,  // tile rows of C that work-groups walk together, and
      grid_chunk;       // consecutive tiles that go to one die (include/sched/grid.h); 0 chooses by size

  // A struct that ends here is taken as one with the following at zero, their default.
  int32_t batch_invariant;  // 1 gives a row of C the same bits whatever m, batch and the other rows are: only
                            // kernels that sum K in the same order are chosen, and K is not split, or into as
                            // many parts as split_k says. Default 0: m may decide on both
  int32_t reserved;         // must be 0
} wt_gemm_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_GEMM_DESC_INIT (wt_gemm_desc_init())
inline wt_gemm_desc wt_gemm_desc_init() {
  wt_gemm_desc desc = wt_gemm_desc();
  desc.struct_size = sizeof desc;
  desc.batch = 1;
  desc.alpha = 1.0f;
  desc.scale_a = 1.0f;
  desc.scale_b = 1.0f;
  return desc;
}
#else
#define WT_GEMM_DESC_INIT \
  ((wt_gemm_desc){        \
      .struct_size = sizeof(wt_gemm_desc), .batch = 1, .alpha = 1.0f, .scale_a = 1.0f, .scale_b = 1.0f})
#endif

// This is what the library knows about one of its kernels. The strings live as long as the library.
typedef struct wt_gemm_kernel_info {
  size_t struct_size;  // set by the caller: sizeof(wt_gemm_kernel_info)
  const char *name;    // "gemm_01_naive"
  const char *idea;    // one line that says what it does differently from the one before
  const char *needs;   // one line that says what a descriptor must satisfy, or "nothing"

  // A struct that ends here is filled as far as it goes.
  int32_t tile_m, tile_n;  // elements of the tile of C that a work-group computes
  int32_t threads;         // threads of a work-group
  int32_t ladder;  // 1 for a kernel of the ladder in examples/, which is chosen only when no other fits
  int32_t shares_rounds;  // 1 for stream-K, whose work-groups share the tiles of a round that is not full
} wt_gemm_kernel_info;

// Return how many kernels there are behind wt_gemm, and describe number 0 <= index < count of them, slowest
// first.
WT_API size_t wt_gemm_kernel_count(void);
WT_API WT_MUST_CHECK wt_status wt_gemm_kernel_at(size_t index, wt_gemm_kernel_info *info);

// Says which kernel wt_gemm would run for this descriptor, which it checks as wt_gemm does; where it would
// run two, for pieces of C, that of the first. *name lives as long as the library, and is NULL on failure.
WT_API WT_MUST_CHECK wt_status wt_gemm_chosen(wt_context *context, const wt_gemm_desc *desc,
                                              const char **name);

// This is a piece of C that one kernel computes. Usually all of C is one piece. Where a last row or round of
// large tiles would leave most compute units idle, C is cut into two pieces, above each other or side by
// side, and a kernel of its own computes the second one after the first.
typedef struct wt_gemm_piece_info {
  size_t struct_size;        // set by the caller: sizeof(wt_gemm_piece_info)
  const char *kernel;        // name of the kernel; it lives as long as the library
  int64_t row, column;       // first row and column of the piece in C
  int64_t m, n;              // rows and columns of the piece
  int64_t parts;             // parts of K that are summed apart; 1: K is not split
  int64_t count;             // pieces that C has
  int32_t packs_a, packs_b;  // 1 where the operand is packed first, since its rows do not begin with lines
} wt_gemm_piece_info;

// Describes piece number `index` of the C that wt_gemm would compute for this descriptor, which it checks as
// wt_gemm does. An index of no piece is refused with WT_ERROR_VALUE.
WT_API WT_MUST_CHECK wt_status wt_gemm_piece_at(wt_context *context, const wt_gemm_desc *desc, size_t index,
                                                wt_gemm_piece_info *info);

// Takes kernels and grid orders from a tuning table, as `wavetile tune gemm` writes them, in place of the one
// that the context had; with path NULL the context forgets its table. From then on a descriptor without a
// kernel or batch, and with split_k 0 or 1, gets the kernel of the row that has its target, types, m, n and
// k, and the row's parts of K and grid order unless the descriptor names its own; when several rows match,
// the last counts. Where the row's kernel cannot run the descriptor (because of its alignment, say), or there
// is too little workspace for the parts, the choice is as without the table. A table that cannot be read, or
// has a row that is not of the form in docs/guide/tuning.md, changes nothing, and is refused with
// WT_ERROR_FILE.
WT_API WT_MUST_CHECK wt_status wt_gemm_table_load(wt_context *context, const char *path);

// Says how many bytes of workspace the descriptor can make use of: with split_k 0 those of the split that
// would be chosen if there were memory for it, else those of the split asked for; and those of operands that
// would be packed first, because their rows do not begin with lines of memory. It is 0 when nothing of that
// is done. desc's workspace is not looked at. *bytes is 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_gemm_workspace_size(wt_context *context, const wt_gemm_desc *desc,
                                                      size_t *bytes);

// Explains the choice in lines of text: the kernel, its tiles, work-groups, rounds and order, the split of K,
// what its predicted cycles are made of, and for every kernel the predicted cycles, or why it cannot run
// this. Predictions come from a cost model of the chip (docs/guide/choice.md) with memory cold; they rank
// kernels and are no promise.
//
// Writes at most `size` bytes to `text`, always ending in NUL when size > 0, and to *length (which may be
// NULL) the whole text's length without NUL: call with size 0 to learn how much memory it takes. When no
// kernel can run the descriptor, the text says why for each, and the status is wt_gemm's.
WT_API WT_MUST_CHECK wt_status wt_gemm_explain(wt_context *context, const wt_gemm_desc *desc, char *text,
                                               size_t size, size_t *length);

// Enqueues the GEMM on `stream` (a hipStream_t; NULL is the default stream) and returns without waiting for
// it. a, b and c are memory of the context's device (or host memory it can access) from a HIP allocator,
// aligned to their element, and so are the descriptor's vectors and workspace; c and the workspace must not
// overlap anything else. The descriptor may be reused at once, the memory when the stream has passed.
WT_API WT_MUST_CHECK wt_status wt_gemm(wt_context *context, const wt_gemm_desc *desc, const void *a,
                                       const void *b, void *c, struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
