// SPDX-License-Identifier: MIT
// This has 4 producer and 8 consumer waves and a tile of 128 x 256; three waves per SIMD leave 168 registers
// each (gemm_producer_consumer.h).
#include "gemm_producer_consumer.h"

GEMM_PRODUCER_CONSUMER(gemm_pc_4p8c, 2, 4)
