// SPDX-License-Identifier: MIT
// Divides C into two pieces, each computed by a kernel of its own: the whole rounds of large tiles, and what
// they leave over.
#ifndef WT_SRC_PIECES_H
#define WT_SRC_PIECES_H

#include "choice.h"

// A piece is a product of its own.
typedef struct wt_piece {
  wt_gemm_plan plan;
  int64_t row, column;                // of C, where it begins
  int64_t a_bytes, b_bytes, c_bytes;  // from the first element of A, B and C to that of the piece
} wt_piece;

// Returns how many pieces the plan's C has: 1 or 2.
int wt_piece_count(const wt_gemm_plan *plan);

// Returns piece number `nth`: the first is above the second or to its left.
wt_piece wt_piece_at(const wt_gemm_plan *plan, int nth);

// Sets the plan's choice and cut: C is cut in two where both pieces together are predicted to take less time
// than all of C with `whole`, the best kernel for it. Returns the predicted cycles.
double wt_pieces_choose(const wt_context *context, wt_gemm_plan *plan, const wt_candidate *whole);

#endif
