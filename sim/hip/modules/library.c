// SPDX-License-Identifier: MIT
// Implements the libraries of HIP 7: a code object loaded from memory or a file, and its kernels. A library
// is the module of the device that was current when it was loaded, and a kernel is a function of it.
#include "sim/hip/hip.h"

typedef hipModule_t library;
typedef hipFunction_t library_kernel;

#pragma GCC visibility push(default)
hipError_t hipLibraryLoadData(library *out, const void *code, hipJitOption *jit, void **jit_values,
                              unsigned jit_count, int *options, void **values, unsigned count);
hipError_t hipLibraryLoadFromFile(library *out, const char *file, hipJitOption *jit, void **jit_values,
                                  unsigned jit_count, int *options, void **values, unsigned count);
hipError_t hipLibraryUnload(library l);
hipError_t hipLibraryGetKernel(library_kernel *out, library l, const char *name);
hipError_t hipLibraryGetKernelCount(unsigned *out, library l);
hipError_t hipLibraryEnumerateKernels(library_kernel *out, unsigned count, library l);
hipError_t hipKernelGetFunction(hipFunction_t *out, library_kernel kernel);
hipError_t hipKernelGetLibrary(library *out, library_kernel kernel);
hipError_t hipKernelGetName(const char **out, library_kernel kernel);
hipError_t hipKernelGetParamInfo(library_kernel kernel, size_t index, size_t *offset, size_t *size);
hipError_t hipKernelGetAttribute(int *out, hipFunction_attribute attribute, library_kernel kernel,
                                 hipDevice_t device);
hipError_t hipKernelSetAttribute(hipFunction_attribute attribute, int value, library_kernel kernel,
                                 hipDevice_t device);
hipError_t hipModuleLoadFatBinary(hipModule_t *out, const void *binary);
hipError_t hipModuleGetFunctionCount(unsigned *out, hipModule_t module);
#pragma GCC visibility pop

static hipError_t need_library(const char *call, library l, const void *result) {
  if (!result) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (sim_hip_handle_is(l, SIM_HIP_MODULE)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidHandle, "%s: the library is not one of this runtime", call);
}

static hipError_t need_kernel(const char *call, library_kernel kernel, const void *result) {
  if (!result) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (sim_hip_handle_is(kernel, SIM_HIP_FUNCTION)) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidHandle, "%s: the kernel is not one of this runtime", call);
}

// The options steer a just-in-time compiler and when code is loaded; a code object is compiled already.
static hipError_t check_options(const char *call, unsigned jit_count, const void *jit, const void *jit_values,
                                unsigned count, const void *options, const void *values) {
  if ((!jit_count || (jit && jit_values)) && (!count || (options && values))) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidValue, "%s: options are announced but not given", call);
}

hipError_t hipLibraryLoadData(library *out, const void *code, hipJitOption *jit, void **jit_values,
                              unsigned jit_count, int *options, void **values, unsigned count) {
  hipError_t error = check_options("hipLibraryLoadData", jit_count, jit, jit_values, count, options, values);
  return error == hipSuccess ? hipModuleLoadData(out, code) : error;
}

hipError_t hipLibraryLoadFromFile(library *out, const char *file, hipJitOption *jit, void **jit_values,
                                  unsigned jit_count, int *options, void **values, unsigned count) {
  hipError_t error =
      check_options("hipLibraryLoadFromFile", jit_count, jit, jit_values, count, options, values);
  return error == hipSuccess ? hipModuleLoad(out, file) : error;
}

hipError_t hipModuleLoadFatBinary(hipModule_t *out, const void *binary) {
  return hipModuleLoadData(out, binary);
}

hipError_t hipLibraryUnload(library l) { return hipModuleUnload(l); }

hipError_t hipLibraryGetKernel(library_kernel *out, library l, const char *name) {
  return hipModuleGetFunction(out, l, name);
}

static hipError_t count_kernels(const char *call, unsigned *out, library l) {
  hipError_t error = need_library(call, l, out);
  if (error == hipSuccess) *out = (unsigned)l->object->kernel_count;
  return error;
}

hipError_t hipLibraryGetKernelCount(unsigned *out, library l) {
  return count_kernels("hipLibraryGetKernelCount", out, l);
}

hipError_t hipModuleGetFunctionCount(unsigned *out, hipModule_t module) {
  return count_kernels("hipModuleGetFunctionCount", out, module);
}

hipError_t hipLibraryEnumerateKernels(library_kernel *out, unsigned count, library l) {
  hipError_t error = need_library("hipLibraryEnumerateKernels", l, out);
  for (unsigned i = 0; error == hipSuccess && i < count && i < l->object->kernel_count; ++i)
    out[i] = &l->functions[i];
  return error;
}

hipError_t hipKernelGetFunction(hipFunction_t *out, library_kernel kernel) {
  hipError_t error = need_kernel("hipKernelGetFunction", kernel, out);
  if (error == hipSuccess) *out = kernel;
  return error;
}

hipError_t hipKernelGetLibrary(library *out, library_kernel kernel) {
  hipError_t error = need_kernel("hipKernelGetLibrary", kernel, out);
  if (error == hipSuccess) *out = kernel->module;
  return error;
}

hipError_t hipKernelGetName(const char **out, library_kernel kernel) {
  hipError_t error = need_kernel("hipKernelGetName", kernel, out);
  if (error == hipSuccess) *out = kernel->kernel->name;
  return error;
}

hipError_t hipKernelGetParamInfo(library_kernel kernel, size_t index, size_t *offset, size_t *size) {
  const char *call = "hipKernelGetParamInfo";
  hipError_t error = need_kernel(call, kernel, offset);
  if (error != hipSuccess) return error;
  if (index >= kernel->kernel->explicit_arg_count)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: argument %zu; kernel %s takes %u", call, index,
                          kernel->kernel->name, kernel->kernel->explicit_arg_count);
  *offset = kernel->kernel->args[index].offset;
  if (size) *size = kernel->kernel->args[index].size;
  return hipSuccess;
}

static hipError_t need_device_of(const char *call, library_kernel kernel, hipDevice_t device) {
  if (kernel->module->device->ordinal == device) return hipSuccess;
  return sim_hip_refuse(hipErrorInvalidDevice, "%s: kernel %s was loaded for device %d, not %d", call,
                        kernel->kernel->name, kernel->module->device->ordinal, device);
}

hipError_t hipKernelGetAttribute(int *out, hipFunction_attribute attribute, library_kernel kernel,
                                 hipDevice_t device) {
  hipError_t error = need_kernel("hipKernelGetAttribute", kernel, out);
  if (error == hipSuccess) error = need_device_of("hipKernelGetAttribute", kernel, device);
  return error == hipSuccess ? hipFuncGetAttribute(out, attribute, kernel) : error;
}

hipError_t hipKernelSetAttribute(hipFunction_attribute attribute, int value, library_kernel kernel,
                                 hipDevice_t device) {
  const char *call = "hipKernelSetAttribute";
  int most = 0;
  hipError_t error = need_kernel(call, kernel, &most);
  if (error == hipSuccess) error = need_device_of(call, kernel, device);
  if (error != hipSuccess || attribute == HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT) return error;
  if (attribute != HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: attribute %d cannot be set", call, (int)attribute);
  error = hipFuncGetAttribute(&most, attribute, kernel);
  if (error != hipSuccess || (value >= 0 && value <= most)) return error;  // needs no opt-in on these chips
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %d bytes of dynamic LDS; kernel %s leaves 0 to %d", call,
                        value, kernel->kernel->name, most);
}
