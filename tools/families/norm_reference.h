// SPDX-License-Identifier: MIT
// Declares the tensors and options of `wavetile norm`, and its reference in float64.
#ifndef WT_TOOLS_NORM_REFERENCE_H
#define WT_TOOLS_NORM_REFERENCE_H

#include "block_result.h"

// These are named as in wavetile/norm.h.
enum {
  NORM_X,
  NORM_RESIDUAL,
  NORM_WEIGHT,
  NORM_BIAS,
  NORM_Y,
  NORM_SUM,
  NORM_MEAN,
  NORM_RSTD,
  NORM_DY,
  NORM_DSUM,
  NORM_DX,
  NORM_DRESIDUAL,
  NORM_DWEIGHT,
  NORM_DBIAS,
  NORM_Q,
  NORM_SCALE,
  NORM_TENSORS
};

typedef struct norm_own {
  bool rms, layer, fused;
  double epsilon, dropout;
  block_result blocks;  // of Y
} norm_own;

enum { NORM_SCRATCH = 5, NORM_KEPT = 4 };  // numbers for each column of a row, and kept for each row

// Compare a row of all outputs that are matrices or numbers of rows, and a column of the others.
void norm_reference_row(family_job *job, int64_t row, double *scratch);
void norm_reference_column(family_job *job, int64_t column);

#endif
