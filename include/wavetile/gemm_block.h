// SPDX-License-Identifier: MIT
// These are products of FP8 matrices with F32 scales for blocks of 128 elements along K, as language models
// with block-scaled weights store them. This header is part of wavetile.h and serves C11 and C++.
#ifndef WAVETILE_GEMM_BLOCK_H
#define WAVETILE_GEMM_BLOCK_H

#include "base.h"
#include "block_scale.h"

#ifdef __cplusplus
extern "C" {
#endif

// This says how many rows of B share a scale. In A, each row has its own.
typedef enum wt_scales_of_b {
  WT_SCALES_OF_B_TILES = 0,  // 128 rows: scales of B are a matrix of ceil(n / 128) x ceil(k / 128)
  WT_SCALES_OF_B_ROWS = 1    // one row: they are n x ceil(k / 128)
} wt_scales_of_b;

// Describes
//   C[m][n] = activation(alpha * sum over b of a_scale[m][b] * b_scale[n'][b] * (A[m] * B[n])_b
//                        + beta * C[m][n] + bias[n])
// where A is m x k and B is n x k, (A[m] * B[n])_b is the sum over the 128 columns of block b, and n' is n or
// n / 128, as scales_of_b says. Elements are F8E4M3 on gfx950 and F8E4M3_FNUZ on gfx942; C is F32, BF16 or
// F16. Scales are any numbers of F32. With WT_SCALES_OF_B_TILES the product of the two scales of a block is
// rounded to F32 first, then multiplies the sum of the block. With WT_SCALES_OF_B_ROWS the sum is multiplied
// with b_scale and rounded to F32, then multiplied with a_scale. What that gives is added to the sum of the
// blocks with one rounding.
//
// WT_BLOCK_SCALES_POWER_OF_TWO as `scales` promises that each scale is a power of two from 2^-127 to 2^127,
// as wt_quantize_blocks makes them with the same word (what other libraries call UE8M0 scales in F32). gfx950
// then may have its matrix cores apply them, where k is a multiple of 32; wt_gemm_block_chosen says so by the
// name of a kernel gemm_block_powers_*. Else the product is computed as above. Where the matrix cores apply
// them, terms are scaled without a rounding before they are added, and no block has a sum of its own. Each
// element of C is then within 2 k roundings (of 2^-24) of the sum of its terms' magnitudes. It is exact where
// the terms are multiples of one power of two, 2^q, and their magnitudes sum up to at most 2^(q + 24).
//
// The device does not check the promise. Where it is broken, no other memory is touched, but a matrix core
// takes the exponent of a scale alone: it drops sign and fraction, takes 0 and all subnormal numbers for
// 2^-127, and infinities for NaN. A block that has only elements of 0 is 0 with any scale that is a
// number, 0 included. A NaN makes what it scales NaN, as in F32.
//
// Start from WT_GEMM_BLOCK_DESC_INIT, and fill in m, n, k and the types.
typedef struct wt_gemm_block_desc {
  size_t struct_size;          // sizeof(wt_gemm_block_desc)
  int64_t m, n, k;             // each from 1 to 2^31 - 1
  wt_type type_ab;             // type of A and B: FP8 E4M3 as the device encodes it
  wt_type type_c;              // type of C: F32, BF16 or F16
  wt_scales_of_b scales_of_b;  // default WT_SCALES_OF_B_TILES
  wt_block_scales scales;      // WT_BLOCK_SCALES_F32, the default, or WT_BLOCK_SCALES_POWER_OF_TWO
  int64_t lda, ldb;            // elements between the starts of rows of A and B; default 0: rows are packed
  int64_t a_scale_row;         // elements of a_scale from one row to the next
  int64_t a_scale_block;       // and from one block to the next; default 0 and 0: ceil(k / 128) and 1. For a
  int64_t b_scale_row;         // matrix that is stored transposed, with a row for each block, pass 1 and m
  int64_t b_scale_block;       // the same for B
  int64_t ldc;                 // elements between the starts of rows of C; default 0: rows are packed
  float alpha, beta;           // factors, default 1 and 0; with beta 0, C is never read
  const float *bias;           // memory of the device, n summands; default NULL: none
  wt_activation activation;    // function of the result
} wt_gemm_block_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_GEMM_BLOCK_DESC_INIT (wt_gemm_block_desc_init())
inline wt_gemm_block_desc wt_gemm_block_desc_init() {
  wt_gemm_block_desc desc = wt_gemm_block_desc();
  desc.struct_size = sizeof desc;
  desc.scales = WT_BLOCK_SCALES_F32;
  desc.alpha = 1.0f;
  return desc;
}
#else
#define WT_GEMM_BLOCK_DESC_INIT \
  ((wt_gemm_block_desc){        \
      .struct_size = sizeof(wt_gemm_block_desc), .scales = WT_BLOCK_SCALES_F32, .alpha = 1.0f})
#endif

// Says which kernel wt_gemm_block would run for this descriptor, which it checks as wt_gemm_block does. *name
// lives as long as the library, and is NULL on failure.
WT_API WT_MUST_CHECK wt_status wt_gemm_block_chosen(wt_context *context, const wt_gemm_block_desc *desc,
                                                    const char **name);

// Enqueues the product on `stream` (a hipStream_t; NULL is the default stream) and returns without waiting
// for it. a, a_scale, b, b_scale, c and the bias are memory of the context's device (or host memory it can
// access) from a HIP allocator, each aligned to its elements; c does not overlap the others. The descriptor
// may be reused at once, the memory when the stream has passed.
WT_API WT_MUST_CHECK wt_status wt_gemm_block(wt_context *context, const wt_gemm_block_desc *desc,
                                             const void *a, const float *a_scale, const void *b,
                                             const float *b_scale, void *c, struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
