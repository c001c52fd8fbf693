// SPDX-License-Identifier: MIT
// Says how many bytes of dynamic LDS the kernel in_order of ops_dynamic_lds.hip asks for.
#ifndef WT_TESTS_KERNELS_OPS_DYNAMIC_LDS_H
#define WT_TESTS_KERNELS_OPS_DYNAMIC_LDS_H

enum { OPS_DYNAMIC_BYTES = 1024 + 80 + 1024 + 64 };

#endif
