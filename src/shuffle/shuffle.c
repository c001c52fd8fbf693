// SPDX-License-Identifier: MIT
// wt_shuffle_scales and wt_shuffle_weights: check, then launch.
#include <inttypes.h>
#include <stdio.h>

#include "core/blocks.h"
#include "core/desc.h"
#include "core/launch.h"
#include "core/rows.h"
#include "kernels/shuffle/shuffle_args.h"

// These are work-groups enough to keep every CU busy; each thread then writes several pieces.
enum { MOST_GROUPS = 4096, MOST_BLOCKS = 1 << 26 };
static const int64_t most_bytes = INT64_C(0x7ffffff0);

// Launches `kernel`, which writes pieces of `piece` bytes, with these two operands and the scales that exist.
static wt_status launch(wt_context *context, const char *kernel, wt_operand *all, int64_t piece, int64_t rows,
                        int64_t blocks, hipStream_t stream) {
  int previous;
  wt_status status = wt_device_enter(context, &previous);
  if (status) return status;
  all[1].written = true;
  status = wt_operands_check(context, all, 2);
  const int64_t slow = all[1].axes[0].count, fast = all[1].axes[1].count / piece;
  const int64_t groups = wt_at_most(wt_divide_up(slow * fast, WT_SHUFFLE_THREADS), MOST_GROUPS);
  wt_launch l = {.x = (unsigned)groups, .y = 1, .z = 1, .threads = WT_SHUFFLE_THREADS};
  wt_shuffle_args args = {.from = all[0].pointer,
                          .to = (unsigned char *)(uintptr_t)all[1].pointer,
                          .from_row_bytes = all[0].axes[0].stride,
                          .to_line_bytes = all[1].axes[0].stride,
                          .rows = (unsigned)rows,
                          .blocks = (unsigned)blocks,
                          .slow = (unsigned)slow,
                          .fast = (unsigned)fast,
                          .threads = l.x * WT_SHUFFLE_THREADS};
  snprintf(l.symbol, sizeof l.symbol, "%s", kernel);
  if (!status) status = wt_launch_find(context, kernel, &l);
  if (!status) status = wt_launch_enqueue(context, &l, &args, stream);
  wt_device_leave(previous);
  return status;
}

static wt_status check_target(wt_context *context) {
  return wt_check_blocks_target(context, "products of what is shuffled; leave it in rows");
}

wt_status wt_shuffle_scales(wt_context *context, const wt_shuffle_scales_desc *desc, const uint8_t *scale,
                            uint8_t *shuffled, struct ihipStream_t *stream) {
  static const wt_desc_layout layout = {"wt_shuffle_scales_desc", "WT_SHUFFLE_SCALES_DESC_INIT",
                                        sizeof(wt_shuffle_scales_desc), 0};
  enum { PIECE = 4 };
  wt_shuffle_scales_desc d;
  wt_operand all[2];
  wt_status status = wt_desc_copy(context, &layout, desc, &d);
  if (!status) status = check_target(context);
  if (!status) status = wt_check_size(context, "rows", d.rows);
  if (status) return status;
  if (d.blocks < 1 || d.blocks > MOST_BLOCKS)
    return wt_fail(context, WT_ERROR_SIZE, "desc->blocks is %" PRId64 "; pass 1 to %d", d.blocks,
                   MOST_BLOCKS);
  status = wt_scale_matrix(context, "scale", scale, d.rows, d.blocks, WT_SCALES_BY_ROWS, "scale_row_bytes",
                           d.scale_row_bytes, &all[0]);
  if (!status)
    status = wt_scale_matrix(context, "shuffled", shuffled, d.rows, d.blocks, WT_SCALES_SHUFFLED,
                             "shuffled_row_bytes", d.shuffled_row_bytes, &all[1]);
  return status ? status : launch(context, "shuffle_scales", all, PIECE, d.rows, d.blocks, stream);
}

wt_status wt_shuffle_weights(wt_context *context, const wt_shuffle_weights_desc *desc, const void *weights,
                             void *shuffled, struct ihipStream_t *stream) {
  static const wt_desc_layout layout = {"wt_shuffle_weights_desc", "WT_SHUFFLE_WEIGHTS_DESC_INIT",
                                        sizeof(wt_shuffle_weights_desc), 0};
  wt_shuffle_weights_desc d;
  wt_operand all[2];
  wt_status status = wt_desc_copy(context, &layout, desc, &d);
  if (!status) status = check_target(context);
  if (!status) status = wt_check_size(context, "rows", d.rows);
  if (status) return status;
  if (d.row_bytes < 1 || d.row_bytes > most_bytes)
    return wt_fail(context, WT_ERROR_SIZE, "desc->row_bytes is %" PRId64 "; pass 16 to %" PRId64, d.row_bytes,
                   most_bytes);
  status = wt_byte_matrix(context, "weights", weights, d.rows, d.row_bytes, "weight_row_bytes",
                          d.weight_row_bytes, &all[0]);
  if (!status)
    status = wt_shuffled_weight_matrix(context, "shuffled", shuffled, "rows", d.rows, "row_bytes",
                                       d.row_bytes, "shuffled_row_bytes", d.shuffled_row_bytes, &all[1]);
  return status ? status : launch(context, "shuffle_weights", all, WT_SHUFFLE_PIECE_BYTES, d.rows, 0, stream);
}
