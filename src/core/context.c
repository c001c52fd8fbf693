// SPDX-License-Identifier: MIT
// Gives all families what they need of a context: its device, and loading embedded code objects on first use.
#include "context.h"

#include <stdlib.h>
#include <string.h>

#include "left_out.h"
#include "workspace.h"
#include "wt_embedded.h"

// Writes "gfx950" from an architecture name such as "gfx950:sramecc+:xnack-".
static void target_of(const char *arch, char *out, size_t size) {
  size_t length = strcspn(arch, ":");
  if (length >= size) length = size - 1;
  memcpy(out, arch, length);
  out[length] = 0;
}

static wt_status query_device(int device, const wt_target **target, int *compute_units) {
  int count = 0;
  hipError_t error = hipGetDeviceCount(&count);
  if (error != hipSuccess && error != hipErrorNoDevice)
    return wt_fail(NULL, WT_ERROR_DEVICE, "hipGetDeviceCount failed: %s", hipGetErrorString(error));
  if (count == 0)
    return wt_fail(NULL, WT_ERROR_NO_DEVICE,
                   "the HIP runtime sees no device; check the driver, or use the simulated runtime");
  if (device < 0 || device >= count)
    return wt_fail(NULL, WT_ERROR_NO_DEVICE, "device is %d, but the HIP runtime has device 0 to %d", device,
                   count - 1);
  hipDeviceProp_t properties;
  error = hipGetDeviceProperties(&properties, device);
  if (error != hipSuccess)
    return wt_fail(NULL, WT_ERROR_DEVICE, "hipGetDeviceProperties failed for device %d: %s", device,
                   hipGetErrorString(error));
  char name[32];
  target_of(properties.gcnArchName, name, sizeof name);
  *target = wt_target_find(name);
  *compute_units = properties.multiProcessorCount;
  if (!*target)
    return wt_fail(
        NULL, WT_ERROR_UNSUPPORTED_TARGET,
        "device %d is %s, but wavetile has kernels for gfx942 and gfx950 only; pass another device", device,
        name);
  return WT_SUCCESS;
}

wt_status wt_context_open(int device, wt_context **out) {
  const wt_target *target = NULL;
  int compute_units = 0;
  wt_status status = query_device(device, &target, &compute_units);
  if (status != WT_SUCCESS) return status;
  wt_context *context = calloc(1, sizeof *context + wt_embedded_count * sizeof *context->modules);
  if (!context || pthread_mutex_init(&context->mutex, NULL) != 0) {
    free(context);
    return wt_fail(NULL, WT_ERROR_NO_MEMORY, "out of host memory for a context on device %d", device);
  }
  context->device = device;
  context->target = target;
  context->compute_units = compute_units;
  status = wt_workspace_begin(context);
  if (status) {
    wt_fail(NULL, status, "%s", wt_last_error(context));
    wt_context_close(context);
    return status;
  }
  *out = context;
  return WT_SUCCESS;
}

void wt_context_close(wt_context *context) {
  int previous = 0;
  int waited = 0;
  hipError_t current = hipGetDevice(&previous);
  for (size_t i = 0; i < wt_embedded_count; ++i) {
    if (!context->modules[i].module) continue;
    if (!waited++) {  // a module must outlive the kernels launched from it
      (void)hipSetDevice(context->device);
      (void)hipDeviceSynchronize();
    }
    (void)hipModuleUnload(context->modules[i].module);
  }
  if (waited && current == hipSuccess) (void)hipSetDevice(previous);
  wt_workspace_end(context);
  wt_errors_free(context);
  pthread_mutex_destroy(&context->mutex);
  free(context);
}

const char *wt_context_target(const wt_context *context) { return context ? context->target->name : NULL; }

static const wt_left_out *find_left_out(const wt_context *context, const char *stem) {
  for (const wt_left_out *at = wt_left_out_table; at->name; ++at)
    if (strcmp(at->name, stem) == 0 && strcmp(at->target, context->target->name) == 0) return at;
  return NULL;
}

bool wt_context_has(const wt_context *context, const char *stem) {
  return wt_embedded_find(stem, context->target->name) != NULL;
}

bool wt_context_knows(const wt_context *context, const char *stem) {
  return wt_context_has(context, stem) || find_left_out(context, stem);
}

wt_status wt_fail_left_out(wt_context *context, const char *stem) {
  return wt_fail(context, WT_ERROR_NOT_BUILT, WT_LEFT_OUT, stem, find_left_out(context, stem)->family);
}

wt_status wt_context_function(wt_context *context, const char *stem, const char *name, hipFunction_t *out) {
  const wt_embedded *embedded = wt_embedded_find(stem, context->target->name);
  if (!embedded && find_left_out(context, stem)) return wt_fail_left_out(context, stem);
  if (!embedded)
    return wt_fail(context, WT_ERROR_UNSUPPORTED_TARGET,
                   "kernel %s does not exist for %s; choose another kernel", stem, context->target->name);
  wt_module *entry = &context->modules[embedded - wt_embedded_table];
  pthread_mutex_lock(&context->mutex);
  hipError_t error = entry->module ? hipSuccess : hipModuleLoadData(&entry->module, embedded->image);
  if (error != hipSuccess) entry->module = NULL;
  hipModule_t module = entry->module;
  pthread_mutex_unlock(&context->mutex);
  if (error != hipSuccess)
    return wt_fail(context, WT_ERROR_DEVICE, "loading kernel %s for %s failed: %s", stem,
                   context->target->name, hipGetErrorString(error));
  error = hipModuleGetFunction(out, module, name);
  if (error != hipSuccess)
    return wt_fail(context, WT_ERROR_DEVICE, "code object %s for %s has no kernel %s: %s", stem,
                   context->target->name, name, hipGetErrorString(error));
  return WT_SUCCESS;
}
