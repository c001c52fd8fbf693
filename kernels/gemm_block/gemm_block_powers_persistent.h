// SPDX-License-Identifier: MIT
// Persistent work-groups, as those of kernels/gemm_mx, multiply with powers of two as scales of blocks of
// 128.
#ifndef WT_KERNELS_GEMM_BLOCK_POWERS_PERSISTENT_H
#define WT_KERNELS_GEMM_BLOCK_POWERS_PERSISTENT_H

#include "../gemm_mx/gemm_mx_persistent.h"
#include "gemm_block_powers.h"

// Defines the kernels <name>_<c> for both types of C (instances.def).
#define GEMM_BLOCK_POWERS_PERSISTENT_KERNEL(name, T, of_b, BM, BN, stages, least_k) \
  GEMM_MX_PERSISTENT_KERNEL(least_k, name, T, T, BM, BN, stages, gemm_block_powers_of_##of_b)

#endif
