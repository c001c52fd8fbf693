// SPDX-License-Identifier: MIT
// Fills pitched rows with 8, 16 or 32-bit values, as HIP 7 has it.
#include "sim/hip/streams/work.h"

static hipError_t fill(const char *call, hipDeviceptr_t dst, size_t pitch, uint32_t value, unsigned element,
                       size_t width, size_t height, hipStream_t stream, sim_hip_pace pace) {
  return sim_hip_submit(
      call, stream,
      &(sim_hip_work){hipGraphNodeTypeMemset, .fill = {dst, {pitch, 0}, value, element, width, height, 1}},
      pace);
}

#define FILL_ROWS(BITS, TYPE)                                                                              \
  SIM_HIP_EXPORT hipError_t hipMemsetD2D##BITS##Async(hipDeviceptr_t dst, size_t pitch, TYPE value,        \
                                                      size_t width, size_t height, hipStream_t stream) {   \
    return fill("hipMemsetD2D" #BITS "Async", dst, pitch, value, BITS / 8, width, height, stream,          \
                SIM_HIP_ASYNC);                                                                            \
  }                                                                                                        \
  SIM_HIP_EXPORT hipError_t hipMemsetD2D##BITS(hipDeviceptr_t dst, size_t pitch, TYPE value, size_t width, \
                                               size_t height) {                                            \
    return fill("hipMemsetD2D" #BITS, dst, pitch, value, BITS / 8, width, height, NULL, SIM_HIP_SYNC);     \
  }

#pragma GCC diagnostic ignored "-Wmissing-prototypes"
FILL_ROWS(8, unsigned char)
FILL_ROWS(16, unsigned short)
FILL_ROWS(32, unsigned)
