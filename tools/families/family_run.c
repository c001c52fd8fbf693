// SPDX-License-Identifier: MIT
// Runs a family on the device, through the C API only: memory, the passes, and their results.
#include <hip/hip_runtime_api.h>
#include <stdlib.h>
#include <string.h>

#include "core/api_failed.h"
#include "core/device_memory.h"
#include "core/host_memory.h"
#include "family.h"

static size_t element_size(const family_job *job, int i) {
  return job->tensors[i].element == FAMILY_CODE ? 1 : job->tensors[i].type->size;
}

// Converts one element to the device's form and back. The number becomes what that form can hold.
static void encode(const family_job *job, int tensor, int64_t index, uint8_t *code) {
  const family_data *d = &job->tensors[tensor];
  if (d->values.integers) {
    memcpy(code, &d->values.integers[index], sizeof *d->values.integers);
  } else if (job->tensors[tensor].element == FAMILY_CODE) {
    *code = (uint8_t)d->values.data[index];
  } else {
    const fp8_format *format = element_format_on(d->type, job->target);
    element_encode(d->type, format, d->values.data[index], code);
    d->values.data[index] = element_decode(d->type, format, code);
  }
}

static void decode(const family_job *job, int tensor, int64_t index, const uint8_t *code) {
  const family_data *d = &job->tensors[tensor];
  d->values.data[index] =
      job->tensors[tensor].element == FAMILY_CODE ? (float)*code : element_decode(d->type, NULL, code);
}

// Allocates memory of the host for a tensor as the device has it, gaps included.
static uint8_t *image_memory(const family_job *job, int tensor, size_t *bytes) {
  const int64_t span = matrix_layout_span(&job->tensors[tensor].layout);
  uint8_t *memory = host_memory(span, element_size(job, tensor));
  *bytes = memory ? (size_t)span * element_size(job, tensor) : 0;
  if (!memory)
    (void)tool_error(TOOL_FAILED, "out of host memory for %s; choose a smaller shape",
                     job->family->tensors[tensor].name);
  return memory;
}

// What is between the rows, and all of an output, is MATRIX_GAP.
static int upload(family_job *job, int tensor) {
  family_data *d = &job->tensors[tensor];
  size_t bytes;
  uint8_t *codes = image_memory(job, tensor, &bytes);
  if (!codes) return TOOL_FAILED;
  memset(codes, MATRIX_GAP, bytes);
  const bool input = !job->family->tensors[tensor].output;
  for (int64_t i = 0; input && i < npy_count(&d->values); ++i)
    encode(job, tensor, i, codes + (size_t)matrix_layout_place(&d->layout, i) * element_size(job, tensor));
  const int code = tool_upload(&d->device, codes, bytes, "copying to the device");
  free(codes);
  return code;
}

static int download(family_job *job, int tensor) {
  family_data *d = &job->tensors[tensor];
  size_t bytes;
  const int64_t count = npy_count(&d->values);
  d->values.data = host_memory(count, sizeof *d->values.data);
  uint8_t *codes = d->values.data ? image_memory(job, tensor, &bytes) : NULL;
  if (!codes) return tool_error(TOOL_FAILED, "out of host memory for the results");
  const hipError_t error = hipMemcpy(codes, d->device, bytes, hipMemcpyDeviceToHost);
  for (int64_t i = 0; error == hipSuccess && i < count; ++i)
    decode(job, tensor, i, codes + (size_t)matrix_layout_place(&d->layout, i) * element_size(job, tensor));
  d->gaps_kept = matrix_layout_gaps_kept(&d->layout, codes, element_size(job, tensor));
  free(codes);
  return error == hipSuccess ? TOOL_OK : tool_hip_failed("copying the results from the device", error);
}

static int run_on(family_job *job) {
  const family *f = job->family;
  const hipError_t error = hipSetDevice(job->device.ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  int code = TOOL_OK;
  for (int i = 0; i < f->tensor_count && !code; ++i)
    if (job->tensors[i].wanted) code = upload(job, i);
  if (!code && f->prepare && (job->run.computes || f->call_needs_prepare)) code = f->prepare(job);
  if (!code && hipDeviceSynchronize() != hipSuccess)
    code = tool_error(TOOL_FAILED, "running the forward pass failed");
  if (!code) code = device_run_begin(&job->run);
  if (code) return code;
  code = device_run_end(&job->run, f->call(job), f->name);
  for (int i = 0; i < f->tensor_count && !code && job->run.computes; ++i)
    if (job->tensors[i].wanted && f->tensors[i].output) code = download(job, i);
  return code;
}

static int open_context(family_job *job) {
  const wt_status status = wt_context_create(job->device.ordinal, &job->context);
  if (status) return tool_api_failed(NULL, status);
  strncpy(job->target, wt_context_target(job->context), sizeof job->target - 1);
  return TOOL_OK;
}

static void close_context(family_job *job) {
  wt_context_destroy(job->context);
  job->context = NULL;
}

int family_run(family_job *job) {
  int code = open_context(job);
  if (code) return code;
  code = run_on(job);
  for (int i = 0; i < job->family->tensor_count; ++i) {
    (void)hipFree(job->tensors[i].device);
    job->tensors[i].device = NULL;
  }
  (void)hipFree(job->workspace);
  job->workspace = NULL;
  close_context(job);
  return code;
}

int family_check_call(family_job *job) {
  int code = open_context(job);
  if (code) return code;
  job->asks = true;
  for (int i = 0; i < job->family->tensor_count; ++i)
    if (job->tensors[i].wanted) job->tensors[i].device = tool_api_nowhere(i);
  code = job->family->call(job);
  for (int i = 0; i < job->family->tensor_count; ++i) job->tensors[i].device = NULL;
  job->workspace = NULL;
  job->asks = false;
  close_context(job);
  return code;
}

int family_status_as(const family_job *job, wt_status status, const tool_api_name *names, size_t count) {
  if (job->asks && tool_api_lacks_memory(status)) return TOOL_OK;
  return status ? tool_api_failed_as(job->context, status, names, count) : TOOL_OK;
}
int family_status(const family_job *job, wt_status status) { return family_status_as(job, status, NULL, 0); }

int family_workspace(family_job *job, size_t bytes) {
  if (job->asks) job->workspace = bytes ? tool_api_nowhere(FAMILY_MOST_TENSORS) : NULL;
  if (job->asks) return TOOL_OK;
  return bytes ? tool_upload(&job->workspace, NULL, bytes, "allocating the workspace") : TOOL_OK;
}
