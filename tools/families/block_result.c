// SPDX-License-Identifier: MIT
// Results in block-scaled formats, as the commands offer and verify them.
#include "block_result.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "shuffled.h"

static const char *const layout_words[] = {[WT_SCALES_BY_ROWS] = "rows", [WT_SCALES_SHUFFLED] = "shuffled"};

// ---- options

int block_result_options(block_result *r, tool_option *table) {
  const tool_option rows[] = {
      {"quantize", TOOL_STRING, &r->format_name, "TYPE",
       "write Y in a block-scaled format, with elements of type f4e2m1, f6e2m3, f6e3m2, f8e4m3 or f8e5m2"},
      {"scales", TOOL_STRING, &r->scales_name, "KIND",
       "of it: e8m0 (default: MX, 32 elements share a byte), or, of FP8, f32 or power-of-two, a number for "
       "128 elements"},
      {"rounding", TOOL_STRING, &r->rounding_name, "HOW",
       "an E8M0 scale follows from the largest magnitude: up (default), down, even or ceil"},
      {"scale-layout", TOOL_STRING, &r->layout_name, "LAYOUT", "of E8M0 scales: rows (default) or shuffled"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

// A result that is not quantised leaves no use for the other options.
static int check_absent(family_job *job, const block_result *r) {
  const struct {
    const char *option, *value;
  } given[] = {{"scales", r->scales_name},
               {"rounding", r->rounding_name},
               {"scale-layout", r->layout_name},
               {"q", job->tensors[r->q].path},
               {"scale", job->tensors[r->scale].path}};
  for (size_t i = 0; i < sizeof given / sizeof *given; ++i)
    if (given[i].value)
      return tool_error(TOOL_USAGE, "--%s is %s, but there is no --quantize; pass a type there",
                        given[i].option, given[i].value);
  job->tensors[r->q].wanted = job->tensors[r->scale].wanted = false;
  return TOOL_OK;
}

static int check_words(block_result *r) {
  const int layout = r->layout_name ? tool_word(r->layout_name, layout_words, 2) : WT_SCALES_BY_ROWS;
  if (!r->format)
    return tool_error(TOOL_USAGE, "--quantize is \"%s\"; pass f4e2m1, f6e2m3, f6e3m2, f8e4m3 or f8e5m2",
                      r->format_name);
  const int code = r->scales_name ? mx_scales_find(r->scales_name, &r->scales) : TOOL_OK;
  if (code) return code;
  if (layout < 0)
    return tool_error(TOOL_USAGE, "--scale-layout is \"%s\"; pass rows or shuffled", r->layout_name);
  r->layout = (wt_scale_layout)layout;
  if (r->scales != WT_BLOCK_SCALES_E8M0 && r->format->bits != 8)
    return tool_error(TOOL_USAGE, "--quantize is %s, but with --scales %s it must be f8e4m3 or f8e5m2",
                      r->format_name, r->scales_name);
  return r->rounding_name ? mx_rounding_find(r->rounding_name, &r->rounding) : TOOL_OK;
}

int block_result_check(family_job *job, block_result *r) {
  family_data *t = job->tensors;
  if (!r->format_name) return check_absent(job, r);
  r->format = mx_type_find(r->format_name);
  int code = check_words(r);
  if (!code && r->scales == WT_BLOCK_SCALES_E8M0) code = mx_check_device(job, ", or --scales f32");
  if (code) return code;
  if (job->backward)
    return tool_error(TOOL_USAGE, "--quantize is %s, but gradients are not quantised; leave it out",
                      r->format_name);
  if (t[r->y].path)
    return tool_error(TOOL_USAGE, "--out is %s, but with --quantize the result goes to --q; pass that",
                      t[r->y].path);
  if (r->layout == WT_SCALES_SHUFFLED && t[r->scale].ld)
    return tool_error(TOOL_USAGE, "--lds is %lld, but shuffled scales are packed; leave it out",
                      t[r->scale].ld);
  t[r->y].wanted = false;
  t[r->q].wanted = t[r->scale].wanted = true;
  if (r->scales != WT_BLOCK_SCALES_E8M0) t[r->scale].element = FAMILY_F32;
  if (r->layout == WT_SCALES_SHUFFLED) t[r->scale].shape = FAMILY_OWN;
  return TOOL_OK;
}

int block_result_complete(family_job *job, const block_result *r) {
  return r->format ? mx_check_columns(job) : TOOL_OK;
}

// ---- shapes and the call

static int64_t blocks_of(const family_job *job, const block_result *r) {
  const int64_t size = r->scales == WT_BLOCK_SCALES_E8M0 ? MX_BLOCK : WT_F32_BLOCK_ELEMENTS;
  return (job->columns + size - 1) / size;
}

int64_t block_result_width(const family_job *job, const block_result *r, int tensor) {
  if (!r->format) return job->columns;
  return tensor == r->q ? mx_row_bytes(r->format, job->columns) : blocks_of(job, r);
}

void block_result_dims(const family_job *job, npy_array *out) {
  shuffled_dims(SHUFFLED_SCALES, job->rows, mx_row_blocks(job->columns), out);
}

wt_block_output block_result_output(const family_job *job, const block_result *r) {
  const family_data *t = job->tensors;
  wt_block_output o = {.scales = r->scales, .rounding = r->rounding, .layout = r->layout};
  if (!r->format) return o;
  o.type = r->scales == WT_BLOCK_SCALES_E8M0
               ? r->format->type
               : element_type_on(element_type_find(r->format_name, false), job->target);
  o.row_bytes = t[r->q].ld, o.scale = t[r->scale].device;
  o.scale_row = t[r->scale].layout.ld;
  o.scale_block = r->scales != WT_BLOCK_SCALES_E8M0;
  return o;
}

void block_result_describe(const block_result *r, record *out) {
  if (!r->format) return;
  record_text(out, "quantize", r->format->name), record_brief(out);
  record_text(out, "scales", mx_scales_name(r->scales)), record_brief(out);
  record_text(out, "scale_layout", layout_words[r->layout]);
}

// ---- verification
// A scale is right when it is that of a largest magnitude within its bound, and an element when it lies
// between those of the two ends of the number's bound, divided by the scale that the device stored.

typedef struct one_block {
  const double *want, *error;
  int count;
  double low, high;  // bounds of the largest magnitude
  bool finite;
} one_block;

static one_block block_of(const double *want, const double *error, int64_t columns, int64_t first, int size) {
  const int64_t left = columns - first;
  one_block b = {want + first, error + first, (int)(left < size ? left : size), 0, 0, true};
  for (int i = 0; i < b.count; ++i) {
    b.finite = b.finite && isfinite(b.want[i]) && fabs(b.want[i]) + b.error[i] <= (double)FLT_MAX;
    if (!isfinite(b.want[i])) continue;
    b.low = fmax(b.low, fabs(b.want[i]) - b.error[i]);
    b.high = fmax(b.high, fabs(b.want[i]) + b.error[i]);
  }
  return b;
}

static const fp8_format *numbers_of(const family_job *job, const block_result *r) {
  if (r->scales == WT_BLOCK_SCALES_E8M0) return &r->format->numbers;
  return element_format_on(element_type_find(r->format_name, false), job->target);
}

static double f32_scale(const block_result *r, const fp8_format *f, double largest) {
  const double exact = largest / (double)f->max;
  return fmax(r->scales == WT_BLOCK_SCALES_F32 ? exact : exp2(ceil(log2(exact))), 0x1p-126);
}

static int64_t scale_place(const family_job *job, const block_result *r, int64_t row, int64_t block) {
  const int64_t columns = job->tensors[r->scale].layout.cols;
  return r->layout == WT_SCALES_BY_ROWS ? row * columns + block
                                        : shuffled_place(SHUFFLED_SCALES, columns, row, block);
}

static void compare_scale(family_job *job, const block_result *r, const one_block *b, int64_t place) {
  const fp8_format *f = numbers_of(job, r);
  double low, high;
  if (r->scales == WT_BLOCK_SCALES_E8M0) {
    low = b->finite ? mx_scale_of(r->format, r->rounding, b->low) : MX_SCALE_NAN;
    high = b->finite ? mx_scale_of(r->format, r->rounding, b->high) : MX_SCALE_NAN;
  } else {
    low = f32_scale(r, f, b->low) * (1 - family_u);
    high = f32_scale(r, f, b->high) * (1 + family_u);
    const bool may_be_zeros = b->low == 0 && job->tensors[r->scale].values.data[place] == 1;
    if (may_be_zeros || b->high == 0) low = high = 1;
  }
  const double want = (low + high) / 2, bound = (high - low) / 2;
  family_compare(job, r->scale, place, 1, &want, &bound);
}

static float element_of(const block_result *r, const fp8_format *f, const float *row, int64_t index) {
  return r->scales == WT_BLOCK_SCALES_E8M0 ? mx_element(r->format, row, index)
                                           : fp8_decode(f, (uint8_t)row[index]);
}

// Returns the value of the element nearest to a number.
static double nearest(const fp8_format *f, double number) {
  const double most = (double)f->max;
  return (double)fp8_decode(f, fp8_encode(f, (float)fmax(-most, fmin(most, number))));
}

static bool is_right(const fp8_format *f, double got, double want, double error, double scale) {
  return got >= nearest(f, (want - error) / scale) && got <= nearest(f, (want + error) / scale);
}

static void compare_blocks(family_job *job, const block_result *r, int64_t row, const double *want,
                           const double *error) {
  const bool mx = r->scales == WT_BLOCK_SCALES_E8M0;
  const int size = mx ? MX_BLOCK : WT_F32_BLOCK_ELEMENTS;
  const float *q = family_row(job, r->q, row), *scales = job->tensors[r->scale].values.data;
  const fp8_format *f = numbers_of(job, r);
  for (int64_t n = 0; n < blocks_of(job, r); ++n) {
    const one_block b = block_of(want, error, job->columns, n * size, size);
    const int64_t place = scale_place(job, r, row, n);
    compare_scale(job, r, &b, place);
    const double scale = mx ? mx_scale((int)scales[place]) : (double)scales[place];
    for (int i = 0; i < b.count && b.finite; ++i) {
      const int64_t index = n * size + i,
                    byte = row * mx_row_bytes(r->format, job->columns) + index * r->format->bits / 8;
      const double got = (double)element_of(r, f, q, index);
      // What is divided by an F32 scale is multiplied by the inverse: two roundings more.
      const double more = mx ? 0 : 4 * family_u * fabs(b.want[i]);
      const bool right = is_right(f, got, b.want[i], b.error[i] + more, scale);
      const double stored = job->tensors[r->q].values.data[byte], other = right ? stored : NAN, none = 0;
      family_compare(job, r->q, byte, 1, &other, &none);
    }
  }
}

void block_result_compare(family_job *job, const block_result *r, int64_t row, const double *want,
                          double *error) {
  if (r->format) {
    compare_blocks(job, r, row, want, error);
    return;
  }
  for (int64_t j = 0; j < job->columns; ++j) error[j] = family_rounded(job, r->y, want[j], error[j]);
  family_compare(job, r->y, row * job->columns, job->columns, want, error);
}
