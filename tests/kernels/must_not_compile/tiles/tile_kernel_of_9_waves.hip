// SPDX-License-Identifier: MIT
// expect: a SIMD holds 1 to 8 waves .*: choose fewer waves per SIMD
#include "tiles/target.h"

WT_KERNEL_OF_WAVES(256, 9) too_many() {}
