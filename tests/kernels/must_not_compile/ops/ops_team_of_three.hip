// SPDX-License-Identifier: MIT
// expect: a power of two of threads
#include "ops/team.h"

WT_KERNEL(192) waves() {
  WT_SHARED wt::team<192>::memory memory;
  wt::team<192> team(memory);
}
