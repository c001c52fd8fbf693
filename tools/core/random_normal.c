// SPDX-License-Identifier: MIT
// Makes normally distributed numbers (Box-Muller), on all cores.
#include "random_normal.h"

#include <math.h>

#include "parallel.h"

typedef struct random_work {
  float *data;
  int64_t count;
  uint64_t seed;
} random_work;

// Each index makes two numbers, so that they do not depend on how the range is cut.
static void fill_normal(void *pointer, int64_t begin, int64_t end) {
  const random_work *work = pointer;
  for (int64_t i = begin; i < end; ++i) {
    double u = ((double)(random_at(work->seed, 2 * (uint64_t)i) >> 11) + 1.0) * 0x1p-53;  // (0, 1]
    double v = (double)(random_at(work->seed, 2 * (uint64_t)i + 1) >> 11) * 0x1p-53;
    double radius = sqrt(-2.0 * log(u)), angle = 6.283185307179586 * v;
    work->data[2 * i] = (float)(radius * cos(angle));
    if (2 * i + 1 < work->count) work->data[2 * i + 1] = (float)(radius * sin(angle));
  }
}

void random_normal(float *data, int64_t count, uint64_t seed) {
  random_work work = {data, count, seed};
  parallel_for((count + 1) / 2, fill_normal, &work);
}
