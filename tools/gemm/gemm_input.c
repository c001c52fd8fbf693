// SPDX-License-Identifier: MIT
// The matrices of `wavetile gemm`: from files or random, and their rounding to the types of the device.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/parallel.h"
#include "core/random_normal.h"
#include "gemm.h"

static int read_file(const char *path, npy_matrix *out) {
  char message[4608];
  if (npy_read_matrix(path, out, message, sizeof message)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "%s", message);
}

static int make_random(int64_t rows, int64_t cols, uint64_t seed, npy_matrix *out) {
  size_t count;
  if (__builtin_mul_overflow((size_t)rows, (size_t)cols, &count) || count > SIZE_MAX / 16)
    count = SIZE_MAX / 16;
  *out = (npy_matrix){.rows = rows, .cols = cols, .data = malloc(count * sizeof(float))};
  if (!out->data)
    return tool_error(TOOL_FAILED, "out of host memory for a %lld x %lld matrix; choose a smaller shape",
                      (long long)rows, (long long)cols);
  random_normal(out->data, (int64_t)count, seed);
  return TOOL_OK;
}

static int read_vector(const char *option, const char *path, int64_t count, npy_matrix *out) {
  if (!path) return TOOL_OK;
  char message[4608];
  if (!npy_read_vector(path, out, message, sizeof message))
    return tool_error(TOOL_USAGE, "--%s %s", option, message);
  if (out->cols == count) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s %s has %lld elements; pass %lld, as C has", option, path,
                    (long long)out->cols, (long long)count);
}

// Whole numbers in the range of int8, for C in i32, where nothing is scaled.
static void make_whole(npy_matrix *matrix) {
  for (int64_t i = 0; i < matrix->rows * matrix->cols; ++i)
    matrix->data[i] = fmaxf(-128, fminf(127, rintf(32 * matrix->data[i])));
}

static int check_shapes(const gemm_job *job) {
  const gemm_options *o = &job->options;
  const npy_matrix *a = &job->a.values, *b = &job->b.values, *c = &job->c0;
  int64_t k_of_b = o->trans_b ? b->rows : b->cols;
  if (k_of_b != job->k)
    return tool_error(
        TOOL_USAGE,
        "%s is %lld x %lld and %s is %lld x %lld: K is %lld in A but %lld in B; C = A * B^T takes A as "
        "M x K and B as N x K (see --trans-a, --trans-b)",
        o->a, (long long)a->rows, (long long)a->cols, o->b, (long long)b->rows, (long long)b->cols,
        (long long)job->k, (long long)k_of_b);
  if (c->data && (c->rows != job->m || c->cols != job->n))
    return tool_error(TOOL_USAGE, "%s is %lld x %lld, but the product is %lld x %lld; pass a C of that shape",
                      o->c, (long long)c->rows, (long long)c->cols, (long long)job->m, (long long)job->n);
  return TOOL_OK;
}

static int make_matrices(gemm_job *job) {
  const gemm_options *o = &job->options;
  npy_matrix *a = &job->a.values, *b = &job->b.values;
  int code = TOOL_OK;
  if (o->a) {
    code = read_file(o->a, a);
    if (!code) code = read_file(o->b, b);
    if (!code && o->c) code = read_file(o->c, &job->c0);
    if (code) return code;
    job->m = o->trans_a ? a->cols : a->rows;
    job->k = o->trans_a ? a->rows : a->cols;
    job->n = o->trans_b ? b->cols : b->rows;
    return check_shapes(job);
  }
  job->m = o->m;
  job->n = o->n;
  job->k = o->k;
  code =
      make_random(o->trans_a ? job->k : job->m, o->trans_a ? job->m : job->k, random_at(o->run.seed, 0), a);
  if (!code)
    code =
        make_random(o->trans_b ? job->k : job->n, o->trans_b ? job->n : job->k, random_at(o->run.seed, 1), b);
  if (!code && o->beta != 0) code = make_random(job->m, job->n, random_at(o->run.seed, 2), &job->c0);
  if (code || job->type_c->ocp != WT_TYPE_I32) return code;
  make_whole(a);
  make_whole(b);
  if (job->c0.data) make_whole(&job->c0);
  return TOOL_OK;
}

int gemm_make_inputs(gemm_job *job) {
  const gemm_options *o = &job->options;
  int code = make_matrices(job);
  if (!code) code = read_vector("bias", o->bias, job->n, &job->bias);
  if (!code) code = read_vector("row-scale", o->row_scale, job->m, &job->row_scale);
  if (!code) code = read_vector("column-scale", o->column_scale, job->n, &job->column_scale);
  return code;
}

typedef struct quantise_work {
  gemm_input *input;
  const fp8_format *format;
} quantise_work;

static void quantise_range(void *pointer, int64_t begin, int64_t end) {
  const quantise_work *work = pointer;
  gemm_input *input = work->input;
  for (int64_t i = begin; i < end; ++i) {
    uint8_t *code = input->codes + (size_t)i * input->type->size;
    element_encode(input->type, work->format, input->values.data[i] / input->scale, code);
    input->values.data[i] = element_decode(input->type, work->format, code);
  }
}

// What the largest magnitude is scaled to: the largest FP8 number, or 127; 0 when there is no scaling.
static float largest_of(const gemm_job *job, const gemm_input *input, const fp8_format *format) {
  if (format) return format->max;
  bool whole = job->type_c->ocp == WT_TYPE_I32 || input->values.type == NPY_I8;
  return input->type->ocp == WT_TYPE_I8 && !whole ? 127.0f : 0.0f;
}

static int check_values(const gemm_input *input, const char *name) {
  for (int64_t i = 0; i < input->values.rows * input->values.cols; ++i) {
    float value = input->values.data[i];
    const char *problem = NULL;
    if (input->type->ocp == WT_TYPE_I8 && !(value == rintf(value) && value >= -128 && value <= 127))
      problem = "no whole number from -128 to 127, as i32 results need; pass --type-c f32 to have it scaled";
    if (input->type->ocp == WT_TYPE_F16 && fabsf(value) >= 65520.0f)
      problem = "beyond float16; pass bf16 as its type";
    if (problem)
      return tool_error(TOOL_USAGE, "%s[%lld][%lld] is %g, %s", name, (long long)(i / input->values.cols),
                        (long long)(i % input->values.cols), (double)value, problem);
  }
  return TOOL_OK;
}

int gemm_quantise(const gemm_job *job, gemm_input *input, const char *name) {
  const fp8_format *format = element_format_on(input->type, job->target);
  int64_t count = input->values.rows * input->values.cols;
  float largest = largest_of(job, input, format);
  input->amax = 0;
  for (int64_t i = 0; i < count; ++i) input->amax = fmaxf(input->amax, fabsf(input->values.data[i]));
  input->scale = largest > 0 && input->amax > 0 ? fmaxf(input->amax / largest, FLT_MIN) : 1.0f;
  int code = largest > 0 ? TOOL_OK : check_values(input, name);
  if (code) return code;
  input->codes = malloc((size_t)count * input->type->size);
  if (!input->codes)
    return tool_error(TOOL_FAILED, "out of host memory for %lld elements of %s", (long long)count, name);
  quantise_work work = {input, format};
  parallel_for(count, quantise_range, &work);
  return TOOL_OK;
}
