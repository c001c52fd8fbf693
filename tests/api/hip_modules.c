// SPDX-License-Identifier: MIT
// Modules load from file and memory with the right contents, and bad ones are refused for the right reason.
// Arguments: code object for gfx950 (device 0), the same for gfx942 (device 1).
#include <limits.h>

#include "hip_capture.h"

static void *read_all(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  CHECK(file != NULL, "cannot read %s", path);
  if (!file) return NULL;
  fseek(file, 0, SEEK_END);
  *size = (size_t)ftell(file);
  rewind(file);
  void *data = malloc(*size);
  CHECK(fread(data, 1, *size, file) == *size, "short read of %s", path);
  fclose(file);
  return data;
}

static void bad_files_are_refused(const char *good, const char *other_target) {
  hipModule_t module = NULL;
  SAYS(hipErrorFileNotFound, "/nonexistent/x.co", hipModuleLoad(&module, "/nonexistent/x.co"));
  SAYS(hipErrorInvalidImage, "\"/dev/null\" is empty", hipModuleLoad(&module, "/dev/null"));
  SAYS(hipErrorFileNotFound, "directory", hipModuleLoad(&module, "/tmp"));
  SAYS(hipErrorNoBinaryForGpu, "choose a device for it with WT_SIM_DEVICES=mi300x",
       hipModuleLoad(&module, other_target));
  SAYS(hipErrorInvalidValue, "null", hipModuleLoad(&module, NULL));
  SAYS(hipErrorInvalidValue, "empty", hipModuleLoad(&module, ""));
  SAYS(hipErrorInvalidValue, "null", hipModuleLoad(NULL, good));
  char path[] = "/tmp/wavetile-bad-XXXXXX";
  int file = mkstemp(path);
  CHECK(write(file, "this is not a code object at all, whatever its name", 51) == 51, "write");
  SAYS(hipErrorInvalidImage, "hipModuleLoad:", hipModuleLoad(&module, path));
  size_t size = 0;
  void *data = read_all(good, &size);
  CHECK(data && pwrite(file, data, size / 2, 0) == (ssize_t)(size / 2), "write");
  SAYS(hipErrorInvalidImage, "hipModuleLoad:", hipModuleLoad(&module, path));
  CHECK(module == NULL, "no module on failure");
  free(data);
  close(file);
  unlink(path);
}

// Each module has its own, host and device see the same memory, and it is gone with its module.
static void managed_variables_are_each_modules(const char *path) {
  hipModule_t modules[2];
  int *counts[2];
  size_t size = 0;
  for (int i = 0; i < 2; ++i) {
    hipFunction_t count;
    OK(hipModuleLoad(&modules[i], path));
    OK(hipModuleGetGlobal((hipDeviceptr_t *)&counts[i], &size, modules[i], "managed_count"));
    CHECK(size == sizeof(int) && *counts[i] == 5, "%zu bytes, first value %d", size, *counts[i]);
    *counts[i] += 10 * i;
    OK(hipModuleGetFunction(&count, modules[i], "count_managed"));
    OK(hipModuleLaunchKernel(count, 1, 1, 1, 1, 1, 1, 0, NULL, NULL, NULL));
  }
  OK(hipDeviceSynchronize());
  CHECK(*counts[0] == 6 && *counts[1] == 16, "counts %d and %d", *counts[0], *counts[1]);
  SAYS(hipErrorInvalidValue, "was not allocated", hipFree(counts[0]));
  hipPointerAttribute_t attributes;
  OK(hipModuleUnload(modules[0]));
  CHECK(hipPointerGetAttributes(&attributes, counts[0]) != hipSuccess,
        "memory of an unloaded module is gone");
  (void)hipGetLastError();
  OK(hipPointerGetAttributes(&attributes, counts[1]));
  CHECK(attributes.isManaged, "the memory is managed");
  OK(hipModuleUnload(modules[1]));
}

static void contents_are_found(const char *path, int from_memory) {
  hipModule_t module;
  hipFunction_t function = NULL, missing = NULL;
  size_t size = 0;
  void *data = from_memory ? read_all(path, &size) : NULL;
  if (from_memory)
    OK(hipModuleLoadData(&module, data));
  else
    OK(hipModuleLoad(&module, path));
  free(data);
  OK(hipModuleGetFunction(&function, module, "pack"));
  SAYS(hipErrorNotFound, "\"absent\"", hipModuleGetFunction(&missing, module, "absent"));
  SAYS(hipErrorInvalidHandle, "not a module", hipModuleGetFunction(&missing, (hipModule_t)&size, "pack"));
  hipDeviceptr_t address = NULL;
  OK(hipModuleGetGlobal(&address, &size, module, "table"));
  CHECK(size == 4 * sizeof(int), "table has %zu bytes", size);
  int table[4] = {0};
  OK(hipMemcpyDtoH(table, address, sizeof table));
  CHECK(table[0] == 10 && table[3] == 40, "initial values %d..%d", table[0], table[3]);
  SAYS(hipErrorNotFound, "\"absent\"", hipModuleGetGlobal(&address, &size, module, "absent"));
  SAYS(hipErrorInvalidValue, "is empty", hipModuleGetGlobal(&address, &size, module, ""));
  SAYS(hipErrorInvalidValue, "is null", hipModuleGetGlobal(&address, &size, module, NULL));
  SAYS(hipErrorInvalidValue, "both", hipModuleGetGlobal(NULL, NULL, module, "table"));
  OK(hipModuleGetGlobal(NULL, &size, module, "table"));
  OK(hipModuleGetGlobal(&address, NULL, module, "table"));
  int value = -1;
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  CHECK(value == 0, "pack uses %d bytes of LDS", value);
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, function));
  CHECK(value > 0 && value <= 512, "pack uses %d registers", value);
  hipFunction_t where;
  OK(hipModuleGetFunction(&where, module, "where"));
  OK(hipModuleGetFunction(&function, module, "sum_in_lds"));
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, function));
  CHECK(value == 1024, "sum_in_lds uses %d bytes of LDS", value);
  OK(hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, function));
  CHECK(value == 256, "sum_in_lds allows blocks of %d", value);
  int blocks = 0, grid = 0, block = 0;
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 0));
  CHECK(blocks == 8, "8 blocks of 4 waves fill 4 SIMDs of 8 waves, not %d", blocks);
  OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 256, 15 << 10));
  CHECK(blocks >= 4 && blocks <= 8, "%d blocks with 16 KiB each", blocks);
  OK(hipModuleOccupancyMaxPotentialBlockSize(&grid, &block, function, 0, 0));
  CHECK(block == 256, "best block %d", block);
  SAYS(hipErrorInvalidValue, "blockSize is 0",
       hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, 0, 0));
  SAYS(hipErrorInvalidValue, "blockSize is -1",
       hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, -1, 0));
  // No block of more work-items than a work-group may have is resident.
  static const int sizes[] = {1024, 1025, INT_MAX};
  for (int i = 0; i < 3; ++i) {
    OK(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, where, sizes[i], 0));
    CHECK((blocks > 0) == (i == 0), "%d blocks of %d", blocks, sizes[i]);
  }
  OK(hipModuleUnload(module));
  SAYS(hipErrorNotFound, "not a module", hipModuleUnload(module));
  SAYS(hipErrorInvalidHandle, "not a module", hipModuleUnload(NULL));
  SAYS(hipErrorInvalidHandle, "not a function",
       hipFuncGetAttribute(&value, HIP_FUNC_ATTRIBUTE_NUM_REGS, function));
  SAYS(hipErrorInvalidHandle, "not a function",
       hipModuleLaunchKernel(function, 1, 1, 1, 64, 1, 1, 0, NULL, NULL, NULL));
}

int main(int argc, char **argv) {
  CHECK(argc == 3, "arguments: code objects for gfx950 and gfx942");
  if (argc != 3) return test_result();
  bad_files_are_refused(argv[1], argv[2]);
  for (int device = 0; device < 2; ++device) {
    OK(hipSetDevice(device));
    contents_are_found(argv[device + 1], 0);
    contents_are_found(argv[device + 1], 1);
    managed_variables_are_each_modules(argv[device + 1]);
  }
  return test_result();
}
