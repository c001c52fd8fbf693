// SPDX-License-Identifier: MIT
// expect: vmcnt counts to 63: wait for fewer
#include "ops/isa/sync.h"

WT_KERNEL(64) wait() { wt::wait_vmem<63>(); }
