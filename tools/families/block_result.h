// SPDX-License-Identifier: MIT
// Results in block-scaled formats (wavetile/block_output.h): the options, the tensors and the verification
// that `wavetile norm` and `wavetile activation` share.
#ifndef WT_TOOLS_BLOCK_RESULT_H
#define WT_TOOLS_BLOCK_RESULT_H

#include "mx_blocks.h"

// Options, and what they stand for once they are checked. It is a member of the families' own options.
typedef struct block_result {
  const char *format_name, *scales_name, *rounding_name, *layout_name;  // NULL: not given
  int y, q, scale;        // the tensors: the result as it is otherwise, elements, scales
  const mx_type *format;  // NULL: the result is not quantised
  wt_block_scales scales;
  wt_scale_rounding rounding;
  wt_scale_layout layout;
} block_result;

// Adds two rows to a family's table of tensors: elements and scales.
#define BLOCK_RESULT_Q                                                \
  {"q",                                                               \
   "Q.npy",                                                           \
   "with --quantize: where the packed elements go, as bytes (uint8)", \
   "q",                                                               \
   FAMILY_BLOCKS,                                                     \
   FAMILY_CODE,                                                       \
   true,                                                              \
   false,                                                             \
   "ldq",                                                             \
   "bytes between the starts of rows of Q (default: packed)"}
#define BLOCK_RESULT_SCALE                                                   \
  {"scale",                                                                  \
   "S.npy",                                                                  \
   "with --quantize: where the scales go, as E8M0 bytes (uint8) or numbers", \
   "scale",                                                                  \
   FAMILY_BLOCKS,                                                            \
   FAMILY_CODE,                                                              \
   true,                                                                     \
   false,                                                                    \
   "lds",                                                                    \
   "scales between the starts of rows of them (default: packed)"}

// These are for family->options, which it returns the number of, family->check, family->width, family->dims,
// family->lay_out, and family->describe.
int block_result_options(block_result *r, tool_option *table);
int block_result_check(family_job *job, block_result *r);
int64_t block_result_width(const family_job *job, const block_result *r, int tensor);
void block_result_dims(const family_job *job, npy_array *out);
int block_result_complete(family_job *job, const block_result *r);
void block_result_describe(const block_result *r, record *out);

// Returns the member `output` of a descriptor, and where the call writes its result.
wt_block_output block_result_output(const family_job *job, const block_result *r);
static inline void *block_result_to(const family_job *job, const block_result *r) {
  return job->tensors[r->format ? r->q : r->y].device;
}

// Compares a row of the result, in whichever form it is, with numbers and the error with which they are
// computed in F32.
void block_result_compare(family_job *job, const block_result *r, int64_t row, const double *want,
                          double *error);

#endif
