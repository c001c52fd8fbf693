// SPDX-License-Identifier: MIT
// This is the call of printf that kernel and host both make.
#ifndef WT_TESTS_KERNELS_OPS_PRINTF_H
#define WT_TESTS_KERNELS_OPS_PRINTF_H

#define OPS_PRINTF_FORMAT                                                                                  \
  "%d %i %5d|%-6d|%+d %06d %u %o %x %#X %ld %lld %hd %hhd %zu %lx %c%c %s|%10s|%-8s|%.3s| %f %8.3f %e %G " \
  "%*d %.*f %s %%\n"
#define OPS_PRINTF_ARGUMENTS                                                                                \
  -7, 42, 13, -9, 5, -77, 4000000000u, 8u, 255u, 255u, -5000000000l, 1ll << 60, (short)-3, (signed char)-4, \
      sizeof(int), 0x123456789abcul, 'w', 't', "text", "right", "left", "abcdef", 1.5, -2.25, 1.0e10,       \
      1.0e-10, 7, 99, 2, 3.14159, ""

#endif
