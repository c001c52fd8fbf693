// SPDX-License-Identifier: MIT
// `wavetile attention` on the device, through the C API only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "core/api_failed.h"
#include "core/device_memory.h"
#include "core/explanation.h"

enum { Q, K, V, O, LSE, DOUT, DQ, DK, DV, WORKSPACE, Q_STARTS, K_STARTS, MEMORIES };

typedef struct device_side {
  wt_context *context;
  void *memory[MEMORIES];
} device_side;

static int status_of(const device_side *side, wt_status status) {
  return status ? tool_api_failed(side->context, status) : TOOL_OK;
}

static int upload_tensor(const attention_job *job, const attention_tensor *tensor, void **out) {
  if (!tensor->codes) return TOOL_OK;
  return tool_upload(out, tensor->codes, (size_t)npy_count(&tensor->values) * job->type->size,
                     "copying tensors to the device");
}

static int make_output(npy_array *array, npy_array shape, size_t element, void **out) {
  *array = shape;
  const size_t count = (size_t)npy_count(array);
  array->data = malloc(count * sizeof(float));
  if (!array->data) return tool_error(TOOL_FAILED, "out of host memory for the results");
  return tool_upload(out, NULL, count * element, "allocating memory on the device");
}

// [batch][head][query], or of a packed batch [head][row], without the dimensions that the files have not.
static npy_array lse_shape(const attention_job *job) {
  if (job->rank == 2) return (npy_array){.rank = 1, .shape = {job->q_rows}};
  if (job->rank == 3) return (npy_array){.rank = 2, .shape = {job->heads, job->q_rows}};
  return (npy_array){.rank = 3, .shape = {job->batch, job->heads, job->q_rows}};
}

static int upload_starts(const attention_job *job, device_side *side) {
  if (!job->packed) return TOOL_OK;
  const size_t bytes = (size_t)(job->batch + 1) * sizeof *job->q_starts;
  const int code =
      tool_upload(&side->memory[Q_STARTS], job->q_starts, bytes, "copying the offsets to the device");
  return code ? code
              : tool_upload(&side->memory[K_STARTS], job->k_starts, bytes,
                            "copying the offsets to the device");
}

static int make_memory(attention_job *job, device_side *side) {
  const attention_tensor *inputs[] = {&job->q, &job->k, &job->v, &job->dout};
  const int places[] = {Q, K, V, DOUT};
  int code = TOOL_OK;
  for (int i = 0; i < 4 && !code; ++i) code = upload_tensor(job, inputs[i], &side->memory[places[i]]);
  if (!code) code = upload_starts(job, side);
  const size_t element = job->output_type->size;
  if (!code)
    code = make_output(&job->o, attention_shape(job, job->q_rows, job->heads, job->value_dim), element,
                       &side->memory[O]);
  const bool wants_lse = job->options.lse || job->backward;
  if (!code && wants_lse) code = make_output(&job->lse, lse_shape(job), sizeof(float), &side->memory[LSE]);
  if (code || !job->backward) return code;
  code = make_output(&job->dq, job->q.values, element, &side->memory[DQ]);
  if (!code) code = make_output(&job->dk, job->k.values, element, &side->memory[DK]);
  if (!code) code = make_output(&job->dv, job->v.values, element, &side->memory[DV]);
  return code;
}

static wt_attention_desc descriptor(const attention_job *job, const device_side *side) {
  wt_attention_desc desc = WT_ATTENTION_DESC_INIT;
  desc.type = element_type_on(job->type, job->target);
  desc.head_dim = (int32_t)job->head_dim;
  desc.value_dim = (int32_t)job->value_dim;
  desc.batch = job->batch;
  desc.heads = job->heads;
  desc.kv_heads = job->kv_heads;
  desc.queries = job->queries;
  desc.keys = job->keys;
  if (job->packed) {
    desc.q_offsets = side->memory[Q_STARTS], desc.k_offsets = side->memory[K_STARTS];
    desc.total_queries = job->q_rows, desc.total_keys = job->k_rows;
  }
  desc.causal = job->options.causal;
  desc.window = job->options.window;
  desc.softmax_scale = job->softmax_scale;
  desc.scale_q = job->q.scale;
  desc.scale_k = job->k.scale;
  desc.scale_v = job->v.scale;
  desc.deterministic = job->options.deterministic;
  desc.waves = (int32_t)job->options.waves;
  return desc;
}

typedef struct explain_call {
  wt_context *context;
  const wt_attention_desc *desc;
  int32_t backward;
} explain_call;

static wt_status write_explanation(void *call, char *text, size_t size, size_t *length) {
  const explain_call *c = call;
  return wt_attention_explain(c->context, c->desc, c->backward, text, size, length);
}

// One pass after the other.
static int explain(const attention_job *job, const device_side *side) {
  const wt_attention_desc desc = descriptor(job, side);
  for (int backward = 0; backward <= job->backward; ++backward) {
    wt_status status = WT_SUCCESS;
    printf("%s%s pass\n", backward ? "\n" : "", backward ? "backward" : "forward");
    const int code =
        explanation_print(write_explanation, &(explain_call){side->context, &desc, backward}, &status);
    if (code || status) return code ? code : status_of(side, status);
  }
  return TOOL_OK;
}

static int enqueue(attention_job *job, device_side *side) {
  wt_attention_desc desc = descriptor(job, side);
  void **m = side->memory;
  if (job->backward) {
    int code = status_of(side, wt_attention_backward_workspace_size(side->context, &desc, &job->workspace));
    if (!code) code = tool_upload(&m[WORKSPACE], NULL, job->workspace, "allocating the workspace");
    if (code) return code;
    desc.workspace = m[WORKSPACE];
    desc.workspace_bytes = job->workspace;
  }
  wt_status status = wt_attention_forward(side->context, &desc, m[Q], m[K], m[V], m[O], m[LSE], NULL);
  if (!status && job->backward)
    status = wt_attention_backward(side->context, &desc, m[Q], m[K], m[V], m[O], m[LSE], m[DOUT], m[DQ],
                                   m[DK], m[DV], NULL);
  return status_of(side, status);
}

static int download(const element_type *type, const void *device, npy_array *to) {
  if (!to->data) return TOOL_OK;
  const size_t count = (size_t)npy_count(to);
  uint8_t *codes = malloc(count * type->size);
  if (!codes) return tool_error(TOOL_FAILED, "out of host memory for the results");
  const hipError_t error = hipMemcpy(codes, device, count * type->size, hipMemcpyDeviceToHost);
  for (size_t i = 0; i < count && error == hipSuccess; ++i)
    to->data[i] = element_decode(type, NULL, codes + i * type->size);
  free(codes);
  return error == hipSuccess ? TOOL_OK : tool_hip_failed("copying the results from the device", error);
}

static int run_on(attention_job *job, device_side *side) {
  const hipError_t error = hipSetDevice(job->device.ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  int code = make_memory(job, side);
  if (code) return code;
  if (job->options.run.explain) return explain(job, side);
  code = device_run_begin(&job->run);
  if (code) return code;
  code = device_run_end(&job->run, enqueue(job, side), "attention");
  if (!job->run.computes) return code;
  npy_array *const results[] = {&job->o, &job->dq, &job->dk, &job->dv};
  const int places[] = {O, DQ, DK, DV};
  for (int i = 0; i < 4 && !code; ++i) code = download(job->output_type, side->memory[places[i]], results[i]);
  return code ? code : download(element_type_find("f32", true), side->memory[LSE], &job->lse);
}

int attention_run(attention_job *job) {
  device_side side = {0};
  const wt_status status = wt_context_create(job->device.ordinal, &side.context);
  if (status) return tool_api_failed(NULL, status);
  strncpy(job->target, wt_context_target(side.context), sizeof job->target - 1);
  const double start = tool_seconds();
  int code = attention_quantise(job, &job->q);
  if (!code) code = attention_quantise(job, &job->k);
  if (!code) code = attention_quantise(job, &job->v);
  if (!code && job->backward) code = attention_quantise(job, &job->dout);
  job->input_seconds += tool_seconds() - start;
  if (!code) code = run_on(job, &side);
  for (int i = 0; i < MEMORIES; ++i) (void)hipFree(side.memory[i]);
  wt_context_destroy(side.context);
  return code;
}
