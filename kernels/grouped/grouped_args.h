// SPDX-License-Identifier: MIT
// Declares the arguments of the grouped GEMM kernels, shared by host (C) and device (HIP C++).
//
// A group is a product of its own. All groups have the same matrices' sizes but for one axis, the rows of
// their tokens, which lie together in a matrix of all groups. Memory of the device says which rows are whose,
// so that no one but the kernel knows how many tiles there are.
#ifndef WT_KERNELS_GROUPED_ARGS_H
#define WT_KERNELS_GROUPED_ARGS_H

#include "kernels/gemm/gemm_args.h"

// A lane of a wave knows so many consecutive groups, and a wave knows all groups.
enum { WT_GROUPED_LANES = 64, WT_GROUPED_PER_LANE = 8, WT_GROUPED_MOST = 512 };

// Says what `places` holds.
enum {
  WT_GROUPED_OFFSETS = 0,  // group g has the rows from places[g] up to places[g + 1]
  WT_GROUPED_RANGES = 1,   // ... from places[2 * g] up to places[2 * g + 1]
  WT_GROUPED_COUNTS = 2    // ... the first places[g] of `rows` rows, which follow those of group g - 1
};

// Says what the tokens are to a product.
enum {
  WT_GROUPED_ROWS = 0,  // rows of A and C
  WT_GROUPED_DEPTH = 1  // what is summed over
};

// Says how an operand moves on: matrices by bytes, scales by elements.
typedef struct wt_grouped_step {
  long long token;  // from a token to the next; where scaled tokens are summed over, from the tokens that
                    // share a scale to the next ones
  long long group;  // from a group's matrix to the next
} wt_grouped_step;

// In `product`, all is as for any GEMM (kernels/gemm/gemm_args.h) but for what depends on the group: a, b and
// c are those of group 0 at row 0, and the size of the tokens' axis is not used. column_scale and bias have n
// numbers for each group, and row_scale has m where tokens are summed over. `groups` are work-groups, all of
// which are persistent; grid.dies counts the dies.
typedef struct wt_grouped_args {
  wt_gemm_args product;
  wt_grouped_step a, b, c;
  const int *places;         // as `contract` says
  const float *group_scale;  // a factor for each group; null when there is none
  int contract;              // WT_GROUPED_OFFSETS, _RANGES or _COUNTS
  int tokens;                // WT_GROUPED_ROWS or WT_GROUPED_DEPTH
  int groups;                // of tokens
  int rows;                  // of tokens, to which places are cut; with WT_GROUPED_COUNTS of each group
  int tiles_n;               // tiles in a row of tiles, where tokens lie along m
  int window;                // tile rows that work-groups walk together, there
  int run;                   // consecutive tiles that a die takes at most, there
} wt_grouped_args;

// The arguments of kernels with F32 scales for blocks of 128 columns: as those of a product with such scales
// (kernels/gemm_block/gemm_block_args.h), with those of group 0 at row 0.
typedef struct wt_grouped_block_args {
  wt_grouped_args grouped;
  const float *a_scale, *b_scale;
  long long a_scale_row, a_scale_block, b_scale_row, b_scale_block;
  wt_grouped_step a_scale_step, b_scale_step;
} wt_grouped_block_args;

// Describes the arguments of kernels of MX formats, likewise: as those of a product with such scales
// (kernels/gemm_mx/gemm_mx_args.h), with rows of operands and of scales in bytes. Kernels for powers of two,
// which take F32 scales for blocks of 128 columns, have the same.
typedef struct wt_grouped_mx_args {
  wt_grouped_args grouped;
  const unsigned char *a_scale, *b_scale;
  long long a_scale_row_bytes, b_scale_row_bytes;
  wt_grouped_step a_scale_step, b_scale_step;
  long long a_scale_block_bytes, b_scale_block_bytes;  // where scales are F32
} wt_grouped_mx_args;

// Describes the arguments of grouped_ranges: it makes places of WT_GROUPED_RANGES of the group of each row; a
// number that is no group's says that the row is nobody's. The ranges were 0 before. Grid: x = rows.
enum { WT_GROUPED_RANGES_THREADS = 256 };
typedef struct wt_grouped_ranges_args {
  const int *indices;
  int *ranges;
  int rows, groups;
} wt_grouped_ranges_args;

#endif
