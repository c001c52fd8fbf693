// SPDX-License-Identifier: MIT
// The workspace of a context is a memory pool. Allocation in stream order is what keeps streams apart and
// makes graphs own what they use, without a buffer for each stream.
#include "workspace.h"

wt_status wt_workspace_begin(wt_context *context) {
  int supported = 0;
  if (hipDeviceGetAttribute(&supported, hipDeviceAttributeMemoryPoolsSupported, context->device) ||
      !supported)
    return WT_SUCCESS;
  const hipMemPoolProps properties = {.allocType = hipMemAllocationTypePinned,
                                      .location = {hipMemLocationTypeDevice, context->device}};
  const hipError_t error = hipMemPoolCreate(&context->pool, &properties);
  if (error == hipSuccess) return wt_context_set_workspace_limit(context, WT_WORKSPACE_LIMIT_DEFAULT);
  context->pool = NULL;
  return wt_fail(context, WT_ERROR_DEVICE, "making a memory pool on device %d failed: %s", context->device,
                 hipGetErrorString(error));
}

void wt_workspace_end(wt_context *context) {
  if (context->pool) (void)hipMemPoolDestroy(context->pool);
}

size_t wt_workspace_most(wt_context *context) {
  pthread_mutex_lock(&context->mutex);
  const size_t most = context->workspace_most;
  pthread_mutex_unlock(&context->mutex);
  return most;
}

wt_status wt_context_set_workspace_limit(wt_context *context, size_t bytes) {
  if (!context)
    return wt_fail(NULL, WT_ERROR_NULL_ARGUMENT, "context is NULL; pass one made by wt_context_create");
  if (!context->pool) {
    if (!bytes) return WT_SUCCESS;
    return wt_fail(context, WT_ERROR_DEVICE,
                   "bytes is %zu, but device %d has no memory pools; pass 0, and each call its workspace",
                   bytes, context->device);
  }
  // This is what the pool keeps when nothing uses it, and what it has kept so far.
  uint64_t kept = bytes;
  hipError_t error = hipMemPoolSetAttribute(context->pool, hipMemPoolAttrReleaseThreshold, &kept);
  if (error == hipSuccess) error = hipMemPoolTrimTo(context->pool, bytes);
  if (error != hipSuccess)
    return wt_fail(context, WT_ERROR_DEVICE, "setting the size of the memory pool on device %d failed: %s",
                   context->device, hipGetErrorString(error));
  pthread_mutex_lock(&context->mutex);
  context->workspace_most = bytes;
  pthread_mutex_unlock(&context->mutex);
  return WT_SUCCESS;
}

void *wt_workspace_take(wt_context *context, size_t bytes, hipStream_t stream) {
  void *memory = NULL;
  if (hipMallocFromPoolAsync(&memory, bytes, context->pool, stream) == hipSuccess) return memory;
  (void)hipGetLastError();  // which is not the caller's concern: the call does without
  return NULL;
}

wt_status wt_workspace_give_back(wt_context *context, void *memory, hipStream_t stream) {
  const hipError_t error = hipFreeAsync(memory, stream);
  if (error == hipSuccess) return WT_SUCCESS;
  return wt_fail(context, WT_ERROR_DEVICE, "giving %p back to the memory pool on device %d failed: %s",
                 memory, context->device, hipGetErrorString(error));
}

wt_status wt_workspace_check(wt_context *context, const wt_workspace *workspace) {
  if (workspace->given && workspace->given_bytes < workspace->bytes)
    return wt_fail(context, WT_ERROR_BUFFER,
                   "desc->workspace_bytes is %zu, but %s need %zu (see %s); pass more",
                   workspace->given_bytes, workspace->what, workspace->bytes, workspace->query);
  const size_t most = wt_workspace_most(context);
  if (!workspace->given && most < workspace->bytes)
    return wt_fail(context, WT_ERROR_NULL_ARGUMENT,
                   "desc->workspace is NULL, but %s need %zu bytes and the context has %zu; pass memory of "
                   "the device",
                   workspace->what, workspace->bytes, most);
  return WT_SUCCESS;
}

int wt_workspace_add_operand(const wt_workspace *workspace, wt_operand *all, int count) {
  if (!workspace->bytes || !workspace->given) return count;
  all[count] = wt_operand_vector("desc->workspace", workspace->given, 1, 16, (int64_t)workspace->bytes);
  all[count].written = true;
  return count + 1;
}

wt_status wt_workspace_run(wt_context *context, const wt_workspace *workspace, wt_workspace_launch *launch,
                           const void *call, hipStream_t stream) {
  if (!workspace->bytes) return launch(context, call, NULL, stream);
  if (workspace->given) return launch(context, call, workspace->given, stream);
  void *memory = wt_workspace_take(context, workspace->bytes, stream);
  if (!memory)
    return wt_fail(context, WT_ERROR_DEVICE,
                   "device %d has no memory left for the %zu bytes that %s need; free some", context->device,
                   workspace->bytes, workspace->what);
  const wt_status status = launch(context, call, memory, stream);
  const wt_status given = wt_workspace_give_back(context, memory, stream);
  return status ? status : given;
}
