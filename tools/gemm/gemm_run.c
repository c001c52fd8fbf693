// SPDX-License-Identifier: MIT
// `wavetile gemm` on the device, through the C API only.
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/device_memory.h"
#include "core/explanation.h"
#include "gemm.h"

typedef struct device_side {
  wt_context *context;
  void *a, *b, *c, *bias, *row_scale, *column_scale, *workspace;
} device_side;

static int upload_vector(void **out, const npy_matrix *vector, const char *what) {
  return vector->data ? tool_upload(out, vector->data, (size_t)vector->cols * sizeof(float), what) : TOOL_OK;
}

// C before the call, in the device's type; c0 becomes what that type can hold, as the verification must see
// it.
static int upload_c(gemm_job *job, void **out) {
  size_t count = (size_t)(job->m * job->n), element = job->type_c->size;
  if (!job->c0.data) return tool_upload(out, NULL, count * element, "allocating C on the device");
  uint8_t *codes = malloc(count * element);
  if (!codes) return tool_error(TOOL_FAILED, "out of host memory for C");
  for (size_t i = 0; i < count; ++i) {
    element_encode(job->type_c, NULL, job->c0.data[i], codes + i * element);
    job->c0.data[i] = element_decode(job->type_c, NULL, codes + i * element);
  }
  int code = tool_upload(out, codes, count * element, "copying C to the device");
  free(codes);
  return code;
}

static int download_c(gemm_job *job, const void *device) {
  size_t count = (size_t)(job->m * job->n), element = job->type_c->size;
  uint8_t *codes = malloc(count * element);
  bool integers = job->type_c->ocp == WT_TYPE_I32;
  job->c =
      (npy_matrix){.rows = job->m, .cols = job->n, .data = integers ? NULL : malloc(count * sizeof(float))};
  if (!codes || (!integers && !job->c.data)) {
    free(codes);
    return tool_error(TOOL_FAILED, "out of host memory for C");
  }
  hipError_t error = hipMemcpy(codes, device, count * element, hipMemcpyDeviceToHost);
  if (integers) {
    job->c.integers = (int32_t *)(void *)codes;
  } else {
    for (size_t i = 0; i < count; ++i)
      job->c.data[i] = element_decode(job->type_c, NULL, codes + i * element);
    free(codes);
  }
  return error == hipSuccess ? TOOL_OK : tool_hip_failed("copying C from the device", error);
}

static wt_gemm_desc descriptor(const gemm_job *job, const device_side *side) {
  wt_gemm_desc desc = WT_GEMM_DESC_INIT;
  desc.m = job->m;
  desc.n = job->n;
  desc.k = job->k;
  desc.type_a = element_type_on(job->a.type, job->target);
  desc.type_b = element_type_on(job->b.type, job->target);
  desc.type_c = job->type_c->ocp;
  desc.trans_a = job->options.trans_a;
  desc.trans_b = job->options.trans_b;
  desc.alpha = (float)job->options.alpha;
  desc.beta = (float)job->options.beta;
  desc.scale_a = job->a.scale;
  desc.scale_b = job->b.scale;
  desc.kernel = job->options.kernel;
  desc.row_scale = side->row_scale;
  desc.column_scale = side->column_scale;
  desc.bias = side->bias;
  desc.activation = job->activation;
  desc.split_k = (int32_t)job->options.split_k;
  return desc;
}

static int api_failed(const device_side *side) {
  return tool_error(TOOL_FAILED, "%s", wt_last_error(side->context));
}

// Memory for a split of K: what the call can use, or as much as --workspace allows.
static int make_workspace(gemm_job *job, device_side *side, wt_gemm_desc *desc) {
  size_t bytes;
  if (wt_gemm_workspace_size(side->context, desc, &bytes)) return api_failed(side);
  if (job->options.workspace < bytes) bytes = (size_t)job->options.workspace;
  job->workspace_used = desc->workspace_bytes = bytes;
  int code = bytes ? tool_upload(&side->workspace, NULL, bytes, "allocating the workspace") : TOOL_OK;
  desc->workspace = side->workspace;
  return code;
}

typedef struct explain_call {
  wt_context *context;
  const wt_gemm_desc *desc;
} explain_call;

static wt_status write_explanation(void *call, char *text, size_t size, size_t *length) {
  const explain_call *c = call;
  return wt_gemm_explain(c->context, c->desc, text, size, length);
}

static int explain(const device_side *side, const wt_gemm_desc *desc) {
  wt_status status = WT_SUCCESS;
  const int code = explanation_print(write_explanation, &(explain_call){side->context, desc}, &status);
  return code || !status ? code : api_failed(side);
}

static int upload_inputs(gemm_job *job, device_side *side) {
  int code = tool_upload(&side->a, job->a.codes, (size_t)(job->m * job->k) * job->a.type->size,
                         "copying A to the device");
  if (!code)
    code = tool_upload(&side->b, job->b.codes, (size_t)(job->n * job->k) * job->b.type->size,
                       "copying B to the device");
  if (!code) code = upload_c(job, &side->c);
  if (!code) code = upload_vector(&side->bias, &job->bias, "copying the bias to the device");
  if (!code) code = upload_vector(&side->row_scale, &job->row_scale, "copying the row scale to the device");
  if (!code)
    code = upload_vector(&side->column_scale, &job->column_scale, "copying the column scale to the device");
  return code;
}

static int run_on(gemm_job *job, device_side *side) {
  hipError_t error = hipSetDevice(job->device.ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  int code = upload_inputs(job, side);
  wt_gemm_desc desc = descriptor(job, side);
  if (!code) code = make_workspace(job, side, &desc);
  if (code) return code;
  if (job->options.run.explain) return explain(side, &desc);
  if (wt_gemm_chosen(side->context, &desc, &job->kernel)) return api_failed(side);
  unsigned long long instructions = 0, workgroups = 0;
  tool_device_counters(&instructions, &workgroups);
  double start = tool_seconds();
  if (wt_gemm(side->context, &desc, side->a, side->b, side->c, NULL)) return api_failed(side);
  error = hipDeviceSynchronize();
  job->run_seconds = tool_seconds() - start;
  if (error != hipSuccess) return tool_hip_failed(job->kernel, error);
  job->counted = tool_device_counters(&job->instructions, &job->workgroups);
  job->instructions -= instructions;
  job->workgroups -= workgroups;
  return download_c(job, side->c);
}

int gemm_run(gemm_job *job) {
  device_side side = {0};
  int code = TOOL_OK;
  if (wt_context_create(job->device.ordinal, &side.context)) return api_failed(&side);
  strncpy(job->target, wt_context_target(side.context), sizeof job->target - 1);
  double start = tool_seconds();
  code = gemm_quantise(job, &job->a, "A");
  if (!code) code = gemm_quantise(job, &job->b, "B");
  job->input_seconds += tool_seconds() - start;
  if (!code) code = run_on(job, &side);
  void *const memory[] = {side.a,        side.b, side.c, side.bias, side.row_scale, side.column_scale,
                          side.workspace};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) (void)hipFree(memory[i]);
  wt_context_destroy(side.context);
  return code;
}
