// SPDX-License-Identifier: MIT
// Declares what calls on matrices in the MX formats share.
#ifndef WT_SRC_BLOCKS_H
#define WT_SRC_BLOCKS_H

#include "operand.h"

typedef struct wt_block_format {
  wt_type type;
  const char *name;  // in the kernels' names
  int64_t bytes;     // of a block of 32 elements
} wt_block_format;

// Returns the MX format with elements of `type`; NULL when there is none.
const wt_block_format *wt_block_format_of(wt_type type);

// Returns the format of A of a product with B in an MX format: an MX format, too, or BF16, which has no
// scales and lies in blocks as well. It is NULL when A cannot be of `type`.
const wt_block_format *wt_block_a_format_of(wt_type type);
bool wt_block_a_has_scales(wt_type type);

// Returns whether there are kernels that multiply A and B of these formats: F8E5M2, which gradients have,
// with F8E4M3, each other MX format with itself and with F4E2M1, and BF16 with F4E2M1.
bool wt_blocks_multiply(wt_type a, wt_type b);

// Returns the elements of K in a step of the kernels that multiply these formats.
int64_t wt_blocks_step(const wt_block_format *a, const wt_block_format *b);

// Returns how many products of elements of these formats a compute unit adds in a cycle.
double wt_blocks_macs(const wt_context *context, const wt_block_format *a, const wt_block_format *b);

// Refuses a device that has no MX formats; `instead` is what the sentence ends with: the remedy.
wt_status wt_check_blocks_target(wt_context *context, const char *instead);

// Describes what a descriptor says of scales: desc->PREFIXscales, with `type` as the type of the elements.
typedef struct wt_scale_choice {
  const char *prefix;     // "", or the member that holds these, with a dot
  const char *type_name;  // of the member with the type, after the prefix
  wt_type type;
  wt_block_scales scales;
  wt_scale_rounding rounding;
  int64_t scale_block;
} wt_scale_choice;

// Checks the kind of scales, and that type, rounding and stride go with it on this device.
wt_status wt_check_scale_choice(wt_context *context, const wt_scale_choice *choice);

// Makes the operand of `rows` rows of `bytes` bytes, which are desc->`pitch_name` bytes apart; 0: packed.
wt_status wt_byte_matrix(wt_context *context, const char *name, const void *pointer, int64_t rows,
                         int64_t bytes, const char *pitch_name, int64_t pitch, wt_operand *out);

// Makes the operand of a matrix of scales, with `blocks` bytes for each of `rows` rows in this layout.
// `pitch` is desc->`pitch_name`, the bytes between rows, or between groups of shuffled rows; 0: packed.
wt_status wt_scale_matrix(wt_context *context, const char *name, const void *pointer, int64_t rows,
                          int64_t blocks, wt_scale_layout layout, const char *pitch_name, int64_t pitch,
                          wt_operand *out);

// Makes the operand of shuffled weights (wt_weight_layout): axis 0 counts groups of 16 rows. `rows_name` and
// `bytes_name` are the fields of the descriptor that say how many rows there are, and how long.
wt_status wt_shuffled_weight_matrix(wt_context *context, const char *name, const void *pointer,
                                    const char *rows_name, int64_t rows, const char *bytes_name,
                                    int64_t bytes, const char *pitch_name, int64_t pitch, wt_operand *out);

#endif
