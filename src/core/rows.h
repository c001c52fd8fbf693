// SPDX-License-Identifier: MIT
// Declares kernels over the rows of matrices: their operands, and the launch of a kernel of which each team
// of threads takes a row (kernels/row_kernel.h).
#ifndef WT_SRC_ROWS_H
#define WT_SRC_ROWS_H

#include "launch.h"
#include "operand.h"

// A row has at most so many elements: what 32-bit column numbers can address (include/ops/team_row.h).
enum { WT_MOST_COLUMNS = 1 << 30 };

// Checks that desc->columns is from 1 to 2^30.
wt_status wt_check_columns(wt_context *context, int64_t columns);

// Returns the word for F32, BF16 or F16 in the kernels' names; NULL for other types.
const char *wt_row_type(wt_type type);

// Makes the operand of a rows x columns matrix whose rows are `ld` elements apart: desc->`ld_name`, or 0 for
// packed rows.
wt_status wt_row_matrix(wt_context *context, const char *name, const void *pointer, wt_type type,
                        int64_t rows, int64_t columns, const char *ld_name, int64_t ld, bool written,
                        wt_operand *out);

// Returns whether an output takes the place of an input, element by element. The two are then checked as one
// operand.
bool wt_row_in_place(const wt_operand *out, const wt_operand *in);

// Describes a kernel of which each team of threads takes a row, and one or more launches for all rows.
typedef struct wt_row_launch {
  wt_launch launch;
  int rows, teams;  // teams: per work-group
} wt_row_launch;

// Finds NAME_SHAPE in the code object `stem`, for the shape that has the fewest threads and registers among
// those that hold `columns` elements with at most `most_values` per thread; NAME_any if none does. The device
// must be current.
wt_status wt_row_find(wt_context *context, const char *stem, const char *name, int64_t rows, int64_t columns,
                      int most_values, wt_row_launch *out);

// Enqueues the launches. `first` is the member of the struct at `args` that says which row is the first.
wt_status wt_row_enqueue(wt_context *context, wt_row_launch *launch, void *args, int *first,
                         hipStream_t stream);

// Describes a launch that takes the pieces of all rows one after the other (rows::each_piece_of): of
// NAME_16x8 or NAME_64x16, after the length of the rows, with `threads` per work-group and up to `most`
// work-groups; *teams is how many teams it has. The usual launch has WT_PIECE_THREADS, and work-groups enough
// to keep every CU busy, each with several pieces.
enum { WT_PIECE_THREADS = 256, WT_PIECE_GROUPS = 4096 };
wt_status wt_row_find_pieces(wt_context *context, const char *stem, const char *name, int64_t rows,
                             int64_t columns, int threads, int most, int *teams, wt_launch *out);

#endif
