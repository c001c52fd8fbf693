// SPDX-License-Identifier: MIT
// The matrices of `wavetile gemm`: from files or random, and their scaling into FP8.
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gemm.h"
#include "parallel.h"

static int read_file(const char *path, npy_matrix *out) {
  char message[4608];
  if (npy_read_matrix(path, out, message, sizeof message)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "%s", message);
}

typedef struct random_work {
  float *data;
  uint64_t seed;
} random_work;

// Box-Muller: each index makes two numbers, so the matrix does not depend on how the range is cut.
static void fill_normal(void *pointer, int64_t begin, int64_t end) {
  const random_work *work = pointer;
  for (int64_t i = begin; i < end; ++i) {
    double u = ((double)(random_at(work->seed, 2 * (uint64_t)i) >> 11) + 1.0) * 0x1p-53;  // (0, 1]
    double v = (double)(random_at(work->seed, 2 * (uint64_t)i + 1) >> 11) * 0x1p-53;
    double radius = sqrt(-2.0 * log(u)), angle = 6.283185307179586 * v;
    work->data[2 * i] = (float)(radius * cos(angle));
    work->data[2 * i + 1] = (float)(radius * sin(angle));
  }
}

static int make_random(int64_t rows, int64_t cols, uint64_t seed, npy_matrix *out) {
  size_t count;
  if (__builtin_mul_overflow((size_t)rows, (size_t)cols, &count) || count > SIZE_MAX / 16)
    count = SIZE_MAX / 16;
  *out = (npy_matrix){rows, cols, malloc((count + 1) * sizeof(float))};
  if (!out->data)
    return tool_error(TOOL_FAILED, "out of host memory for a %lld x %lld matrix; choose a smaller shape",
                      (long long)rows, (long long)cols);
  random_work work = {out->data, seed};
  parallel_for((int64_t)((count + 1) / 2), fill_normal, &work);
  return TOOL_OK;
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

int gemm_make_inputs(gemm_job *job) {
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
  code = make_random(o->trans_a ? job->k : job->m, o->trans_a ? job->m : job->k, random_at(o->seed, 0), a);
  if (!code)
    code = make_random(o->trans_b ? job->k : job->n, o->trans_b ? job->n : job->k, random_at(o->seed, 1), b);
  if (!code && o->beta != 0) code = make_random(job->m, job->n, random_at(o->seed, 2), &job->c0);
  return code;
}

typedef struct quantise_work {
  float *values;
  uint8_t *codes;
  float scale;
  const fp8_format *format;
} quantise_work;

static void quantise_range(void *pointer, int64_t begin, int64_t end) {
  const quantise_work *work = pointer;
  for (int64_t i = begin; i < end; ++i) {
    work->codes[i] = fp8_encode(work->format, work->values[i] / work->scale);
    work->values[i] = fp8_decode(work->format, work->codes[i]);
  }
}

int gemm_quantise(gemm_input *input, const fp8_format *format) {
  int64_t count = input->values.rows * input->values.cols;
  input->codes = malloc((size_t)count);
  if (!input->codes)
    return tool_error(TOOL_FAILED, "out of host memory for %lld FP8 elements", (long long)count);
  input->amax = 0;
  for (int64_t i = 0; i < count; ++i) input->amax = fmaxf(input->amax, fabsf(input->values.data[i]));
  input->scale = input->amax > 0 ? fmaxf(input->amax / format->max, FLT_MIN) : 1.0f;
  quantise_work work = {input->values.data, input->codes, input->scale, format};
  parallel_for(count, quantise_range, &work);
  return TOOL_OK;
}
