// SPDX-License-Identifier: MIT
// expect: the rest has one element per thread
#include "ops/team_row.h"

wt::team_row<4, 8, 8> row;
