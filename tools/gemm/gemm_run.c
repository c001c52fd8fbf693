// SPDX-License-Identifier: MIT
// Runs `wavetile gemm` on the device, through the C API only.
#include <hip/hip_runtime_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/api_failed.h"
#include "core/device_memory.h"
#include "core/explanation.h"
#include "core/host_memory.h"
#include "gemm.h"

typedef struct device_side {
  wt_context *context;
  void *a, *b, *c, *bias, *row_scale, *column_scale, *workspace;
} device_side;

static int upload_vector(void **out, const npy_array *vector, const char *what) {
  return vector->data ? tool_upload(out, vector->data, (size_t)vector->shape[0] * sizeof(float), what)
                      : TOOL_OK;
}

// Makes C as it is before the call, in the device's type; c0 becomes what that type can hold, as the
// verification must see it. What is between the rows, and C itself where nothing is added to it, is filled
// with MATRIX_GAP.
static int upload_c(gemm_job *job, void **out) {
  const size_t span = (size_t)matrix_layout_span(&job->layout_c), element = job->type_c->size;
  uint8_t *codes = host_memory((int64_t)span, element);
  if (!codes) return tool_error(TOOL_FAILED, "out of host memory for C");
  memset(codes, MATRIX_GAP, span * element);
  for (int64_t i = 0; job->c0.data && i < npy_count(&job->c0); ++i) {
    uint8_t *code = codes + (size_t)matrix_layout_place(&job->layout_c, i) * element;
    element_encode(job->type_c, NULL, job->c0.data[i], code);
    job->c0.data[i] = element_decode(job->type_c, NULL, code);
  }
  const int code = tool_upload(out, codes, span * element, "copying C to the device");
  free(codes);
  return code;
}

static void take_element(gemm_job *job, int64_t index, const uint8_t *code) {
  if (job->c.integers)
    memcpy(&job->c.integers[index], code, sizeof *job->c.integers);
  else
    job->c.data[index] = element_decode(job->type_c, NULL, code);
}

static int download_c(gemm_job *job, const void *device) {
  const size_t span = (size_t)matrix_layout_span(&job->layout_c), element = job->type_c->size;
  job->c = gemm_shape_of_c(job);
  const size_t count = (size_t)npy_count(&job->c);
  uint8_t *codes = malloc(span * element);
  if (job->type_c->ocp == WT_TYPE_I32)
    job->c.integers = malloc(count * sizeof *job->c.integers);
  else
    job->c.data = malloc(count * sizeof *job->c.data);
  if (!codes || (!job->c.integers && !job->c.data)) {
    free(codes);
    return tool_error(TOOL_FAILED, "out of host memory for C");
  }
  const hipError_t error = hipMemcpy(codes, device, span * element, hipMemcpyDeviceToHost);
  for (int64_t i = 0; error == hipSuccess && i < (int64_t)count; ++i)
    take_element(job, i, codes + (size_t)matrix_layout_place(&job->layout_c, i) * element);
  job->gaps_kept = matrix_layout_gaps_kept(&job->layout_c, codes, element);
  free(codes);
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
  desc.batch = job->batch;
  desc.lda = job->options.lda, desc.ldb = job->options.ldb, desc.ldc = job->options.ldc;
  desc.stride_a = matrix_layout_stride(&job->a.layout), desc.stride_b = matrix_layout_stride(&job->b.layout);
  desc.stride_c = matrix_layout_stride(&job->layout_c);
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
  desc.split_k = (int32_t)job->options.split_k.now;
  desc.batch_invariant = job->options.batch_invariant;
  return desc;
}

// Finds out how much memory a split of K gets: what the call can use, or as much as --workspace allows. The
// context adds none.
static int size_workspace(const gemm_job *job, const device_side *side, wt_gemm_desc *desc) {
  size_t bytes;
  wt_status status = wt_context_set_workspace_limit(side->context, 0);
  if (!status) status = wt_gemm_workspace_size(side->context, desc, &bytes);
  if (status) return tool_api_failed(side->context, status);
  desc->workspace_bytes = job->options.workspace < bytes ? (size_t)job->options.workspace : bytes;
  return TOOL_OK;
}

static int make_workspace(gemm_job *job, device_side *side, wt_gemm_desc *desc) {
  int code = size_workspace(job, side, desc);
  const size_t bytes = job->workspace_used = desc->workspace_bytes;
  if (!code && bytes) code = tool_upload(&side->workspace, NULL, bytes, "allocating the workspace");
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

static int upload_inputs(gemm_job *job, device_side *side) {
  int code =
      tool_upload(&side->a, job->a.codes, (size_t)matrix_layout_span(&job->a.layout) * job->a.type->size,
                  "copying A to the device");
  if (!code)
    code = tool_upload(&side->b, job->b.codes, (size_t)matrix_layout_span(&job->b.layout) * job->b.type->size,
                       "copying B to the device");
  if (!code) code = upload_c(job, &side->c);
  if (!code) code = upload_vector(&side->bias, &job->bias, "copying the bias to the device");
  if (!code) code = upload_vector(&side->row_scale, &job->row_scale, "copying the row scale to the device");
  if (!code)
    code = upload_vector(&side->column_scale, &job->column_scale, "copying the column scale to the device");
  return code;
}

static int run_on(gemm_job *job, device_side *side) {
  const hipError_t error = hipSetDevice(job->device.ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  int code = upload_inputs(job, side);
  wt_gemm_desc desc = descriptor(job, side);
  if (!code) code = make_workspace(job, side, &desc);
  if (code) return code;
  wt_status status = wt_gemm_chosen(side->context, &desc, &job->kernel);
  if (status) return tool_api_failed(side->context, status);
  code = device_run_begin(&job->run);
  if (code) return code;
  status = wt_gemm(side->context, &desc, side->a, side->b, side->c, NULL);
  code = status ? tool_api_failed(side->context, status) : TOOL_OK;
  code = device_run_end(&job->run, code, job->kernel);
  return code || !job->run.computes ? code : download_c(job, side->c);
}

// Opens a context and makes the descriptor of a call whose memory is not there.
static int open_nowhere(gemm_job *job, device_side *side, wt_gemm_desc *desc) {
  const wt_status status = wt_context_create(job->device.ordinal, &side->context);
  if (status) return tool_api_failed(NULL, status);
  strncpy(job->target, wt_context_target(side->context), sizeof job->target - 1);
  if (job->bias.data) side->bias = tool_api_nowhere(0);
  if (job->row_scale.data) side->row_scale = tool_api_nowhere(1);
  if (job->column_scale.data) side->column_scale = tool_api_nowhere(2);
  job->a.scale = job->b.scale = 1;
  *desc = descriptor(job, side);
  return TOOL_OK;
}

int gemm_check_call(gemm_job *job) {
  device_side side = {0};
  wt_gemm_desc desc;
  int code = open_nowhere(job, &side, &desc);
  if (code) return code;
  const wt_status status = wt_gemm_chosen(side.context, &desc, &job->kernel);
  if (status) code = tool_api_failed(side.context, status);
  wt_context_destroy(side.context);
  return code;
}

int gemm_explain(gemm_job *job) {
  device_side side = {0};
  wt_gemm_desc desc;
  int code = open_nowhere(job, &side, &desc);
  if (code) return code;
  wt_status status = WT_SUCCESS;
  code = size_workspace(job, &side, &desc);
  if (desc.workspace_bytes) desc.workspace = tool_api_nowhere(3);
  if (!code) code = explanation_print(write_explanation, &(explain_call){side.context, &desc}, &status);
  if (!code && status) code = tool_api_failed(side.context, status);
  wt_context_destroy(side.context);
  return code;
}

int gemm_run(gemm_job *job) {
  device_side side = {0};
  const wt_status status = wt_context_create(job->device.ordinal, &side.context);
  if (status) return tool_api_failed(NULL, status);
  strncpy(job->target, wt_context_target(side.context), sizeof job->target - 1);
  const double start = tool_seconds();
  int code = gemm_quantise(job, &job->a, "A");
  if (!code) code = gemm_quantise(job, &job->b, "B");
  job->input_seconds += tool_seconds() - start;
  if (!code) code = run_on(job, &side);
  void *const memory[] = {side.a,        side.b, side.c, side.bias, side.row_scale, side.column_scale,
                          side.workspace};
  for (size_t i = 0; i < sizeof memory / sizeof *memory; ++i) (void)hipFree(memory[i]);
  wt_context_destroy(side.context);
  return code;
}
