// SPDX-License-Identifier: MIT
// The inputs of a family's run: from files or random, and the shapes that follow from them.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/host_memory.h"
#include "core/input_file.h"
#include "core/parallel.h"
#include "core/random_normal.h"
#include "family.h"

static int64_t product(const int64_t *numbers, int count) {
  int64_t result = 1;
  for (int i = 0; i < count; ++i)
    if (__builtin_mul_overflow(result, numbers[i], &result)) return INT64_MAX;
  return result;
}

// Returns the rows of a tensor of shape FAMILY_BLOCKS that has others than the main tensor; else 0.
static int64_t rows_of(const family_job *job, int tensor) {
  return job->family->height ? job->family->height(job, tensor) : 0;
}

// Returns the shape of a tensor of this job, as its file has it.
static npy_array shape_of(const family_job *job, int tensor) {
  npy_array a = {.rank = 1};
  switch (job->tensors[tensor].shape) {
    case FAMILY_MATRIX:
    case FAMILY_BLOCKS:
      a.rank = job->rank;
      memcpy(a.shape, job->shape, sizeof job->shape);
      if (job->tensors[tensor].shape != FAMILY_BLOCKS) break;
      a.shape[a.rank - 1] = job->family->width(job, tensor);
      if (!rows_of(job, tensor)) break;
      a.rank = 2, a.shape[0] = rows_of(job, tensor), a.shape[1] = job->family->width(job, tensor);
      break;
    case FAMILY_COLUMNS: a.shape[0] = job->columns; break;
    case FAMILY_ROWS: a.shape[0] = job->rows; break;
    case FAMILY_POSITIONS: a.shape[0] = job->positions; break;
    case FAMILY_ONE: a.shape[0] = 1; break;
    case FAMILY_OWN: job->family->dims(job, tensor, &a); break;
  }
  return a;
}

static bool has_rows(family_shape shape) { return shape == FAMILY_MATRIX || shape == FAMILY_BLOCKS; }

static matrix_layout packed_layout(const npy_array *array) {
  const int64_t columns = array->shape[array->rank - 1];
  return (matrix_layout){
      .members = 1, .rows = product(array->shape, array->rank - 1), .cols = columns, .ld = columns};
}

static matrix_layout layout_of(const family_job *job, int tensor) {
  const family_shape shape = job->tensors[tensor].shape;
  const npy_array of_file = shape_of(job, tensor);
  if (shape == FAMILY_OWN) return packed_layout(&of_file);
  const long long ld = job->tensors[tensor].ld;
  matrix_layout layout = {.members = 1, .rows = 1, .cols = of_file.shape[of_file.rank - 1]};
  if (shape == FAMILY_MATRIX) layout.cols = job->columns;  // which may be several axes of the file
  if (has_rows(shape)) layout.rows = job->rows;
  if (shape == FAMILY_BLOCKS && rows_of(job, tensor)) layout.rows = rows_of(job, tensor);
  layout.ld = has_rows(shape) && ld > layout.cols ? ld : layout.cols;
  return layout;
}

// ---- files

static int take_shape(family_job *job) {
  const npy_array *main = &job->tensors[family_main_tensor(job)].values;
  job->rank = main->rank;
  memcpy(job->shape, main->shape, sizeof job->shape);
  if (job->family->take_shape) return job->family->take_shape(job);
  job->columns = main->shape[main->rank - 1];
  job->positions = job->rows = product(main->shape, main->rank - 1);
  return TOOL_OK;
}

static int check_shape(const family_job *job, int i) {
  const family_tensor *t = &job->family->tensors[i];
  const npy_array *got = &job->tensors[i].values, wanted = shape_of(job, i);
  static const char *const advice[] = {
      [FAMILY_MATRIX] = "an array of that shape",      [FAMILY_BLOCKS] = "as many rows and blocks",
      [FAMILY_COLUMNS] = "one number for each column", [FAMILY_ROWS] = "one number for each row",
      [FAMILY_POSITIONS] = "one number for each row",  [FAMILY_ONE] = "one number for the whole array",
  };
  const int main = family_main_tensor(job);
  char got_text[96], wanted_text[96], main_text[96];
  npy_shape_text(got, got_text, sizeof got_text);
  npy_shape_text(&wanted, wanted_text, sizeof wanted_text);
  npy_shape_text(&job->tensors[main].values, main_text, sizeof main_text);
  if (strcmp(got_text, wanted_text) == 0) return TOOL_OK;
  if (job->tensors[i].shape == FAMILY_OWN)
    return tool_error(TOOL_USAGE, "--%s %s is %s, but it must be %s for the other arrays", t->option,
                      job->tensors[i].path, got_text, wanted_text);
  return tool_error(TOOL_USAGE, "--%s %s is %s, but --%s is %s; pass %s", t->option, job->tensors[i].path,
                    got_text, job->family->tensors[main].option, main_text, advice[job->tensors[i].shape]);
}

static int read_whole_numbers(const char *option, const char *path, npy_array *out) {
  char message[4608];
  npy_integers numbers;
  if (!npy_read_integers_path(path, &numbers, message, sizeof message))
    return tool_error(TOOL_USAGE, "--%s %s", option, message);
  int code = TOOL_OK;
  *out = (npy_array){.rank = 1, .shape = {numbers.count}, .type = NPY_I32};
  out->integers = malloc((size_t)numbers.count * sizeof *out->integers);
  if (!out->integers) code = tool_error(TOOL_FAILED, "out of host memory for --%s", option);
  for (int64_t i = 0; i < numbers.count && !code; ++i) {
    if (numbers.data[i] < INT32_MIN || numbers.data[i] > INT32_MAX)
      code = tool_error(TOOL_USAGE, "--%s %s: element [%lld] is %lld; pass whole numbers of 32 bits", option,
                        path, (long long)i, (long long)numbers.data[i]);
    out->integers[i] = (int32_t)numbers.data[i];
  }
  npy_integers_free(&numbers);
  return code;
}

static int read_input(family_job *job, int i) {
  const family_tensor *t = &job->family->tensors[i];
  family_data *d = &job->tensors[i];
  const bool matrix = has_rows(d->shape);
  if (d->element == FAMILY_I32) return read_whole_numbers(t->option, d->path, &d->values);
  int least = matrix ? 2 : 1, most = matrix ? FAMILY_MOST_SHAPE : 1;
  if (d->shape == FAMILY_OWN) least = most = shape_of(job, i).rank;
  int code = tool_read_array(t->option, d->path, least, most, &d->values);
  if (!code && d->element == FAMILY_CODE && d->values.type != NPY_U8)
    code = tool_error(TOOL_USAGE, "--%s %s has elements of type %s; pass uint8, bytes as they are stored",
                      t->option, d->path, npy_type_name(d->values.type));
  if (!code) code = tool_fits_type(t->option, d->path, &d->values, d->type);
  return code;
}

static int read_inputs(family_job *job) {
  const family *f = job->family;
  const int main = family_main_tensor(job);
  int code = read_input(job, main);
  if (!code) code = take_shape(job);
  for (int i = 0; i < f->tensor_count && !code; ++i) {
    if (i == main || f->tensors[i].output || !job->tensors[i].path) continue;
    code = read_input(job, i);
    if (!code) code = check_shape(job, i);
  }
  return code;
}

// ---- random inputs

static int make_numbers(family_job *job, int i) {
  const family_tensor *t = &job->family->tensors[i];
  family_data *d = &job->tensors[i];
  const int64_t count = product(d->values.shape, d->values.rank);
  if (d->element == FAMILY_I32)
    d->values.integers = host_memory(count, sizeof *d->values.integers);
  else
    d->values.data = host_memory(count, sizeof *d->values.data);
  if (!d->values.data && !d->values.integers)
    return tool_error(TOOL_FAILED, "out of host memory for %s; choose a smaller shape", t->name);
  const uint64_t seed = random_at(job->run_options.seed, (uint64_t)i);
  if (d->element == FAMILY_CODE)
    for (int64_t n = 0; n < count; ++n) d->values.data[n] = (float)(random_at(seed, (uint64_t)n) & 0xff);
  else if (d->element != FAMILY_I32)
    random_normal(d->values.data, count, seed);
  return TOOL_OK;
}

static bool is_wanted_input(const family_job *job, int i) {
  return !job->family->tensors[i].output && job->tensors[i].wanted;
}

static void make_shapes(family_job *job) {
  const family *f = job->family;
  if (f->own_shape) {
    f->make_shape(job);
  } else {
    job->rank = 2;
    job->positions = job->rows = job->shape[0] = job->rows_option.now;
    job->columns = job->shape[1] = job->columns_option.now;
  }
  for (int i = 0; i < f->tensor_count; ++i)
    if (is_wanted_input(job, i)) job->tensors[i].values = shape_of(job, i);
}

static const element_type *type_of(const family_job *job, family_element element) {
  switch (element) {
    case FAMILY_VALUE: return job->type;
    case FAMILY_WEIGHT: return job->type_of_weight;
    case FAMILY_RESULT: return job->type_of_result;
    case FAMILY_I32: return element_type_find("i32", true);
    case FAMILY_F32:
    case FAMILY_CODE: break;  // a code has its own encoding, and as a number is exact
  }
  return element_type_find("f32", true);
}

// A row cannot be longer than the distance to the next one.
static int check_ld(const family_job *job, int i) {
  const family_data *d = &job->tensors[i];
  if (!d->ld || d->ld >= d->layout.cols) return TOOL_OK;
  return tool_error(TOOL_USAGE,
                    "--%s is %lld, but a row has %lld elements; pass at least that, or leave it out",
                    job->family->tensors[i].ld, d->ld, (long long)d->layout.cols);
}

int family_make_inputs(family_job *job) {
  const family *f = job->family;
  for (int i = 0; i < f->tensor_count; ++i) job->tensors[i].type = type_of(job, job->tensors[i].element);
  int code = TOOL_OK;
  if (job->files)
    code = read_inputs(job);
  else
    make_shapes(job);
  if (code) return code;
  for (int i = 0; i < f->tensor_count && !code; ++i) {
    family_data *d = &job->tensors[i];
    d->layout = layout_of(job, i);
    if (f->tensors[i].output) d->values = shape_of(job, i);
    code = check_ld(job, i);
  }
  if (!code && f->lay_out) code = f->lay_out(job);
  if (!code) code = family_check_call(job);
  for (int i = 0; i < f->tensor_count && !job->files && !code; ++i)
    if (is_wanted_input(job, i)) code = make_numbers(job, i);
  return code || !f->complete ? code : f->complete(job);
}
