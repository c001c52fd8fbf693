// SPDX-License-Identifier: MIT
// Device memory that several processes of one machine use. When a program asks for a handle, the allocation
// is moved, at its addresses, into a file in memory; the handle says which process holds which file, and
// another process maps it from there.
#define _GNU_SOURCE  // memfd_create
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sim/hip/memory/pool.h"
#include "sim/hip/streams/order.h"

enum { PAGE = 4096 };

// What hipIpcMemHandle_t holds.
typedef struct memory_handle {
  char magic[8];
  int32_t process, file, device;
  uint32_t serial;  // of the file in its process: part of its name, so that a handle never fits another one
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
static uint32_t last_serial;
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
  char name[64];
  snprintf(name, sizeof name, "wavetile-ipc-%u", ++last_serial);
  const int file = s ? memfd_create(name, MFD_CLOEXEC) : -1;
  if (file < 0 || !move_to_file(a, file)) {
    if (file >= 0) close(file);
    free(s);
    return NULL;
  }
  *s = (shared){.base = (void *)(uintptr_t)a->base,
                .handle = {.process = getpid(),
                           .file = file,
                           .device = a->device,
                           .serial = last_serial,
                           .size = a->size},
                .next = all};
  memcpy(s->handle.magic, magic, sizeof magic);
  return all = s;
}

hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *out, void *pointer) {
  const char *call = "hipIpcGetMemHandle";
  sim_allocation a;
  if (!out || !pointer) return bad(call, out ? "the pointer is null" : "the result pointer is null");
  if (!sim_memory_find((uintptr_t)pointer, &a) || a.kind != SIM_MEMORY_DEVICE ||
      a.flags & (SIM_HIP_POOLED | SIM_HIP_GRAPHED | SIM_HIP_MAPPED) ||
      !sim_hip_handle_is((void *)(uintptr_t)a.base, SIM_HIP_ALLOCATION))
    return bad(call, "the pointer is not in memory of hipMalloc");
  sim_hip_hold(NULL);  // nothing may write to the memory while it is moved
  pthread_mutex_lock(&lock);
  const shared *s = share(&a);
  if (s) {
    memory_handle handle = s->handle;
    handle.offset = (uintptr_t)pointer - a.base;
    memset(out, 0, sizeof *out);
    memcpy(out, &handle, sizeof handle);
  }
  pthread_mutex_unlock(&lock);
  sim_hip_let_go();
  return s ? hipSuccess
           : sim_hip_refuse(hipErrorOutOfMemory, "%s: the host has no memory: %s", call, strerror(errno));
}

void sim_hip_ipc_forget(const void *base) {
  pthread_mutex_lock(&lock);
  shared **link = &all, *s;
  while ((s = *link) && (s->opened || s->base != base)) link = &s->next;
  if (s) *link = s->next;
  pthread_mutex_unlock(&lock);
  if (s) close(s->handle.file);
  free(s);
}

// ---- taking it

// Opens the file that another process holds, if it still is the one that the handle means.
static int open_file(const memory_handle *h) {
  char path[64], target[128] = "", name[64];
  snprintf(path, sizeof path, "/proc/%d/fd/%d", h->process, h->file);
  snprintf(name, sizeof name, "/memfd:wavetile-ipc-%u ", h->serial);  // " (deleted)" follows
  return readlink(path, target, sizeof target - 1) > 0 && !strncmp(target, name, strlen(name))
             ? open(path, O_RDWR | O_CLOEXEC)
             : -1;
}

// The caller holds the lock.
static shared *open_shared(const memory_handle *h) {
  for (shared *s = all; s; s = s->next)
    if (s->opened && s->handle.process == h->process && s->handle.serial == h->serial) return s;
  const int file = open_file(h);
  if (file < 0) return NULL;
  shared *s = calloc(1, sizeof *s);
  void *base = mmap(NULL, pages(h->size), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
  close(file);
  const sim_hip_device *device =
      sim_hip_device_at(h->device) ? sim_hip_device_at(h->device) : sim_hip_current();
  if (s && base != MAP_FAILED &&
      sim_memory_add((sim_allocation){.base = (uintptr_t)base,
                                      .size = h->size,
                                      .kind = SIM_MEMORY_DEVICE,
                                      .device = device->ordinal,
                                      .flags = SIM_HIP_MAPPED})) {
    *s = (shared){.base = base, .handle = *h, .next = all};
    return all = s;
  }
  if (base != MAP_FAILED) munmap(base, pages(h->size));
  free(s);
  return NULL;
}

hipError_t hipIpcOpenMemHandle(void **out, hipIpcMemHandle_t given, unsigned flags) {
  const char *call = "hipIpcOpenMemHandle";
  memory_handle handle;
  memcpy(&handle, &given, sizeof handle);
  if (!out) return bad(call, "the result pointer is null");
  if (!sim_hip_current()) return sim_hip_result(hipErrorNoDevice);
  if (flags > 1) return bad(call, "flags must be hipIpcMemLazyEnablePeerAccess");  // 0 in HIP 5, 1 in HIP 6
  if (memcmp(handle.magic, magic, sizeof magic) || !handle.size || handle.offset >= handle.size)
    return bad(call, "the handle is none of hipIpcGetMemHandle");
  if (handle.process == getpid())
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
