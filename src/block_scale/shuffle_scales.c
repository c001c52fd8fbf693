// SPDX-License-Identifier: MIT
// wt_shuffle_scales: check, then launch.
#include <inttypes.h>
#include <stdio.h>

#include "core/blocks.h"
#include "core/desc.h"
#include "core/launch.h"
#include "core/rows.h"
#include "kernels/block_scale/block_scale_args.h"

// Work-groups enough to keep every CU busy; each thread then makes several dwords.
enum { MOST_GROUPS = 4096, MOST_BLOCKS = 1 << 26 };

static wt_status check_desc(wt_context *context, const wt_shuffle_scales_desc *desc,
                            wt_shuffle_scales_desc *out) {
  static const wt_desc_layout layout = {"wt_shuffle_scales_desc", "WT_SHUFFLE_SCALES_DESC_INIT",
                                        sizeof(wt_shuffle_scales_desc), 0};
  wt_status status = wt_desc_copy(context, &layout, desc, out);
  if (!status) status = wt_check_size(context, "rows", out->rows);
  if (!status) status = wt_check_blocks_target(context, "MFMA with block scales, and needs none shuffled");
  if (status) return status;
  if (out->blocks < 1 || out->blocks > MOST_BLOCKS)
    return wt_fail(context, WT_ERROR_SIZE, "desc->blocks is %" PRId64 "; pass 1 to %d", out->blocks,
                   MOST_BLOCKS);
  return WT_SUCCESS;
}

static wt_status launch(wt_context *context, const wt_shuffle_scales_desc *d, const wt_operand *scale,
                        const wt_operand *shuffled, hipStream_t stream) {
  const int64_t slow = shuffled->axes[0].count, fast = shuffled->axes[1].count / 4;
  const int64_t groups = wt_at_most(wt_divide_up(slow * fast, WT_BLOCK_THREADS), MOST_GROUPS);
  wt_launch l = {.x = (unsigned)groups, .y = 1, .z = 1, .threads = WT_BLOCK_THREADS};
  wt_shuffle_scales_args args = {.scale = scale->pointer,
                                 .shuffled = (unsigned char *)(uintptr_t)shuffled->pointer,
                                 .scale_row = scale->axes[0].stride,
                                 .shuffled_row = shuffled->axes[0].stride,
                                 .rows = (unsigned)d->rows,
                                 .blocks = (unsigned)d->blocks,
                                 .slow = (unsigned)slow,
                                 .fast = (unsigned)fast,
                                 .threads = l.x * WT_BLOCK_THREADS};
  snprintf(l.symbol, sizeof l.symbol, "shuffle_scales");
  const wt_status status = wt_launch_find(context, "shuffle_scales", &l);
  return status ? status : wt_launch_enqueue(context, &l, &args, stream);
}

wt_status wt_shuffle_scales(wt_context *context, const wt_shuffle_scales_desc *desc, const uint8_t *scale,
                            uint8_t *shuffled, struct ihipStream_t *stream) {
  wt_shuffle_scales_desc d;
  wt_operand all[2];
  int previous;
  wt_status status = check_desc(context, desc, &d);
  if (!status)
    status = wt_scale_matrix(context, "scale", scale, d.rows, d.blocks, WT_SCALES_BY_ROWS, "scale_row_bytes",
                             d.scale_row_bytes, &all[0]);
  if (!status)
    status = wt_scale_matrix(context, "shuffled", shuffled, d.rows, d.blocks, WT_SCALES_SHUFFLED,
                             "shuffled_row_bytes", d.shuffled_row_bytes, &all[1]);
  if (!status) status = wt_device_enter(context, &previous);
  if (status) return status;
  all[1].written = true;
  status = wt_operands_check(context, all, 2);
  if (!status) status = launch(context, &d, &all[0], &all[1], stream);
  wt_device_leave(previous);
  return status;
}
