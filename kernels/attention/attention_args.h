// SPDX-License-Identifier: MIT
// Declares the arguments of the attention kernels, shared by host (C) and device (HIP C++). For each batch
// entry b and query head h, with key head h / group:
//   O = softmax(scale * Q K^T, over the keys that a query sees, and the head's sink) V
#ifndef WT_KERNELS_ATTENTION_ARGS_H
#define WT_KERNELS_ATTENTION_ARGS_H

#include "attention_order.h"

// Element (b, row, h, d) is at data[b * batch + row * row_stride + h * head + d]; strides in elements. Packed
// sequences have batch 0: starts say where each begins.
typedef struct wt_attention_tensor {
  void *data;
  long long batch, row, head;
} wt_attention_tensor;

// Says which keys a query sees: query r of a sequence of `queries` stands at position p = r + keys - queries,
// and sees the keys from p - left to p + right. WT_ATTENTION_ALL stands for as many as there are.
enum { WT_ATTENTION_ALL = 1 << 30 };

// Forward kernels are attention_forward_<heads>_<type>, of 512 threads and WT_ATTENTION_TILE queries each:
//
//   heads       Q, K x V      types                       chips              work-groups in y
//   d64         64 x 64       bf16 f16                    gfx942 gfx950      1
//   d128        128 x 128     bf16 f16                    gfx942 gfx950      1
//   d128        128 x 128     f8e4m3 f8e5m2 (O in bf16)   gfx950             1
//   d192_128    192 x 128     bf16 f16                    gfx950             1
//   d256        256 x 256     bf16 f16                    gfx950             2
//
// K and V (not Q and O) must have rows at multiples of 16 bytes, that is the pointer and every stride, and
// 128 rows must span less than 2^31 bytes; with _any at the end of the name they need not. The grid has tiles
// * heads * batch work-groups in x, in the order of wt_attention_place_of.
//
// The general kernels, attention_forward_<heads>_<type>_general, and then _any, cap the scores softly, add
// linear biases (ALiBi), drop weights (16-bit types), and take narrower heads, of head_dim and value_dim
// elements, a multiple of 16 bytes: they fill their tiles up with zeros. The plain kernels do not read the
// arguments for that.
enum { WT_ATTENTION_TILE = 256 };

// These are the rounds of Philox for the dropout: the fewest that pass all tests of TestU01 (Salmon et al.
// 2011, section 3.3, table 2).
enum { WT_ATTENTION_PHILOX_ROUNDS = 7 };

// Says how many of the values of a byte keep a weight where all are kept: there is no dropout.
enum { WT_ATTENTION_KEPT_ALL = 256 };

typedef struct wt_attention_args {
  wt_attention_tensor q, k, v, o;
  float *lse;                     // natural logarithms; null: not wanted
  long long lse_batch, lse_head;  // elements; the queries of a head are consecutive
  int batch, heads;
  wt_divisor group;   // query heads per key head
  int queries, keys;  // of each sequence, or, when packed, of the longest
  const int *q_starts,
      *k_starts;  // null, or batch + 1 row numbers: where each sequence begins and the last ends
  int left, right;
  float scale;    // of the scores, times log2(e); positive
  float o_scale;  // of the result: what one unit of V stands for, times kept_scale
  wt_attention_order order;
  const float *sinks;  // null, or a score of each head that is in the sum of the softmax alone
  // The rest is for the general kernels alone.
  int head_dim, value_dim;  // elements of a row of Q and K, and of V and O
  float cap;                // soft cap of the scores before they are multiplied by `scale`; 0: none
  float to_cap;             // 2 log2(e) / cap
  const float *slopes;      // ALiBi: null, or of each head, what a score gains from one key to the next
  long long slopes_batch;   // elements from one sequence's slopes to the next
  float slope_scale;        // takes slopes to the unit of scores before `scale`
  // For dropout, the weight of query r and key k of head h of sequence b is kept if its byte is below `kept`:
  // byte k % 4 of word r % 4 of Philox4x32-7 for the counter (k / 4, r / 4, first_head + b * heads + h, 0)
  // and the key (seed, seed >> 32). The factor of what is kept is part of o_scale.
  int kept;          // of WT_ATTENTION_KEPT_ALL bytes
  float kept_scale;  // WT_ATTENTION_KEPT_ALL / kept
  long long first_head;
  unsigned long long seed;
} wt_attention_args;

// ---- backward. With P the softmax of the forward pass and O = P V:
//   delta = row sums of dO * O,  dP = dO V^T,  dS = P * (dP - delta)
//   dV = P^T dO,  dK = scale dS^T Q,  dQ = scale dS K
// With dropout, dP is multiplied by 0 or kept_scale, element by element, and P of dV as well.
// dK and dV of a key head are sums over the query heads of its group.
//
// Kernels end in _d<D>_<type>: D 64 or 128, type bf16 or f16; all tensors are of that type. Each takes one
// wt_attention_backward_args; launches differ in forward.order. In order, on one stream:
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
// The general kernels, of attention_backward_general_d<D>, have _general after the type: prepare, and
// dkv_4wave and dq_4wave, also with _any.
//
// Where the gradient of the sinks is wanted, attention_backward_sinks (256 threads, a work-group for each
// head, any D and type) computes it at the end from what prepare has left: d_sink is the sum over the queries
// of -exp(sink - lse) delta.
//
// Tiles are wt_grid_tiles(longest sequence of queries or of keys, tile). Files: attention_backward_rows_d<D>
// has prepare and finish, attention_backward_dkvq_d<D> all gradients in one, attention_backward_8wave_d<D>
// and attention_backward_4wave_d<D> the others. All rows of dQ, dK and dV are written, with zeros where
// nothing is seen.

// A wave has so many keys or queries; those of a work-group are its tile.
enum { WT_ATTENTION_WAVE_ROWS = 32 };

// Q, K, V and dO must have rows at multiples of 16 bytes, as K and V of the forward kernels; with _any at the
// end of the name (dkv_8wave, dq_8wave and general kernels) they need not. The other tensors may be anywhere.
typedef struct wt_attention_backward_args {
  wt_attention_args forward;  // as for the forward pass, o and lse its results; o_scale is not read
  wt_attention_tensor d_o, d_q, d_k, d_v;
  float *rows;          // workspace of 2 * heads * row_count floats, 16-byte aligned, from prepare
  float *dq_sum;        // workspace of heads * row_count * D floats; null but for dkvq, zeroed by prepare
  long long row_count;  // wt_attention_row_count
  float result_scale;   // of dQ and dK: the softmax scale, forward.scale / log2(e)
  // For attention_backward_sinks alone: the gradient of each head's sink, and how many members of the batch
  // earlier launches have added to it.
  float *d_sinks;
  long long members_before;
} wt_attention_backward_args;

// Workspace keeps sequences in whole blocks of rows, so that copies of it are aligned and need no check of
// bounds. `rows` holds, of block after block of 32 rows, first where S begins, -lse / result_scale, then
// where dP begins, -delta. Where there is a dq_sum, the first number is what is added to forward.scale * S,
// which is forward.scale times as much. For a query that sees no key, and past the sequence's end, they are
// minus infinity and 0.
enum { WT_ATTENTION_ROW_BLOCK = 64 };

// Returns sequence `batch`'s first row in a head's part of the workspace; q_start: q_starts[batch] if packed.
WT_ANYWHERE long long wt_attention_first_row(const wt_attention_args *args, int batch, int q_start) {
  const int block = WT_ATTENTION_ROW_BLOCK;
  if (args->q_starts) return (long long)q_start / block * block + (long long)batch * block;
  return (long long)batch * wt_grid_tiles(args->queries, block) * block;
}
// Returns the same row in the workspace of all heads.
WT_ANYWHERE long long wt_attention_workspace_row(const wt_attention_backward_args *args, int head, int batch,
                                                 int q_start) {
  return head * args->row_count + wt_attention_first_row(&args->forward, batch, q_start);
}
// Returns the rows of a head's part. q_end: q_starts[args->batch] when packed, or any larger number.
WT_ANYWHERE long long wt_attention_row_count(const wt_attention_args *args, int q_end) {
  return wt_attention_first_row(args, args->batch, q_end);
}

#endif
