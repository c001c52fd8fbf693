// SPDX-License-Identifier: MIT
// expect: random words come by fours
#include "ops/random.h"

WT_KERNEL(64) three(unsigned *out) { out[0] = wt::random_words<3>(1, 2, 0)[0]; }
