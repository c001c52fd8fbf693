// SPDX-License-Identifier: MIT
// The verification that the commands of families share finds every planted error: an element of any place
// that is off by more than its bound, NaN, an infinity, writing between rows, and an output that is compared
// with nothing; and it takes what is within the bound.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/check.h"
#include "tools/families/family.h"

enum { X, Y, COLUMN_SUM, TENSORS, ROWS = 37, COLUMNS = 53 };

static const family_tensor tensors[TENSORS] = {
    [X] = {.name = "x", .shape = FAMILY_MATRIX},
    [Y] = {.name = "y", .shape = FAMILY_MATRIX, .output = true},
    [COLUMN_SUM] = {.name = "sum", .shape = FAMILY_COLUMNS, .output = true},
};

static bool forgetful;  // whether the reference leaves out the sums

// Computes y = 2 x, exactly, and a column's sum within 2^-10.
static void reference_row(family_job *job, int64_t row, double *scratch) {
  double *want = scratch, *bound = scratch + job->columns;
  for (int64_t j = 0; j < job->columns; ++j) {
    want[j] = 2 * (double)family_row(job, X, row)[j];
    bound[j] = 0;
  }
  family_compare(job, Y, row * job->columns, job->columns, want, bound);
}

static void reference_column(family_job *job, int64_t column) {
  double want = 0;
  const double bound = 0x1p-10;
  for (int64_t row = 0; row < job->rows; ++row) want += family_row(job, X, row)[column];
  if (!forgetful) family_compare(job, COLUMN_SUM, column, 1, &want, &bound);
}

static const family doubling = {.name = "doubling",
                                .tensors = tensors,
                                .tensor_count = TENSORS,
                                .reference_row = reference_row,
                                .reference_column = reference_column,
                                .scratch = 2};

static family_job job;

static void make_job(test_rng *rng) {
  job = (family_job){.family = &doubling, .rows = ROWS, .columns = COLUMNS};
  for (int i = 0; i < TENSORS; ++i) {
    const int64_t rows = i == COLUMN_SUM ? 1 : ROWS;
    job.tensors[i] = (family_data){.wanted = true,
                                   .gaps_kept = true,
                                   .layout = {.members = 1, .rows = rows, .cols = COLUMNS, .ld = COLUMNS},
                                   .values = {.rank = 2, .shape = {rows, COLUMNS}}};
    job.tensors[i].values.data = calloc((size_t)(rows * COLUMNS), sizeof(float));
  }
  for (int i = 0; i < ROWS * COLUMNS; ++i) {
    const float x = (float)(test_random(rng) % 1000) / 64;
    job.tensors[X].values.data[i] = x;
    job.tensors[Y].values.data[i] = 2 * x;
    job.tensors[COLUMN_SUM].values.data[i % COLUMNS] += x;
  }
}

static bool passes(void) {
  free(job.kept);
  job.kept = NULL;
  return family_verify(&job) == TOOL_OK && family_passed(&job);
}

// Replaces an element, and says whether that is found, at its place.
static bool is_found(int tensor, int64_t index, float value) {
  float *at = &job.tensors[tensor].values.data[index];
  const float before = *at;
  *at = value;
  const bool found = !passes() && job.tensors[tensor].result.index == index;
  *at = before;
  return found;
}

static void test_elements(test_rng *rng) {
  const float *y = job.tensors[Y].values.data, *sum = job.tensors[COLUMN_SUM].values.data;
  for (int i = 0; i < 60; ++i) {
    const int64_t at = i == 0   ? 0
                       : i == 1 ? ROWS * COLUMNS - 1
                                : (int64_t)(test_random(rng) % (uint64_t)(ROWS * COLUMNS));
    CHECK(is_found(Y, at, nextafterf(y[at], 1e9f)), "a unit in the last place at %lld", (long long)at);
    CHECK(is_found(Y, at, NAN), "NaN at %lld", (long long)at);
    CHECK(is_found(Y, at, INFINITY), "an infinity at %lld", (long long)at);
    const int64_t column = at % COLUMNS;
    CHECK(is_found(COLUMN_SUM, column, sum[column] + 0x1.2p-10f), "a sum above its bound");
    CHECK(!is_found(COLUMN_SUM, column, sum[column] + 0x1.cp-11f), "a sum within its bound");
  }
}

int main(void) {
  test_rng rng = test_seed(17);
  make_job(&rng);
  CHECK(passes(), "what is right is refused");
  CHECK(job.tensors[Y].result.largest_error == 0, "an error where there is none");
  test_elements(&rng);
  job.tensors[Y].gaps_kept = false;
  CHECK(!passes(), "writing between rows");
  job.tensors[Y].gaps_kept = true;
  forgetful = true;
  CHECK(!passes(), "an output that is compared with nothing");
  job.tensors[COLUMN_SUM].wanted = false;
  CHECK(passes(), "an output that is not wanted");
  for (int i = 0; i < TENSORS; ++i) free(job.tensors[i].values.data);
  free(job.kept);
  return test_result();
}
