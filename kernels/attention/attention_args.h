// SPDX-License-Identifier: MIT
// The arguments of the attention kernels, shared by host (C) and device (HIP C++). For each batch entry b and
// query head h, with key head h / group:
//   O = softmax(scale * Q K^T, over the keys that a query sees) V
#ifndef WT_KERNELS_ATTENTION_ARGS_H
#define WT_KERNELS_ATTENTION_ARGS_H

#include "sched/grid.h"

// Element (b, row, h, d) is at data[b * batch + row * row_stride + h * head + d]; strides in elements. Packed
// sequences have batch 0: starts say where each begins.
typedef struct wt_attention_tensor {
  void *data;
  long long batch, row, head;
} wt_attention_tensor;

// Which keys a query sees: query r of a sequence of `queries` stands at position p = r + keys - queries, and
// sees the keys from p - left to p + right. As many as there are: WT_ATTENTION_ALL.
enum { WT_ATTENTION_ALL = 1 << 30 };

// The forward kernels, attention_forward_<heads>_<type>, of 512 threads and WT_ATTENTION_TILE queries each:
//
//   heads       Q, K x V      types                       chips              work-groups in y
//   d64         64 x 64       bf16 f16                    gfx942 gfx950      1
//   d128        128 x 128     bf16 f16                    gfx942 gfx950      1
//   d128        128 x 128     f8e4m3 f8e5m2 (O in bf16)   gfx950             1
//   d192_128    192 x 128     bf16 f16                    gfx950             1
//   d256        256 x 256     bf16 f16                    gfx950             2
//
// K and V (not Q and O) must have rows at multiples of 16 bytes, that is the pointer and every stride, and 64
// rows must span less than 2^31 bytes; with _any at the end of the name they need not. Work-groups in x:
// tiles
// * heads * batch, in the order of wt_attention_place_of.
enum { WT_ATTENTION_TILE = 256 };

typedef struct wt_attention_args {
  wt_attention_tensor q, k, v, o;
  float *lse;                     // natural logarithms; null: not wanted
  long long lse_batch, lse_head;  // elements; the queries of a head are consecutive
  int batch, heads, group;        // group: query heads per key head
  int queries, keys;              // of each sequence, or, when packed, of the longest
  const int *q_starts,
      *k_starts;  // null, or batch + 1 row numbers: where each sequence begins and the last ends
  int left, right;
  float scale;    // of the scores, times log2(e); positive
  float o_scale;  // of the result: what one unit of V stands for
  int tiles;      // of queries, per head
  int xcds, chunk;
} wt_attention_args;

typedef struct wt_attention_place {
  int batch, head, tile;
} wt_attention_place;

// The tile of a work-group, when each of `heads` heads has args->tiles. Tiles of one head follow each other,
// and so do the heads of one key head, so that a die (XCD) that is handed runs of them (wt_grid_remap) finds
// K and V in its L2. The last tile, which under a causal mask has the most keys, comes first.
WT_ANYWHERE wt_attention_place wt_attention_place_among(const wt_attention_args *args, int heads_of_launch,
                                                        int id) {
  const unsigned tiles = (unsigned)args->tiles, heads = (unsigned)heads_of_launch;
  const unsigned position =
      (unsigned)wt_grid_remap(id, (int)(tiles * heads * (unsigned)args->batch), args->xcds, args->chunk);
  const unsigned head = position / tiles;
  const wt_attention_place place = {(int)(head / heads), (int)(head % heads),
                                    (int)(tiles - 1 - position % tiles)};
  return place;
}
WT_ANYWHERE wt_attention_place wt_attention_place_of(const wt_attention_args *args, int id) {
  return wt_attention_place_among(args, args->heads, id);
}

#endif
