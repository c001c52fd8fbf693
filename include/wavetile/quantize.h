// SPDX-License-Identifier: MIT
// These are conversions to FP8 and back, with a scale for the whole matrix or one per row. This header is
// part of wavetile.h and serves C11 and C++.
//
// A scale is what one unit of q stands for: x is about scale * q, as wt_gemm has it (scale_a, row_scale).
//
// With given scales, or one computed for each row, a row has the same bits however many rows there are and
// wherever it stands among them. One computed scale of a matrix depends on all of it.
#ifndef WAVETILE_QUANTIZE_H
#define WAVETILE_QUANTIZE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Says how many scales a matrix has.
typedef enum wt_scaling {
  WT_SCALING_TENSOR = 0,  // one scale
  WT_SCALING_ROW = 1      // one for each row
} wt_scaling;

// Describes a conversion. Start from WT_QUANTIZE_DESC_INIT and fill in rows, columns and the types.
typedef struct wt_quantize_desc {
  size_t struct_size;  // sizeof(wt_quantize_desc)
  int64_t rows;        // rows of both matrices, from 1 to 2^31 - 1
  int64_t columns;     // elements of a row, from 1 to 2^30
  wt_type type_x;      // type of x: F32, BF16 or F16
  wt_type type_q;      // type of q: WT_TYPE_F8* as the device has it: OCP on gfx950, FNUZ on gfx942
  int64_t ldx, ldq;    // elements between the starts of rows; default 0: rows are packed
  wt_scaling scaling;  // how many scales there are; default WT_SCALING_TENSOR
  int32_t given;       // 1 says that the caller gives the scales; with 0 (default) wt_quantize computes them
  void *workspace;     // memory of the device, aligned to 4 bytes, for one computed scale of the whole
                       // matrix; NULL (default) means none. Two calls that may run at the same time need two
  size_t workspace_bytes;  // bytes of the workspace; WT_QUANTIZE_WORKSPACE_BYTES suffice
} wt_quantize_desc;

// wt_quantize needs so many bytes of workspace.
#define WT_QUANTIZE_WORKSPACE_BYTES 4096

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_QUANTIZE_DESC_INIT (wt_quantize_desc_init())
inline wt_quantize_desc wt_quantize_desc_init() {
  wt_quantize_desc desc = wt_quantize_desc();
  desc.struct_size = sizeof desc;
  return desc;
}
#else
#define WT_QUANTIZE_DESC_INIT ((wt_quantize_desc){.struct_size = sizeof(wt_quantize_desc)})
#endif

// Enqueues q = x * (1 / scale) on `stream` (a hipStream_t; NULL is the default stream). Both operations are
// in f32 and rounded to nearest, then the result is rounded to FP8, to nearest even; finite numbers beyond
// the largest become the largest. NaN remains NaN; infinities become those of OCP E5M2, and NaN in the other
// three formats, which have none.
//
// A computed scale is (largest of |x| over the finite entries of the matrix or row) / (the largest number of
// type_q), in f32, and at least 2^-126; it is 1 where all finite entries are 0.
//
// x, q and scale (one f32, or one per row) are memory of the context's device (or host memory it can access)
// from a HIP allocator, and do not overlap. A computed scale is the same under every order of execution.
WT_API WT_MUST_CHECK wt_status wt_quantize(wt_context *context, const wt_quantize_desc *desc, const void *x,
                                           void *q, float *scale, struct ihipStream_t *stream);

// Enqueues x = scale * q, in f32, rounded once more to type_x, to nearest even. desc->given and the workspace
// are not looked at.
WT_API WT_MUST_CHECK wt_status wt_dequantize(wt_context *context, const wt_quantize_desc *desc, const void *q,
                                             const float *scale, void *x, struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
