// SPDX-License-Identifier: MIT
// Implements pools that processes share. A file descriptor says what the pool is like; each allocation is
// then carried over by itself, as memory of hipIpcGetMemHandle is.
#define _GNU_SOURCE  // memfd_create
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/hip/memory/pool.h"

// Says what the file holds.
typedef struct pool_file {
  char magic[8];
  int32_t device;
  uint32_t access;
} pool_file;
static const char magic[8] = "wt-pool";

static hipError_t bad(const char *call, const char *why) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call, why);
}

hipError_t hipMemPoolExportToShareableHandle(void *out, hipMemPool_t pool, hipMemAllocationHandleType type,
                                             unsigned flags) {
  const char *call = "hipMemPoolExportToShareableHandle";
  if (!out || flags) return bad(call, out ? "flags must be 0" : "the result pointer is null");
  hipError_t error = sim_hip_need_pool(call, pool);
  if (error != hipSuccess) return error;
  if (type != hipMemHandleTypePosixFileDescriptor || !sim_hip_pool_is_shareable(pool))
    return bad(call, "the pool was not created with handles of this type, or it is no file descriptor");
  pool_file content = {.device = sim_hip_pool_device(pool)->ordinal, .access = sim_hip_pool_access(pool)};
  memcpy(content.magic, magic, sizeof magic);
  const int file = memfd_create("wavetile-pool", MFD_CLOEXEC);
  if (file >= 0 && pwrite(file, &content, sizeof content, 0) == sizeof content) {
    *(int *)out = file;
    return hipSuccess;
  }
  const int code = errno;
  if (file >= 0) close(file);
  return sim_hip_refuse(hipErrorOperatingSystem, "%s: %s", call, strerror(code));
}

// The descriptor itself is passed as the pointer, as in CUDA.
hipError_t hipMemPoolImportFromShareableHandle(hipMemPool_t *out, void *handle,
                                               hipMemAllocationHandleType type, unsigned flags) {
  const char *call = "hipMemPoolImportFromShareableHandle";
  if (!out || !handle)
    return bad(call, out ? "the file descriptor is missing" : "the result pointer is null");
  if (!sim_hip_current()) return sim_hip_result(hipErrorNoDevice);
  if (flags || type != hipMemHandleTypePosixFileDescriptor)
    return bad(call, flags ? "flags must be 0" : "the handle type is no file descriptor");
  pool_file content;
  if (pread((int)(intptr_t)handle, &content, sizeof content, 0) != sizeof content ||
      memcmp(content.magic, magic, sizeof magic))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: file descriptor %d is no exported pool", call,
                          (int)(intptr_t)handle);
  sim_hip_device *device = sim_hip_device_at(content.device);
  *out = sim_hip_pool_import(device ? device : sim_hip_current(), content.access);
  return sim_hip_result(*out ? hipSuccess : hipErrorOutOfMemory);
}

hipError_t hipMemPoolExportPointer(hipMemPoolPtrExportData *out, void *pointer) {
  const char *call = "hipMemPoolExportPointer";
  sim_allocation a;
  _Static_assert(sizeof *out == sizeof(hipIpcMemHandle_t), "a handle fits");
  if (!out || !pointer) return bad(call, out ? "the pointer is null" : "the result pointer is null");
  if (!sim_memory_find((uintptr_t)pointer, &a) || a.base != (uintptr_t)pointer ||
      !sim_hip_pool_is_shareable(sim_hip_pool_of(pointer)))
    return bad(call, "the pointer is none that was allocated from a pool with handles for other processes");
  return sim_hip_ipc_export(call, &a, pointer, out);
}

hipError_t hipMemPoolImportPointer(void **out, hipMemPool_t pool, hipMemPoolPtrExportData *data) {
  const char *call = "hipMemPoolImportPointer";
  if (!out || !data) return bad(call, out ? "the exported data is null" : "the result pointer is null");
  hipError_t error = sim_hip_need_pool(call, pool);
  if (error != hipSuccess) return error;
  if (!sim_hip_pool_is_imported(pool)) return bad(call, "the pool was not imported");
  error = sim_hip_ipc_import(call, data, sim_hip_pool_device(pool), out);
  if (error == hipSuccess) sim_memory_share((uintptr_t)*out, sim_hip_pool_access(pool));
  return error;
}
