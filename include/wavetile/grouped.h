// SPDX-License-Identifier: MIT
// These are products of many groups of rows, each with a matrix of its own, as layers of experts need them.
// This header is part of wavetile.h and serves C11 and C++.
#ifndef WAVETILE_GROUPED_H
#define WAVETILE_GROUPED_H

#include "block_output.h"
#include "gemm_block.h"

#ifdef __cplusplus
extern "C" {
#endif

// This is how the array `rows` says which rows are whose. It is memory of the device, and only the device
// reads it: it may be written by work that was enqueued before on the same stream. Rows that are nobody's are
// neither read nor written. No access leaves the matrices, whatever the array holds.
typedef enum wt_grouped_contract {
  // groups + 1 numbers from 0 to m, none less than the one before: group g has the rows from rows[g] up to
  // rows[g + 1], without this one.
  WT_GROUP_OFFSETS = 0,
  // m numbers: row i is of group rows[i], or nobody's if that is -1 (or no group at all). The rows of a group
  // lie together; the groups may come in any order, and padding may lie anywhere between them.
  WT_GROUP_INDICES = 1,
  // groups numbers from 0 to m: each group has m rows of its own in memory, of which the first rows[g] count.
  WT_GROUP_MASKED = 2
} wt_grouped_contract;

// Describes, for each row i of group g,
//   y[i][j] = activation(group_scale[g] * row_scale[i] * column_scale[g][j] * alpha * sum
//                        + beta * y[i][j] + bias[g][j])
//   sum = sum over l of x[i][l] * w[g][j][l]
// Sums are accumulated in f32 and rounded once, to nearest even.
//
//   x and w                                y
//   two WT_TYPE_F8* as the device has it   F32, BF16, F16
//   both BF16, or both F16                 F32, BF16, F16
//   two MX formats, as wt_gemm_mx          F32, BF16, F16
//   BF16 and F4E2M1, as wt_gemm_mx         F32, BF16, F16
//
// MX formats, and FP8 E4M3 where x_scale and w_scale are set, have scales of blocks, which are factors of
// each product as well. What they are, `scales` says:
//   WT_BLOCK_SCALES_E8M0: x and w are in MX formats (gfx950), packed as wt_quantize_blocks packs them. The
//     factors are x_scale[i][l / 32] and w_scale[g][j][l / 32], as in wt_gemm_mx. k is a multiple of 32. x
//     may be of BF16, too, with w in F4E2M1: it has no scales, and x_scale is NULL.
//   WT_BLOCK_SCALES_F32 and WT_BLOCK_SCALES_POWER_OF_TWO: x and w are both FP8 E4M3, and the factors are
//     x_scale[i][l / 128] and w_scale[g][j'][l / 128], those of wt_gemm_block: j' is j / 128 or j, as
//     scales_of_w says, and sums are rounded as there. WT_BLOCK_SCALES_POWER_OF_TWO promises what it promises
//     there. gfx950 then may have its matrix cores apply the scales, where what is summed over is a multiple
//     of 32: k, in the gradient of the input n, and in that of the weights m. wt_grouped_chosen says so by
//     the name of a kernel grouped_block_powers_*. Else the product is computed as with any scales.
//
// All matrices are row-major: x is m x k and y is m x n, with WT_GROUP_MASKED groups * m rows high; w is
// groups x n x k. Start from WT_GROUPED_DESC_INIT, which sets what the comments call the default, and fill in
// the sizes and the types.
typedef struct wt_grouped_desc {
  size_t struct_size;              // sizeof(wt_grouped_desc)
  int64_t groups;                  // groups, from 1 to 512
  int64_t m;                       // rows of x and y; with WT_GROUP_MASKED those of each group
  int64_t n, k;                    // columns of y and of x, each from 1 to 2^31 - 1
  wt_type type_x, type_w, type_y;  // types of x, w and y, as in the table
  wt_grouped_contract contract;    // how `rows` says which rows are whose; default WT_GROUP_OFFSETS
  int64_t expected_rows;           // rows that a group is expected to have, to choose a kernel by; default 0:
                                   // m / groups, or m with WT_GROUP_MASKED
  int64_t ldx, ldw, ldy;           // elements between the starts of rows; default 0: rows are packed. In MX
                                   // formats multiples of 32
  int64_t w_group;                 // elements between the starts of the matrices of two groups, in MX formats
                                   // a multiple of 32; default 0: each follows the one before
  float alpha, beta;               // factors, default 1 and 0; with beta 0, the result is never read
  const float *group_scale;        // memory of the device, a factor for each group; NULL (default) means none
  const float *row_scale;          // the same, a factor for each row of the result: m, with WT_GROUP_MASKED
                                   // groups * m; groups x n in the gradient of the weights
  const float *column_scale;       // the same, a factor for each column of each group's result: groups x n;
                                   // groups x k in gradients
  const float *bias;               // the same, groups x n summands
  const void *x_scale;             // the same, the scales of blocks of x; NULL (default) means none
  const void *w_scale;             // the same of w; NULL where x_scale is, unless x alone is without scales
  const void *y_scale;             // the same of dy, in gradients; NULL in the forward pass
  wt_block_scales scales;          // what all are; default WT_BLOCK_SCALES_E8M0
  wt_scales_of_b scales_of_w;  // rows of w that share an F32 scale, or in the gradient of the weights rows
                               // of the transposed x; default WT_SCALES_OF_B_TILES
  int64_t x_scale_row;         // scales (E8M0: bytes) of x from one row to the next
  int64_t x_scale_block;       // and from one block to the next, 0 for E8M0; default 0 and 0: packed rows
  int64_t y_scale_row;         // the same for dy
  int64_t y_scale_block;       // and from one block to the next
  int64_t w_scale_row;         // the same for w, where 128 rows that share a scale are one
  int64_t w_scale_block;       // and from one block to the next
  int64_t w_scale_group;       // and from one group to the next; default 0: rows * w_scale_row or
                               // blocks * w_scale_block of a group, whichever is more
  wt_activation activation;    // function of the result
  const char *kernel;          // name from wt_grouped_chosen, or NULL (default) for the fastest that can run
                               // this
  void *workspace;             // memory of the device that WT_GROUP_INDICES needs, aligned to 16 bytes; NULL
                               // (default) means that the context's is used (wt_context_set_workspace_limit).
                               // Two calls that may run at the same time need two
  size_t workspace_bytes;      // bytes of the workspace; wt_grouped_workspace_size says how many are needed
} wt_grouped_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_GROUPED_DESC_INIT (wt_grouped_desc_init())
inline wt_grouped_desc wt_grouped_desc_init() {
  wt_grouped_desc desc = wt_grouped_desc();
  desc.struct_size = sizeof desc;
  desc.alpha = 1.0f;
  return desc;
}
#else
#define WT_GROUPED_DESC_INIT ((wt_grouped_desc){.struct_size = sizeof(wt_grouped_desc), .alpha = 1.0f})
#endif

// This is what one descriptor stands for: a product, or one of its gradients.
typedef enum wt_grouped_pass {
  WT_GROUPED_FORWARD = 0,
  WT_GROUPED_BACKWARD_INPUT = 1,
  WT_GROUPED_BACKWARD_WEIGHT = 2
} wt_grouped_pass;

// Says which kernel the pass would run for this descriptor, which is checked as the pass checks it, without
// addresses. *name lives as long as the library, and is NULL on failure.
WT_API WT_MUST_CHECK wt_status wt_grouped_chosen(wt_context *context, const wt_grouped_desc *desc,
                                                 wt_grouped_pass pass, const char **name);

// Says how many bytes of workspace any pass needs for this descriptor: 0 but with WT_GROUP_INDICES. *bytes is
// 0 on failure.
WT_API WT_MUST_CHECK wt_status wt_grouped_workspace_size(wt_context *context, const wt_grouped_desc *desc,
                                                         size_t *bytes);

// Enqueues the products on `stream` (a hipStream_t; NULL is the default stream) and returns without waiting
// for them. x, w, y and rows are memory of the context's device (or host memory it can access) from a HIP
// allocator, aligned to their element, and so are the descriptor's vectors and workspace; y and the workspace
// must not overlap anything else. The descriptor may be reused at once, the memory when the stream has
// passed.
//
// The fast kernels need rows of x and w at multiples of 16 bytes (of 4 in MX formats of 6 bits), less than 2
// GB of each for a tile, and some K steps (2 to 6). Slower kernels, or loops, take everything else; where
// groups have few rows, kernels whose waves share K take rows at any address (not in formats of 6 bits).
WT_API WT_MUST_CHECK wt_status wt_grouped_forward(wt_context *context, const wt_grouped_desc *desc,
                                                  const void *x, const void *w, void *y, const int32_t *rows,
                                                  struct ihipStream_t *stream);

// Enqueues the gradient of the input. Where dy is the gradient of y in the product that the descriptor
// describes, it is, for each row i of group g,
//   dx[i][l] = group_scale[g] * row_scale[i] * column_scale[g][l] * alpha * sum over j of dy[i][j] *
//   w[g][j][l]
//              + beta * dx[i][l]
// Types change places: dy (type_y) and w are multiplied, each of an FP8 type, both BF16 or both F16, and dx
// (type_x) is F32, BF16 or F16. row_scale and column_scale are those of dy's rows and w's columns here. bias
// and activation must be at their defaults; what they do to gradients is for the caller to apply to dy.
//
// With y_scale and w_scale, dy and w have scales of blocks and types as x and w in the forward pass; dy of
// BF16 has none, with w in F4E2M1. Blocks lie along what is summed over. So w is transposed, k rows of n
// elements for each group, as wt_quantize_blocks writes it with WT_BLOCKS_ALONG_COLUMNS. That call may take
// the matrices of all groups as one of groups * n rows, where n is a multiple of a block: ldw is then
// groups * n, w_group is n, w_scale_row and w_scale_group are as many blocks. With E8M0 scales, n is a
// multiple of 32.
WT_API WT_MUST_CHECK wt_status wt_grouped_backward_input(wt_context *context, const wt_grouped_desc *desc,
                                                         const void *dy, const void *w, void *dx,
                                                         const int32_t *rows, struct ihipStream_t *stream);

// Enqueues the gradient of the weights: for each group g,
//   dw[g][j][l] = group_scale[g] * row_scale[g][j] * column_scale[g][l] * alpha
//                 * sum over its rows i of dy[i][j] * x[i][l] + beta * dw[g][j][l]
// A group without rows has the sum 0. dy (type_y) and x are multiplied, and dw (type_w) is F32, BF16 or F16;
// the rest is as for the gradient of the input.
//
// With y_scale and x_scale, dy and x have scales of blocks along the tokens, which are what is summed over.
// So both are transposed, n and k rows of as many elements as there are tokens (with WT_GROUP_MASKED groups *
// m), as wt_quantize_blocks writes them with WT_BLOCKS_ALONG_COLUMNS. A block must not be of two groups: each
// group begins at a multiple of 32 tokens, with F32 scales of 128, and all of its last block counts, so that
// rows between its end and the next multiple must be zero. A group that begins elsewhere gets NaN. m is a
// multiple of 32 with E8M0 scales, and of 128 with F32 scales and WT_GROUP_MASKED.
WT_API WT_MUST_CHECK wt_status wt_grouped_backward_weight(wt_context *context, const wt_grouped_desc *desc,
                                                          const void *dy, const void *x, void *dw,
                                                          const int32_t *rows, struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
