// SPDX-License-Identifier: MIT
// Declares what `wavetile conv` and its reference share.
#ifndef WT_TOOLS_CONV_H
#define WT_TOOLS_CONV_H

#include "family.h"

// Lists the tensors.
enum { X, W, SCALE, BIAS, DY, Y, DX, DW, TENSORS };

// These are along the rows of an image, then along its columns.
enum { ROWS, COLUMNS, DIRECTIONS };

typedef struct conv_own {
  tool_sizes n, h, w, c, k, r, s;
  const char *stride_text, *pad_text, *dilation_text, *activation_name, *gradient, *kernel;
  double alpha;
  int64_t stride[DIRECTIONS], dilation[DIRECTIONS];
  int64_t before[DIRECTIONS], after[DIRECTIONS];  // padding
  wt_activation activation;
  const char *chosen;  // the kernel that ran
} conv_own;

// Gives N, H, W, C and K, R, S, C: of the files, as far as they have been read, or from the options.
void conv_input_sizes(const family_job *job, int64_t image[4], int64_t filter[4]);

// This is the reference, in float64, from the definition.
void conv_reference_row(family_job *job, int64_t row, double *scratch);
void conv_reference_end(family_job *job);

#endif
