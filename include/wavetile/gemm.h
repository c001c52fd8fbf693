// SPDX-License-Identifier: MIT
// Matrix products with scales, bias and activation. Part of wavetile.h; C11 and C++.
#ifndef WAVETILE_GEMM_H
#define WAVETILE_GEMM_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// For each member of the batch,
//   C = activation(row_scale[m] * column_scale[n] * alpha * scale_a * scale_b * op(A) * op(B)^T
//                  + beta * C + bias[n])
// accumulated in f32 (for WT_TYPE_I8 in i32, which wraps) and rounded once, to nearest even. Into
// WT_TYPE_I32, alpha and beta are whole numbers, there is nothing else in the formula, and all of it is exact
// modulo 2^32.
//
//   A and B                                C
//   two WT_TYPE_F8* as the device has it   F32, BF16, F16
//   both BF16, or both F16                 F32, BF16, F16
//   both I8                                I32, F32, BF16, F16
//
// Row-major throughout. By default A is m x k, B is n x k, C is m x n. Start from WT_GEMM_DESC_INIT, which
// sets what the comments call the default, and fill in m, n, k and the types.
typedef struct wt_gemm_desc {
  size_t struct_size;          // sizeof(wt_gemm_desc)
  int64_t m, n, k;             // each from 1 to 2^31 - 1
  wt_type type_a, type_b;      // as in the table
  wt_type type_c;              // as in the table
  int32_t trans_a;             // 1: A is stored k x m. Default 0
  int32_t trans_b;             // 1: B is stored k x n. Default 0
  int64_t lda, ldb, ldc;       // elements between the starts of stored rows; default 0: rows are packed
  int64_t batch;               // default 1
  int64_t stride_a, stride_b;  // elements between matrices of the batch; default 0: all use the same one
  int64_t stride_c;            // as above, but with batch > 1 the outputs must not overlap
  float alpha, beta;           // default 1 and 0; with beta 0, C is never read
  float scale_a,
      scale_b;         // what one unit of A and B stands for (host values, multiplied into alpha); default 1
  const char *kernel;  // name from wt_gemm_kernel_at, or NULL (default) for the fastest that can run this

  // A struct that ends here (struct_size of version 0.1.0 as first published) is taken as one with all of the
  // following at zero, their default.
  const float *row_scale;     // memory of the device, m factors; NULL: none. The same for the whole batch
  const float *column_scale;  // as above, n factors
  const float *bias;          // as above, n summands
  wt_activation activation;
  int32_t split_k;         // how many parts of K to sum apart, for small m and n. 0: chosen, as far as the
                           // workspace allows; 1: none; up to 1024: as many (fewer where K is short)
  void *workspace;         // memory of the device for the parts' sums, aligned to 16 bytes; NULL: none. Two
                           // calls that may run at the same time need two
  size_t workspace_bytes;  // of it; wt_gemm_workspace_size says how many are of use

  // A struct that ends here is taken as one with the following at zero, their default.
  int32_t grid_window,  // tile rows of C that work-groups walk together, and
      grid_chunk;       // tiles in turn that go to one die (include/sched/grid.h); 0: by size
} wt_gemm_desc;

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

// What the library knows about one of its kernels. The strings live as long as the library.
typedef struct wt_gemm_kernel_info {
  size_t struct_size;  // set by the caller: sizeof(wt_gemm_kernel_info)
  const char *name;    // "gemm_01_naive"
  const char *idea;    // one line: what it does differently from the one before
  const char *needs;   // one line: what a descriptor must satisfy, or "nothing"

  // A struct that ends here is filled as far as it goes.
  int32_t tile_m, tile_n;  // of C, that a work-group computes
  int32_t threads;         // of a work-group
  int32_t ladder;          // 1: of the ladder in examples/, for study: chosen only when nothing else fits
} wt_gemm_kernel_info;

// The kernels behind wt_gemm, slowest first: how many, and what index 0 <= i < count is.
WT_API size_t wt_gemm_kernel_count(void);
WT_API WT_MUST_CHECK wt_status wt_gemm_kernel_at(size_t index, wt_gemm_kernel_info *info);

// Which kernel wt_gemm would run for this descriptor. Checks the descriptor as wt_gemm does. *name lives as
// long as the library, and is NULL on failure.
WT_API WT_MUST_CHECK wt_status wt_gemm_chosen(wt_context *context, const wt_gemm_desc *desc,
                                              const char **name);

// Takes kernels and grid orders from a tuning table, as `wavetile tune gemm` writes them, in place of the one
// that the context had; path NULL: forgets that. From then on a descriptor without a kernel, batch or split_k
// whose target, types, m, n and k are those of a row gets the row's kernel, in one part, and its grid order
// unless it names one itself; of several such rows the last counts. Where the row's kernel cannot run the
// descriptor (its alignment, say), the choice is as without. A table that cannot be read, or has a row that
// is not of the form in docs/guide/tuning.md, changes nothing, and is refused with WT_ERROR_FILE.
WT_API WT_MUST_CHECK wt_status wt_gemm_table_load(wt_context *context, const char *path);

// How many bytes of workspace the descriptor can make use of: with split_k 0 those of the split that would be
// chosen if there were memory for it, else those of the split asked for; 0 when K is not split. desc's
// workspace is not looked at. *bytes is 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_gemm_workspace_size(wt_context *context, const wt_gemm_desc *desc,
                                                      size_t *bytes);

// Explains the choice in lines of text: the kernel, its tiles, work-groups, rounds and order, the split of K,
// and for every kernel the predicted time in matrix-core cycles, or why it cannot run this. Predictions come
// from published measurements by tile shape; they rank kernels and are no promise.
//
// Writes at most `size` bytes to `text`, always ending in NUL when size > 0, and to *length (which may be
// NULL) the whole text's length without NUL: call with size 0 to learn how much memory it takes. When no
// kernel can run the descriptor, the text says so of each, and the status is wt_gemm's.
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
