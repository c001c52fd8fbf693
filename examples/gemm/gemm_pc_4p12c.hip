// SPDX-License-Identifier: MIT
// This has 4 producer and 12 consumer waves and a tile of 192 x 256; four waves per SIMD leave 128 registers
// each (gemm_producer_consumer.h).
#include "gemm_producer_consumer.h"

GEMM_PRODUCER_CONSUMER(gemm_pc_4p12c, 3, 4)
