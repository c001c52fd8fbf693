// SPDX-License-Identifier: MIT
// Declares the options that `wavetile quantize-blocks` and `wavetile dequantize-blocks` share: the format of
// the elements, what their scales are, and which elements share one.
#ifndef WT_TOOLS_BLOCK_OPTIONS_H
#define WT_TOOLS_BLOCK_OPTIONS_H

#include "mx_blocks.h"

// Names are NULL, or the words of a default, where they are not given. The rest is set by
// block_options_check.
typedef struct block_options {
  const char *type_name, *scales_name, *shape_name, *along_name, *rounding_name, *element_rounding_name;
  const mx_type *type;
  wt_block_scales scales;
  wt_block_shape shape;
  wt_block_axis along;
  wt_scale_rounding rounding;
  wt_element_rounding element_rounding;
} block_options;

// These are for family->options and parts of family->check; job->own is a block_options.
int block_option_rows(family_job *job, tool_option *table);
int block_options_check(family_job *job);
// Refuses rows of X, or of columns of it, that are not of whole blocks, where the format asks for that.
int block_options_check_length(const family_job *job, int64_t length);

static inline bool block_is_mx(const block_options *o) { return o->scales == WT_BLOCK_SCALES_E8M0; }

// Returns the elements of a row of Q that share a scale; the scales, and the bytes, of a row of so many
// elements; and the rows of a matrix of scales for so many rows of Q.
static inline int block_size(const block_options *o) {
  return block_is_mx(o) ? MX_BLOCK : WT_F32_BLOCK_ELEMENTS;
}
static inline int64_t block_count(const block_options *o, int64_t elements) {
  return (elements + block_size(o) - 1) / block_size(o);
}
static inline int64_t block_row_bytes(const block_options *o, int64_t elements) {
  return mx_row_bytes(o->type, elements);
}
static inline int64_t block_scale_rows(const block_options *o, int64_t rows) {
  return !block_is_mx(o) && o->shape == WT_BLOCKS_OF_SQUARES ? block_count(o, rows) : rows;
}

// Returns the encoding of elements with F32 scales, as the device of the job has it.
const fp8_format *block_numbers(const family_job *job);

// Returns a descriptor with the shape, the types and the choices of a job.
wt_block_scale_desc block_descriptor(const family_job *job);

// This is for family->describe.
void block_options_describe(const family_job *job, record *r);

#endif
