// SPDX-License-Identifier: MIT
// Shares device memory between several processes of one machine. When a program asks for a handle, the
// allocation is moved, at its addresses, into a file in memory; the handle says which process holds which
// file, and another process maps it from there.
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/hip/memory/pool.h"
#include "sim/hip/shared_file.h"
#include "sim/hip/streams/order.h"

enum { PAGE = 4096 };

// Says what hipIpcMemHandle_t holds.
typedef struct memory_handle {
  char magic[8];
  sim_hip_shared_file file;
  int32_t device;
  uint64_t size, offset;  // bytes of the allocation; where in it the pointer was
} memory_handle;
_Static_assert(sizeof(memory_handle) <= sizeof(hipIpcMemHandle_t), "the handle fits");
static const char magic[8] = "wt-ipc1";

typedef struct shared {
  void *base;
  memory_handle handle;
  size_t opened;  // how many times it was opened; 0: memory of this process
  struct shared *next;
} shared;

static shared *all;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards everything in this file

static size_t pages(size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

static hipError_t bad(const char *call, const char *why) {
  return sim_hip_refuse(hipErrorInvalidValue, "%s: %s", call, why);
}

// ---- giving memory away

// Writes the pages that are not zero: a file has no bytes where nothing was written.
static bool copy_pages(int file, const char *base, size_t size) {
  static const char zeros[PAGE];
  if (ftruncate(file, (off_t)size)) return false;
  for (size_t at = 0; at < size; at += PAGE)
    if (memcmp(base + at, zeros, PAGE) && pwrite(file, base + at, PAGE, (off_t)at) != PAGE) return false;
  return true;
}

static bool move_to_file(const sim_allocation *a, int file) {
  void *base = (void *)(uintptr_t)a->base;
  const size_t size = pages(a->size);
  return copy_pages(file, base, size) &&
         mmap(base, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file, 0) == base;
}

// The caller holds the lock.
static shared *share(const sim_allocation *a) {
  for (shared *s = all; s; s = s->next)
    if (!s->opened && s->base == (void *)(uintptr_t)a->base) return s;
  shared *s = calloc(1, sizeof *s);
  sim_hip_shared_file file;
  const bool made = s && sim_hip_share_file(&file);
  if (!made || !move_to_file(a, file.file)) {
    if (made) close(file.file);
    free(s);
    return NULL;
  }
  *s = (shared){.base = (void *)(uintptr_t)a->base,
                .handle = {.file = file, .device = a->device, .size = a->size},
                .next = all};
  memcpy(s->handle.magic, magic, sizeof magic);
  return all = s;
}

hipError_t sim_hip_ipc_export(const char *call, const sim_allocation *a, const void *pointer, void *handle) {
  sim_hip_hold(NULL);  // nothing may write to the memory while it is moved
  pthread_mutex_lock(&lock);
  const shared *s = share(a);
  if (s) {
    memory_handle content = s->handle;
    content.offset = (uintptr_t)pointer - a->base;
    memset(handle, 0, sizeof(hipIpcMemHandle_t));
    memcpy(handle, &content, sizeof content);
  }
  pthread_mutex_unlock(&lock);
  sim_hip_let_go();
  return s ? hipSuccess
           : sim_hip_refuse(hipErrorOutOfMemory, "%s: the host has no memory: %s", call, strerror(errno));
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *out, void *pointer) {
  const char *call = "hipIpcGetMemHandle";
  sim_allocation a;
  if (!out || !pointer) return bad(call, out ? "the pointer is null" : "the result pointer is null");
  if (!sim_memory_find((uintptr_t)pointer, &a) || a.kind != SIM_MEMORY_DEVICE ||
      a.flags & (SIM_HIP_POOLED | SIM_HIP_GRAPHED | SIM_HIP_MAPPED | SIM_HIP_IMPORTED) ||
      !sim_hip_handle_is((void *)(uintptr_t)a.base, SIM_HIP_ALLOCATION))
    return bad(call, "the pointer is not in memory of hipMalloc");
  return sim_hip_ipc_export(call, &a, pointer, out);
}

void sim_hip_ipc_forget(const void *base) {
  pthread_mutex_lock(&lock);
  shared **link = &all, *s;
  while ((s = *link) && (s->opened || s->base != base)) link = &s->next;
  if (s) *link = s->next;
  pthread_mutex_unlock(&lock);
  if (s) close(s->handle.file.file);
  free(s);
}

// ---- taking it

// Maps memory that another process holds and lists it. Returns NULL when it cannot be opened.
static void *map(const memory_handle *h, const sim_hip_device *device, unsigned flags) {
  const int file = sim_hip_open_shared_file(&h->file);
  if (file < 0) return NULL;
  void *base = mmap(NULL, pages(h->size), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  if (base == MAP_FAILED) return NULL;
  if (sim_memory_add((sim_allocation){.base = (uintptr_t)base,
                                      .size = h->size,
                                      .kind = SIM_MEMORY_DEVICE,
                                      .device = device->ordinal,
                                      .flags = flags}))
    return base;
  munmap(base, pages(h->size));
  return NULL;
}

// The caller holds the lock.
static shared *open_shared(const memory_handle *h) {
  for (shared *s = all; s; s = s->next)
    if (s->opened && s->handle.file.process == h->file.process && s->handle.file.serial == h->file.serial)
      return s;
  const sim_hip_device *device = sim_hip_device_at(h->device);
  void *base = map(h, device ? device : sim_hip_current(), SIM_HIP_MAPPED);
  shared *s = base ? calloc(1, sizeof *s) : NULL;
  if (s) {
    *s = (shared){.base = base, .handle = *h, .next = all};
    return all = s;
  }
  if (base) {
    sim_memory_remove((uintptr_t)base);
    munmap(base, pages(h->size));
  }
  return NULL;
}

static bool is_handle(const memory_handle *h) {
  return !memcmp(h->magic, magic, sizeof magic) && h->size && h->offset < h->size;
}

hipError_t sim_hip_ipc_import(const char *call, const void *handle, sim_hip_device *device, void **out) {
  memory_handle content;
  memcpy(&content, handle, sizeof content);
  if (!is_handle(&content)) return bad(call, "the data is none of hipMemPoolExportPointer");
  void *base = map(&content, device, SIM_HIP_IMPORTED);
  if (!base) return bad(call, "the memory cannot be opened: it was freed, or its process is gone");
  *out = base;
  return sim_hip_result(sim_hip_handle_add(base, SIM_HIP_ALLOCATION, device) ? hipSuccess
                                                                             : hipErrorOutOfMemory);
}

void sim_hip_ipc_unmap(void *base, size_t size) { munmap(base, pages(size)); }

hipError_t hipIpcOpenMemHandle(void **out, hipIpcMemHandle_t given, unsigned flags) {
  const char *call = "hipIpcOpenMemHandle";
  memory_handle handle;
  memcpy(&handle, &given, sizeof handle);
  if (!out) return bad(call, "the result pointer is null");
  if (!sim_hip_current()) return sim_hip_result(hipErrorNoDevice);
  if (flags > 1) return bad(call, "flags must be hipIpcMemLazyEnablePeerAccess");  // 0 in HIP 5, 1 in HIP 6
  if (!is_handle(&handle)) return bad(call, "the handle is none of hipIpcGetMemHandle");
  if (handle.file.process == getpid())
    return sim_hip_refuse(hipErrorInvalidContext, "%s: the memory belongs to this process, use its pointer",
                          call);
  pthread_mutex_lock(&lock);
  shared *s = open_shared(&handle);
  if (s) {
    ++s->opened;
    *out = (char *)s->base + handle.offset;
  }
  pthread_mutex_unlock(&lock);
  return s ? hipSuccess : bad(call, "the memory cannot be opened: it was freed, or its process is gone");
}

hipError_t hipIpcCloseMemHandle(void *pointer) {
  const char *call = "hipIpcCloseMemHandle";
  sim_hip_hold(NULL);  // work may be using the memory
  pthread_mutex_lock(&lock);
  shared **link = &all, *s;
  while ((s = *link) && (!s->opened || (uintptr_t)pointer - (uintptr_t)s->base >= s->handle.size))
    link = &s->next;
  const bool found = s != NULL, last = found && !--s->opened;
  if (last) {
    *link = s->next;
    sim_memory_remove((uintptr_t)s->base);
    munmap(s->base, pages(s->handle.size));
  }
  pthread_mutex_unlock(&lock);
  sim_hip_let_go();
  if (last) free(s);
  return found ? hipSuccess : bad(call, "the pointer is none of hipIpcOpenMemHandle");
}
