// SPDX-License-Identifier: MIT
// Declares the MX formats on the host (OCP Microscaling specification v1.0): packed blocks and their scales.
#ifndef WT_TOOLS_MX_BLOCKS_H
#define WT_TOOLS_MX_BLOCKS_H

#include "family.h"

enum { MX_BLOCK = 32, MX_SCALE_NAN = 255 };

typedef struct mx_type {
  const char *name;  // in options and records
  wt_type type;
  int bits;            // of an element
  int top;             // the exponent of the largest number
  fp8_format numbers;  // codes without their sign; the sign is bit 7 there, and the highest of an element
} mx_type;

// Returns the format of that name; NULL when there is none.
const mx_type *mx_type_find(const char *name);

// Finds the format that the option of matrices to be multiplied names: TOOL_OK, or reports, with the formats
// that it accepts, and returns an exit code. MX_WITH_ITSELF are those that multiply with themselves.
#define MX_WITH_ITSELF "f4e2m1, f6e2m3, f6e3m2 or f8e4m3"
int mx_type_option(const char *option, const char *name, const char *accepted, const mx_type **out);

// Does the same for the matrix of rows, which may be of bf16 instead: *out is then NULL, and the tensor holds
// numbers of --dtype, which must be bf16, in place of bytes.
#define MX_OR_BF16 ", or with --dtype bf16 and f4e2m1 as the other type bf16"
int mx_rows_option(family_job *job, int tensor, const char *option, const char *name, const char *accepted,
                   const mx_type **out);

// Returns the bytes of a row of packed elements, and the blocks of a row.
static inline int64_t mx_row_bytes(const mx_type *type, int64_t columns) { return columns * type->bits / 8; }
static inline int64_t mx_row_blocks(int64_t columns) { return columns / MX_BLOCK; }

// Returns the numbers that a row has: its bytes, or where `type` is NULL its elements.
static inline int64_t mx_row_numbers(const mx_type *type, int64_t columns) {
  return type ? mx_row_bytes(type, columns) : columns;
}

// Returns element `index` of a row, whose bytes are whole numbers in `row`. Where `type` is NULL, the
// elements are these numbers.
float mx_element(const mx_type *type, const float *row, int64_t index);

// Returns whether all numbers are finite, and sets the largest magnitude among the finite ones.
bool mx_is_finite(const float *values, int64_t count, double *largest);

// Sets the bytes of a block, as numbers, from 32 numbers, rounded to nearest even, and the byte of their
// scale.
void mx_encode_scaled(const mx_type *type, int scale, const float *values, double *bytes);

// Does so with stochastic rounding, with the random bits of block `block` of row `row` of Q.
typedef struct mx_place {
  uint64_t seed;
  int64_t row, block;
} mx_place;
void mx_encode_stochastic(const mx_type *type, int scale, const float *values, mx_place place, double *bytes);

// Does so to nearest even, with a scale of the block's own, and sets that, too.
void mx_encode(const mx_type *type, wt_scale_rounding rounding, const float *values, double *bytes,
               double *scale);

// Returns the scale of a block whose largest magnitude is finite, as a byte.
int mx_scale_of(const mx_type *type, wt_scale_rounding rounding, double largest);

// Makes random bytes numbers: codes of elements of `type`, or with NULL scales from 2^-8 to 2^7.
void mx_tame(npy_array *bytes, const mx_type *type);

// Find the way to choose a scale that --rounding names, and the kind of scales that --scales names: TOOL_OK,
// or report and return an exit code.
int mx_rounding_find(const char *name, wt_scale_rounding *out);
int mx_scales_find(const char *name, wt_block_scales *out);

// Returns the word for a kind of scales.
const char *mx_scales_name(wt_block_scales scales);

// Returns the number that an E8M0 byte stands for: a power of two, or NaN.
double mx_scale(int byte);

// Refuses the simulated device that has no MX formats. `instead` is what else can be done than to pass
// another.
int mx_check_device(const family_job *job, const char *instead);
// Refuses columns that are not of whole blocks. This is for family->lay_out.
int mx_check_columns(family_job *job);

#endif
