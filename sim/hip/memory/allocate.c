// SPDX-License-Identifier: MIT
// Allocation and release of device, host and managed memory. All of it is host memory, mapped lazily: a page
// costs nothing until it is touched. Fresh memory reads as zero here; on hardware it may hold anything.
#include <sys/mman.h>

#include "sim/hip/memory/pool.h"
#include "sim/hip/streams/order.h"
#include "sim/report/allocations.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

enum {
  PAGE = 4096,
  GAP =
      65536,  // unregistered bytes behind every allocation, so that an overrun does not land in the next one
  PITCH = 256
};

static size_t mapped_size(size_t size) { return (size + PAGE - 1) / PAGE * PAGE + GAP; }

bool sim_hip_take(sim_hip_device *device, size_t bytes) {
  uint64_t used = atomic_load(&device->used);
  do {
    if (bytes > device->machine->memory_bytes - used) return false;
  } while (!atomic_compare_exchange_weak(&device->used, &used, used + bytes));
  return true;
}

void sim_hip_give(sim_hip_device *device, size_t bytes) { atomic_fetch_sub(&device->used, bytes); }

// Maps more than it needs and gives back what lies before and behind the aligned part.
static void *map(void *wish, size_t size, size_t alignment, int protection) {
  size_t spare = alignment > PAGE ? alignment : 0;
  char *base = mmap(wish, size + spare, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED || !spare) return base;
  size_t before = (alignment - (uintptr_t)base % alignment) % alignment;
  if (before) munmap(base, before);
  if (before < spare) munmap(base + before + size, spare - before);
  return base + before;
}

hipError_t sim_hip_allocate(const char *call, void **out, size_t size, sim_memory_kind kind, unsigned flags) {
  sim_hip_device *device = sim_hip_current();
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "%s: the result pointer is null", call);
  if (!device) return sim_hip_result(hipErrorNoDevice);
  hipError_t error = sim_hip_capture_refuses_unsafe(call);
  if (error != hipSuccess) return error;
  return sim_hip_allocate_on(call, device, out, size, PAGE, kind, flags);
}

static bool list(sim_hip_device *device, void *base, size_t size, sim_memory_kind kind, unsigned flags) {
  if (!sim_hip_handle_add(base, SIM_HIP_ALLOCATION, device)) return false;
  if (sim_memory_add((sim_allocation){
          .base = (uintptr_t)base, .size = size, .kind = kind, .device = device->ordinal, .flags = flags}))
    return true;
  sim_hip_handle_remove(base, SIM_HIP_ALLOCATION);
  return false;
}

hipError_t sim_hip_restore(const char *call, sim_hip_device *device, void *base, size_t size,
                           unsigned flags) {
  const bool fits = sim_hip_take(device, size);
  if (fits && list(device, base, size, SIM_MEMORY_DEVICE, flags)) return hipSuccess;
  if (fits) sim_hip_give(device, size);
  return sim_hip_refuse(hipErrorOutOfMemory, "%s: %zu bytes do not fit", call, size);
}

void *sim_hip_reserve(void *wish, size_t size, size_t alignment) {
  void *base = map(wish, size, alignment, PROT_NONE);
  return base == MAP_FAILED ? NULL : base;
}

void sim_hip_unmap(void *base, size_t size) { munmap(base, mapped_size(size)); }

hipError_t sim_hip_allocate_on(const char *call, sim_hip_device *device, void **out, size_t size,
                               size_t alignment, sim_memory_kind kind, unsigned flags) {
  *out = NULL;
  if (size == 0) return hipSuccess;
  bool on_device = kind != SIM_MEMORY_HOST;
  if (size > SIZE_MAX / 2 || (on_device && !sim_hip_take(device, size)))
    return sim_hip_refuse(hipErrorOutOfMemory, "%s: %zu bytes do not fit, %s has %llu bytes free", call, size,
                          device->machine->product,
                          (unsigned long long)(device->machine->memory_bytes - atomic_load(&device->used)));
  void *base = map(NULL, mapped_size(size), alignment, PROT_READ | PROT_WRITE);
  bool mapped = base != MAP_FAILED;
  if (mapped && list(device, base, size, kind, flags)) {
    // The other callers allocate for themselves.
    if (strncmp(call, "hip", 3) == 0 && !(flags & SIM_HIP_GRAPHED))
      sim_report_allocated(call, base, size, kind);
    *out = base;
    return hipSuccess;
  }
  if (mapped) munmap(base, mapped_size(size));
  if (on_device) sim_hip_give(device, size);
  return sim_hip_refuse(hipErrorOutOfMemory, "%s: the host has no address space for %zu bytes", call, size);
}

bool sim_hip_release(void *base) {
  sim_allocation a;
  if (!sim_hip_handle_remove(base, SIM_HIP_ALLOCATION) || !sim_memory_find((uintptr_t)base, &a)) return false;
  sim_memory_remove(a.base);
  if (a.flags & SIM_HIP_IMPORTED) {
    sim_hip_ipc_unmap(base, a.size);
    return true;
  }
  sim_report_freed(base);
  if (a.flags & SIM_HIP_POOLED) sim_hip_pool_released(base);
  if (a.kind == SIM_MEMORY_DEVICE) sim_hip_ipc_forget(base);
  if (a.kind == SIM_MEMORY_MANAGED) sim_hip_advice_forget(base, a.size);
  if (a.kind != SIM_MEMORY_HOST) sim_hip_give(sim_hip_device_at(a.device), a.size);
  if (!(a.flags & SIM_HIP_GRAPHED && sim_hip_graph_memory_freed(base))) sim_hip_unmap(base, a.size);
  return true;
}

hipError_t sim_hip_check_free(const char *call, const void *base) {
  sim_allocation a;
  if (!sim_memory_find((uintptr_t)base, &a))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %p is in no allocation (freed already?)", call, base);
  if (a.base != (uintptr_t)base)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: %p is not the start of an allocation; it lies %llu bytes into one", call, base,
                          (unsigned long long)((uintptr_t)base - a.base));
  if (!sim_hip_handle_is(base, SIM_HIP_ALLOCATION))
    return sim_hip_refuse(hipErrorInvalidValue,
                          "%s: %p was not allocated, it is registered or mapped memory or a variable", call,
                          base);
  if (a.flags & SIM_HIP_GRAPHED && sim_hip_graph_memory_planned(base))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %p is memory of a graph that has not been launched",
                          call, base);
  if (a.flags & SIM_HIP_FREED)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %p has been given to a stream to free", call, base);
  return hipSuccess;
}

// Kernels of any device may use host and managed memory.
static const sim_hip_device *users_of(const void *base) {
  sim_allocation a;
  return sim_memory_find((uintptr_t)base, &a) && a.kind == SIM_MEMORY_DEVICE ? sim_hip_device_at(a.device)
                                                                             : NULL;
}

// Waits for the work that may use the memory.
static hipError_t release(const char *call, void *base) {
  if (!base) return hipSuccess;
  hipError_t error = sim_hip_check_free(call, base);
  if (error != hipSuccess) return error;
  sim_hip_hold(users_of(base));
  const bool released = sim_hip_release(base);
  sim_hip_let_go();
  return sim_hip_result(released ? hipSuccess : hipErrorInvalidValue);
}

// ---- device memory

hipError_t hipMalloc(void **out, size_t size) {
  return sim_hip_allocate("hipMalloc", out, size, SIM_MEMORY_DEVICE, hipDeviceMallocDefault);
}

hipError_t hipExtMallocWithFlags(void **out, size_t size, unsigned flags) {
  // Caches and physical pages are nothing that a result here depends on.
  enum { DEVICE_MALLOC_UNCACHED = 3, DEVICE_MALLOC_CONTIGUOUS = 4 };  // of ROCm 5.7 and 6
  if (flags != hipDeviceMallocDefault && flags != hipDeviceMallocFinegrained &&
      flags != hipMallocSignalMemory && flags != DEVICE_MALLOC_UNCACHED && flags != DEVICE_MALLOC_CONTIGUOUS)
    return sim_hip_refuse(hipErrorInvalidValue, "hipExtMallocWithFlags: flags 0x%x are not known", flags);
  if (flags == hipMallocSignalMemory && size != 8)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipExtMallocWithFlags: %zu bytes of signal memory, which comes in 8", size);
  return sim_hip_allocate("hipExtMallocWithFlags", out, size, SIM_MEMORY_DEVICE, flags);
}

hipError_t hipFree(void *base) { return release("hipFree", base); }

static hipError_t allocate_pitched(const char *call, void **out, size_t *pitch, size_t width, size_t rows) {
  size_t bytes, padded;
  if (!pitch) return sim_hip_refuse(hipErrorInvalidValue, "%s: the pitch pointer is null", call);
  if (__builtin_add_overflow(width, PITCH - 1, &padded)) padded = SIZE_MAX;
  *pitch = padded / PITCH * PITCH;
  if (__builtin_mul_overflow(*pitch, rows, &bytes)) bytes = SIZE_MAX;
  return sim_hip_allocate(call, out, bytes, SIM_MEMORY_DEVICE, hipDeviceMallocDefault);
}

hipError_t hipMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
  return allocate_pitched("hipMallocPitch", out, pitch, width, height);
}

hipError_t hipMemAllocPitch(hipDeviceptr_t *out, size_t *pitch, size_t width, size_t height,
                            unsigned element) {
  if (element != 4 && element != 8 && element != 16)
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipMemAllocPitch: elementSizeBytes is %u, it must be 4, 8 or 16", element);
  return allocate_pitched("hipMemAllocPitch", out, pitch, width, height);
}

hipError_t hipMalloc3D(hipPitchedPtr *out, hipExtent extent) {
  if (!out) return sim_hip_refuse(hipErrorInvalidValue, "hipMalloc3D: the result pointer is null");
  size_t rows;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows)) rows = SIZE_MAX;
  hipError_t error = allocate_pitched("hipMalloc3D", &out->ptr, &out->pitch, extent.width, rows);
  out->xsize = extent.width;
  out->ysize = extent.height;
  return error;
}

hipError_t hipMemGetInfo(size_t *available, size_t *total) {
  sim_hip_device *device = sim_hip_current();
  if (!available || !total)
    return sim_hip_refuse(hipErrorInvalidValue, "hipMemGetInfo: %s is null", available ? "total" : "free");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  *total = device->machine->memory_bytes;
  *available = *total - atomic_load(&device->used);
  return hipSuccess;
}

// ---- managed memory; advice about it is in advice.c

hipError_t hipMallocManaged(void **out, size_t size, unsigned flags) {
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost)
    return sim_hip_refuse(
        hipErrorInvalidValue,
        "hipMallocManaged: flags is 0x%x, it must be hipMemAttachGlobal or hipMemAttachHost", flags);
  if (!size) return sim_hip_refuse(hipErrorInvalidValue, "hipMallocManaged: the size is 0");
  return sim_hip_allocate("hipMallocManaged", out, size, SIM_MEMORY_MANAGED, flags);
}

// ---- host memory

static hipError_t allocate_host(const char *call, void **out, size_t size, unsigned flags) {
  const unsigned known = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                         hipHostMallocNumaUser | hipHostMallocCoherent | hipHostMallocNonCoherent;
  if (flags & ~known)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: flags 0x%x has unknown bits 0x%x", call, flags,
                          flags & ~known);
  if (flags & hipHostMallocCoherent && flags & hipHostMallocNonCoherent)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: flags 0x%x ask for coherent and for other memory", call,
                          flags);
  return sim_hip_allocate(call, out, size, SIM_MEMORY_HOST, flags);
}

hipError_t hipHostMalloc(void **out, size_t size, unsigned flags) {
  return allocate_host("hipHostMalloc", out, size, flags);
}
hipError_t hipHostAlloc(void **out, size_t size, unsigned flags) {
  return allocate_host("hipHostAlloc", out, size, flags);
}
// HIP 6.3 and later call this: their hipHostMalloc of two arguments is an inline call of it.
SIM_HIP_EXPORT hipError_t hipExtHostAlloc(void **out, size_t size, unsigned flags);
hipError_t hipExtHostAlloc(void **out, size_t size, unsigned flags) {
  return allocate_host("hipExtHostAlloc", out, size, flags);
}
hipError_t hipMallocHost(void **out, size_t size) { return allocate_host("hipMallocHost", out, size, 0); }
hipError_t hipMemAllocHost(void **out, size_t size) { return allocate_host("hipMemAllocHost", out, size, 0); }
hipError_t hipHostFree(void *base) { return release("hipHostFree", base); }
hipError_t hipFreeHost(void *base) { return release("hipFreeHost", base); }

// A program may free registered memory, and register the same range anew when it gets it again: ROCm takes
// that.
static bool is_registered(const void *base, size_t size) {
  sim_allocation a;
  return sim_memory_find((uintptr_t)base, &a) && a.base == (uintptr_t)base && a.size == size &&
         a.flags & SIM_HIP_REGISTERED;
}

hipError_t hipHostRegister(void *base, size_t size, unsigned flags) {
  const unsigned known = hipHostRegisterPortable | hipHostRegisterMapped | hipExtHostRegisterCoarseGrained;
  sim_hip_device *device = sim_hip_current();
  if (!device) return sim_hip_result(hipErrorNoDevice);
  if (!base || !size || (uintptr_t)base + size < (uintptr_t)base)
    return sim_hip_refuse(hipErrorInvalidValue, "hipHostRegister: %zu bytes at %p is not a range", size,
                          base);
  if (msync((void *)((uintptr_t)base / PAGE * PAGE), size + (uintptr_t)base % PAGE, MS_ASYNC))
    return sim_hip_refuse(hipErrorInvalidValue,
                          "hipHostRegister: not all of %zu bytes at %p is memory of this process", size,
                          base);
  if (flags & ~known)
    return sim_hip_refuse(hipErrorInvalidValue, "hipHostRegister: flags 0x%x has unknown bits 0x%x", flags,
                          flags & ~known);
  if (is_registered(base, size)) sim_memory_remove((uintptr_t)base);
  if (!sim_memory_add((sim_allocation){.base = (uintptr_t)base,
                                       .size = size,
                                       .kind = SIM_MEMORY_HOST,
                                       .device = device->ordinal,
                                       .flags = flags | SIM_HIP_REGISTERED}))
    return sim_hip_refuse(
        hipErrorHostMemoryAlreadyRegistered,
        "hipHostRegister: %zu bytes at %p overlap memory that is registered or allocated already", size,
        base);
  return hipSuccess;
}

hipError_t hipHostUnregister(void *base) {
  sim_allocation a;
  if (!base) return sim_hip_refuse(hipErrorInvalidValue, "hipHostUnregister: the pointer is null");
  if (!sim_memory_find((uintptr_t)base, &a) || a.base != (uintptr_t)base || !(a.flags & SIM_HIP_REGISTERED))
    return sim_hip_refuse(hipErrorHostMemoryNotRegistered,
                          "hipHostUnregister: %p is not the start of registered memory", base);
  sim_hip_hold(NULL);
  sim_memory_remove(a.base);
  sim_hip_let_go();
  return hipSuccess;
}

hipError_t hipHostGetFlags(unsigned *flags, void *pointer) {
  sim_allocation a;
  if (!flags) return sim_hip_refuse(hipErrorInvalidValue, "hipHostGetFlags: the result pointer is null");
  if (!sim_memory_find((uintptr_t)pointer, &a) || a.kind != SIM_MEMORY_HOST)
    return sim_hip_refuse(hipErrorInvalidValue, "hipHostGetFlags: %p is not pinned host memory", pointer);
  *flags = a.flags & ~(unsigned)SIM_HIP_OWN_FLAGS;
  return hipSuccess;
}

hipError_t hipHostGetDevicePointer(void **out, void *pointer, unsigned flags) {
  sim_allocation a;
  if (!out)
    return sim_hip_refuse(hipErrorInvalidValue, "hipHostGetDevicePointer: the result pointer is null");
  if (flags)
    return sim_hip_refuse(hipErrorInvalidValue, "hipHostGetDevicePointer: flags is 0x%x, it must be 0",
                          flags);
  if (!sim_memory_find((uintptr_t)pointer, &a) || a.kind != SIM_MEMORY_HOST)
    return sim_hip_refuse(
        hipErrorInvalidValue,
        "hipHostGetDevicePointer: %p is not pinned host memory; use hipHostMalloc or hipHostRegister",
        pointer);
  *out = pointer;
  return hipSuccess;
}
