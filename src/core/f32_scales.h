// SPDX-License-Identifier: MIT
// Matrices of F32 scales for blocks of 128 elements, at any strides.
#ifndef WT_SRC_F32_SCALES_H
#define WT_SRC_F32_SCALES_H

#include "operand.h"

// A matrix of F32 scales, or `groups` of them.
typedef struct wt_f32_scales {
  const char *member;  // of the descriptor, whose strides are desc->MEMBER_row, _block and _group
  const char *name;    // of the operand, for sentences
  const void *pointer;
  int64_t rows, blocks, groups;
} wt_f32_scales;

// Makes the operand of scales at these strides. `row` and `block` may both be 0: rows are packed. `group` may
// be 0: groups are as far apart as their rows or their blocks need.
wt_status wt_f32_scales_operand(wt_context *context, const wt_f32_scales *scales, int64_t row, int64_t block,
                                int64_t group, wt_operand *out);

// Makes the operand of one matrix of scales that is written, of which no two may be in one place.
wt_status wt_f32_scales_written(wt_context *context, const wt_f32_scales *scales, int64_t row, int64_t block,
                                wt_operand *out);

// Returns the bytes from one scale to the next along an axis. Where there is one alone, the stride is any
// number, and the result 0.
int64_t wt_f32_scales_step_bytes(const wt_operand *scales, int axis);

// Checks that the type desc->`name` of an operand that has such scales is FP8 E4M3 as the device encodes it.
wt_status wt_f32_scales_check_type(wt_context *context, const char *name, wt_type type);

#endif
