// SPDX-License-Identifier: MIT
// Fills of pitched rows with 8, 16 or 32-bit values, as HIP 7 has them.
#include "sim/hip/streams/work.h"

#define FILL_ROWS(BITS, TYPE)                                                                              \
  SIM_HIP_EXPORT hipError_t hipMemsetD2D##BITS##Async(hipDeviceptr_t dst, size_t pitch, TYPE value,        \
                                                      size_t width, size_t height, hipStream_t stream) {   \
    return sim_hip_submit("hipMemsetD2D" #BITS, stream,                                                    \
                          &(sim_hip_work){hipGraphNodeTypeMemset,                                          \
                                          .fill = {dst, {pitch, 0}, value, BITS / 8, width, height, 1}});  \
  }                                                                                                        \
  SIM_HIP_EXPORT hipError_t hipMemsetD2D##BITS(hipDeviceptr_t dst, size_t pitch, TYPE value, size_t width, \
                                               size_t height) {                                            \
    return hipMemsetD2D##BITS##Async(dst, pitch, value, width, height, NULL);                              \
  }

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
FILL_ROWS(8, unsigned char)
FILL_ROWS(16, unsigned short)
FILL_ROWS(32, unsigned)
