// SPDX-License-Identifier: MIT
// `wavetile shuffle`: weights or scales to the order in which the kernels of gemm-mx read them, and back.
#include <hip/hip_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "core/device_memory.h"
#include "family.h"
#include "mx_blocks.h"
#include "shuffled.h"

// There is no way back on the device. So the host makes the rows, and what the device makes of these is
// compared with the file: AGAIN.
enum { X, OUT, AGAIN, TENSORS };

typedef struct shuffle_own {
  const char *kind_name;
  shuffled_kind kind;
  bool back;
  long long keep_rows, keep_columns;  // 0: all
} shuffle_own;

static const family_tensor tensors[TENSORS] = {
    [X] = {"x", "X.npy", "the matrix, as bytes (uint8): elements as they are packed, or scales", "x",
           FAMILY_MATRIX, FAMILY_CODE, false, false, NULL, NULL},
    [OUT] = {"out", "Y.npy", "where the result goes", "y", FAMILY_OWN, FAMILY_CODE, true, false, NULL, NULL},
    [AGAIN] = {NULL, NULL, NULL, "again", FAMILY_OWN, FAMILY_CODE, true, false, NULL, NULL},
};

static int options(family_job *job, tool_option *table) {
  shuffle_own *own = job->own;
  const tool_option rows[] = {
      {"of", TOOL_STRING, &own->kind_name, "KIND",
       "weights: 16 rows lie together, 16 bytes of each in turn; or scales: groups of 256 bytes for 32 rows "
       "and 8 blocks"},
      {"back", TOOL_FLAG, &own->back, NULL, "X is shuffled, and the result has rows"},
      {"keep-rows", TOOL_SIZE, &own->keep_rows, "N",
       "with --back, of scales: the rows that there were (default: all 32 of a group)"},
      {"keep-columns", TOOL_SIZE, &own->keep_columns, "N", "the scales that each had (default: all 8)"},
  };
  memcpy(table, rows, sizeof rows);
  return sizeof rows / sizeof *rows;
}

static int check(family_job *job) {
  static const char *const kinds[] = {"weights", "scales"};  // by shuffled_kind
  shuffle_own *own = job->own;
  const int kind = own->kind_name ? tool_word(own->kind_name, kinds, 2) : -1;
  if (!own->kind_name) return tool_error(TOOL_USAGE, "--of is missing; pass weights or scales");
  if (kind < 0) return tool_error(TOOL_USAGE, "--of is \"%s\"; pass weights or scales", own->kind_name);
  own->kind = (shuffled_kind)kind;
  job->tensors[OUT].wanted = true, job->tensors[AGAIN].wanted = own->back;
  const long long kept = own->keep_rows ? own->keep_rows : own->keep_columns;
  if (kept && (!own->back || own->kind == SHUFFLED_WEIGHTS))
    return tool_error(TOOL_USAGE,
                      "--%s is %lld, but only --of scales --back leaves anything out; leave it out",
                      own->keep_rows ? "keep-rows" : "keep-columns", kept);
  return mx_check_device(job, "");
}

static bool is_back_of_scales(const family_job *job) {
  const shuffle_own *own = job->own;
  return own->back && own->kind == SHUFFLED_SCALES;
}

// These are the sizes of the matrix in rows: those of X, or those that come back.
static int64_t rows_of(const family_job *job) {
  const shuffle_own *own = job->own;
  if (!is_back_of_scales(job)) return job->rows;
  return own->keep_rows ? own->keep_rows : job->rows * WT_SHUFFLED_SCALE_ROWS;
}

static int64_t columns_of(const family_job *job) {
  const shuffle_own *own = job->own;
  if (!is_back_of_scales(job)) return job->columns;
  return own->keep_columns ? own->keep_columns : job->columns / WT_SHUFFLED_SCALE_ROWS;
}

static void dims(const family_job *job, int tensor, npy_array *out) {
  const shuffle_own *own = job->own;
  shuffled_dims(own->kind, rows_of(job), columns_of(job), out);
  if (own->back && tensor == OUT) out->shape[0] = rows_of(job), out->shape[1] = columns_of(job);
}

static int check_kept(const char *option, long long kept, int64_t stored, int group) {
  if (!kept || (kept <= stored && kept > stored - group)) return TOOL_OK;
  return tool_error(TOOL_USAGE, "--%s is %lld, but the groups of X end at %lld; pass %lld to %lld", option,
                    kept, (long long)stored, (long long)(stored - group + 1), (long long)stored);
}

static int take_shape(family_job *job) {
  if (job->rank != 2)
    return tool_error(TOOL_USAGE, "--x %s has %d axes; pass a matrix", job->tensors[X].path, job->rank);
  job->rows = job->positions = job->shape[0], job->columns = job->shape[1];
  return TOOL_OK;
}

// Reports that the matrix is not of whole groups.
static int refuse_weights(const family_job *job) {
  _Static_assert(WT_SHUFFLED_WEIGHT_ROWS == WT_SHUFFLED_WEIGHT_BYTES, "the sentences name one number");
  const long long rows = job->rows, columns = job->columns;
  if (job->files)
    return tool_error(TOOL_USAGE,
                      "--x %s has %lld rows of %lld bytes; pass weights with multiples of %d of both",
                      job->tensors[X].path, rows, columns, WT_SHUFFLED_WEIGHT_ROWS);
  return tool_error(TOOL_USAGE, "--rows is %lld and --columns is %lld; pass multiples of %d", rows, columns,
                    WT_SHUFFLED_WEIGHT_ROWS);
}

static int lay_out(family_job *job) {
  const shuffle_own *own = job->own;
  const long long rows = job->rows, columns = job->columns;
  if (own->kind == SHUFFLED_WEIGHTS && (rows % WT_SHUFFLED_WEIGHT_ROWS || columns % WT_SHUFFLED_WEIGHT_BYTES))
    return refuse_weights(job);
  if (!is_back_of_scales(job)) return TOOL_OK;
  if (columns % WT_SHUFFLED_SCALE_BYTES)
    return tool_error(TOOL_USAGE,
                      "X has rows of %lld bytes; pass shuffled scales, whose rows are of groups of %d",
                      columns, WT_SHUFFLED_SCALE_BYTES);
  const int code =
      check_kept("keep-rows", own->keep_rows, rows * WT_SHUFFLED_SCALE_ROWS, WT_SHUFFLED_SCALE_ROWS);
  return code ? code
              : check_kept("keep-columns", own->keep_columns, columns / WT_SHUFFLED_SCALE_ROWS,
                           WT_SHUFFLED_SCALE_BLOCKS);
}

// Makes the rows of a shuffled X, on the host.
static int prepare(family_job *job) {
  const shuffle_own *own = job->own;
  if (!own->back) return TOOL_OK;
  const int64_t count = rows_of(job) * columns_of(job);
  float *rows = shuffled_to_rows(own->kind, &job->tensors[X].values, 1, rows_of(job), columns_of(job));
  uint8_t *bytes = malloc((size_t)count);
  int code = TOOL_OK;
  if (rows && bytes) {
    for (int64_t i = 0; i < count; ++i) bytes[i] = (uint8_t)rows[i];
    const hipError_t error = hipMemcpy(job->tensors[OUT].device, bytes, (size_t)count, hipMemcpyHostToDevice);
    if (error != hipSuccess) code = tool_hip_failed("copying the rows to the device", error);
  } else {
    code = tool_error(TOOL_FAILED, "out of host memory for the rows of X");
  }
  free(rows), free(bytes);
  return code;
}

static int call(family_job *job) {
  const shuffle_own *own = job->own;
  const void *from = job->tensors[own->back ? OUT : X].device;
  void *to = job->tensors[own->back ? AGAIN : OUT].device;
  if (own->kind == SHUFFLED_SCALES) {
    wt_shuffle_scales_desc d = WT_SHUFFLE_SCALES_DESC_INIT;
    d.rows = rows_of(job), d.blocks = columns_of(job);
    return family_status(job, wt_shuffle_scales(job->context, &d, from, to, NULL));
  }
  wt_shuffle_weights_desc d = WT_SHUFFLE_WEIGHTS_DESC_INIT;
  d.rows = rows_of(job), d.row_bytes = columns_of(job);
  return family_status(job, wt_shuffle_weights(job->context, &d, from, to, NULL));
}

// ---- verification, to the bit

enum { PADDING = 127, TOGETHER = 16 };  // bytes of shuffled weights that stay together

// Compares `count` bytes of a row: what the device shuffled, and with --back the rows that the host made.
static void compare_bytes(family_job *job, int64_t row, int64_t column, int count) {
  const shuffle_own *own = job->own;
  const bool there = row < rows_of(job) && column < columns_of(job);
  const float *x = job->tensors[X].values.data;
  static const double exactly[TOGETHER];
  double want[TOGETHER];
  npy_array shuffled;
  shuffled_dims(own->kind, rows_of(job), columns_of(job), &shuffled);
  const int64_t place = shuffled_place(own->kind, shuffled.shape[1], row, column);
  const int64_t in_rows = row * columns_of(job) + column;
  for (int i = 0; i < count; ++i) want[i] = there ? (double)x[(own->back ? place : in_rows) + i] : PADDING;
  family_compare(job, own->back ? AGAIN : OUT, place, count, want, exactly);
  if (own->back && there) family_compare(job, OUT, in_rows, count, want, exactly);
}

// Compares what a row of X became; of scales the last one has the rows that fill its group with it, and a row
// of shuffled scales has 32.
static void reference_row(family_job *job, int64_t row, double *scratch) {
  const shuffle_own *own = job->own;
  const bool scales = own->kind == SHUFFLED_SCALES;
  const int64_t together = is_back_of_scales(job) ? WT_SHUFFLED_SCALE_ROWS : 1;
  int64_t end = (row + 1) * together, columns = columns_of(job);
  (void)scratch;
  if (scales && row + 1 == job->rows)
    end = (end + WT_SHUFFLED_SCALE_ROWS - 1) / WT_SHUFFLED_SCALE_ROWS * WT_SHUFFLED_SCALE_ROWS;
  if (scales)
    columns = (columns + WT_SHUFFLED_SCALE_BLOCKS - 1) / WT_SHUFFLED_SCALE_BLOCKS * WT_SHUFFLED_SCALE_BLOCKS;
  const int step = scales ? 1 : TOGETHER;
  for (int64_t r = row * together; r < end; ++r)
    for (int64_t column = 0; column < columns; column += step) compare_bytes(job, r, column, step);
}

static void describe(const family_job *job, record *r) {
  const shuffle_own *own = job->own;
  record_text(r, "of", own->kind_name), record_brief(r);
  record_flag(r, "back", own->back), record_brief(r);
}

int tool_shuffle(int argc, char **argv) {
  static const family shuffle = {
      .name = "shuffle",
      .text =
          "usage: wavetile shuffle --of weights|scales --x X.npy --out Y.npy [--back] [options]\n"
          "       wavetile shuffle --of weights|scales --rows N --columns N [options]\n\n"
          "Brings weights, or the scales of an MX format, to the order in which gemm-mx reads them fastest, "
          "or back to rows (gfx950). Shuffled weights are an array of the same shape, and shuffled scales "
          "one "
          "with a row for every 32 rows.\n",
      .tensors = tensors,
      .tensor_count = TENSORS,
      .main = X,
      .has_bytes_alone = true,
      .options = options,
      .check = check,
      .dims = dims,
      .take_shape = take_shape,
      .lay_out = lay_out,
      .prepare = prepare,
      .call = call,
      .reference_row = reference_row,
      .describe = describe,
  };
  shuffle_own own = {0};
  return family_main(&shuffle, &own, argc, argv);
}
