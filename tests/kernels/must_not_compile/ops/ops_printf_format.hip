// SPDX-License-Identifier: MIT
// expect: format specifies type 'int' but the argument has type 'float'
// expect: more '%' conversions than data arguments
// expect: printf takes numbers, pointers and strings: print a tile or vector element by element
#include "ops/printf.h"
#include "tiles/rt.h"

WT_KERNEL(64) say(wt::rt_c<float, 16, 16> *tile, const char *format) {
  wt::printf("%d\n", 1.0f);
  wt::printf("%d %d\n", 1);
  wt::printf(format, *tile);
}
