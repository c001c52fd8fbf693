// SPDX-License-Identifier: MIT
// Tests libraries of HIP 7: the kernels of a code object are counted, listed, found by name, described and
// launched. Arguments: code object for gfx950 (device 0), the same for gfx942 (device 1).
#include "hip_capture.h"

typedef struct library *library;
typedef struct library_kernel *library_kernel;
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
hipError_t hipModuleGetFunctionCount(unsigned *out, hipModule_t module);

// These are the kernels of hip_kernels.hip.
enum { KERNELS = 8, MOST = KERNELS + 2 };

static library_kernel kernel_of(library l, const char *name) {
  library_kernel kernel = NULL;
  OK(hipLibraryGetKernel(&kernel, l, name));
  return kernel;
}

// `asked` kernels are asked for, in an array that can hold more.
static void as_many_kernels_are_listed_as_are_asked_for(library l) {
  unsigned count = 0;
  OK(hipLibraryGetKernelCount(&count, l));
  CHECK(count == KERNELS, "%u kernels", count);
  OK(hipModuleGetFunctionCount(&count, (hipModule_t)l));
  CHECK(count == KERNELS, "%u functions", count);
  for (unsigned asked = 0; asked <= MOST; ++asked) {
    library_kernel list[MOST] = {NULL};
    const unsigned wanted = asked < KERNELS ? asked : KERNELS;
    OK(hipLibraryEnumerateKernels(list, asked, l));
    for (unsigned i = 0; i < MOST; ++i) {
      CHECK((list[i] != NULL) == (i < wanted), "kernel %u of %u asked for", i, asked);
      if (!list[i]) continue;
      const char *name = NULL;
      OK(hipKernelGetName(&name, list[i]));
      CHECK(kernel_of(l, name) == list[i], "kernel %u is \"%s\"", i, name);
      for (unsigned k = 0; k < i; ++k) CHECK(list[k] != list[i], "kernels %u and %u are the same", k, i);
    }
  }
}

static void a_kernel_is_described(library l, int device) {
  static const struct {
    size_t offset, size;
  } arguments[] = {{0, 8}, {8, 1}, {10, 2}, {12, 4}, {16, 8}, {24, 4}, {32, 8}, {40, 24}, {64, 1}};
  const size_t count = sizeof arguments / sizeof *arguments;
  const library_kernel kernel = kernel_of(l, "pack");
  library parent = NULL;
  OK(hipKernelGetLibrary(&parent, kernel));
  CHECK(parent == l, "the kernel's library");
  size_t offset = 99, size = 99;
  for (size_t i = 0; i < count; ++i) {
    OK(hipKernelGetParamInfo(kernel, i, &offset, &size));
    CHECK(offset == arguments[i].offset && size == arguments[i].size, "argument %zu: %zu bytes at %zu", i,
          size, offset);
  }
  OK(hipKernelGetParamInfo(kernel, 2, &offset, NULL));
  CHECK(offset == arguments[2].offset, "argument 2 is at %zu", offset);
  SAYS(hipErrorInvalidValue, "argument 9; kernel pack takes 9",
       hipKernelGetParamInfo(kernel, count, &offset, &size));
  int value = -1;
  const library_kernel sum = kernel_of(l, "sum_in_lds");
  OK(hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, sum, device));
  CHECK(value == 1024, "%d bytes of LDS", value);
  SAYS(hipErrorInvalidDevice, "sum_in_lds",
       hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, sum, 1 - device));
}

static void dynamic_lds_can_be_asked_for_as_far_as_it_goes(library l, int device) {
  const hipFunction_attribute lds = HIP_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
  const library_kernel kernel = kernel_of(l, "sum_in_lds");
  int most = 0;
  OK(hipKernelGetAttribute(&most, lds, kernel, device));
  CHECK(most > 0, "%d bytes of dynamic LDS", most);
  OK(hipKernelSetAttribute(lds, 0, kernel, device));
  OK(hipKernelSetAttribute(lds, most, kernel, device));
  SAYS(hipErrorInvalidValue, "sum_in_lds leaves", hipKernelSetAttribute(lds, most + 1, kernel, device));
  SAYS(hipErrorInvalidValue, "sum_in_lds leaves", hipKernelSetAttribute(lds, -1, kernel, device));
  SAYS(hipErrorInvalidDevice, "sum_in_lds", hipKernelSetAttribute(lds, 0, kernel, 1 - device));
  OK(hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 50, kernel, device));
  SAYS(hipErrorInvalidValue, "cannot be set",
       hipKernelSetAttribute(HIP_FUNC_ATTRIBUTE_NUM_REGS, 4, kernel, device));
}

static void a_kernel_is_launched(library l) {
  hipFunction_t function = NULL;
  int *out, got[4];
  OK(hipKernelGetFunction(&function, kernel_of(l, "add_table")));
  OK(hipMalloc((void **)&out, sizeof got));
  OK(hipMemset(out, 0, sizeof got));
  OK(hipModuleLaunchKernel(function, 1, 1, 1, 4, 1, 1, 0, NULL, (void *[]){&out}, NULL));
  OK(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
  CHECK(got[0] == 10 && got[3] == 40, "%d..%d", got[0], got[3]);
  OK(hipFree(out));
}

static void what_is_no_library_is_refused(library l) {
  int no_handle[64] = {0};
  const library no_library = (library)no_handle;
  const library_kernel no_kernel = (library_kernel)no_handle;
  library_kernel kernel;
  library parent;
  hipFunction_t function;
  const char *name;
  unsigned count;
  size_t offset;
  int value;
  SAYS(hipErrorInvalidValue, "null", hipLibraryEnumerateKernels(NULL, 1, l));
  SAYS(hipErrorInvalidHandle, "hipLibraryEnumerateKernels",
       hipLibraryEnumerateKernels(&kernel, 1, no_library));
  SAYS(hipErrorInvalidValue, "hipLibraryGetKernelCount", hipLibraryGetKernelCount(NULL, l));
  SAYS(hipErrorInvalidHandle, "hipLibraryGetKernelCount", hipLibraryGetKernelCount(&count, no_library));
  SAYS(hipErrorInvalidHandle, "hipModuleGetFunctionCount",
       hipModuleGetFunctionCount(&count, (hipModule_t)no_library));
  SAYS(hipErrorNotFound, "\"absent\"", hipLibraryGetKernel(&kernel, l, "absent"));
  SAYS(hipErrorInvalidHandle, "hipKernelGetFunction", hipKernelGetFunction(&function, no_kernel));
  SAYS(hipErrorInvalidHandle, "hipKernelGetLibrary", hipKernelGetLibrary(&parent, no_kernel));
  SAYS(hipErrorInvalidHandle, "hipKernelGetName", hipKernelGetName(&name, no_kernel));
  SAYS(hipErrorInvalidHandle, "hipKernelGetParamInfo", hipKernelGetParamInfo(no_kernel, 0, &offset, NULL));
  SAYS(hipErrorInvalidHandle, "hipKernelGetAttribute",
       hipKernelGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, no_kernel, 0));
}

static void options_are_announced_and_given(const char *path) {
  hipJitOption jit = (hipJitOption)0;
  int option = 0;
  void *value = NULL;
  library l = NULL;
  OK(hipLibraryLoadFromFile(&l, path, &jit, &value, 1, &option, &value, 1));
  OK(hipLibraryUnload(l));
  SAYS(hipErrorInvalidValue, "not given", hipLibraryLoadFromFile(&l, path, NULL, &value, 1, NULL, NULL, 0));
  SAYS(hipErrorInvalidValue, "not given", hipLibraryLoadFromFile(&l, path, &jit, NULL, 1, NULL, NULL, 0));
  SAYS(hipErrorInvalidValue, "not given", hipLibraryLoadFromFile(&l, path, NULL, NULL, 0, NULL, &value, 1));
  SAYS(hipErrorInvalidValue, "not given", hipLibraryLoadFromFile(&l, path, NULL, NULL, 0, &option, NULL, 1));
  SAYS(hipErrorInvalidValue, "not given", hipLibraryLoadData(&l, path, NULL, NULL, 1, NULL, NULL, 0));
}

int main(int argc, char **argv) {
  for (int device = 0; device < 2 && device + 1 < argc; ++device) {
    library l = NULL;
    OK(hipSetDevice(device));
    OK(hipLibraryLoadFromFile(&l, argv[device + 1], NULL, NULL, 0, NULL, NULL, 0));
    as_many_kernels_are_listed_as_are_asked_for(l);
    a_kernel_is_described(l, device);
    dynamic_lds_can_be_asked_for_as_far_as_it_goes(l, device);
    a_kernel_is_launched(l);
    what_is_no_library_is_refused(l);
    OK(hipLibraryUnload(l));
    options_are_announced_and_given(argv[device + 1]);
  }
  return test_result();
}
