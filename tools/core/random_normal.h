// SPDX-License-Identifier: MIT
// Makes random numbers for matrices that no file gives.
#ifndef WT_TOOLS_RANDOM_NORMAL_H
#define WT_TOOLS_RANDOM_NORMAL_H

#include <stdint.h>

// Fills `data` with normally distributed numbers of mean 0 and standard deviation 1, which depend on the seed
// only.
void random_normal(float *data, int64_t count, uint64_t seed);

#endif
