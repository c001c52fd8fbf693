// SPDX-License-Identifier: MIT
// Virtual memory management: addresses are reserved, physical memory is created apart from them, and the two
// are joined by mappings. Physical memory is a file in memory, which can be mapped at several addresses and
// handed to another process as a file descriptor.
#define _GNU_SOURCE  // memfd_create
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sim/hip/caller.h"
#include "sim/hip/memory/pool.h"
#include "sim/hip/streams/order.h"

// ROCm tells this unit: HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, a page of 4 KiB
// (rocclr/device/rocm/rocdevice.cpp of ROCm/clr).
enum { GRANULE = 4096 };

static const char file_name[] = "wavetile-memory", file_link[] = "/memfd:wavetile-memory";

// This is hipMemAllocationProp of HIP 6 (include/hip/hip_runtime_api.h of ROCm/HIP), which orders the members
// anew.
typedef struct properties6 {
  int type, handle_type;
  hipMemLocation location;
  void *win32;
  unsigned char compression, rdma;
  unsigned short usage;
} properties6;

// Describes physical memory. It lives until its handle is released and nothing is mapped any more.
struct ihipMemGenericAllocationHandle {
  sim_hip_device *device;
  hipMemAllocationProp properties;
  size_t size;
  int file;
  bool imported;         // another handle, perhaps of another process, accounts for the bytes
  size_t handles, maps;  // how many times the handle is still to be released; mappings of the memory
};

typedef struct reservation {
  uintptr_t base;
  size_t size;
  struct reservation *next;
} reservation;

typedef struct mapping {
  uintptr_t base;
  size_t size;
  hipMemGenericAllocationHandle_t memory;
  uint32_t access[2];  // bit d: device d may read, may write
  struct mapping *next;
} mapping;

static reservation *reservations;
static mapping *mappings;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards everything in this file

static hipError_t bad(const char *call, const char *why) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call, why);
}

static hipError_t need_memory(const char *call, hipMemGenericAllocationHandle_t handle) {
  return sim_hip_handle_is(handle, SIM_HIP_PHYSICAL) ? hipSuccess
                                                     : bad(call, "the handle is no memory of this runtime");
}

// ---- properties in the caller's layout

static void read_properties(const void *caller, const void *from, hipMemAllocationProp *out) {
  if (!sim_hip_caller_is_of_rocm6(caller)) {
    memcpy(out, from, sizeof *out);
    return;
  }
  const properties6 *p = from;
  *out = (hipMemAllocationProp){.compressionType = p->compression,
                                .location = p->location,
                                .requestedHandleType = (hipMemAllocationHandleType)p->handle_type,
                                .type = (hipMemAllocationType)p->type,
                                .usage = p->usage,
                                .win32HandleMetaData = p->win32};
}

static void write_properties(const void *caller, const hipMemAllocationProp *from, void *out) {
  if (!sim_hip_caller_is_of_rocm6(caller)) {
    memcpy(out, from, sizeof *from);
    return;
  }
  *(properties6 *)out = (properties6){.type = (int)from->type,
                                      .handle_type = (int)from->requestedHandleType,
                                      .location = from->location,
                                      .win32 = from->win32HandleMetaData,
                                      .compression = from->compressionType,
                                      .usage = from->usage};
}

// Memory of a device is the only kind.
static hipError_t check_properties(const char *call, const hipMemAllocationProp *p) {
  if (p->type != hipMemAllocationTypePinned || p->location.type != hipMemLocationTypeDevice)
    return bad(call, "the memory must be pinned memory of a device");
  if (!sim_hip_device_at(p->location.id))
    return sim_hip_refuse(hipErrorInvalidValue, "%s: device %d does not exist; there are %d", call,
                          p->location.id, sim_hip_device_count());
  return hipSuccess;
}

hipError_t hipMemGetAllocationGranularity(size_t *out, const hipMemAllocationProp *prop,
                                          hipMemAllocationGranularity_flags option) {
  const char *call = "hipMemGetAllocationGranularity";
  hipMemAllocationProp p;
  if (!out || !prop) return bad(call, out ? "prop is null" : "granularity is null");
  if (option != hipMemAllocationGranularityMinimum && option != hipMemAllocationGranularityRecommended)
    return bad(call, "the option is neither the minimum nor the recommended granularity");
  read_properties(SIM_HIP_CALLER, prop, &p);
  hipError_t error = check_properties(call, &p);
  if (error == hipSuccess) *out = GRANULE;
  return error;
}

// ---- addresses

hipError_t hipMemAddressReserve(void **out, size_t size, size_t alignment, void *wish,
                                unsigned long long flags) {
  const char *call = "hipMemAddressReserve";
  if (!out || flags) return bad(call, out ? "flags must be 0" : "the result pointer is null");
  if (!size || size % GRANULE || size > SIZE_MAX / 2 || (alignment & (alignment - 1)))
    return sim_hip_refuse(hipErrorMemoryAllocation,
                          "%s: %zu bytes aligned to %zu; the size must be a multiple of %d and the alignment "
                          "a power of two",
                          call, size, alignment, (int)GRANULE);
  *out = NULL;
  reservation *r = malloc(sizeof *r);
  void *base = r ? sim_hip_reserve(wish, size, alignment > GRANULE ? alignment : GRANULE) : NULL;
  if (!base) {
    free(r);
    return sim_hip_refuse(hipErrorOutOfMemory, "%s: the host has no address space for %zu bytes", call, size);
  }
  pthread_mutex_lock(&lock);
  *r = (reservation){(uintptr_t)base, size, reservations};
  reservations = r;
  pthread_mutex_unlock(&lock);
  *out = base;
  return hipSuccess;
}

// The caller holds the lock in these.
static bool overlaps(const mapping *m, uintptr_t base, size_t size) {
  return m->base < base + size && base < m->base + m->size;
}

static mapping *overlapping(uintptr_t base, size_t size) {
  mapping *m = mappings;
  while (m && !overlaps(m, base, size)) m = m->next;
  return m;
}

// Returns how many bytes of the range whole mappings cover.
static size_t covered(uintptr_t base, size_t size) {
  size_t bytes = 0;
  for (const mapping *m = mappings; m; m = m->next)
    if (m->base >= base && m->base + m->size <= base + size) bytes += m->size;
  return bytes;
}

static bool is_reserved(uintptr_t base, size_t size) {
  const reservation *r = reservations;
  while (r && (base < r->base || base - r->base > r->size || size > r->size - (base - r->base))) r = r->next;
  return r != NULL;
}

hipError_t hipMemAddressFree(void *base, size_t size) {
  const char *call = "hipMemAddressFree";
  if (!base || !size) return bad(call, base ? "the size is 0" : "the address is null");
  hipError_t error = hipSuccess;
  pthread_mutex_lock(&lock);
  reservation **link = &reservations, *r;
  while ((r = *link) && (r->base != (uintptr_t)base || r->size != size)) link = &r->next;
  if (!r)
    error = sim_hip_refuse(hipErrorInvalidValue, "%s: %zu bytes at %p are no reservation", call, size, base);
  else if (overlapping(r->base, r->size))
    error = bad(call, "memory is still mapped there, unmap it first");
  else
    *link = r->next;
  pthread_mutex_unlock(&lock);
  if (error != hipSuccess) return error;
  munmap(base, size);
  free(r);
  return hipSuccess;
}

// ---- physical memory

static hipMemGenericAllocationHandle_t make(sim_hip_device *device, const hipMemAllocationProp *properties,
                                            size_t size, int file, bool imported) {
  hipMemGenericAllocationHandle_t memory = malloc(sizeof *memory);
  if (memory)
    *memory = (struct ihipMemGenericAllocationHandle){.device = device,
                                                      .properties = *properties,
                                                      .size = size,
                                                      .file = file,
                                                      .imported = imported,
                                                      .handles = 1};
  if (memory && sim_hip_handle_add(memory, SIM_HIP_PHYSICAL, device)) return memory;
  free(memory);
  return NULL;
}

hipError_t hipMemCreate(hipMemGenericAllocationHandle_t *out, size_t size, const hipMemAllocationProp *prop,
                        unsigned long long flags) {
  const char *call = "hipMemCreate";
  hipMemAllocationProp p;
  if (!out || !prop || flags)
    return bad(call, !out ? "the result pointer is null" : !prop ? "prop is null" : "flags must be 0");
  if (!size || size % GRANULE)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: %zu bytes; the size must be a multiple of %d", call,
                          size, (int)GRANULE);
  read_properties(SIM_HIP_CALLER, prop, &p);
  hipError_t error = check_properties(call, &p);
  if (error != hipSuccess) return error;
  if (p.requestedHandleType != hipMemHandleTypeNone &&
      p.requestedHandleType != hipMemHandleTypePosixFileDescriptor)
    return sim_hip_refuse(hipErrorNotSupported, "%s: handle type %d; there are file descriptors only", call,
                          (int)p.requestedHandleType);
  sim_hip_device *device = sim_hip_device_at(p.location.id);
  if (!sim_hip_take(device, size))
    return sim_hip_refuse(hipErrorOutOfMemory, "%s: %zu bytes do not fit, %s has %llu bytes free", call, size,
                          device->machine->product,
                          (unsigned long long)(device->machine->memory_bytes - atomic_load(&device->used)));
  const int file = memfd_create(file_name, MFD_CLOEXEC);
  *out = file >= 0 && !ftruncate(file, (off_t)size) ? make(device, &p, size, file, false) : NULL;
  if (*out) return hipSuccess;
  const int reason = errno;
  if (file >= 0) close(file);
  sim_hip_give(device, size);
  return sim_hip_refuse(hipErrorOutOfMemory, "%s: the host has no memory: %s", call, strerror(reason));
}

// The caller holds the lock.
static void drop_unused(hipMemGenericAllocationHandle_t memory) {
  if (memory->handles || memory->maps) return;
  if (!memory->imported) sim_hip_give(memory->device, memory->size);
  close(memory->file);
  free(memory);
}

hipError_t hipMemRelease(hipMemGenericAllocationHandle_t memory) {
  hipError_t error = need_memory("hipMemRelease", memory);
  if (error != hipSuccess) return error;
  pthread_mutex_lock(&lock);
  if (!--memory->handles) sim_hip_handle_remove(memory, SIM_HIP_PHYSICAL);
  drop_unused(memory);
  pthread_mutex_unlock(&lock);
  return hipSuccess;
}

hipError_t hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp *out,
                                                   hipMemGenericAllocationHandle_t memory) {
  const char *call = "hipMemGetAllocationPropertiesFromHandle";
  if (!out) return bad(call, "the result pointer is null");
  hipError_t error = need_memory(call, memory);
  if (error == hipSuccess) write_properties(SIM_HIP_CALLER, &memory->properties, out);
  return error;
}

// ---- mappings

hipError_t hipMemMap(void *base, size_t size, size_t offset, hipMemGenericAllocationHandle_t memory,
                     unsigned long long flags) {
  const char *call = "hipMemMap";
  if (!base || !size || flags)
    return bad(call, !base ? "the address is null" : !size ? "the size is 0" : "flags must be 0");
  hipError_t error = need_memory(call, memory);
  if (error != hipSuccess) return error;
  if (offset || size > memory->size || size % GRANULE || (uintptr_t)base % GRANULE)
    return sim_hip_refuse(
        hipErrorInvalidValue,
        "%s: %zu bytes at offset %zu to %p; the memory has %zu bytes, the offset must be 0, "
        "address and size multiples of %d",
        call, size, offset, base, memory->size, (int)GRANULE);
  mapping *m = malloc(sizeof *m);
  if (!m) return sim_hip_result(hipErrorOutOfMemory);
  pthread_mutex_lock(&lock);
  if (!is_reserved((uintptr_t)base, size))
    error = sim_hip_refuse(hipErrorInvalidValue, "%s: %zu bytes at %p are not reserved", call, size, base);
  else if (overlapping((uintptr_t)base, size))
    error = bad(call, "memory is mapped there already, unmap it first");
  else if (mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, memory->file,
                0) == MAP_FAILED)
    error = sim_hip_refuse(hipErrorMapFailed, "%s: %s", call, strerror(errno));
  if (error == hipSuccess) {
    *m = (mapping){.base = (uintptr_t)base, .size = size, .memory = memory, .next = mappings};
    mappings = m;
    ++memory->maps;
  }
  pthread_mutex_unlock(&lock);
  if (error != hipSuccess) free(m);
  return error;
}

// The range is one mapping, or several side by side. No work runs meanwhile.
static hipError_t unmap(const char *call, void *base, size_t size) {
  hipError_t error = hipSuccess;
  pthread_mutex_lock(&lock);
  if (covered((uintptr_t)base, size) != size)
    error = sim_hip_refuse(hipErrorInvalidValue, "%s: %zu bytes at %p are no mapping", call, size, base);
  for (mapping **link = &mappings, *m; error == hipSuccess && (m = *link);) {
    if (!overlaps(m, (uintptr_t)base, size)) {
      link = &m->next;
      continue;
    }
    *link = m->next;
    sim_memory_remove(m->base);
    mmap((void *)m->base, m->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    --m->memory->maps;
    drop_unused(m->memory);
    free(m);
  }
  pthread_mutex_unlock(&lock);
  return error;
}

hipError_t hipMemUnmap(void *base, size_t size) {
  const char *call = "hipMemUnmap";
  if (!base || !size) return bad(call, base ? "the size is 0" : "the address is null");
  sim_hip_hold(NULL);
  hipError_t error = unmap(call, base, size);
  sim_hip_let_go();
  return error;
}

hipError_t hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t *out, void *address) {
  const char *call = "hipMemRetainAllocationHandle";
  if (!out || !address) return bad(call, out ? "the address is null" : "the result pointer is null");
  pthread_mutex_lock(&lock);
  const mapping *m = overlapping((uintptr_t)address, 1);
  // A handle that was released while the memory was mapped is given out anew.
  bool ok = m && (m->memory->handles || sim_hip_handle_add(m->memory, SIM_HIP_PHYSICAL, m->memory->device));
  if (ok) {
    ++m->memory->handles;
    *out = m->memory;
  }
  pthread_mutex_unlock(&lock);
  return ok ? hipSuccess : bad(call, "no memory is mapped at the address");
}

// ---- access. Kernels find a mapping in the table of allocations when some device has access.

static bool list(const mapping *m) {
  const uint32_t devices = m->access[0];
  if (!devices) {
    sim_memory_remove(m->base);
    return true;
  }
  sim_allocation known;
  if (!sim_memory_find(m->base, &known) &&
      !sim_memory_add((sim_allocation){.base = m->base,
                                       .size = m->size,
                                       .kind = SIM_MEMORY_DEVICE,
                                       .device = m->memory->device->ordinal,
                                       .flags = SIM_HIP_MAPPED}))
    return false;
  return sim_memory_share(m->base, devices);
}

static hipError_t check_access(const char *call, const hipMemAccessDesc *d) {
  if (d->location.type != hipMemLocationTypeDevice || !sim_hip_device_at(d->location.id))
    return bad(call, "an entry of the list is not for a device that exists");
  if (d->flags != hipMemAccessFlagsProtNone && d->flags != hipMemAccessFlagsProtRead &&
      d->flags != hipMemAccessFlagsProtReadWrite)
    return bad(call, "an entry of the list asks for an access that is not known");
  return hipSuccess;
}

hipError_t hipMemSetAccess(void *base, size_t size, const hipMemAccessDesc *wanted, size_t count) {
  const char *call = "hipMemSetAccess";
  if (!base || !size || !wanted || !count)
    return bad(call, !base ? "the address is null" : !size ? "the size is 0" : "the list is empty");
  hipError_t error = hipSuccess;
  for (size_t i = 0; error == hipSuccess && i < count; ++i) error = check_access(call, &wanted[i]);
  if (error != hipSuccess) return error;
  const uintptr_t begin = (uintptr_t)base;
  pthread_mutex_lock(&lock);
  if (covered(begin, size) != size) error = bad(call, "the range does not consist of whole mappings");
  for (mapping *m = mappings; error == hipSuccess && m; m = m->next) {
    if (!overlaps(m, begin, size)) continue;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t bit = 1u << wanted[i].location.id;
      for (unsigned k = 0; k < 2; ++k)
        m->access[k] = (wanted[i].flags >> k & 1) != 0 ? m->access[k] | bit : m->access[k] & ~bit;
    }
    if (!list(m)) error = sim_hip_result(hipErrorOutOfMemory);
  }
  pthread_mutex_unlock(&lock);
  return error;
}

hipError_t hipMemGetAccess(unsigned long long *flags, const hipMemLocation *location, void *address) {
  const char *call = "hipMemGetAccess";
  if (!flags || !location || !address) return bad(call, "a pointer is null");
  if (location->type != hipMemLocationTypeDevice || !sim_hip_device_at(location->id))
    return bad(call, "the location is not a device that exists");
  pthread_mutex_lock(&lock);
  const mapping *m = overlapping((uintptr_t)address, 1);
  if (m) *flags = (m->access[0] >> location->id & 1) | (m->access[1] >> location->id & 1) << 1;
  pthread_mutex_unlock(&lock);
  return m ? hipSuccess : bad(call, "no memory is mapped at the address");
}

// ---- other processes

hipError_t hipMemExportToShareableHandle(void *out, hipMemGenericAllocationHandle_t memory,
                                         hipMemAllocationHandleType type, unsigned long long flags) {
  const char *call = "hipMemExportToShareableHandle";
  if (!out || flags) return bad(call, out ? "flags must be 0" : "the result pointer is null");
  hipError_t error = need_memory(call, memory);
  if (error != hipSuccess) return error;
  if (type != hipMemHandleTypePosixFileDescriptor || memory->properties.requestedHandleType != type)
    return bad(call, "the memory was not created with handles of this type, or it is no file descriptor");
  const int file = fcntl(memory->file, F_DUPFD_CLOEXEC, 0);
  if (file < 0) return sim_hip_refuse(hipErrorOperatingSystem, "%s: %s", call, strerror(errno));
  *(int *)out = file;
  return hipSuccess;
}

// The size of memory that a runtime like this one has exported as the file; 0 for any other file.
static size_t exported_size(int file) {
  char path[64], target[PATH_MAX];
  struct stat status;
  snprintf(path, sizeof path, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(path, target, sizeof target - 1);
  if (length < 0) return 0;
  target[length] = 0;
  return !strncmp(target, file_link, sizeof file_link - 1) && !fstat(file, &status) ? (size_t)status.st_size
                                                                                    : 0;
}

// ROCm takes the address of the descriptor, CUDA, its model, the descriptor itself; no address is that small.
hipError_t hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t *out, void *handle,
                                           hipMemAllocationHandleType type) {
  const char *call = "hipMemImportFromShareableHandle";
  sim_hip_device *device = sim_hip_current();
  if (!out || !handle)
    return bad(call, out ? "the file descriptor is missing" : "the result pointer is null");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  if (type != hipMemHandleTypePosixFileDescriptor) return bad(call, "the handle type is no file descriptor");
  const int given = (uintptr_t)handle < 65536 ? (int)(uintptr_t)handle : *(int *)handle;
  const size_t size = exported_size(given);
  if (!size)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: file descriptor %d is no exported memory", call, given);
  const int file = fcntl(given, F_DUPFD_CLOEXEC, 0);
  const hipMemAllocationProp properties = {.type = hipMemAllocationTypePinned,
                                           .location = {hipMemLocationTypeDevice, device->ordinal},
                                           .requestedHandleType = type};
  *out = file >= 0 ? make(device, &properties, size, file, true) : NULL;
  if (*out) return hipSuccess;
  if (file >= 0) close(file);
  return sim_hip_result(hipErrorOutOfMemory);
}

void sim_hip_virtual_reset(sim_hip_device *device) {
  for (hipMemGenericAllocationHandle_t m; (m = sim_hip_handle_any(SIM_HIP_PHYSICAL, device));)
    (void)hipMemRelease(m);
  for (mapping *m = mappings, *next; m; m = next) {
    next = m->next;
    if (m->memory->device == device) (void)unmap("hipDeviceReset", (void *)m->base, m->size);
  }
}
