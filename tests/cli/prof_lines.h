// SPDX-License-Identifier: MIT
// Defines a function of prof_lines.hip that the compiler inlines: 64 multiplications that wait for each
// other.
#ifndef WT_TESTS_PROF_LINES_H
#define WT_TESTS_PROF_LINES_H

inline __attribute__((device, always_inline)) float chain(float x) {
#pragma unroll
  for (int i = 0; i < 64; ++i) x = __builtin_fmaf(x, x, 0.25f);
  return x;
}

#endif
