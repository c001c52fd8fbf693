// SPDX-License-Identifier: MIT
// The arguments of the GEMM kernels with F32 scales for blocks of 128, shared by host (C) and device (HIP
// C++).
#ifndef WT_KERNELS_GEMM_BLOCK_ARGS_H
#define WT_KERNELS_GEMM_BLOCK_ARGS_H

#include "../gemm/gemm_args.h"

// `gemm` is as for any GEMM (kernels/gemm/gemm_args.h); K lies along the rows and is not split. The scale of
// A's row r and of the columns 128 b to 128 b + 127 is a_scale[r * a_scale_row + b * a_scale_block]. The
// scale of B is found likewise, where r counts rows, or 128 rows together (gemm_block_frame.h).
typedef struct wt_gemm_block_args {
  wt_gemm_args gemm;
  const float *a_scale, *b_scale;
  long long a_scale_row, a_scale_block, b_scale_row, b_scale_block;  // elements
} wt_gemm_block_args;

#endif
