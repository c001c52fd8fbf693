// SPDX-License-Identifier: MIT
// Implements what clang's HIP host code calls before main (clang CodeGen, CGCUDANV.cpp): registers the fat
// binary, its kernels and its variables by host address. The code object for a device is loaded when the
// first of them is used there.
#include <stdlib.h>
#include <string.h>

#include "sim/hip/streams/order.h"

enum { WRAPPER_MAGIC = 0x48495046 };  // "HIPF", section .hipFatBinSegment

typedef struct fat_wrapper {
  uint32_t magic, version;
  const void *binary;
  void *unused;
} fat_wrapper;

typedef struct fatbin {
  const void *binary;  // offload bundle; NULL when the wrapper was not understood
  hipModule_t modules[SIM_HIP_MAX_DEVICES];
  struct fatbin *next;
} fatbin;

// A kernel or a variable, found by its host address.
typedef struct symbol {
  const void *host;
  fatbin *owner;
  char *name;     // on the device
  bool variable;  // else a kernel
  size_t size;
  void *managed;  // storage of a managed variable; the device holds a pointer to it
  hipFunction_t functions[SIM_HIP_MAX_DEVICES];
  struct symbol *next;
} symbol;

enum { BUCKETS = 1024 };
static symbol *buckets[BUCKETS];
static fatbin *fatbins;                                   // all that are registered
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;  // guards everything in this file

static symbol **bucket(const void *host) {
  return &buckets[(uint64_t)(uintptr_t)host * 0x9e3779b97f4a7c15u >> 54];
}

static symbol *find(const void *host, bool variable) {
  for (symbol *s = *bucket(host); s; s = s->next)
    if (s->host == host && s->variable == variable) return s;
  return NULL;
}

static void add(fatbin *owner, const void *host, const char *name, bool variable, size_t size,
                void *managed) {
  symbol *s = calloc(1, sizeof *s);
  char *copy = strdup(name);
  if (!s || !copy) {
    sim_say("__hipRegister: out of host memory for \"%s\"", name);
    free(s);
    free(copy);
    return;
  }
  *s = (symbol){
      .host = host, .owner = owner, .name = copy, .variable = variable, .size = size, .managed = managed};
  pthread_mutex_lock(&lock);
  s->next = *bucket(host);
  *bucket(host) = s;
  pthread_mutex_unlock(&lock);
}

// ---- registration

#pragma GCC visibility push(default)
void **__hipRegisterFatBinary(const void *data);
void __hipUnregisterFatBinary(void **modules);
void __hipRegisterFunction(void **modules, const void *host, char *device_function, const char *name,
                           unsigned thread_limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *wave_size);
void __hipRegisterVar(void **modules, void *host, char *host_name, char *name, int external, size_t size,
                      int constant, int global);
void __hipRegisterManagedVar(void **modules, void **pointer, void *initial, const char *name, size_t size,
                             unsigned align);
void __hipRegisterSurface(void **modules, void *host, char *host_name, char *name, int type, int external);
void __hipRegisterTexture(void **modules, void *host, char *host_name, char *name, int type, int normalized,
                          int external);
#pragma GCC visibility pop

void **__hipRegisterFatBinary(const void *data) {
  const fat_wrapper *wrapper = data;
  fatbin *f = calloc(1, sizeof *f);
  if (!f) {
    sim_say("__hipRegisterFatBinary: out of host memory");
    return NULL;
  }
  if (wrapper && wrapper->magic == WRAPPER_MAGIC && wrapper->version == 1)
    f->binary = wrapper->binary;
  else
    sim_say(
        "__hipRegisterFatBinary: the wrapper is not of magic HIPF, version 1; was this built by clang in HIP "
        "mode?");
  pthread_mutex_lock(&lock);
  f->next = fatbins;
  fatbins = f;
  pthread_mutex_unlock(&lock);
  return (void **)f;
}

void __hipUnregisterFatBinary(void **modules) {
  fatbin *f = (fatbin *)modules;
  if (!f) return;
  sim_hip_hold(NULL);
  pthread_mutex_lock(&lock);
  for (int i = 0; i < BUCKETS; ++i)
    for (symbol **link = &buckets[i]; *link;) {
      symbol *s = *link;
      if (s->owner != f) {
        link = &s->next;
        continue;
      }
      *link = s->next;
      if (s->managed && sim_hip_handle_add(s->managed, SIM_HIP_ALLOCATION, NULL)) sim_hip_release(s->managed);
      free(s->name);
      free(s);
    }
  for (int i = 0; i < SIM_HIP_MAX_DEVICES; ++i)
    if (f->modules[i]) sim_hip_module_free(f->modules[i]);
  for (fatbin **link = &fatbins; *link; link = &(*link)->next)
    if (*link == f) {
      *link = f->next;
      break;
    }
  pthread_mutex_unlock(&lock);
  sim_hip_let_go();
  free(f);
}

void __hipRegisterFunction(void **modules, const void *host, char *device_function, const char *name,
                           unsigned thread_limit, void *tid, void *bid, dim3 *block, dim3 *grid,
                           int *wave_size) {
  (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)wave_size;
  if (modules) add((fatbin *)modules, host, name, false, 0, NULL);
}

void __hipRegisterVar(void **modules, void *host, char *host_name, char *name, int external, size_t size,
                      int constant, int global) {
  (void)host_name, (void)external, (void)constant, (void)global;
  if (modules) add((fatbin *)modules, host, name, true, size, NULL);
}

void __hipRegisterManagedVar(void **modules, void **pointer, void *initial, const char *name, size_t size,
                             unsigned align) {
  (void)align;  // allocations are aligned to pages
  void *storage = NULL;
  if (!modules) return;
  if (sim_hip_allocate("__hipRegisterManagedVar", &storage, size, SIM_MEMORY_MANAGED, hipMemAttachGlobal) !=
          hipSuccess ||
      !storage)
    return;
  sim_hip_handle_remove(storage,
                        SIM_HIP_ALLOCATION);  // the program's: no reset and no hipFree may take it away
  memcpy(storage, initial, size);
  *pointer = storage;
  add((fatbin *)modules, storage, name, true, size, storage);
}

void __hipRegisterSurface(void **modules, void *host, char *host_name, char *name, int type, int external) {
  (void)modules, (void)host, (void)host_name, (void)type, (void)external;
  sim_say("__hipRegisterSurface: surface \"%s\" is not available on the simulated device", name);
}

void __hipRegisterTexture(void **modules, void *host, char *host_name, char *name, int type, int normalized,
                          int external) {
  (void)modules, (void)host, (void)host_name, (void)type, (void)normalized, (void)external;
  sim_say("__hipRegisterTexture: texture \"%s\" is not available on the simulated device", name);
}

int sim_hip_fatbins_for(const sim_machine *machine) {
  int count = 0;
  pthread_mutex_lock(&lock);
  for (const fatbin *f = fatbins; f; f = f->next)
    count += f->binary && sim_object_serves(f->binary, 0, machine->target_id);
  pthread_mutex_unlock(&lock);
  return count;
}

// ---- lookup; the caller of the static functions holds the lock

// Tells the code of one device where the managed variables live.
static void point_at_managed(fatbin *f, hipModule_t module) {
  for (int i = 0; i < BUCKETS; ++i)
    for (symbol *s = buckets[i]; s; s = s->next) {
      if (s->owner != f || !s->managed) continue;
      const sim_global *global = sim_object_global(module->object, s->name);
      if (global && global->size >= sizeof s->managed)
        memcpy(module->object->image + global->offset, &s->managed, sizeof s->managed);
    }
}

static hipError_t load(const char *call, fatbin *f, sim_hip_device *device, hipModule_t *out) {
  hipModule_t *module = &f->modules[device->ordinal];
  if (!f->binary)
    return sim_hip_refuse(hipErrorInvalidImage, "%s: the program's fat binary was not understood", call);
  if (!*module) {
    hipError_t error = sim_hip_module_load(call, device, f->binary, 0, module);
    if (error != hipSuccess) return error;
    point_at_managed(f, *module);
  }
  *out = *module;
  return hipSuccess;
}

static hipError_t find_function(const char *call, const void *host, sim_hip_device *device,
                                hipFunction_t *out) {
  symbol *s = find(host, false);
  if (!s)
    return sim_hip_refuse(hipErrorInvalidDeviceFunction, "%s: %p is not the address of a __global__ function",
                          call, host);
  hipFunction_t *known = &s->functions[device->ordinal];
  if (!*known) {
    hipModule_t module;
    hipError_t error = load(call, s->owner, device, &module);
    if (error != hipSuccess) return error;
    *known = sim_hip_module_function(module, s->name);
    if (!*known)
      return sim_hip_refuse(hipErrorInvalidDeviceFunction, "%s: the code object for %s has no kernel \"%s\"",
                            call, device->machine->target, s->name);
  }
  *out = *known;
  return hipSuccess;
}

hipError_t sim_hip_host_function(const char *call, const void *host, sim_hip_device *device,
                                 hipFunction_t *out) {
  pthread_mutex_lock(&lock);
  hipError_t error = find_function(call, host, device, out);
  pthread_mutex_unlock(&lock);
  return error;
}

static hipError_t find_variable(const char *call, const void *host, sim_hip_device *device, void **address,
                                size_t *size) {
  symbol *s = find(host, true);
  if (!s)
    return sim_hip_refuse(hipErrorInvalidSymbol, "%s: %p is not the address of a device variable", call,
                          host);
  if (s->managed) {
    *address = s->managed;
    *size = s->size;
    return hipSuccess;
  }
  hipModule_t module;
  hipError_t error = load(call, s->owner, device, &module);
  if (error != hipSuccess) return error;
  const sim_global *global = sim_object_global(module->object, s->name);
  if (!global)
    return sim_hip_refuse(hipErrorInvalidSymbol, "%s: the code object for %s has no variable \"%s\"", call,
                          device->machine->target, s->name);
  *address = module->object->image + global->offset;
  *size = global->size;
  return hipSuccess;
}

hipError_t sim_hip_host_symbol(const char *call, const void *host, sim_hip_device *device, void **address,
                               size_t *size) {
  pthread_mutex_lock(&lock);
  hipError_t error = find_variable(call, host, device, address, size);
  pthread_mutex_unlock(&lock);
  return error;
}

void sim_hip_fatbin_reset(sim_hip_device *device) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < BUCKETS; ++i)
    for (symbol *s = buckets[i]; s; s = s->next) {
      s->functions[device->ordinal] = NULL;
      s->owner->modules[device->ordinal] = NULL;  // the module itself is freed with all modules of the device
    }
  pthread_mutex_unlock(&lock);
}
