// SPDX-License-Identifier: MIT
// Declares what the products with scales for blocks of K share (wt_gemm_mx, wt_gemm_block): C =
// activation(alpha * A * B^T + beta * C + bias), where A and B have matrices of scales.
#ifndef WT_SRC_SCALED_H
#define WT_SRC_SCALED_H

#include "core/launch.h"
#include "core/operand.h"
#include "kernels/gemm/gemm_args.h"

// Describes a call after checking.
typedef struct wt_scaled_product {
  int64_t m, n, k;
  int64_t batch;          // members, which axis 2 of the operands steps over
  int64_t parts, k_part;  // of K, as in wt_choice (gemm_plan.h)
  float alpha, beta;
  wt_type type_c;
  wt_activation activation;
  const float *bias;
  wt_operand a, b, b_scale, c;
  wt_operand a_scale, c_scale;  // without a name where A or C has no scales
} wt_scaled_product;

// Describes the kernel of a product.
typedef struct wt_scaled_kernel {
  const char *name;         // of its file and its symbol
  unsigned tile_m, tile_n;  // rows and columns of C per work-group
  unsigned threads;         // of a work-group
  double efficiency;        // percent of the matrix cores' rate that the K loop reaches
  unsigned waves_k;         // waves of a work-group that share K, each with all of a tile
  unsigned resident;        // work-groups that a compute unit holds at once
  bool is_persistent;       // work-groups take one tile after the other, C has 16 bits and is alpha times the
                            // product, and the type of C is at the end of the symbol
  int64_t least_k;          // of such a kernel
} wt_scaled_kernel;

// Returns which of two kernels to take for C of m x n: the one whose work-groups need less matrix-core time
// in rounds, but one that the build did not leave out before one that it did. `best` may be NULL.
const wt_scaled_kernel *wt_scaled_better(const wt_context *context, const wt_scaled_kernel *best,
                                         const wt_scaled_kernel *other, int64_t m, int64_t n);

// Describes the rows of a product in bytes, for kernels that copy tiles as they lie.
typedef struct wt_scaled_rows {
  int64_t mixed;  // the strides between rows of A and of B, or'ed; 0 where rows are packed
  int64_t most;   // the largest stride between rows of A, of B or of their scales
  int64_t ldc;    // elements between rows of C; 0: they are packed
} wt_scaled_rows;

// Returns whether persistent kernels can compute the product, but for the size of K. They copy all tiles as
// they lie, 16 bytes at once, and write C, alpha times the product in 16 bits, straight from the registers
// (include/ops/row_writer.h). Where no operands are made yet, they are taken to begin where these kernels
// need.
bool wt_scaled_suits_persistent(const wt_scaled_product *product, wt_scaled_rows rows);

// Checks m, n and k.
wt_status wt_scaled_check_sizes(wt_context *context, const wt_scaled_product *product);

// Checks alpha, beta and the activation.
wt_status wt_scaled_check_epilogue(wt_context *context, const wt_scaled_product *product);

// Writes the operands, with the bias if there is one, to an array of WT_SCALED_OPERANDS. Returns how many
// they are.
enum { WT_SCALED_OPERANDS = 7 };
int wt_scaled_operands(const wt_scaled_product *product, wt_operand *all);

// Checks the memory of the operands and of the bias; the device must be current.
wt_status wt_scaled_check_memory(wt_context *context, const wt_scaled_product *product);

// Returns the arguments of the product without its scales, of all rows of C and the first member of the
// batch, but for the order of tiles.
wt_gemm_args wt_scaled_args(const wt_scaled_product *product);

// Moves the scales in a kernel's arguments so many members of the batch on, and those of A so many rows, both
// of which may be negative.
typedef void wt_scaled_move(void *args, int64_t members, int64_t rows);

// Sets what a family's arguments say of the order of tiles of a persistent kernel besides its map.
typedef void wt_scaled_rotate(void *args, wt_grid_order order);

// Launches the kernel, for as many members of the batch and tile rows of C at a time as a grid can have.
// `args`, a struct that begins with a wt_gemm_args, is changed. `rotate` is NULL where no kernel is
// persistent. The device must be current.
wt_status wt_scaled_launch(wt_context *context, const wt_scaled_product *product,
                           const wt_scaled_kernel *kernel, void *args, wt_scaled_move *move,
                           wt_scaled_rotate *rotate, hipStream_t stream);

#endif
