// SPDX-License-Identifier: MIT
// The verification of results in block-scaled formats finds every planted error: an element one step off (two
// with F32 scales), a scale one step off, wherever they lie, in each format; it takes what is right, and what
// a number within its bound may become.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tools/families/block_result.h"

enum { Y, Q, SCALE, TENSORS, ROWS = 37, COLUMNS = 416 };

static const family_tensor tensors[TENSORS] = {
    [Y] = {.name = "y", .shape = FAMILY_MATRIX, .output = true},
    [Q] = {.name = "q", .shape = FAMILY_BLOCKS, .element = FAMILY_CODE, .output = true},
    [SCALE] = {.name = "scale", .shape = FAMILY_BLOCKS, .element = FAMILY_CODE, .output = true},
};

static block_result result;
static double want[ROWS][COLUMNS], relative_error;

static void reference_row(family_job *job, int64_t row, double *scratch) {
  for (int j = 0; j < COLUMNS; ++j) scratch[j] = relative_error * fabs(want[row][j]);
  block_result_compare(job, &result, row, want[row], scratch);
}

static const family blocks = {.name = "blocks",
                              .tensors = tensors,
                              .tensor_count = TENSORS,
                              .reference_row = reference_row,
                              .scratch = 1};

static family_job job;

static float *values_of(int tensor) { return job.tensors[tensor].values.data; }

// The byte of the shuffled scales where that of a row and a block lies: the shape (rows / 32, 2, 16, blocks /
// 8, 2, 4), whose axes take the order 0, 3, 5, 2, 4, 1.
static int64_t scale_place(int row, int block) {
  if (result.layout == WT_SCALES_BY_ROWS) return (int64_t)row * job.tensors[SCALE].layout.cols + block;
  const int64_t columns = job.tensors[SCALE].layout.cols;
  return row / 32 * columns + ((block / 8 * 4 + block % 4) * 16 + row % 16) * 4 + block / 4 % 2 * 2 +
         row / 16 % 2;
}

static void put_mx(int row, int block) {
  float numbers[MX_BLOCK];
  double bytes[MX_BLOCK], scale;
  const int64_t row_bytes = mx_row_bytes(result.format, COLUMNS),
                size = mx_row_bytes(result.format, MX_BLOCK);
  for (int i = 0; i < MX_BLOCK; ++i) numbers[i] = (float)want[row][block * MX_BLOCK + i];
  mx_encode(result.format, result.rounding, numbers, bytes, &scale);
  for (int i = 0; i < size; ++i) values_of(Q)[row * row_bytes + block * size + i] = (float)bytes[i];
  values_of(SCALE)[scale_place(row, block)] = (float)scale;
}

static void put_fp8(int row, int block) {
  const fp8_format *f = &fp8_e4m3;
  const int first = block * WT_F32_BLOCK_ELEMENTS,
            end = first + WT_F32_BLOCK_ELEMENTS < COLUMNS ? first + WT_F32_BLOCK_ELEMENTS : COLUMNS;
  double largest = 0;
  for (int j = first; j < end; ++j) largest = fmax(largest, fabs(want[row][j]));
  float scale = (float)(largest / (double)f->max);
  if (result.scales == WT_BLOCK_SCALES_POWER_OF_TWO) scale = (float)exp2(ceil(log2((double)scale)));
  for (int j = first; j < end; ++j)
    values_of(Q)[row * COLUMNS + j] = fp8_encode(f, (float)want[row][j] * (1 / scale));
  values_of(SCALE)[scale_place(row, block)] = scale;
}

static void make_job(test_rng *rng, const char *type, wt_block_scales scales, wt_scale_layout layout) {
  result = (block_result){.format_name = type, .y = Y, .q = Q, .scale = SCALE, .format = mx_type_find(type)};
  result.scales = scales, result.layout = layout;
  result.rounding = scales == WT_BLOCK_SCALES_E8M0 ? (wt_scale_rounding)(test_random(rng) % 4) : WT_SCALE_UP;
  job = (family_job){.family = &blocks, .rows = ROWS, .columns = COLUMNS, .target = "gfx950"};
  npy_array shuffled;
  block_result_dims(&job, &shuffled);
  for (int i = 0; i < TENSORS; ++i) {
    const bool groups = i == SCALE && layout == WT_SCALES_SHUFFLED;
    const int64_t rows = groups ? shuffled.shape[0] : ROWS;
    const int64_t columns = groups ? shuffled.shape[1] : block_result_width(&job, &result, i);
    job.tensors[i] = (family_data){.wanted = i != Y,
                                   .gaps_kept = true,
                                   .type = element_type_find("f32", true),
                                   .layout = {.members = 1, .rows = rows, .cols = columns, .ld = columns},
                                   .values = {.rank = 2, .shape = {rows, columns}}};
    job.tensors[i].values.data = calloc((size_t)(rows * columns), sizeof(float));
  }
  const bool mx = scales == WT_BLOCK_SCALES_E8M0;
  for (int i = 0; i < ROWS; ++i) {
    for (int j = 0; j < COLUMNS; ++j)
      want[i][j] = (double)(float)(((double)(test_random(rng) % 2000) + 0.5) / 1000 - 1);
    want[0][0] = 0.75;  // whose neighbours are no more than that away
    for (int b = 0; b < block_result_width(&job, &result, SCALE); ++b) mx ? put_mx(i, b) : put_fp8(i, b);
  }
}

static void release(void) {
  for (int i = 0; i < TENSORS; ++i) free(job.tensors[i].values.data);
  free(job.kept);
}

static bool passes(void) {
  free(job.kept);
  job.kept = NULL;
  return family_verify(&job) == TOOL_OK && family_passed(&job);
}

static bool is_found(int tensor, int64_t index, float value) {
  float *at = &values_of(tensor)[index];
  const float before = *at;
  *at = value;
  const bool found = !passes();
  *at = before;
  return found;
}

static void test_errors(test_rng *rng, const char *type) {
  CHECK(passes(), "%s: what is right is refused", type);
  for (int i = 0; i < 20; ++i) {
    const int row = (int)(test_random(rng) % ROWS), column = (int)(test_random(rng) % COLUMNS);
    const int64_t bit = (row * (int64_t)COLUMNS + column) * result.format->bits, byte = bit / 8;
    const int code = (int)values_of(Q)[byte];
    // Next to the middle between two numbers, the inverse of an F32 scale may lead to either.
    const int steps = result.scales == WT_BLOCK_SCALES_E8M0 ? 1 : 2;
    CHECK(is_found(Q, byte, (float)(code ^ steps << bit % 8)), "%s: row %d column %d is off", type, row,
          column);
    const int block = column / (result.scales == WT_BLOCK_SCALES_E8M0 ? MX_BLOCK : WT_F32_BLOCK_ELEMENTS);
    const int64_t place = scale_place(row, block);
    const float scale = values_of(SCALE)[place];
    const bool bytes = result.scales == WT_BLOCK_SCALES_E8M0;
    CHECK(is_found(SCALE, place, bytes ? scale + 1 : scale * (1 + 0x1p-20f)), "%s: scale %d %d too large",
          type, row, block);
    CHECK(is_found(SCALE, place, bytes ? scale - 1 : scale * (1 - 0x1p-20f)), "%s: scale %d %d too small",
          type, row, block);
    CHECK(is_found(SCALE, place, bytes ? (float)MX_SCALE_NAN : NAN), "%s: scale %d %d is NaN", type, row,
          block);
  }
  relative_error = 2;  // then elements may be anything up to the next number, and more
  const int code = (int)values_of(Q)[0], step = (code & 0x7f) == 0x7e ? 2 : 1;  // 0x7f is NaN in FP8
  CHECK(!is_found(Q, 0, (float)(code ^ step)), "%s: a step within the bound is refused", type);
  relative_error = 0;
}

int main(void) {
  static const char *const types[] = {"f4e2m1", "f6e2m3", "f6e3m2", "f8e4m3", "f8e5m2"};
  test_rng rng = test_seed(19);
  for (int i = 0; i < 5; ++i)
    for (int layout = WT_SCALES_BY_ROWS; layout <= WT_SCALES_SHUFFLED; ++layout) {
      make_job(&rng, types[i], WT_BLOCK_SCALES_E8M0, (wt_scale_layout)layout);
      test_errors(&rng, types[i]);
      release();
    }
  for (int scales = WT_BLOCK_SCALES_F32; scales <= WT_BLOCK_SCALES_POWER_OF_TWO; ++scales) {
    make_job(&rng, "f8e4m3", (wt_block_scales)scales, WT_SCALES_BY_ROWS);
    test_errors(&rng, "f8e4m3 with F32 scales");
    release();
  }
  return test_result();
}
