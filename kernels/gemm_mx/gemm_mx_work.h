// SPDX-License-Identifier: MIT
// Says which tile of C a work-group of a GEMM with block scales computes, and of which part of A, B and K.
#ifndef WT_KERNELS_GEMM_MX_WORK_H
#define WT_KERNELS_GEMM_MX_WORK_H

#include "gemm_mx_operand.h"
#include "gemm_mx_scales.h"

// Returns the arguments of the product without its scales (kernels/gemm/gemm_4wave_persistent.h).
WT_DEVICE const wt_gemm_args &gemm_args_of(const wt_gemm_mx_args &args) { return args.gemm; }

// ScalePath says how scales lie in memory (gemm_mx_scales.h).
template <class TA, class TB, int BM, int BN, class ScalePath>
struct gemm_mx_work {
  int row, column;                              // of C, where the work-group's tile begins
  gemm_mx_operand a, b;                         // from the tile's first row on
  typename ScalePath::matrix scale_a, scale_b;  // of the same rows; A's are B's where A has none
  int blocks;                                   // scales of a row of the part

  WT_DEVICE explicit gemm_mx_work(const wt_gemm_mx_args &args)
      : gemm_mx_work(args, wt_grid_tile_of(args.gemm.grid, wt::workgroup_x())) {
    // It is a branch, as the first instructions of a kernel are in no cache: most launches execute few of
    // them.
    if (__builtin_expect(wt::workgroup_y() + wt::workgroup_z() != 0, false)) move(args);
  }
  // Describes the work on a tile of the first member of the batch, with all of K.
  WT_DEVICE gemm_mx_work(const wt_gemm_mx_args &args, wt_grid_tile at)
      : row(at.m * BM),
        column(at.n * BN),
        a(args.gemm.a, args.gemm.a_row, WT_KERNEL_BY_ROWS, row, args.gemm.m, bytes_of<TA>(args.gemm.k_part)),
        b(args.gemm.b, args.gemm.b_row, args.b_layout, column, args.gemm.n, bytes_of<TB>(args.gemm.k_part)),
        blocks(args.gemm.k_part / wt::kScaleBlock) {
    take_scales(args, args.b_scale, args.a_scale);
  }

  // Returns the elements of a row in the work-group's part of K.
  WT_DEVICE static int part_k(const wt_gemm_args &gemm) {
    const int left = gemm.k - wt::workgroup_y() * gemm.k_part;
    return left < gemm.k_part ? left : gemm.k_part;
  }

  template <class T>
  WT_DEVICE static int bytes_of(int elements) {
    return elements / wt::kScaleBlock * (wt::kScaleBlock * wt::kBits<T> / 8);
  }

 private:
  // Takes the scales of matrices that begin there. B has as many as the tile goes on: threads that are more
  // than its rows fetch the last one again, together, where rows of their own would be a line of memory for
  // each.
  WT_DEVICE void take_scales(const wt_gemm_mx_args &args, const unsigned char *of_b,
                             const unsigned char *of_a) {
    static constexpr int kShared = ScalePath::kRowsOfB;
    const int rows = ((b.rows < BN ? b.rows : BN) + kShared - 1) / kShared;
    scale_b = ScalePath::from(of_b, args.b_scale_row_bytes, args.b_scale_block_bytes, column / kShared, rows,
                              blocks);
    scale_a = scale_b;
    if constexpr (kMxHasScales<TA>)
      scale_a = ScalePath::from(of_a, args.a_scale_row_bytes, args.a_scale_block_bytes, row, a.rows, blocks);
  }

  // Moves everything from the first member of the batch and the first part of K to the work-group's.
  WT_DEVICE void move(const wt_gemm_mx_args &args) {
    const int part = wt::workgroup_y(), batch = wt::workgroup_z();
    const int first = part * args.gemm.k_part, k = part_k(args.gemm);
    const int scales = ScalePath::bytes_to(first / ScalePath::kStep);
    a = a.part(bytes_of<TA>(first), bytes_of<TA>(k)), a.data += batch * args.gemm.a_batch;
    b = b.part(bytes_of<TB>(first), bytes_of<TB>(k)), b.data += batch * args.gemm.b_batch;
    blocks = k / wt::kScaleBlock;
    take_scales(args, args.b_scale + scales + batch * args.b_scale_batch_bytes,
                args.a_scale + scales + batch * args.a_scale_batch_bytes);
  }
};

#endif
