// SPDX-License-Identifier: MIT
// expect: lanes exchange 4 bytes
#include "ops/isa/crosslane.h"

WT_KERNEL(64) first(double *data) { *data = wt::readfirstlane(*data); }
