// SPDX-License-Identifier: MIT
// These are products of matrices in the MX formats (OCP Microscaling specification v1.0): elements of 8, 6 or
// 4 bits, with a power of two as the scale of every 32 of them along K. One of them may be BF16. This header
// is part of wavetile.h and serves C11 and C++. The formats need gfx950.
#ifndef WAVETILE_GEMM_MX_H
#define WAVETILE_GEMM_MX_H

#include "base.h"
#include "block_scale.h"
#include "shuffle.h"

#ifdef __cplusplus
extern "C" {
#endif

// Describes
//   C = activation(alpha * A * B^T + beta * C + bias[n])
// where A is m x k and B is n x k. Both are packed as wt_quantize_blocks packs them, 32, 24 or 16 bytes for
// each 32 elements of a row, and have a matrix of scales with an E8M0 byte for each of these blocks. Products
// are summed in f32 and rounded once, to nearest even. A block whose scale is 255 is NaN.
//
//   A         B                 C
//   F4E2M1    F4E2M1            F32, BF16, F16, F8E4M3, F4E2M1
//   F6E2M3    F6E2M3, F4E2M1    the same
//   F6E3M2    F6E3M2, F4E2M1    the same
//   F8E4M3    F8E4M3, F4E2M1    the same
//   F8E5M2    F8E4M3            the same: gradients, with weights or activations
//   BF16      F4E2M1            the same: activations as they are, with packed weights
//
// A of BF16 has rows of elements and no scales: a_scale is then NULL, and B's scales lie by rows. B is
// widened to BF16 on its way to the matrix cores, which is exact for all its numbers from 2^-126 to 2^127.
//
// C of F8E4M3 or F4E2M1 is in an MX format: every 32 elements of a row have a scale in c_scale. Elements and
// scales have the bits that wt_quantize_blocks gives to the same product in F32, with K not split. n is then
// a multiple of 32, and beta is 0.
//
// Start from WT_GEMM_MX_DESC_INIT, and fill in m, n, k and the types.
typedef struct wt_gemm_mx_desc {
  size_t struct_size;            // sizeof(wt_gemm_mx_desc)
  int64_t m, n;                  // rows and columns of C, each from 1 to 2^31 - 1
  int64_t k;                     // elements of a row of A and B, a multiple of 32, up to 2^31 - 32
  wt_type type_a, type_b;        // types of A and B, as in the table
  wt_type type_c;                // type of C, as in the table
  int64_t a_row_bytes;           // bytes between the starts of rows of A; default 0: rows are packed
  int64_t b_row_bytes;           // the same for B. Where both are multiples of 16 (6 bits: of 4), tiles are
                                 // copied as they lie; elsewhere masked loads bring every step, which takes
                                 // longer
  int64_t a_scale_row_bytes;     // the same for the scales of A, whose rows may begin anywhere
  int64_t b_scale_row_bytes;     // the same for the scales of B
  wt_scale_layout scale_layout;  // of both matrices of scales; default WT_SCALES_BY_ROWS. The bytes between
                                 // rows of shuffled scales are those between 32 rows, a multiple of 16; the
                                 // matrices are then aligned to 16 bytes
  wt_weight_layout b_layout;     // of B; default WT_WEIGHTS_BY_ROWS. The rows of shuffled weights are a
                                 // multiple of 16, their bytes and b_row_bytes, too, and b is aligned to 16
  int64_t ldc;                   // elements between the starts of rows of C; default 0: rows are packed
  float alpha, beta;             // factors, default 1 and 0; with beta 0, C is never read
  const float *bias;             // memory of the device, n summands; default NULL: none
  wt_activation activation;      // function of the result
  uint8_t *c_scale;              // memory of the device, where the scales of C go: m rows of n / 32 bytes;
                                 // default NULL: C has none. C in an MX format needs it
  int64_t c_row_bytes;        // of C in an MX format, in place of ldc, and of its scales: bytes between the
  int64_t c_scale_row_bytes;  // starts of rows; default 0: rows are packed
  wt_scale_rounding c_rounding;  // how these scales follow from the blocks; default WT_SCALE_UP

  int64_t batch;                 // members of the batch; 0 (default) means 1
  int64_t a_stride_bytes;        // from a matrix of the batch to the next; default 0: all use the same one.
  int64_t b_stride_bytes;        // Multiples of 16 where the matrices are copied as they lie
  int64_t a_scale_stride_bytes;  // the same for the matrices of scales
  int64_t b_scale_stride_bytes;
  int64_t c_stride;              // elements from a matrix C to the next, which it may not overlap
  int64_t c_stride_bytes;        // of C in an MX format, in place of c_stride, and of its scales: bytes
  int64_t c_scale_stride_bytes;  // from a matrix to the next

  // Says how many parts of K are summed apart, for small m and n. With 0 (default) the library chooses, as
  // far as the workspace allows; with 1 K is not split; with up to 1024 there are as many parts (fewer where
  // K is short), of a multiple of 512 elements each. C in an MX format is not split. The parts are added up
  // in their order, so that the bits are the same each time.
  int32_t split_k;
  void *workspace;  // memory of the device for the parts' sums, aligned to 16 bytes; NULL (default) means
                    // that the context's is used (wt_context_set_workspace_limit). Two calls that may run at
                    // the same time need two
  size_t workspace_bytes;  // bytes of the workspace; wt_gemm_mx_workspace_size says how many are of use
} wt_gemm_mx_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_GEMM_MX_DESC_INIT (wt_gemm_mx_desc_init())
inline wt_gemm_mx_desc wt_gemm_mx_desc_init() {
  wt_gemm_mx_desc desc = wt_gemm_mx_desc();
  desc.struct_size = sizeof desc;
  desc.alpha = 1.0f;
  return desc;
}
#else
#define WT_GEMM_MX_DESC_INIT ((wt_gemm_mx_desc){.struct_size = sizeof(wt_gemm_mx_desc), .alpha = 1.0f})
#endif

// Says which kernel wt_gemm_mx would run for this descriptor, which it checks as wt_gemm_mx does. *name lives
// as long as the library, and is NULL on failure.
WT_API WT_MUST_CHECK wt_status wt_gemm_mx_chosen(wt_context *context, const wt_gemm_mx_desc *desc,
                                                 const char **name);

// Says how many bytes of workspace the descriptor can make use of: with split_k 0 those of the split that
// would be chosen if there were memory for it, else those of the split asked for; 0 when K is not split.
// desc's workspace is not looked at. *bytes is 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_gemm_mx_workspace_size(wt_context *context, const wt_gemm_mx_desc *desc,
                                                         size_t *bytes);

// Enqueues the product on `stream` (a hipStream_t; NULL is the default stream) and returns without waiting
// for it. a, a_scale (NULL for A of BF16), b, b_scale, c and the bias are memory of the context's device (or
// host memory it can access) from a HIP allocator, c and the bias aligned to their elements; c, its scales
// and the workspace do not overlap each other or the rest. The descriptor may be reused at once, the memory
// when the stream has passed.
WT_API WT_MUST_CHECK wt_status wt_gemm_mx(wt_context *context, const wt_gemm_mx_desc *desc, const void *a,
                                          const uint8_t *a_scale, const void *b, const uint8_t *b_scale,
                                          void *c, struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
