// SPDX-License-Identifier: MIT
// Launches conversions to and from block-scaled formats.
#include <stdio.h>

#include "block_scale_call.h"
#include "core/rows.h"
#include "kernels/block_scale/block_scale_args.h"
#include "kernels/block_scale/fp8_block_args.h"

// These are work-groups enough to keep every CU busy; each thread, or work-group, then takes several blocks.
enum { MOST_GROUPS = 4096 };

static wt_status find(wt_context *context, const wt_block_scale_call *call, const char *stem,
                      const char *format, wt_launch *out) {
  const char *along = call->desc.along == WT_BLOCKS_ALONG_COLUMNS ? "_column" : "_row";
  snprintf(out->symbol, sizeof out->symbol, "%s_%s_%s%s", stem, wt_row_type(call->desc.type_x), format,
           call->back ? "" : along);
  return wt_launch_find(context, stem, out);
}

static unsigned groups_for(int64_t work) { return (unsigned)wt_at_most(work, MOST_GROUPS); }

static wt_status launch_mx(wt_context *context, const wt_block_scale_call *call, hipStream_t stream) {
  const bool columns = call->desc.along == WT_BLOCKS_ALONG_COLUMNS;
  const bool squares = !call->back && call->desc.shape == WT_BLOCKS_OF_SQUARES;
  const int64_t blocks = call->q_columns / call->block, rows = call->q_rows;
  int64_t slow = rows, fast = blocks, groups;
  if (columns) {
    slow = wt_divide_up(blocks, WT_BLOCK_TILE_BLOCKS), fast = wt_divide_up(rows, WT_BLOCK_TILE_COLUMNS);
    groups = slow * fast;
  } else {
    if (squares) slow = wt_divide_up(rows, call->block) * blocks, fast = call->block;
    groups = wt_divide_up(slow * fast, WT_BLOCK_THREADS);
  }
  wt_launch launch = {.x = groups_for(groups), .y = 1, .z = 1, .threads = WT_BLOCK_THREADS};
  wt_block_scale_args args = {.x = (void *)(uintptr_t)call->x.pointer,
                              .q = (void *)(uintptr_t)call->q.pointer,
                              .scale = (unsigned char *)(uintptr_t)call->scale.pointer,
                              .x_row = call->x.axes[0].stride,
                              .q_row_bytes = call->q.axes[0].stride,
                              .scale_row_bytes = call->scale.axes[0].stride,
                              .slow = (unsigned)slow,
                              .fast = (unsigned)fast,
                              .threads = launch.x * WT_BLOCK_THREADS,
                              .rounding = (int)call->desc.rounding,
                              .square_blocks = squares ? (unsigned)blocks : 0,
                              .q_rows = (int)rows,
                              .q_blocks = (int)blocks,
                              .seed = call->desc.seed};
  const char *stem = call->back                                             ? "dequantize_blocks"
                     : call->desc.element_rounding == WT_ELEMENT_STOCHASTIC ? "quantize_blocks_stochastic"
                                                                            : "quantize_blocks";
  const wt_status status = find(context, call, stem, call->format->name, &launch);
  return status ? status : wt_launch_enqueue(context, &launch, &args, stream);
}

static wt_status launch_fp8(wt_context *context, const wt_block_scale_call *call, hipStream_t stream) {
  const wt_type type = call->desc.type_q;
  const bool e4m3 = type == WT_TYPE_F8E4M3 || type == WT_TYPE_F8E4M3_FNUZ;
  const int64_t along = wt_divide_up(call->q_columns, WT_FP8_BLOCK);
  const int64_t tiles = wt_divide_up(call->q_rows, WT_FP8_BLOCK) * along;
  const int64_t pieces = wt_divide_up(call->q_columns, WT_FP8_PIECE);
  const int64_t work = call->back ? wt_divide_up(call->q_rows * pieces, WT_FP8_BLOCK_THREADS) : tiles;
  wt_launch launch = {.x = groups_for(work), .y = 1, .z = 1, .threads = WT_FP8_BLOCK_THREADS};
  wt_fp8_block_args args = {
      .x = (void *)(uintptr_t)call->x.pointer,
      .q = (void *)(uintptr_t)call->q.pointer,
      .scale = (float *)(uintptr_t)call->scale.pointer,
      .x_row = call->x.axes[0].stride,
      .q_row = call->q.axes[0].stride,
      .scale_row = call->scale.axes[0].stride,
      .scale_block = call->scale.axes[1].stride,
      .q_rows = (int)call->q_rows,
      .q_columns = (int)call->q_columns,
      .tiles = (unsigned)tiles,
      .tiles_along = (unsigned)along,
      .groups = launch.x,
      .slow = (unsigned)call->q_rows,
      .fast = (unsigned)pieces,
      .threads = launch.x * WT_FP8_BLOCK_THREADS,
      .scale_kind = call->desc.scales == WT_BLOCK_SCALES_POWER_OF_TWO ? WT_FP8_BLOCK_POWER_OF_TWO
                                                                      : WT_FP8_BLOCK_ANY_SCALE,
      .shape = call->desc.shape == WT_BLOCKS_OF_SQUARES ? WT_FP8_BLOCK_SQUARE : WT_FP8_BLOCK_LINE};
  const wt_status status = find(context, call, call->back ? "dequantize_fp8_blocks" : "quantize_fp8_blocks",
                                e4m3 ? "fp8e4m3" : "fp8e5m2", &launch);
  return status ? status : wt_launch_enqueue(context, &launch, &args, stream);
}

wt_status wt_block_scale_launch(wt_context *context, const wt_block_scale_call *call, hipStream_t stream) {
  return call->format ? launch_mx(context, call, stream) : launch_fp8(context, call, stream);
}
