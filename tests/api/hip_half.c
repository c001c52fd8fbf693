// SPDX-License-Identifier: MIT
// Tests the exported half conversions: every half survives the round trip, and floats between two halves go
// to the nearer, at the midpoint to the even one.
#include <math.h>

#include "check.h"

float __gnu_h2f_ieee(unsigned short half);
unsigned short __gnu_f2h_ieee(float value);

int main(void) {
  for (unsigned h = 0; h < 0x10000; ++h) {
    float value = __gnu_h2f_ieee((unsigned short)h);
    unsigned back = __gnu_f2h_ieee(value), nan = (h & 0x7fff) > 0x7c00;
    CHECK(nan ? isnan(value) && back == (h | 0x200) : back == h, "half %04x is %g, which gives %04x", h,
          value, back);
  }
  CHECK(__gnu_h2f_ieee(0x3c00) == 1 && __gnu_h2f_ieee(0xc500) == -5 && __gnu_h2f_ieee(0x0001) == 0x1p-24f &&
            __gnu_h2f_ieee(0x7bff) == 65504 && isinf(__gnu_h2f_ieee(0x7c00)) &&
            signbit(__gnu_h2f_ieee(0x8000)),
        "known values");
  for (unsigned h = 0; h < 0x7bff; ++h) {
    float low = __gnu_h2f_ieee((unsigned short)h), high = __gnu_h2f_ieee((unsigned short)(h + 1));
    float middle = (low + high) / 2;
    CHECK(__gnu_f2h_ieee(middle) == h + (h & 1), "the midpoint %g above %04x", middle, h);
    CHECK(__gnu_f2h_ieee(nextafterf(middle, low)) == h, "just below the midpoint above %04x", h);
    CHECK(__gnu_f2h_ieee(-nextafterf(middle, high)) == ((h + 1) | 0x8000),
          "just above the midpoint above %04x", h);
  }
  CHECK(__gnu_f2h_ieee(nextafterf(65520, 0)) == 0x7bff && __gnu_f2h_ieee(65520) == 0x7c00, "overflow");
  return test_result();
}
