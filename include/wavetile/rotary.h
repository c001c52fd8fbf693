// SPDX-License-Identifier: MIT
// This is rotary position embedding: pairs of elements of each head are rotated by an angle that grows with
// the position. This header is part of wavetile.h and serves C11 and C++.
//
// A row at a position has the same bits whatever else is in the call: in a batch or alone, among few rows or
// many.
#ifndef WAVETILE_ROTARY_H
#define WAVETILE_ROTARY_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

// Says where the two elements of pair i are in a head of which 2 * pairs elements are rotated.
typedef enum wt_rotary_layout {
  WT_ROTARY_HALF = 0,        // i and pairs + i, as GPT-NeoX and Llama have them
  WT_ROTARY_INTERLEAVED = 1  // 2i and 2i + 1, as GPT-J and the first description have them
} wt_rotary_layout;

// These are the elements from one batch member, row and head to the next. 0 stands for packed
// [batch][row][head][dim], that is rows * heads * head_dim, heads * head_dim and head_dim.
typedef struct wt_rotary_strides {
  int64_t batch, row, head;
} wt_rotary_strides;

// Describes a rotation. In each head of a row at position p, pair i of the first rotary_dim elements becomes
//   (x cos a - y sin a, x sin a + y cos a),  a = p * frequency[i]
// and the elements after them do not change. The backward pass is the inverse rotation: with `inverse` the
// gradient of the output becomes that of the input.
//
// A frequency is kept to 2^-64 of a revolution, so that p * frequency is reduced exactly to a fraction of a
// revolution, and is off by less than 2^-32 of a revolution for every 32-bit position; cosine and sine are
// off by 2^-22. Arithmetic is in f32, and each result is rounded once.
//
// Start from WT_ROTARY_DESC_INIT and fill in rows, head_dim and the type.
typedef struct wt_rotary_desc {
  size_t struct_size;       // sizeof(wt_rotary_desc)
  int64_t batch;            // members of the batch; default 1. All rows, batch * rows, are at most 2^31 - 1
  int64_t rows;             // rows of each batch member
  int64_t heads;            // heads of a row, from 1 (default) to 2^19 - 8
  int64_t head_dim;         // elements of a head, up to 2^20
  int64_t rotary_dim;       // elements of them that are rotated; even, up to 512; 0 (default) means all
  wt_type type;             // type of input and output: F32, BF16 or F16
  wt_rotary_layout layout;  // where the elements of a pair are; default WT_ROTARY_HALF
  int32_t inverse;          // 1 rotates back; default 0
  double theta;             // frequency[i] = theta^(-2i / rotary_dim), in radians; default 10000

  // Points to host memory with rotary_dim / 2 frequencies in radians per position, which replace theta. The
  // call reads them before it returns.
  const double *frequencies;

  // Point to memory of the device with a row of cosines and one of sines per position, rotary_dim / 2 of
  // each, which replace the frequencies. Both are given, or both are NULL (default). A row at a position
  // outside the tables becomes NaN.
  const float *cosine, *sine;
  int64_t table_rows;  // rows of each table
  int64_t ldtable;     // elements between the starts of rows; default 0: rows are packed

  // Points to each row's position in device memory. With NULL (default), row r has position offset + r.
  const int32_t *positions;
  int64_t positions_batch;  // elements from one batch member's first position to the next; 0 (default) means
                            // all have the same
  int64_t offset;           // position of row 0 when `positions` is NULL
  wt_rotary_strides strides_in, strides_out;
} wt_rotary_desc;

// This is a descriptor with every field at its default.
#ifdef __cplusplus
#define WT_ROTARY_DESC_INIT (wt_rotary_desc_init())
inline wt_rotary_desc wt_rotary_desc_init() {
  wt_rotary_desc desc = wt_rotary_desc();
  desc.struct_size = sizeof desc;
  desc.batch = desc.heads = 1;
  desc.theta = 10000;
  return desc;
}
#else
#define WT_ROTARY_DESC_INIT \
  ((wt_rotary_desc){.struct_size = sizeof(wt_rotary_desc), .batch = 1, .heads = 1, .theta = 10000})
#endif

// Enqueues the embedding on `stream` (a hipStream_t; NULL is the default stream). in and out are memory of
// the context's device (or host memory it can access) from a HIP allocator. out may be in, with the same
// strides: then only what is rotated is read and written. Otherwise they must not overlap.
WT_API WT_MUST_CHECK wt_status wt_rotary(wt_context *context, const wt_rotary_desc *desc, const void *in,
                                         void *out, struct ihipStream_t *stream);

#ifdef __cplusplus
}
#endif

#endif
