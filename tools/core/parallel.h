// SPDX-License-Identifier: MIT
// Loops over the host's cores.
#ifndef WT_TOOLS_PARALLEL_H
#define WT_TOOLS_PARALLEL_H

#include <stdint.h>

// Calls body(context, begin, end) on disjoint ranges that together cover [0, count), on as many threads as
// the host has cores. What a range computes must not depend on where it is cut.
void parallel_for(int64_t count, void (*body)(void *context, int64_t begin, int64_t end), void *context);

// Returns a random 64-bit number that depends on `seed` and `index` only (splitmix64 of both), so ranges need
// no shared state.
uint64_t random_at(uint64_t seed, uint64_t index);

#endif
