// SPDX-License-Identifier: MIT
// Makes the matrices of `wavetile gemm`: from files or random, and their rounding to the types of the device.
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "core/host_memory.h"
#include "core/input_file.h"
#include "core/parallel.h"
#include "core/random_normal.h"
#include "gemm.h"

static int read_vector(const char *option, const char *path, int64_t count, npy_array *out) {
  if (!path) return TOOL_OK;
  const int code = tool_read_array(option, path, 1, 1, out);
  if (code || out->shape[0] == count) return code;
  return tool_error(TOOL_USAGE, "--%s %s has %lld elements; pass %lld, as C has", option, path,
                    (long long)out->shape[0], (long long)count);
}

// Makes whole numbers in the range of int8, for C in i32, where nothing is scaled.
static void make_whole(npy_array *matrix) {
  for (int64_t i = 0; i < npy_count(matrix); ++i)
    matrix->data[i] = fmaxf(-128, fminf(127, rintf(32 * matrix->data[i])));
}

// Returns the matrix dimensions of an array of two or three: rows, then columns.
static const int64_t *matrix_shape(const npy_array *array) { return array->shape + array->rank - 2; }

static int64_t batch_of(const npy_array *array) { return array->rank == 3 ? array->shape[0] : 1; }

npy_array gemm_shape_of_c(const gemm_job *job) {
  if (job->a.values.rank == 3 || job->b.values.rank == 3)
    return (npy_array){.rank = 3, .shape = {job->batch, job->m, job->n}};
  return (npy_array){.rank = 2, .shape = {job->m, job->n}};
}

static int check_shapes(const gemm_job *job) {
  const gemm_options *o = &job->options;
  const npy_array *a = &job->a.values, *b = &job->b.values, *c = &job->c0;
  const int64_t k_of_b = matrix_shape(b)[o->trans_b ? 0 : 1];
  char a_text[96], b_text[96], c_text[96];
  npy_shape_text(a, a_text, sizeof a_text);
  npy_shape_text(b, b_text, sizeof b_text);
  npy_shape_text(c, c_text, sizeof c_text);
  if (k_of_b != job->k)
    return tool_error(TOOL_USAGE,
                      "%s is %s and %s is %s: K is %lld in A but %lld in B; C = A * B^T takes A as M x K and "
                      "B as N x K (see --trans-a, --trans-b)",
                      o->a, a_text, o->b, b_text, (long long)job->k, (long long)k_of_b);
  if (a->rank == 3 && b->rank == 3 && a->shape[0] != b->shape[0])
    return tool_error(TOOL_USAGE,
                      "%s is %s and %s is %s: pass batches of the same size, or one matrix for all", o->a,
                      a_text, o->b, b_text);
  const npy_array product = gemm_shape_of_c(job);
  char product_text[96];
  npy_shape_text(&product, product_text, sizeof product_text);
  if (c->data && strcmp(c_text, product_text) != 0)
    return tool_error(TOOL_USAGE, "%s is %s, but the product is %s; pass a C of that shape", o->c, c_text,
                      product_text);
  return TOOL_OK;
}

static int read_matrices(gemm_job *job) {
  const gemm_options *o = &job->options;
  npy_array *a = &job->a.values, *b = &job->b.values;
  int code = tool_read_array("a", o->a, 2, 3, a);
  if (!code) code = tool_read_array("b", o->b, 2, 3, b);
  if (!code && o->c) code = tool_read_array("c", o->c, 2, 3, &job->c0);
  if (code) return code;
  job->m = matrix_shape(a)[o->trans_a ? 1 : 0];
  job->k = matrix_shape(a)[o->trans_a ? 0 : 1];
  job->n = matrix_shape(b)[o->trans_b ? 1 : 0];
  job->batch = batch_of(a) > batch_of(b) ? batch_of(a) : batch_of(b);
  if (job->type_c->ocp == WT_TYPE_I32 && job->c0.loss.inexact)
    return tool_error(
        TOOL_USAGE,
        "--c %s has elements that float32 does not hold, and C in i32 is exact; pass whole numbers "
        "from -2^24 to 2^24",
        o->c);
  return check_shapes(job);
}

// ---- layouts

// Takes --lda and --stride-a, or those of B or C, for `members` matrices.
static int make_layout(const char *letter, int64_t members, int64_t rows, int64_t cols, long long ld,
                       unsigned long long stride, matrix_layout *out) {
  *out = (matrix_layout){.members = members, .rows = rows, .cols = cols, .ld = ld > cols ? ld : cols};
  matrix_layout one = *out;
  one.members = 1;
  const int64_t matrix = matrix_layout_span(&one);
  const bool shared = stride == 0 && strcmp(letter, "c") != 0;
  if (stride == 0) out->members = 1;
  if (__builtin_mul_overflow(rows, out->ld, &out->stride)) out->stride = INT64_MAX;
  if (stride == UINT64_MAX || shared) return TOOL_OK;
  if (stride > INT64_MAX || (int64_t)stride < matrix)
    return tool_error(
        TOOL_USAGE, "--stride-%s is %llu, but a matrix takes %lld elements; pass at least as many%s", letter,
        stride, (long long)matrix, *letter == 'c' ? "" : ", or 0 for one matrix for all");
  out->stride = (int64_t)stride;
  return TOOL_OK;
}

static int make_layouts(gemm_job *job) {
  const gemm_options *o = &job->options;
  const bool ta = o->trans_a, tb = o->trans_b;
  const int64_t of_a = o->a ? batch_of(&job->a.values) : job->batch,
                of_b = o->b ? batch_of(&job->b.values) : job->batch;
  int code =
      make_layout("a", of_a, ta ? job->k : job->m, ta ? job->m : job->k, o->lda, o->stride_a, &job->a.layout);
  if (!code)
    code = make_layout("b", of_b, tb ? job->k : job->n, tb ? job->n : job->k, o->ldb, o->stride_b,
                       &job->b.layout);
  if (!code) code = make_layout("c", job->batch, job->m, job->n, o->ldc, o->stride_c, &job->layout_c);
  if (code || !o->a) return code;
  if (o->stride_a == 0 && of_a > 1)
    return tool_error(TOOL_USAGE, "--stride-a is 0, but %s has %lld matrices; pass one matrix", o->a,
                      (long long)of_a);
  if (o->stride_b == 0 && of_b > 1)
    return tool_error(TOOL_USAGE, "--stride-b is 0, but %s has %lld matrices; pass one matrix", o->b,
                      (long long)of_b);
  return TOOL_OK;
}

// `options` are those that say the matrix's size.
static int make_random(const char *options, const matrix_layout *layout, uint64_t seed, npy_array *out) {
  const int64_t count = matrix_layout_count(layout);
  *out = (npy_array){.rank = layout->members > 1 ? 3 : 2, .data = host_memory(count, sizeof(float))};
  const int64_t shape[] = {layout->members, layout->rows, layout->cols};
  for (int i = 0; i < out->rank; ++i) out->shape[i] = shape[3 - out->rank + i];
  if (!out->data)
    return tool_error(TOOL_USAGE, "out of host memory for %lld x %lld x %lld numbers; pass a smaller %s",
                      (long long)layout->members, (long long)layout->rows, (long long)layout->cols, options);
  random_normal(out->data, count, seed);
  return TOOL_OK;
}

static int make_matrices(gemm_job *job) {
  const gemm_options *o = &job->options;
  int code = make_random("--m or --k", &job->a.layout, random_at(o->run.seed, 0), &job->a.values);
  if (!code) code = make_random("--n or --k", &job->b.layout, random_at(o->run.seed, 1), &job->b.values);
  if (!code && o->beta != 0)
    code = make_random("--m or --n", &job->layout_c, random_at(o->run.seed, 2), &job->c0);
  if (code || job->type_c->ocp != WT_TYPE_I32) return code;
  make_whole(&job->a.values);
  make_whole(&job->b.values);
  if (job->c0.data) make_whole(&job->c0);
  return TOOL_OK;
}

int gemm_make_inputs(gemm_job *job) {
  const gemm_options *o = &job->options;
  int code = TOOL_OK;
  job->m = o->m.now, job->n = o->n.now, job->k = o->k.now;
  job->batch = o->batch.now ? o->batch.now : 1;
  if (o->a) code = read_matrices(job);
  if (!code) code = make_layouts(job);
  if (!code && !o->run.explain) code = gemm_check_call(job);
  if (!code && !o->a && !o->run.explain) code = make_matrices(job);
  if (!code) code = read_vector("bias", o->bias, job->n, &job->bias);
  if (!code) code = read_vector("row-scale", o->row_scale, job->m, &job->row_scale);
  if (!code) code = read_vector("column-scale", o->column_scale, job->n, &job->column_scale);
  return code;
}

typedef struct quantise_work {
  gemm_input *input;
  const fp8_format *format;
  pthread_mutex_t mutex;
  double squares, error_squares;  // of the values and of what the rounding changed
} quantise_work;

static void quantise_range(void *pointer, int64_t begin, int64_t end) {
  quantise_work *work = pointer;
  gemm_input *input = work->input;
  double squares = 0, error_squares = 0;
  for (int64_t i = begin; i < end; ++i) {
    uint8_t *code = input->codes + (size_t)matrix_layout_place(&input->layout, i) * input->type->size;
    const float value = input->values.data[i] / input->scale;
    element_encode(input->type, work->format, value, code);
    input->values.data[i] = element_decode(input->type, work->format, code);
    const double error = (double)value - input->values.data[i];
    squares += (double)value * value, error_squares += error * error;
  }
  pthread_mutex_lock(&work->mutex);
  work->squares += squares, work->error_squares += error_squares;
  pthread_mutex_unlock(&work->mutex);
}

// Returns what the largest magnitude is scaled to: the largest FP8 number, or 127; 0 when there is no
// scaling.
static float largest_of(const gemm_job *job, const gemm_input *input, const fp8_format *format) {
  if (format) return format->max;
  bool whole = job->type_c->ocp == WT_TYPE_I32 || input->values.type == NPY_I8;
  return input->type->ocp == WT_TYPE_I8 && !whole ? 127.0f : 0.0f;
}

static int check_values(const gemm_input *input, const char *name) {
  for (int64_t i = 0; i < npy_count(&input->values); ++i) {
    float value = input->values.data[i];
    const char *problem = NULL;
    if (input->type->ocp == WT_TYPE_I8 && !(value == rintf(value) && value >= -128 && value <= 127))
      problem = "no whole number from -128 to 127, as i32 results need; pass --type-c f32 to have it scaled";
    if (element_overflows(input->type, value))
      problem = input->type->ocp == WT_TYPE_F16 ? "beyond F16; pass bf16 or f8e4m3 as its type"
                                                : "beyond BF16; pass f8e4m3 as its type, which is scaled";
    if (problem)
      return tool_error(TOOL_USAGE, "%s[%lld][%lld] is %g, %s", name, (long long)(i / input->layout.cols),
                        (long long)(i % input->layout.cols), (double)value, problem);
  }
  return TOOL_OK;
}

int gemm_quantise(const gemm_job *job, gemm_input *input, const char *name) {
  const fp8_format *format = element_format_on(input->type, job->target);
  int64_t count = npy_count(&input->values);
  float largest = largest_of(job, input, format);
  input->amax = 0;
  for (int64_t i = 0; i < count; ++i) input->amax = fmaxf(input->amax, fabsf(input->values.data[i]));
  input->scale = largest > 0 && input->amax > 0 ? fmaxf(input->amax / largest, FLT_MIN) : 1.0f;
  int code = largest > 0 ? TOOL_OK : check_values(input, name);
  if (code) return code;
  const int64_t span = matrix_layout_span(&input->layout);
  input->codes = host_memory(span, input->type->size);
  if (!input->codes)
    return tool_error(TOOL_FAILED, "out of host memory for %lld elements of %s", (long long)span, name);
  memset(input->codes, MATRIX_GAP, (size_t)span * input->type->size);
  quantise_work work = {.input = input, .format = format, .mutex = PTHREAD_MUTEX_INITIALIZER};
  parallel_for(count, quantise_range, &work);
  input->rounding = work.squares > 0 ? sqrt(work.error_squares / work.squares) : 0;
  return TOOL_OK;
}
