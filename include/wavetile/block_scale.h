// SPDX-License-Identifier: MIT
// These are conversions to block-scaled formats and back: the MX formats (OCP Microscaling specification
// v1.0), elements of 8, 6 or 4 bits with a power of two as the scale of every 32 of them, which need gfx950;
// and FP8 with an F32 number as the scale of every 128, on both chips. This header is part of wavetile.h and
// serves C11 and C++.
//
// q is packed as the hardware takes it: the elements of a block follow each other, the first in the lowest
// bits. A block of 32 takes 32 bytes in FP8, 24 in FP6 and 16 in FP4. An E8M0 byte e stands for 2^(e - 127),
// and 255 says that all numbers of the block are NaN. What shares a scale has the same bits whatever else is
// in the call.
#ifndef WAVETILE_BLOCK_SCALE_H
#define WAVETILE_BLOCK_SCALE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// So many elements of a row of q share a scale: an E8M0 byte, or an F32 number.
#define WT_BLOCK_ELEMENTS 32
#define WT_F32_BLOCK_ELEMENTS 128

// Says what the scales are.
typedef enum wt_block_scales {
  WT_BLOCK_SCALES_E8M0 = 0,  // a byte for every 32 elements of a row: the MX formats (gfx950)
  WT_BLOCK_SCALES_F32 = 1,   // an F32 number for every 128 elements of a row; the last block may be shorter
  WT_BLOCK_SCALES_POWER_OF_TWO = 2  // the same, and each is a power of two
} wt_block_scales;

// Says which elements of x are a block.
typedef enum wt_block_axis {
  WT_BLOCKS_ALONG_ROWS = 0,    // those that follow each other in a row
  WT_BLOCKS_ALONG_COLUMNS = 1  // those that follow each other in a column; q and the scales are then
                               // transposed, so that its blocks follow each other, too
} wt_block_axis;

// Says which blocks share a scale.
typedef enum wt_block_shape {
  WT_BLOCKS_OF_LINES = 0,   // none: each block has its own
  WT_BLOCKS_OF_SQUARES = 1  // those of as many neighbouring rows of q as a block has elements, from row 0 on:
                            // squares of 32 x 32 or 128 x 128, the last of which may be smaller. The
                            // transposed matrix has the same scales and the same elements then, so that a
                            // forward and a backward pass multiply by the same numbers
} wt_block_shape;

// Says how the scale follows from the largest magnitude of a block, where `top` is the power of two below the
// largest number of the element type: 256 in F8E4M3, 32768 in F8E5M2, 4 in F6E2M3 and F4E2M1, 16 in F6E3M2.
typedef enum wt_scale_rounding {
  WT_SCALE_UP = 0,    // the smallest power of two with which no element is beyond the type's largest number
  WT_SCALE_DOWN = 1,  // the power of two from the magnitude down, divided by `top`: the specification's text
  WT_SCALE_EVEN = 2,  // the same, after the magnitude was rounded to as many bits as an element has
  WT_SCALE_CEIL = 3   // the power of two from the magnitude up, divided by `top`
} wt_scale_rounding;

// How an element, x divided by its scale, is rounded to type_q.
typedef enum wt_element_rounding {
  WT_ELEMENT_NEAREST = 0,    // to the nearest, of two the even one
  WT_ELEMENT_STOCHASTIC = 1  // up in magnitude with the probability of how far it is on its way from the
                             // lower neighbour to the upper one, so that the mean over all seeds is x
                             // (gfx950: E8M0 scales only)
} wt_element_rounding;

// Describes a conversion. Start from WT_BLOCK_SCALE_DESC_INIT and fill in rows, columns and the types.
typedef struct wt_block_scale_desc {
  size_t struct_size;  // sizeof(wt_block_scale_desc)
  int64_t rows;        // rows of x, from 1 to 2^31 - 1
  int64_t columns;     // elements of a row of x, from 1 to 2^30. With E8M0 scales the elements along which
                       // blocks lie are a multiple of 32: columns, or rows where they lie along columns
  wt_type type_x;      // type of x: F32, BF16 or F16
  wt_type type_q;      // type of q: with E8M0 scales F8E4M3, F8E5M2, F6E2M3, F6E3M2 or F4E2M1, else
                       // WT_TYPE_F8* as the device has it: OCP on gfx950, FNUZ on gfx942
  wt_block_scales scales;  // default WT_BLOCK_SCALES_E8M0
  wt_block_axis along;     // default WT_BLOCKS_ALONG_ROWS; wt_dequantize_blocks takes no other
  wt_block_shape shape;    // default WT_BLOCKS_OF_LINES
  wt_scale_rounding
      rounding;         // of E8M0 scales; default WT_SCALE_UP. wt_dequantize_blocks does not look at it
  int64_t ldx;          // elements between the starts of rows of x; default 0: rows are packed
  int64_t q_row_bytes;  // bytes between the starts of rows of q; default 0: rows are packed
  int64_t scale_row;  // from one row of scales to the next, in bytes for E8M0, in numbers for F32; default 0:
                      // packed
  int64_t scale_block;  // F32 numbers from one block to the next, 0 for E8M0. For a matrix of scales that is
                        // stored transposed, with a row for each block, pass 1 as scale_row and the rows here
  wt_element_rounding
      element_rounding;  // default WT_ELEMENT_NEAREST; WT_ELEMENT_STOCHASTIC needs E8M0 scales
                         // and WT_BLOCKS_OF_LINES. wt_dequantize_blocks does not look at it
  uint64_t seed;         // of the random bits of WT_ELEMENT_STOCHASTIC, which alone looks at it; default 0
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
// are x divided by their scale, rounded as element_rounding says; what is beyond the largest number of type_q
// becomes the largest.
//
//   E8M0: what shares a scale with an infinity or NaN has the scale 255 and zeros as elements. Scales below
//     2^-127, which E8M0 lacks, become 2^-127.
//   F32: scales and elements are those that wt_quantize computes for what shares a scale as one matrix.
//   POWER_OF_TWO: a scale is the smallest power of two, from 2^-126 on, with which no finite element is
//   beyond
//     the largest number of the type, and 1 where all are 0. Elements follow from it as with F32.
//
// The random bits of WT_ELEMENT_STOCHASTIC are a function of the seed and of the element's place in q alone.
// Word w of row r of q is word w % 4 of Philox4x32-10 (Salmon et al., SC 2011) for the counter (w / 4, r, 0,
// 0) and the key (seed, seed >> 32), and a row has one word for each element of FP8, for each two of FP4, and
// for each 32 of FP6. The first element of a word takes its bits, and each further one those of the element
// before, shifted left by one, XOR 0xc5 where a one fell out (V_PRNG_B32). A magnitude that lies a part p of
// the step above the lower of its two neighbours becomes the upper one where p + bits / 2^32, with p cut to
// 32 binary places, is at least 1.
//
// x, q and scale are memory of the context's device (or host memory it can access) from a HIP allocator, and
// do not overlap. q has `rows` rows of `columns` elements, or the reverse where blocks are along columns.
// scale is a matrix of bytes with a row for each of them and a byte for each block: of a square, as
// wt_gemm_mx takes it, each row has its own copy. Or it is a matrix of F32 numbers with a row for each row of
// q, of squares one for every 128 rows, as wt_gemm_block takes it.
WT_API WT_MUST_CHECK wt_status wt_quantize_blocks(wt_context *context, const wt_block_scale_desc *desc,
                                                  const void *x, void *q, void *scale,
                                                  struct ihipStream_t *stream);

// Enqueues x = scale * q, in f32, rounded once more to type_x, to nearest even.
WT_API WT_MUST_CHECK wt_status wt_dequantize_blocks(wt_context *context, const wt_block_scale_desc *desc,
                                                    const void *q, const void *scale, void *x,
                                                    struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
