// SPDX-License-Identifier: MIT
// A module is a code object loaded for one device, with its kernels and its globals.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/hip/streams/order.h"
#include "sim/isa/program.h"
#include "sim/object/grow.h"

static const hipError_t status_error[] = {
    [SIM_OBJECT_OK] = hipSuccess,
    [SIM_OBJECT_INVALID] = hipErrorInvalidImage,
    [SIM_OBJECT_UNSUPPORTED] = hipErrorNotSupported,
    [SIM_OBJECT_NO_MEMORY] = hipErrorOutOfMemory,
};

static bool list_module(hipModule_t module) {
  const sim_object *object = module->object;
  bool ok = sim_hip_handle_add(module, SIM_HIP_MODULE, module->device) &&
            sim_memory_add((sim_allocation){.base = (uintptr_t)object->image,
                                            .size = object->image_size,
                                            .kind = SIM_MEMORY_CODE,
                                            .device = module->device->ordinal,
                                            .flags = 0});
  for (size_t i = 0; ok && i < object->kernel_count; ++i) {
    module->functions[i] = (struct ihipModuleSymbol_t){.module = module, .kernel = &object->kernels[i]};
    ok = sim_hip_handle_add(&module->functions[i], SIM_HIP_FUNCTION, module->device);
  }
  return ok;
}

// clang makes a __managed__ variable x a pointer, and keeps its first value in x.managed.
static const sim_global *first_value(const sim_object *object, const sim_global *variable) {
  char name[1024];
  snprintf(name, sizeof name, "%s.managed", variable->name);
  return sim_object_global(object, name);
}

static bool make_managed(hipModule_t module, size_t index) {
  const sim_global *variable = &module->object->globals[index];
  const sim_global *value = first_value(module->object, variable);
  void *storage;
  if (!value || variable->size < sizeof storage) return true;
  if (sim_hip_allocate_on("managed variable", module->device, &storage, value->size, 0, SIM_MEMORY_MANAGED,
                          hipMemAttachGlobal) != hipSuccess)
    return false;
  if (!storage) return true;                           // of no bytes
  sim_hip_handle_remove(storage, SIM_HIP_ALLOCATION);  // the module's: no hipFree may take it away
  memcpy(storage, module->object->image + value->offset, value->size);
  memcpy(module->object->image + variable->offset, &storage, sizeof storage);
  module->managed[index] = storage;
  return true;
}

static void free_managed(hipModule_t module) {
  for (size_t i = 0; module->managed && i < module->object->global_count; ++i) {
    void *storage = module->managed[i];
    if (storage && sim_hip_handle_add(storage, SIM_HIP_ALLOCATION, module->device)) sim_hip_release(storage);
  }
  free(module->managed);
}

void sim_hip_module_free(hipModule_t module) {
  sim_hip_handle_remove(module, SIM_HIP_MODULE);
  free_managed(module);
  for (size_t i = 0; i < module->object->kernel_count; ++i)
    sim_hip_handle_remove(&module->functions[i], SIM_HIP_FUNCTION);
  sim_memory_remove((uintptr_t)module->object->image);
  if (module->program) sim_program_free(module->program);
  sim_object_free(module->object);
  pthread_mutex_destroy(&module->decode_lock);
  free(module->functions);
  free(module);
}

// Refuses a code object for other devices: the remedy is one of them, or to compile it anew.
static hipError_t refuse_target(const char *call, const sim_hip_device *device, const void *data, size_t size,
                                const char *message) {
  for (size_t i = 0; sim_machine_at(i); ++i) {
    const char *name = sim_machine_at(i)->name;
    if (sim_object_serves(data, size, sim_machine_at(i)->target_id))
      return sim_hip_refuse(
          hipErrorNoBinaryForGpu,
          "%s: %s; choose a device for it with WT_SIM_DEVICES=%s or wavetile run --device sim:%s", call,
          message, name, name);
  }
  return sim_hip_refuse(hipErrorNoBinaryForGpu,
                        "%s: %s; compile it for this device, as with wavetile hipcc --offload-arch=%s", call,
                        message, device->machine->target);
}

hipError_t sim_hip_module_load(const char *call, sim_hip_device *device, const void *data, size_t size,
                               hipModule_t *out) {
  char message[512] = "";
  sim_object *object = NULL;
  sim_object_status status =
      sim_object_load(data, size, device->machine->target_id, &object, message, sizeof message);
  if (status == SIM_OBJECT_NO_TARGET) return refuse_target(call, device, data, size, message);
  if (status != SIM_OBJECT_OK) return sim_hip_refuse(status_error[status], "%s: %s", call, message);
  hipModule_t module = calloc(1, sizeof *module);
  struct ihipModuleSymbol_t *functions = calloc(object->kernel_count + 1, sizeof *functions);
  if (!module || !functions) {
    free(module);
    free(functions);
    sim_object_free(object);
    return sim_hip_result(hipErrorOutOfMemory);
  }
  module->device = device;
  module->object = object;
  module->functions = functions;
  pthread_mutex_init(&module->decode_lock, NULL);
  if (!list_module(module)) {
    sim_hip_module_free(module);
    return sim_hip_result(hipErrorOutOfMemory);
  }
  *out = module;
  return hipSuccess;
}

hipFunction_t sim_hip_module_function(hipModule_t module, const char *name) {
  const sim_kernel *kernel = sim_object_kernel(module->object, name);
  return kernel ? &module->functions[kernel - module->object->kernels] : NULL;
}

const sim_program *sim_hip_module_program(const char *call, hipModule_t module) {
  char message[512] = "";
  pthread_mutex_lock(&module->decode_lock);
  if (!module->program && !sim_program_create(module->object, module->device->machine->chip, &module->program,
                                              message, sizeof message))
    sim_say("%s: %s", call, message);
  const sim_program *program = module->program;
  pthread_mutex_unlock(&module->decode_lock);
  return program;
}

// Reads a whole file. Returns NULL (with errno) when that fails.
static void *read_file(const char *name, size_t *size) {
  FILE *file = fopen(name, "rb");
  if (!file) return NULL;
  char *data = NULL;
  size_t used = 0, capacity = 0;
  for (size_t n = 1; n > 0; used += n) {
    if (!sim_grow((void **)&data, &capacity, used + 1, 1)) break;
    n = fread(data + used, 1, capacity - used, file);
  }
  bool ok = feof(file) && !ferror(file);
  fclose(file);
  if (!ok) {
    free(data);
    return NULL;
  }
  *size = used;
  return data;
}

// Loads a module with managed variables of its own; those of the program are in fatbin.c.
static hipError_t load(const char *call, sim_hip_device *device, const void *data, size_t size,
                       hipModule_t *out) {
  hipModule_t module;
  hipError_t error = sim_hip_module_load(call, device, data, size, &module);
  if (error != hipSuccess) return error;
  module->managed = calloc(module->object->global_count + 1, sizeof *module->managed);
  bool made = module->managed != NULL;
  for (size_t i = 0; made && i < module->object->global_count; ++i)
    made = !module->object->globals[i].managed || make_managed(module, i);
  if (made) {
    *out = module;
    return hipSuccess;
  }
  sim_hip_module_free(module);
  return sim_hip_result(hipErrorOutOfMemory);
}

hipError_t hipModuleLoad(hipModule_t *out, const char *name) {
  sim_hip_device *device = sim_hip_current();
  if (!out || !name || !*name)
    return sim_hip_refuse(hipErrorInvalidValue, "hipModuleLoad: %s",
                          !out    ? "the result pointer is null"
                          : !name ? "the file name is null"
                                  : "the file name is empty");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  size_t size;
  void *data = read_file(name, &size);
  if (!data)
    return sim_hip_refuse(hipErrorFileNotFound, "hipModuleLoad: cannot read \"%s\": %s", name,
                          strerror(errno));
  hipError_t error = size ? load("hipModuleLoad", device, data, size, out)
                          : sim_hip_refuse(hipErrorInvalidImage, "hipModuleLoad: \"%s\" is empty", name);
  free(data);
  return error;
}

static hipError_t load_data(const char *call, hipModule_t *out, const void *image) {
  sim_hip_device *device = sim_hip_current();
  if (!out || !image)
    return sim_hip_refuse(hipErrorInvalidValue, "%s: the %s is null", call, out ? "image" : "result pointer");
  if (!device) return sim_hip_result(hipErrorNoDevice);
  return load(call, device, image, 0, out);
}

hipError_t hipModuleLoadData(hipModule_t *out, const void *image) {
  return load_data("hipModuleLoadData", out, image);
}

// The options steer a just-in-time compiler; a code object is compiled already.
hipError_t hipModuleLoadDataEx(hipModule_t *out, const void *image, unsigned count, hipJitOption *options,
                               void **values) {
  if (count && (!options || !values))
    return sim_hip_refuse(hipErrorInvalidValue, "hipModuleLoadDataEx: %u options are announced but not given",
                          count);
  return load_data("hipModuleLoadDataEx", out, image);
}

static hipError_t bad_module(const char *call) {
  return sim_hip_refuse(hipErrorInvalidHandle, "%s: the module is not a module of this runtime", call);
}

hipError_t hipModuleUnload(hipModule_t module) {
  if (!module) return bad_module("hipModuleUnload");
  // ROCm has a code of its own for a module that is unloaded already.
  if (!sim_hip_handle_is(module, SIM_HIP_MODULE))
    return sim_hip_refuse(hipErrorNotFound, "hipModuleUnload: the module is not a module of this runtime");
  sim_hip_hold(module->device);
  sim_hip_module_free(module);
  sim_hip_let_go();
  return hipSuccess;
}

hipError_t hipModuleGetFunction(hipFunction_t *out, hipModule_t module, const char *name) {
  if (!out || !name)
    return sim_hip_refuse(hipErrorInvalidValue, "hipModuleGetFunction: %s is null",
                          out ? "the name" : "the result pointer");
  if (!sim_hip_handle_is(module, SIM_HIP_MODULE)) return bad_module("hipModuleGetFunction");
  *out = sim_hip_module_function(module, name);
  if (!*out)
    return sim_hip_refuse(hipErrorNotFound, "hipModuleGetFunction: the module has no kernel \"%s\"", name);
  return hipSuccess;
}

hipError_t hipModuleGetGlobal(hipDeviceptr_t *address, size_t *size, hipModule_t module, const char *name) {
  if (!name || !*name)
    return sim_hip_refuse(hipErrorInvalidValue, "hipModuleGetGlobal: the name is %s",
                          name ? "empty" : "null");
  if (!address && !size)
    return sim_hip_refuse(hipErrorInvalidValue, "hipModuleGetGlobal: both result pointers are null");
  if (!sim_hip_handle_is(module, SIM_HIP_MODULE)) return bad_module("hipModuleGetGlobal");
  const sim_global *global = sim_object_global(module->object, name);
  if (!global)
    return sim_hip_refuse(hipErrorNotFound, "hipModuleGetGlobal: the module has no variable \"%s\"", name);
  void *managed = module->managed ? module->managed[global - module->object->globals] : NULL;
  if (address) *address = managed ? managed : module->object->image + global->offset;
  if (size) *size = managed ? first_value(module->object, global)->size : global->size;
  return hipSuccess;
}
