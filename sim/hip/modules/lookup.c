// SPDX-License-Identifier: MIT
// Finding entry points of this library, and kernels behind host functions, by name and by address.
#define _GNU_SOURCE  // dladdr
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "sim/hip/hip.h"

enum { PROC_FOUND = 0, PROC_NOT_FOUND = 1 };  // hipDriverProcAddressQueryResult (ROCm 6.1)
enum { FLAG_PER_THREAD = 1 << 1 };  // of cuGetProcAddress, HIP's model: prefer the names that end in _spt

#pragma GCC visibility push(default)
hipError_t hipGetProcAddress(const char *symbol, void **out, int version, uint64_t flags, int *found);
hipError_t hipGetProcAddress_spt(const char *symbol, void **out, int version, uint64_t flags, int *found);
hipError_t hipGetDriverEntryPoint(const char *symbol, void **out, unsigned long long flags, int *found);
hipError_t hipGetDriverEntryPoint_spt(const char *symbol, void **out, unsigned long long flags, int *found);
hipError_t hipGetFuncBySymbol(hipFunction_t *out, const void *host);
#pragma GCC visibility pop

// Structures that changed with ROCm 6 have entry points of their own.
static const char *versioned(const char *symbol, int version) {
  if (strcmp(symbol, "hipGetDeviceProperties") == 0)
    return version >= 600 ? "hipGetDevicePropertiesR0600" : "hipGetDevicePropertiesR0000";
  return symbol;
}

hipError_t hipGetProcAddress(const char *symbol, void **out, int version, uint64_t flags, int *found) {
  Dl_info self;
  if (!symbol || !*symbol || !out)
    return sim_hip_refuse(hipErrorInvalidValue, "hipGetProcAddress: %s",
                          out ? "no symbol is named" : "pfn is null");
  *out = NULL;
  // This looks by its own handle: the program may have loaded this library without making its symbols known
  // to all.
  void *library = dladdr((void *)(uintptr_t)&hipGetProcAddress, &self)
                      ? dlopen(self.dli_fname, RTLD_NOLOAD | RTLD_LAZY)
                      : NULL;
  if (library) {
    char name[256];
    snprintf(name, sizeof name, "%s_spt", symbol);
    if (flags & FLAG_PER_THREAD) *out = dlsym(library, name);
    if (!*out) *out = dlsym(library, versioned(symbol, version));
    dlclose(library);
  }
  if (found) *found = *out ? PROC_FOUND : PROC_NOT_FOUND;
  if (*out) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "hipGetProcAddress: the runtime has no symbol \"%s\"", symbol);
}

hipError_t hipGetProcAddress_spt(const char *symbol, void **out, int version, uint64_t flags, int *found) {
  return hipGetProcAddress(symbol, out, version, flags | FLAG_PER_THREAD, found);
}

// The call came with HIP 7, whose structures are those of HIP 6.
enum { DRIVER_ENTRY_VERSION = 700 };

hipError_t hipGetDriverEntryPoint(const char *symbol, void **out, unsigned long long flags, int *found) {
  return hipGetProcAddress(symbol, out, DRIVER_ENTRY_VERSION, flags, found);
}

hipError_t hipGetDriverEntryPoint_spt(const char *symbol, void **out, unsigned long long flags, int *found) {
  return hipGetProcAddress(symbol, out, DRIVER_ENTRY_VERSION, flags | FLAG_PER_THREAD, found);
}

hipError_t hipGetFuncBySymbol(hipFunction_t *out, const void *host) {
  sim_hip_device *device = sim_hip_current();
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "hipGetFuncBySymbol: the result pointer is null");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  return sim_hip_host_function("hipGetFuncBySymbol", host, device, out);
}
