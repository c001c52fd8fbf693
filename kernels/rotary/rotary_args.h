// SPDX-License-Identifier: MIT
// Declares the arguments of the rotary embedding's kernels, shared by host (C) and device (HIP C++). Strides
// are in elements.
#ifndef WT_KERNELS_ROTARY_ARGS_H
#define WT_KERNELS_ROTARY_ARGS_H

enum {
  WT_ROTARY_MOST_PAIRS = 256,  // their frequencies travel with the arguments
  WT_ROTARY_THREADS = 256,     // of a work-group
  WT_ROTARY_HEADS = 8          // that a thread rotates one after the other, by the same angles
};

typedef struct wt_rotary_place {
  long long batch, row, head;  // from one to the next
} wt_rotary_place;

// Each row of `in` holds `heads` vectors of `dims` elements, of which the first 2 * pairs are rotated and the
// others copied. Pair i of a row at position p is rotated by p * frequency[i]; with tables by the angle whose
// cosine and sine are element i of their row p.
//
// Grid: x * 256 threads, a piece of a row each; y = groups of WT_ROTARY_HEADS heads.
typedef struct wt_rotary_args {
  const void *in;
  void *out;
  wt_rotary_place in_step, out_step;
  const int *positions;       // null: row r stands at offset + r
  long long positions_batch;  // from one batch member's to the next
  const float *cosine, *sine;
  long long table_row;
  int table_rows;  // 0: frequencies. Positions outside the tables give NaN
  int rows, heads, dims, pairs, offset;
  int inverse;     // 1: rotate by the negative angles
  int copies;      // 1: elements that are not rotated are copied; 0: out is in
  int first, end;  // of the rows of all batch members, those of this launch
  unsigned long long frequency[WT_ROTARY_MOST_PAIRS];  // in units of 2^-64 revolutions
} wt_rotary_args;

#endif
