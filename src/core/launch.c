// SPDX-License-Identifier: MIT
// Selects the device and launches kernels, with a sentence for each failure.
#include "launch.h"

wt_status wt_device_enter(wt_context *context, int *previous) {
  hipError_t error = hipGetDevice(previous);
  if (error == hipSuccess) error = hipSetDevice(context->device);
  if (error == hipSuccess) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_DEVICE, "selecting device %d failed: %s", context->device,
                 hipGetErrorString(error));
}

void wt_device_leave(int previous) { (void)hipSetDevice(previous); }

wt_status wt_launch_find(wt_context *context, const char *stem, wt_launch *launch) {
  return wt_context_function(context, stem, launch->symbol, &launch->function);
}

wt_status wt_launch_enqueue(wt_context *context, const wt_launch *launch, const void *args,
                            hipStream_t stream) {
  void *params[] = {(void *)(uintptr_t)args};
  hipError_t error = hipModuleLaunchKernel(launch->function, launch->x, launch->y, launch->z, launch->threads,
                                           1, 1, 0, stream, params, NULL);
  if (error == hipSuccess) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_DEVICE, "launching %s on device %d failed: %s", launch->symbol,
                 context->device, hipGetErrorString(error));
}
