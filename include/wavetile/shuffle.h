// SPDX-License-Identifier: MIT
// Matrices of scales and of weights can be shuffled once, into the order in which kernels read them best.
// This header is part of wavetile.h and serves C11 and C++. The layouts are those of other software, so that
// what it stores can be used as it is. They need gfx950.
#ifndef WAVETILE_SHUFFLE_H
#define WAVETILE_SHUFFLE_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Says how a matrix of scales lies in memory.
typedef enum wt_scale_layout {
  WT_SCALES_BY_ROWS = 0,  // row after row, a byte for each block of 32 elements
  // Scales lie in groups of 256 bytes for 32 rows and 8 blocks: that of row r and block b of a group is byte
  // 64 * (b mod 4) + 4 * (r mod 16) + 2 * (b / 4) + r / 16. The groups of the same 32 rows follow each other.
  // Where rows or blocks end within a group, the rest of it is 127, the scale 1. hipBLASLt calls this layout
  // BLK32_UE8M0_32_8_EXT.
  WT_SCALES_SHUFFLED = 1
} wt_scale_layout;

// Rows and blocks of a group of shuffled scales, and its bytes.
#define WT_SHUFFLED_SCALE_ROWS 32
#define WT_SHUFFLED_SCALE_BLOCKS 8
#define WT_SHUFFLED_SCALE_BYTES 256

// Says how a matrix of weights lies in memory.
typedef enum wt_weight_layout {
  WT_WEIGHTS_BY_ROWS = 0,  // row after row
  // 16 rows lie together: the first 16 bytes of each, then the next 16 bytes of each, and so on. ROCm/aiter
  // calls this layout (16, 16).
  WT_WEIGHTS_SHUFFLED = 1
} wt_weight_layout;

// In shuffled weights so many rows lie together, and so many bytes of a row.
#define WT_SHUFFLED_WEIGHT_ROWS 16
#define WT_SHUFFLED_WEIGHT_BYTES 16

// Describes how scales are shuffled. Start from WT_SHUFFLE_SCALES_DESC_INIT and fill in rows and blocks.
typedef struct wt_shuffle_scales_desc {
  size_t struct_size;          // sizeof(wt_shuffle_scales_desc)
  int64_t rows;                // rows of the matrix of scales, from 1 to 2^31 - 1
  int64_t blocks;              // scales of a row, from 1 to 2^26
  int64_t scale_row_bytes;     // bytes between the starts of rows of `scale`; default 0: rows are packed
  int64_t shuffled_row_bytes;  // bytes between the starts of 32 rows in `shuffled`; default 0: packed
} wt_shuffle_scales_desc;

// Describes how weights are shuffled. Start from WT_SHUFFLE_WEIGHTS_DESC_INIT and fill in rows and row_bytes.
typedef struct wt_shuffle_weights_desc {
  size_t struct_size;          // sizeof(wt_shuffle_weights_desc)
  int64_t rows;                // rows, a multiple of 16 from 16 to 2^31 - 16
  int64_t row_bytes;           // bytes of a row, a multiple of 16 from 16 to 2^31 - 16
  int64_t weight_row_bytes;    // bytes between the starts of rows of `weights`; default 0: rows are packed
  int64_t shuffled_row_bytes;  // a 16th of the bytes between the starts of 16 rows in `shuffled`, a multiple
                               // of 16; default 0: packed
} wt_shuffle_weights_desc;

// These are descriptors with every field at its default.
#ifdef __cplusplus
#define WT_SHUFFLE_SCALES_DESC_INIT (wt_shuffle_scales_desc_init())
inline wt_shuffle_scales_desc wt_shuffle_scales_desc_init() {
  wt_shuffle_scales_desc desc = wt_shuffle_scales_desc();
  desc.struct_size = sizeof desc;
  return desc;
}
#define WT_SHUFFLE_WEIGHTS_DESC_INIT (wt_shuffle_weights_desc_init())
inline wt_shuffle_weights_desc wt_shuffle_weights_desc_init() {
  wt_shuffle_weights_desc desc = wt_shuffle_weights_desc();
  desc.struct_size = sizeof desc;
  return desc;
}
#else
#define WT_SHUFFLE_SCALES_DESC_INIT ((wt_shuffle_scales_desc){.struct_size = sizeof(wt_shuffle_scales_desc)})
#define WT_SHUFFLE_WEIGHTS_DESC_INIT \
  ((wt_shuffle_weights_desc){.struct_size = sizeof(wt_shuffle_weights_desc)})
#endif

// Returns the bytes that the shuffled scales of a matrix take, packed.
static inline int64_t wt_shuffled_scale_bytes(int64_t rows, int64_t blocks) {
  return (rows + WT_SHUFFLED_SCALE_ROWS - 1) / WT_SHUFFLED_SCALE_ROWS *
         ((blocks + WT_SHUFFLED_SCALE_BLOCKS - 1) / WT_SHUFFLED_SCALE_BLOCKS) * WT_SHUFFLED_SCALE_BYTES;
}

// Enqueues the change of a matrix of scales from WT_SCALES_BY_ROWS to WT_SCALES_SHUFFLED on `stream` (a
// hipStream_t; NULL is the default stream). scale and shuffled are memory of the context's device (or host
// memory it can access) from a HIP allocator and do not overlap. shuffled is aligned to 16 bytes and has
// wt_shuffled_scale_bytes(rows, blocks) bytes, all of which are written.
WT_API WT_MUST_CHECK wt_status wt_shuffle_scales(wt_context *context, const wt_shuffle_scales_desc *desc,
                                                 const uint8_t *scale, uint8_t *shuffled,
                                                 struct ihipStream_t *stream);

// Enqueues the change of a matrix of weights of any type from WT_WEIGHTS_BY_ROWS to WT_WEIGHTS_SHUFFLED, as
// above. shuffled is aligned to 16 bytes and takes rows * row_bytes bytes, packed.
WT_API WT_MUST_CHECK wt_status wt_shuffle_weights(wt_context *context, const wt_shuffle_weights_desc *desc,
                                                  const void *weights, void *shuffled,
                                                  struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
