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

// Work-groups of the forward kernels: tiles * heads * batch in x, in the order of wt_attention_place_of.
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

// The tile of a work-group. Tiles of one head follow each other, and so do the heads of one key head, so that
// a die (XCD) that is handed runs of them (wt_grid_remap) finds K and V in its L2. The last tile, which under
// a causal mask has the most keys, comes first.
WT_ANYWHERE wt_attention_place wt_attention_place_of(const wt_attention_args *args, int id) {
  const unsigned tiles = (unsigned)args->tiles, heads = (unsigned)args->heads;
  const unsigned position =
      (unsigned)wt_grid_remap(id, (int)(tiles * heads * (unsigned)args->batch), args->xcds, args->chunk);
  const unsigned head = position / tiles;
  const wt_attention_place place = {(int)(head / heads), (int)(head % heads),
                                    (int)(tiles - 1 - position % tiles)};
  return place;
}

#endif
