// SPDX-License-Identifier: MIT
// Reads weights of experts in block-scaled formats: options, shapes and numbers.
#include "experts_weights.h"

#include <math.h>
#include <string.h>

#include "experts.h"
#include "power_scales.h"

// These are the tensors of weights, and of their scales.
static const int weights[][2] = {{W_GATE_UP, GATE_UP_SCALE},
                                 {W_DOWN, DOWN_SCALE},
                                 {SHARED_GATE_UP, SHARED_GATE_UP_SCALE},
                                 {SHARED_DOWN, SHARED_DOWN_SCALE}};
enum { MATRICES = sizeof weights / sizeof *weights };

bool experts_format_quantizes(const experts_format *f) { return f->scales && (!f->w || f->q); }

static int check_types(family_job *job, experts_format *f) {
  const char *const w = f->type_w_name ? f->type_w_name : "f4e2m1";
  const char *const q = f->type_q_name ? f->type_q_name : w;
  const char *given = f->type_w_name ? "type-w" : f->type_q_name ? "type-q" : NULL;
  if (f->scales != SCALES_MX && given)
    return tool_error(TOOL_USAGE, "--%s is given without --scales mx; F32 scales are those of FP8 E4M3",
                      given);
  if (f->scales != SCALES_MX) return TOOL_OK;
  const int code = mx_type_option("type-w", w, MX_WITH_ITSELF, &f->w);
  if (!code && strcmp(q, "bf16") == 0) return mx_rows_option(job, X, "type-q", q, NULL, &f->q);
  return code ? code : mx_type_option("type-q", q, MX_WITH_ITSELF MX_OR_BF16, &f->q);
}

static int check_files(const family_job *job, const experts_format *f) {
  const family_data *t = job->tensors;
  for (int i = 0; i < MATRICES; ++i) {
    const char *const w = job->family->tensors[weights[i][0]].option, *const scale =
                                                                          job->family->tensors[weights[i][1]]
                                                                              .option;
    const bool has_w = t[weights[i][0]].path, has_scale = t[weights[i][1]].path;
    if (!f->scales && has_scale)
      return tool_error(
          TOOL_USAGE, "--%s is given without --scales; pass --scales tiles, rows, power-of-two or mx", scale);
    if (f->scales && has_w && !has_scale)
      return tool_error(TOOL_USAGE, "--%s is missing; with --scales %s pass the scales of --%s", scale,
                        f->scales_name, w);
  }
  return TOOL_OK;
}

int experts_format_check(family_job *job, experts_format *f) {
  family_data *t = job->tensors;
  int code = weight_scales_option(f->scales_name, &f->scales, &f->kind);
  if (!code && f->scales == SCALES_MX) code = mx_check_device(job, ", or --scales tiles or rows");
  if (!code) code = check_types(job, f);
  if (!code) code = check_files(job, f);
  for (int i = 0; i < MATRICES && f->scales && !code; ++i) {
    t[weights[i][0]].element = FAMILY_CODE;
    if (f->scales == SCALES_MX) t[weights[i][1]].element = FAMILY_CODE;
    t[weights[i][1]].wanted = t[weights[i][0]].wanted;
  }
  return code;
}

static int64_t block_of(const experts_format *f) {
  return f->scales == SCALES_MX ? MX_BLOCK : WT_F32_BLOCK_ELEMENTS;
}

int64_t experts_row_numbers(const experts_format *f, int64_t elements) {
  return f->w ? mx_row_bytes(f->w, elements) : elements;
}

int64_t experts_row_scales(const experts_format *f, int64_t elements) {
  return (elements + block_of(f) - 1) / block_of(f);
}

int64_t experts_scale_rows(const experts_format *f, int64_t rows) {
  return f->scales == SCALES_TILES ? (rows + WT_F32_BLOCK_ELEMENTS - 1) / WT_F32_BLOCK_ELEMENTS : rows;
}

// Returns FP8 as the device has it.
static const fp8_format *fp8_of(const family_job *job) {
  return element_format_on(element_type_find("f8e4m3", false), job->target);
}

// FP8 elements are those that both encodings have, and scales are small, so that no layer's results are
// beyond F16.
static void tame(family_job *job, const experts_format *f) {
  enum { SIGN = 0x80, ONE = 0x38 };  // the code of 1 in OCP's E4M3
  for (int i = 0; i < MATRICES && f->scales; ++i) {
    npy_array *const q = &job->tensors[weights[i][0]].values, *const scale =
                                                                  &job->tensors[weights[i][1]].values;
    if (!q->data) continue;
    if (f->w) {
      mx_tame(q, f->w);
    } else {
      for (int64_t n = 0; n < npy_count(q); ++n) {
        const int code = (int)q->data[n];
        q->data[n] = (float)((code & SIGN) | (1 + (code & ~SIGN) % ONE));
      }
    }
    for (int64_t n = 0; n < npy_count(scale); ++n)
      scale->data[n] =
          f->w ? (float)(117 + (int)scale->data[n] % 6) : 0x1p-4f * (fabsf(scale->data[n]) + 0x1p-4f);
  }
}

int experts_format_complete(family_job *job, const experts_format *f) {
  int code = TOOL_OK;
  if (!job->files) tame(job, f);
  for (int i = 0; i < MATRICES && !code && f->kind == WT_BLOCK_SCALES_POWER_OF_TWO; ++i)
    if (job->tensors[weights[i][1]].values.data)
      code = power_scales_take(job, weights[i][1], weight_scales_any(f->scales));
  return code;
}

void experts_format_describe(const family_job *job, const experts_format *f, wt_experts_desc *d) {
  const family_data *t = job->tensors;
  if (!f->scales) return;
  d->type_w = f->w ? f->w->type : element_type_on(element_type_find("f8e4m3", false), job->target);
  d->type_q = f->q ? f->q->type : f->w ? WT_TYPE_BF16 : d->type_w;
  d->scales = f->kind;
  if (f->scales == SCALES_ROWS) d->scales_of_w = WT_SCALES_OF_B_ROWS;
  d->gate_up_scale = t[GATE_UP_SCALE].device, d->down_scale = t[DOWN_SCALE].device;
  d->shared_gate_up_scale = t[SHARED_GATE_UP_SCALE].device;
  d->shared_down_scale = t[SHARED_DOWN_SCALE].device;
}

void experts_weight_row(const family_job *job, const experts_format *f, int tensor, int64_t matrix,
                        int64_t rows, int64_t row, int64_t count, double *out) {
  const float *values = family_row(job, tensor, matrix * rows + row), *scale = NULL;
  const int64_t line = f->scales == SCALES_TILES ? row / WT_F32_BLOCK_ELEMENTS : row;
  for (int i = 0; i < MATRICES && f->scales; ++i)
    if (weights[i][0] == tensor)
      scale = family_row(job, weights[i][1], matrix * experts_scale_rows(f, rows) + line);
  for (int64_t i = 0; i < count; ++i) {
    if (!f->scales)
      out[i] = (double)values[i];
    else if (f->w)
      out[i] = (double)mx_element(f->w, values, i) * mx_scale((int)scale[i / MX_BLOCK]);
    else
      out[i] = (double)fp8_decode(fp8_of(job), (uint8_t)values[i]) * (double)scale[i / WT_F32_BLOCK_ELEMENTS];
  }
}

// Quantises a block whose numbers are known exactly.
static void quantize_exactly(const family_job *job, const experts_format *f, double *values, int64_t count) {
  float block[WT_F32_BLOCK_ELEMENTS], largest = 0;
  for (int64_t i = 0; i < count; ++i) block[i] = (float)values[i], largest = fmaxf(largest, fabsf(block[i]));
  if (f->q) {
    double bytes[MX_BLOCK], scale;
    float packed[MX_BLOCK];
    mx_encode(f->q, WT_SCALE_UP, block, bytes, &scale);
    for (int i = 0; i < MX_BLOCK; ++i) packed[i] = (float)bytes[i];
    for (int i = 0; i < MX_BLOCK; ++i) values[i] = (double)mx_element(f->q, packed, i) * mx_scale((int)scale);
    return;
  }
  const fp8_format *format = fp8_of(job);
  const float any = fp8_scale_of(format, largest);
  const float scale = f->kind == WT_BLOCK_SCALES_POWER_OF_TWO ? exp2f(ceilf(log2f(any))) : any,
              inverse = 1 / scale;
  for (int64_t i = 0; i < count; ++i)
    values[i] = (double)fp8_decode(format, fp8_encode(format, block[i] * inverse)) * (double)scale;
}

// Half the distance of the element's neighbours, with the largest scale that the block may have.
static double half_gap(const fp8_format *numbers, double value, double largest) {
  const double scale = 2 * largest / (double)numbers->max;
  return fmax(ldexp(fabs(value), -numbers->mantissa_bits - 1),
              scale * ldexp(1, numbers->min_exponent - numbers->mantissa_bits - 1));
}

void experts_quantize_row(const family_job *job, const experts_format *f, double *values, double *errors,
                          int64_t count) {
  const int64_t size = block_of(f);
  const fp8_format *numbers = f->q ? &f->q->numbers : fp8_of(job);
  for (int64_t first = 0; first < count; first += size) {
    const int64_t end = count - first < size ? count : first + size;
    double largest = 0;
    bool exact = true;
    for (int64_t i = first; i < end; ++i) {
      exact = exact && errors[i] == 0;
      largest = fmax(largest, fabs(values[i]) + errors[i]);
    }
    if (exact) quantize_exactly(job, f, values + first, end - first);
    for (int64_t i = first; i < end && !exact; ++i)
      errors[i] += half_gap(numbers, fabs(values[i]) + errors[i], largest) * (1 + 0x1p-10);
  }
}
