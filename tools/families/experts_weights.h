// SPDX-License-Identifier: MIT
// Handles the weights of experts in block-scaled formats, for `wavetile experts`: the options, the files'
// shapes, and what the reference makes of them.
#ifndef WT_TOOLS_EXPERTS_WEIGHTS_H
#define WT_TOOLS_EXPERTS_WEIGHTS_H

#include "mx_blocks.h"
#include "weight_scales.h"

typedef struct experts_format {
  const char *scales_name, *type_w_name, *type_q_name;  // --scales, --type-w, --type-q; NULL: not given
  weight_scales scales;
  wt_block_scales kind;  // of numbers
  const mx_type *w, *q;  // of MX formats; q is NULL where tokens and activations stay as they are, of bf16
} experts_format;

// Sets what the options name, and the elements of the tensors.
int experts_format_check(family_job *job, experts_format *format);

// Returns the numbers of a row of so many elements in a file, and of its scales; and the rows of scales of a
// matrix of so many rows.
int64_t experts_row_numbers(const experts_format *format, int64_t elements);
int64_t experts_row_scales(const experts_format *format, int64_t elements);
int64_t experts_scale_rows(const experts_format *format, int64_t rows);

// Makes random bytes elements and scales of moderate size, and checks the scales of files where --scales
// promises powers of two.
int experts_format_complete(family_job *job, const experts_format *format);

// Sets the members of the descriptor that say so.
void experts_format_describe(const family_job *job, const experts_format *format, wt_experts_desc *d);

// Sets `out` to row `row` of matrix `matrix` of a tensor of weights, whose matrices have `rows` rows of
// `count` elements, with its scales.
void experts_weight_row(const family_job *job, const experts_format *format, int tensor, int64_t matrix,
                        int64_t rows, int64_t row, int64_t count, double *out);

// Returns whether tokens and activations are quantised.
bool experts_format_quantizes(const experts_format *format);

// Quantises a row, whose numbers are known up to an error, and adds to these what its quantisation may
// differ by. Without an error anywhere in a block, it is exact.
void experts_quantize_row(const family_job *job, const experts_format *format, double *values, double *errors,
                          int64_t count);

#endif
