// SPDX-License-Identifier: MIT
// Declares where and how a kernel over rows stores a result in a block-scaled format, shared by host (C) and
// device (HIP C++). Such a result takes the place of the matrix that the kernel would write otherwise.
#ifndef WT_KERNELS_ROW_BLOCKS_ARGS_H
#define WT_KERNELS_ROW_BLOCKS_ARGS_H

// Lists types of elements, and what the scales are: E8M0 bytes for 32 elements, or F32 numbers for 128.
enum wt_row_blocks_element {
  WT_ROW_BLOCKS_FP8E4M3,
  WT_ROW_BLOCKS_FP8E5M2,
  WT_ROW_BLOCKS_FP6E2M3,
  WT_ROW_BLOCKS_FP6E3M2,
  WT_ROW_BLOCKS_FP4E2M1
};
enum wt_row_blocks_scales { WT_ROW_BLOCKS_E8M0, WT_ROW_BLOCKS_F32, WT_ROW_BLOCKS_POWER_OF_TWO };
enum wt_row_blocks_layout { WT_ROW_BLOCKS_BY_ROWS, WT_ROW_BLOCKS_SHUFFLED };

typedef struct wt_row_blocks {
  unsigned char *q;
  void *scale;
  long long q_row;      // bytes from one row of q to the next
  long long scale_row;  // bytes, or F32 numbers, from one row of scales to the next; of shuffled ones, bytes
                        // from 32 rows to the next 32
  long long scale_block;        // the same from one block to the next; not looked at for shuffled ones
  int element, scales, layout;  // of the enumerations above; E8M0 alone has another layout than by rows
  int rounding;                 // wt::scale_rounding, of E8M0
  int rows, blocks;             // of the matrix of scales
} wt_row_blocks;

#endif
