// SPDX-License-Identifier: MIT
// expect: WT_KERNEL takes the threads of a work-group, 1 to 1024: launch more work-groups instead
#include "tiles/target.h"

WT_KERNEL(2048) too_many() {}
