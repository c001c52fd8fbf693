// SPDX-License-Identifier: MIT
// These are conversions to the MX formats and back (OCP Microscaling specification v1.0): elements of 8, 6 or
// 4 bits, with a power of two as the scale of every 32 of them. This header is part of wavetile.h and serves
// C11 and C++. The formats need gfx950.
//
// q is packed as the hardware takes it: the 32 elements of a block follow each other, the first in the lowest
// bits. A block takes 32 bytes in FP8, 24 in FP6 and 16 in FP4. Its scale is an E8M0 byte: byte e stands for
// 2^(e - 127), and 255 says that all numbers of the block are NaN. A block has the same bits whatever else is
// in the call.
#ifndef WAVETILE_BLOCK_SCALE_H
#define WAVETILE_BLOCK_SCALE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// The elements that share a scale.
#define WT_BLOCK_ELEMENTS 32

// Which elements of x are a block.
typedef enum wt_block_axis {
  WT_BLOCKS_ALONG_ROWS = 0,    // 32 that follow each other in a row
  WT_BLOCKS_ALONG_COLUMNS = 1  // 32 that follow each other in a column; q and the scales are then transposed,
                               // so that its blocks follow each other, too
} wt_block_axis;

// How the scale follows from the largest magnitude of a block, where `top` is the power of two below the
// largest number of the element type: 256 in F8E4M3, 32768 in F8E5M2, 4 in F6E2M3 and F4E2M1, 16 in F6E3M2.
typedef enum wt_scale_rounding {
  WT_SCALE_UP = 0,    // the smallest power of two with which no element is beyond the type's largest number
  WT_SCALE_DOWN = 1,  // the power of two from the magnitude down, divided by `top`: the specification's text
  WT_SCALE_EVEN = 2,  // the same, after the magnitude was rounded to as many bits as an element has
  WT_SCALE_CEIL = 3   // the power of two from the magnitude up, divided by `top`
} wt_scale_rounding;

// Describes a conversion. Start from WT_BLOCK_SCALE_DESC_INIT and fill in rows, columns and the types.
typedef struct wt_block_scale_desc {
  size_t struct_size;  // sizeof(wt_block_scale_desc)
  int64_t rows;        // rows of x, from 1 to 2^31 - 1; a multiple of 32 where blocks are along columns
  int64_t columns;     // elements of a row of x, from 1 to 2^30; a multiple of 32 where blocks are along rows
  wt_type type_x;      // type of x: F32, BF16 or F16
  wt_type type_q;      // type of q: F8E4M3, F8E5M2, F6E2M3, F6E3M2 or F4E2M1
  int64_t ldx;         // elements between the starts of rows of x; default 0: rows are packed
  int64_t q_row_bytes;         // bytes between the starts of rows of q; default 0: rows are packed
  int64_t scale_row_bytes;     // bytes between the starts of rows of scales; default 0: rows are packed
  wt_block_axis along;         // default WT_BLOCKS_ALONG_ROWS; wt_dequantize_blocks takes no other
  wt_scale_rounding rounding;  // default WT_SCALE_UP; wt_dequantize_blocks does not look at it
} wt_block_scale_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_BLOCK_SCALE_DESC_INIT (wt_block_scale_desc_init())
inline wt_block_scale_desc wt_block_scale_desc_init() {
  wt_block_scale_desc desc = wt_block_scale_desc();
  desc.struct_size = sizeof desc;
  return desc;
}
#else
#define WT_BLOCK_SCALE_DESC_INIT ((wt_block_scale_desc){.struct_size = sizeof(wt_block_scale_desc)})
#endif

// Enqueues the conversion of x to blocks on `stream` (a hipStream_t; NULL is the default stream). Elements
// are x divided by the scale of their block, rounded to nearest even; what is beyond the largest number of
// type_q becomes the largest. A block with an infinity or NaN has the scale 255 and zeros as elements. Scales
// below 2^-127, which E8M0 lacks, become 2^-127.
//
// x, q and scale are memory of the context's device (or host memory it can access) from a HIP allocator, and
// do not overlap. q has `rows` rows of `columns` elements, or the reverse where blocks are along columns;
// scale has as many rows, with a byte for each block.
WT_API WT_MUST_CHECK wt_status wt_quantize_blocks(wt_context *context, const wt_block_scale_desc *desc,
                                                  const void *x, void *q, uint8_t *scale,
                                                  struct ihipStream_t *stream);

// Enqueues x = scale * q, in f32, rounded once more to type_x, to nearest even.
WT_API WT_MUST_CHECK wt_status wt_dequantize_blocks(wt_context *context, const wt_block_scale_desc *desc,
                                                    const void *q, const uint8_t *scale, void *x,
                                                    struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
