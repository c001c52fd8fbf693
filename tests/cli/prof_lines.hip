// SPDX-License-Identifier: MIT
// A kernel whose lines `wavetile prof` shows, compiled with line tables. Freestanding.
#include "prof_lines.h"

extern "C" __attribute__((global)) void lines(float *out, int count) {
  const unsigned item = __builtin_amdgcn_workitem_id_x();
  float x = (float)item;
#pragma clang loop unroll(disable)
  for (int i = 0; i < count; ++i) {
    x = chain(x);  // hot
  }
  out[item] = x;  // cold
}
