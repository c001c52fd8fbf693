// SPDX-License-Identifier: MIT
// Implements error codes as text, and the last error of the calling thread.
#include "sim/hip/hip.h"

#include <stdarg.h>
#include <stdio.h>

typedef struct error_row {
  hipError_t code;
  const char *name, *text;
} error_row;

static const error_row error_table[] = {
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

// Returns the row of a code, NULL when HIP does not define it.
static const error_row *row_of(hipError_t error) {
  for (size_t i = 0; i < sizeof error_table / sizeof *error_table; ++i)
    if (error_table[i].code == error) return &error_table[i];
  return NULL;
}

const char *hipGetErrorName(hipError_t error) {
  const error_row *row = row_of(error);
  return row ? row->name : "hipErrorUnknown";
}

const char *hipGetErrorString(hipError_t error) {
  const error_row *row = row_of(error);
  return row ? row->text : "error code that HIP does not define";
}

// The driver's calls refuse a code that HIP does not define; the text is written all the same.
static hipError_t driver_text(const char *call, hipError_t error, const char *(*text)(hipError_t),
                              const char **out) {
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  *out = text(error);
  if (row_of(error)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %d is no error code of HIP", call, (int)error);
}

SIM_HIP_EXPORT hipError_t hipDrvGetErrorName(hipError_t error, const char **name);
hipError_t hipDrvGetErrorName(hipError_t error, const char **name) {
  return driver_text("hipDrvGetErrorName", error, hipGetErrorName, name);
}

SIM_HIP_EXPORT hipError_t hipDrvGetErrorString(hipError_t error, const char **text);
hipError_t hipDrvGetErrorString(hipError_t error, const char **text) {
  return driver_text("hipDrvGetErrorString", error, hipGetErrorString, text);
}
