// SPDX-License-Identifier: MIT
// Says how stream-K kernels cut a problem (kernels/gemm/gemm_stream_args.h).
#ifndef WT_SRC_GEMM_STREAM_H
#define WT_SRC_GEMM_STREAM_H

#include "gemm_plan.h"
#include "kernels/gemm/gemm_stream_args.h"

// These are the threads of a work-group of gemm_fix_up, and the columns that each adds up
// (kernels/gemm/gemm_fix_up.hip).
enum { WT_FIX_UP_THREADS = 256, WT_FIX_UP_COLUMNS = 4 };
#define WT_FIX_UP_STEM "gemm_fix_up"

typedef struct wt_stream_cut {
  int64_t ranges;       // work-groups, all of which the device holds at once
  int64_t whole;        // tiles that are not cut
  int64_t tiles;        // tiles that are
  int64_t grain;        // elements of K at multiples of which it is cut
  int64_t tile_grains;  // grains of a tile
} wt_stream_cut;

// Returns how the kernel cuts so many tiles, at least one.
wt_stream_cut wt_stream_cut_of(const wt_context *context, const wt_gemm_plan *plan, const wt_kernel *kernel,
                               int64_t tiles);

// Returns the bytes of the sums of all segments, 0 where no tile is cut.
uint64_t wt_stream_bytes(const wt_kernel *kernel, const wt_stream_cut *cut);

// Returns the arguments of the kernel and of gemm_fix_up, for those of a GEMM with `grid` set.
wt_gemm_stream_args wt_stream_args(const wt_context *context, const wt_gemm_plan *plan, wt_gemm_args product);

#endif
