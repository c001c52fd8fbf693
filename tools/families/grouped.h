// SPDX-License-Identifier: MIT
// Declares what the command for grouped products and its reference share.
#ifndef WT_TOOLS_GROUPED_H
#define WT_TOOLS_GROUPED_H

#include "mx_blocks.h"
#include "weight_scales.h"

enum {
  X,
  W,
  ROWS,
  GROUP_SCALE,
  ROW_SCALE,
  COLUMN_SCALE,
  BIAS,
  X_SCALE,
  W_SCALE,
  DY,
  DY_SCALE,
  Y,
  DX,
  DW,
  TENSORS
};

enum { NOBODY = -1 };

// Describes two matrices with scales of blocks along what is summed over, and their scales. The second one
// has a matrix for each group, but in the gradient of the weights.
typedef struct grouped_factors {
  int a, b, a_scale, b_scale;  // tensors
  const mx_type *type_a, *type_b;
} grouped_factors;

typedef struct grouped_own {
  tool_sizes groups, m, n, k;
  const char *contract_name, *share_name, *gradient, *activation_name, *scales_name, *kernel;
  const char *type_names[TENSORS];  // that the options give
  const mx_type *types[TENSORS];    // of those in MX formats
  double alpha;
  wt_grouped_contract contract;
  wt_activation activation;
  weight_scales scales;
  wt_block_scales kind;  // what all scales are
  int64_t counted;       // rows that are somebody's
  int *owner;            // of each row of X: its group, or NOBODY
  const char *chosen;    // the kernel that ran
} grouped_own;

// Holds the sizes of the descriptor: of the files, as far as they have been read, or from the options.
typedef struct grouped_sizes {
  int64_t groups, m, n, k, rows;
} grouped_sizes;
grouped_sizes grouped_sizes_of(const family_job *job);

// Returns the pass, as far as scales tell it: with them, a run computes one gradient.
wt_grouped_pass grouped_pass_of(const family_job *job);

// Returns the matrices that are multiplied.
grouped_factors grouped_factors_of(const family_job *job);

// Says what their rows are: elements that are summed over, and the rows of B, and of its scales, in each
// group.
typedef struct grouped_lines {
  int64_t depth, b_rows, b_scaled_rows;
} grouped_lines;
grouped_lines grouped_lines_of(const family_job *job);

// Return how many elements of a row share a scale, at whose multiples the rows of a group may begin.
int64_t grouped_block(const family_job *job);
int64_t grouped_grain(const family_job *job);

// Returns the number of the row of scales that row j of a matrix has in B.
int64_t grouped_scaled_row(const family_job *job, int64_t j);

// Sets rank and shape of a tensor, and takes the shape of the main tensor's file.
void grouped_dims(const family_job *job, int tensor, npy_array *out);
int grouped_take_shape(family_job *job);

// Fills --rows without a file: the rows of one group after those of the other.
void grouped_make_rows(family_job *job);
// Checks the numbers of a file, and finds the owner of each row: TOOL_OK, or report and return an exit code.
int grouped_check_rows(const family_job *job);
int grouped_find_owners(family_job *job);

// These are the functions of the family (family.h).
bool grouped_reference_begin(family_job *job);
void grouped_reference_row(family_job *job, int64_t row, double *scratch);
void grouped_reference_end(family_job *job);

#endif
