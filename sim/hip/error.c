// SPDX-License-Identifier: MIT
// Error codes as text, and the last error of the calling thread.
#include "sim/hip/hip.h"

#include <stdarg.h>
#include <stdio.h>

static const struct {
  hipError_t code;
  const char *name, *text;
} error_table[] = {
#define ERROR(code, text) {code, #code, text},
#include "sim/hip/errors.h"
#undef ERROR
};

static __thread hipError_t last_error;

hipError_t sim_hip_result(hipError_t error) {
  if (error != hipSuccess) last_error = error;
  return error;
}

hipError_t sim_hip_refuse(hipError_t error, const char *format, ...) {
  va_list args;
  va_start(args, format);
  sim_vsay(format, args);
  va_end(args);
  return sim_hip_result(error);
}

hipError_t hipGetLastError(void) {
  (void)sim_hip_device_count();  // its refusal is the first error, even if this is the first call
  const hipError_t error = last_error;
  last_error = hipSuccess;
  return error;
}

SIM_HIP_EXPORT hipError_t hipExtGetLastError(void);
hipError_t hipExtGetLastError(void) { return hipGetLastError(); }

hipError_t hipPeekAtLastError(void) {
  (void)sim_hip_device_count();
  return last_error;
}

const char *hipGetErrorName(hipError_t error) {
  for (size_t i = 0; i < sizeof error_table / sizeof *error_table; ++i)
    if (error_table[i].code == error) return error_table[i].name;
  return "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t error) {
  for (size_t i = 0; i < sizeof error_table / sizeof *error_table; ++i)
    if (error_table[i].code == error) return error_table[i].text;
  return "error code that HIP does not define";
}

SIM_HIP_EXPORT hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
hipError_t hipDrvGetErrorName(hipError_t error, const char **name) {
  if (!name) return sim_hip_refuse(hipErrorInvalidValue, "hipDrvGetErrorName: the result pointer is null");
  *name = hipGetErrorName(error);
  return hipSuccess;
}

SIM_HIP_EXPORT hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
  if (!text) return sim_hip_refuse(hipErrorInvalidValue, "hipDrvGetErrorString: the result pointer is null");
  *text = hipGetErrorString(error);
  return hipSuccess;
}
