// SPDX-License-Identifier: MIT
// Norms and activations can write their result in a block-scaled format, as products take it: MX for
// wt_gemm_mx, FP8 with a scale for every 128 elements of a row for wt_gemm_block. The matrix of 16 or 32 bits
// for each element is then neither written nor read again. This header is part of wavetile.h and serves C11
// and C++.
#ifndef WAVETILE_BLOCK_OUTPUT_H
#define WAVETILE_BLOCK_OUTPUT_H

#include "base.h"
#include "block_scale.h"
#include "shuffle.h"

#ifdef __cplusplus
extern "C" {
#endif

// Describes a result in a block-scaled format, and is a member of the descriptors of calls that write one.
// With every field at zero, its default, the result is not quantised. Fill in the type and the scale.
//
// The result is quantised as it was computed, in F32, without a rounding to 16 bits before. Elements and
// scales are those of wt_quantize_blocks with blocks along rows, each with a scale of its own, elements
// rounded to nearest even, and the result in F32 as x.
typedef struct wt_block_output {
  wt_type type;            // of the elements: with E8M0 scales F8E4M3, F8E5M2, F6E2M3, F6E3M2 or F4E2M1, else
                           // WT_TYPE_F8* as the device has it; default 0: the result is not quantised
  wt_block_scales scales;  // default WT_BLOCK_SCALES_E8M0
  wt_scale_rounding rounding;  // how an E8M0 scale is chosen; default WT_SCALE_UP
  wt_scale_layout layout;      // of E8M0 scales; default WT_SCALES_BY_ROWS
  int64_t row_bytes;           // bytes between the starts of rows of elements; default 0: rows are packed
  void *scale;                 // memory of the device for the scales: rows x columns / 32 bytes, or rows x
                // ceil(columns / 128) F32 numbers. Shuffled ones are aligned to 16 bytes, and take
                // wt_shuffled_scale_bytes(rows, columns / 32)
  int64_t scale_row;    // from one row of scales to the next, in bytes for E8M0 (for shuffled ones from 32
                        // rows to the next, a multiple of 16), in numbers for F32; default 0: packed
  int64_t scale_block;  // F32 numbers from one block to the next, 0 for E8M0. For a matrix of scales that is
                        // stored transposed, with a row for each block, pass 1 as scale_row and the rows here
} wt_block_output;

#ifdef __cplusplus
}
#endif

#endif
