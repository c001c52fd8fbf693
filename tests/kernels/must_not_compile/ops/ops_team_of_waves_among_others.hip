// SPDX-License-Identifier: MIT
// expect: give each a work-group of its own
#include "ops/team.h"

WT_KERNEL(512) waves() {
  WT_SHARED wt::team<128, 512>::memory memory;
  wt::team<128, 512> team(memory);
}
