// SPDX-License-Identifier: MIT
// `wavetile norm` on the device, through the C API only.
#include <hip/hip_runtime_api.h>
#include <stdlib.h>

#include "core/device_memory.h"
#include "norm.h"
#include "wavetile.h"

// Beside the tensors: what the forward pass leaves for the backward pass.
typedef struct device_side {
  wt_context *context;
  void *y, *sum, *workspace;
  float *mean, *rstd;
} device_side;

static size_t elements(const norm_job *job, const norm_tensor *t) {
  return (size_t)(t->vector ? job->columns : job->rows * job->columns);
}

static int upload(const norm_job *job, norm_tensor *t) {
  const size_t count = elements(job, t), size = t->type->size;
  if (t->output) return tool_upload(&t->device, NULL, count * size, "allocating an output on the device");
  unsigned char *codes = malloc(count * size);
  if (!codes) return tool_error(TOOL_FAILED, "out of host memory for --%s", t->option);
  for (size_t i = 0; i < count; ++i) element_encode(t->type, NULL, t->values.data[i], codes + i * size);
  const int code = tool_upload(&t->device, codes, count * size, "copying an input to the device");
  free(codes);
  return code;
}

static int download(const norm_job *job, norm_tensor *t) {
  const size_t count = elements(job, t), size = t->type->size;
  unsigned char *codes = malloc(count * size);
  t->values = (npy_matrix){
      .rows = t->vector ? 1 : job->rows, .cols = job->columns, .data = malloc(count * sizeof(float))};
  if (!codes || !t->values.data) {
    free(codes);
    return tool_error(TOOL_FAILED, "out of host memory for --%s", t->option);
  }
  const hipError_t error = hipMemcpy(codes, t->device, count * size, hipMemcpyDeviceToHost);
  for (size_t i = 0; i < count; ++i) t->values.data[i] = element_decode(t->type, NULL, codes + i * size);
  free(codes);
  return error == hipSuccess ? TOOL_OK : tool_hip_failed("copying an output from the device", error);
}

static int api_failed(const device_side *side) {
  return tool_error(TOOL_FAILED, "%s", wt_last_error(side->context));
}

static int forward(const norm_job *job, const device_side *side) {
  const norm_tensor *t = job->tensors;
  wt_norm_desc d = WT_NORM_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.kind = job->rms ? WT_NORM_RMS : WT_NORM_LAYER;
  d.type = t[NORM_X].type->ocp, d.type_weight = t[NORM_WEIGHT].type->ocp;
  d.epsilon = (float)job->epsilon, d.dropout = (float)job->dropout, d.seed = job->seed;
  d.residual = t[NORM_RESIDUAL].device, d.weight = t[NORM_WEIGHT].device, d.bias = t[NORM_BIAS].device;
  d.sum = side->sum, d.mean = side->mean, d.rstd = side->rstd;
  return wt_norm(side->context, &d, t[NORM_X].device, side->y, NULL) ? api_failed(side) : TOOL_OK;
}

static int backward(const norm_job *job, device_side *side) {
  const norm_tensor *t = job->tensors;
  wt_norm_backward_desc d = WT_NORM_BACKWARD_DESC_INIT;
  d.rows = job->rows, d.columns = job->columns, d.kind = job->rms ? WT_NORM_RMS : WT_NORM_LAYER;
  d.type = t[NORM_X].type->ocp, d.type_weight = t[NORM_WEIGHT].type->ocp;
  d.dropout = (float)job->dropout, d.seed = job->seed;
  d.weight = t[NORM_WEIGHT].device, d.mean = side->mean, d.rstd = side->rstd, d.dsum = t[NORM_DSUM].device;
  d.dresidual = t[NORM_DRESIDUAL].device, d.dweight = t[NORM_DWEIGHT].device, d.dbias = t[NORM_DBIAS].device;
  if (wt_norm_backward_workspace_size(side->context, &d, &d.workspace_bytes)) return api_failed(side);
  int code = d.workspace_bytes
                 ? tool_upload(&side->workspace, NULL, d.workspace_bytes, "allocating the workspace")
                 : TOOL_OK;
  d.workspace = side->workspace;
  if (code) return code;
  return wt_norm_backward(side->context, &d, t[NORM_DY].device, side->sum, t[NORM_OUT].device, NULL)
             ? api_failed(side)
             : TOOL_OK;
}

static int run_on(norm_job *job, device_side *side) {
  const hipError_t selected = hipSetDevice(job->device.ordinal);
  if (selected != hipSuccess) return tool_hip_failed("selecting the device", selected);
  norm_tensor *t = job->tensors;
  int code = TOOL_OK;
  for (int i = 0; i < NORM_TENSORS && !code; ++i)
    if (t[i].path) code = upload(job, &t[i]);
  const size_t matrix = (size_t)(job->rows * job->columns) * t[NORM_X].type->size,
               statistics = (size_t)job->rows * sizeof(float);
  side->y = t[NORM_OUT].device, side->sum = t[NORM_SUM].device;
  if (!code && job->backward) {
    code = tool_upload(&side->y, NULL, matrix, "allocating Y on the device");
    if (!code && !side->sum) code = tool_upload(&side->sum, NULL, matrix, "allocating the sum on the device");
    if (!code)
      code = tool_upload((void **)&side->mean, NULL, statistics, "allocating the means on the device");
    if (!code)
      code = tool_upload((void **)&side->rstd, NULL, statistics, "allocating the deviations on the device");
  }
  unsigned long long instructions = 0, workgroups = 0;
  tool_device_counters(&instructions, &workgroups);
  if (!code) code = forward(job, side);
  if (!code && job->backward) code = backward(job, side);
  if (code) return code;
  const hipError_t error = hipDeviceSynchronize();
  if (error != hipSuccess) return tool_hip_failed("running the norm", error);
  job->counted = tool_device_counters(&job->instructions, &job->workgroups);
  job->instructions -= instructions, job->workgroups -= workgroups;
  for (int i = 0; i < NORM_TENSORS && !code; ++i)
    if (t[i].path && t[i].output) code = download(job, &t[i]);
  return code;
}

int norm_run(norm_job *job) {
  device_side side = {.context = NULL};
  if (wt_context_create(job->device.ordinal, &side.context))
    return tool_error(TOOL_FAILED, "%s", wt_last_error(NULL));
  const int code = run_on(job, &side);
  norm_tensor *t = job->tensors;
  if (side.y != t[NORM_OUT].device) (void)hipFree(side.y);
  if (side.sum != t[NORM_SUM].device) (void)hipFree(side.sum);
  (void)hipFree(side.mean), (void)hipFree(side.rstd), (void)hipFree(side.workspace);
  for (int i = 0; i < NORM_TENSORS; ++i) (void)hipFree(t[i].device);
  wt_context_destroy(side.context);
  return code;
}
