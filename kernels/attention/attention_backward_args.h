// SPDX-License-Identifier: MIT
// The arguments of the backward kernels of attention, shared by host (C) and device (HIP C++), and how to
// launch them. With P the softmax of the forward pass and O = P V:
//   delta = row sums of dO * O,  dP = dO V^T,  dS = P * (dP - delta)
//   dV = P^T dO,  dK = scale dS^T Q,  dQ = scale dS K
// dK and dV of a key head are sums over the query heads of its group.
//
// Kernels end in _d<D>_<type>: D 64 or 128, type bf16 or f16; all tensors are of that type. Each takes one
// wt_attention_backward_args; launches differ in forward.tiles (and chunk). In order, on one stream:
//
//   kernel                             threads  work-groups (x)                tile
//   attention_backward_prepare_...     256      tiles * heads * batch          64 queries
//   then deterministically, in any order:
//   attention_backward_dkv_8wave_...   512      tiles * heads / group * batch  256 keys
//   attention_backward_dq_8wave_...    512      tiles * heads * batch          256 queries
//   or the same as ..._4wave_...       256                                     128
//   or with dQ by atomic additions, whose order is the hardware's:
//   attention_backward_dkvq_4wave_...  256      tiles * heads / group * batch  128 keys
//   attention_backward_finish_...      256      tiles * heads * batch          64 queries
//
// tiles = wt_grid_tiles(longest sequence of queries or of keys, tile). Files: attention_backward_rows_d<D>
// has prepare and finish, attention_backward_8wave_d<D> and attention_backward_4wave_d<D> the others. All
// rows of dQ, dK and dV are written, with zeros where nothing is seen.
#ifndef WT_KERNELS_ATTENTION_BACKWARD_ARGS_H
#define WT_KERNELS_ATTENTION_BACKWARD_ARGS_H

#include "attention_args.h"

// Keys or queries of a wave; those of a work-group are its tile.
enum { WT_ATTENTION_WAVE_ROWS = 32 };

// Q, K, V and dO must have rows at multiples of 16 bytes, as K and V of the forward kernels; with _any at the
// end of the name (dkv_8wave and dq_8wave) they need not. The other tensors may be anywhere.
typedef struct wt_attention_backward_args {
  wt_attention_args forward;  // as for the forward pass, o and lse its results; o_scale is not read
  wt_attention_tensor d_o, d_q, d_k, d_v;
  float *rows;          // workspace of 2 * heads * row_count floats, 16-byte aligned, from prepare
  float *dq_sum;        // workspace of heads * row_count * D floats; null but for dkvq, zeroed by prepare
  long long row_count;  // wt_attention_row_count
  float result_scale;   // of dQ and dK: the softmax scale, forward.scale / log2(e)
} wt_attention_backward_args;

// Workspace keeps sequences in whole blocks of rows, so that copies of it are aligned and need no check of
// bounds. `rows`: of block after block of 32 rows, first where S begins, -lse / result_scale (minus infinity
// for a query that sees no key, and past the sequence's end), then where dP begins, -delta (0 there).
enum { WT_ATTENTION_ROW_BLOCK = 64 };

// The first row of sequence `batch` in a head's part of the workspace; q_start: q_starts[batch] when packed.
WT_ANYWHERE long long wt_attention_first_row(const wt_attention_args *args, int batch, int q_start) {
  const int block = WT_ATTENTION_ROW_BLOCK;
  if (args->q_starts) return (long long)q_start / block * block + (long long)batch * block;
  return (long long)batch * wt_grid_tiles(args->queries, block) * block;
}
// Rows of a head's part. q_end: q_starts[args->batch] when packed, or any larger number.
WT_ANYWHERE long long wt_attention_row_count(const wt_attention_args *args, int q_end) {
  return wt_attention_first_row(args, args->batch, q_end);
}

#endif
