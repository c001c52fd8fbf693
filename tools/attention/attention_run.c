// SPDX-License-Identifier: MIT
// Runs `wavetile attention` on the device, through the C API only.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attention.h"
#include "core/api_failed.h"
#include "core/device_memory.h"
#include "core/explanation.h"

enum { Q, K, V, O, LSE, DOUT, DQ, DK, DV, WORKSPACE, Q_STARTS, K_STARTS, SINKS, DSINKS, SLOPES, MEMORIES };

typedef struct device_side {
  wt_context *context;
  void *memory[MEMORIES];
} device_side;

static int status_of(const device_side *side, wt_status status) {
  return status ? tool_api_failed(side->context, status) : TOOL_OK;
}

static int upload_tensor(const attention_job *job, const attention_tensor *tensor, void **out) {
  if (!tensor->codes) return TOOL_OK;
  return tool_upload(out, tensor->codes, (size_t)matrix_layout_span(&tensor->layout) * job->type->size,
                     "copying tensors to the device");
}

// Makes a result, filled with MATRIX_GAP on the device.
static int make_output(npy_array *array, npy_array shape, const matrix_layout *layout, size_t element,
                       void **out) {
  *array = shape;
  array->data = malloc((size_t)npy_count(array) * sizeof(float));
  if (!array->data) return tool_error(TOOL_FAILED, "out of host memory for the results");
  const size_t bytes = (size_t)matrix_layout_span(layout) * element;
  const int code = tool_upload(out, NULL, bytes, "allocating memory on the device");
  if (code) return code;
  const hipError_t error = hipMemset(*out, MATRIX_GAP, bytes);
  return error == hipSuccess ? TOOL_OK : tool_hip_failed("filling memory of the device", error);
}

// Describes numbers that follow each other: the log-sum-exps, and the gradient of the sinks.
static matrix_layout vector_layout(const npy_array *vector) {
  return (matrix_layout){.members = 1, .rows = 1, .cols = npy_count(vector), .ld = npy_count(vector)};
}

// Returns [batch][head][query], or of a packed batch [head][row], without the dimensions that the files have
// not.
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

static int make_sinks(attention_job *job, device_side *side) {
  const npy_array shape = {.rank = 1, .shape = {job->heads}};
  const matrix_layout layout = vector_layout(&shape);
  if (!job->sinks.data) return TOOL_OK;
  const int code = tool_upload(&side->memory[SINKS], job->sinks.data, (size_t)job->heads * sizeof(float),
                               "copying the sinks to the device");
  if (code || !job->backward) return code;
  return make_output(&job->dsinks, shape, &layout, sizeof(float), &side->memory[DSINKS]);
}

static int make_memory(attention_job *job, device_side *side) {
  const attention_tensor *inputs[] = {&job->q, &job->k, &job->v, &job->dout};
  const int places[] = {Q, K, V, DOUT};
  int code = TOOL_OK;
  for (int i = 0; i < 4 && !code; ++i) code = upload_tensor(job, inputs[i], &side->memory[places[i]]);
  if (!code) code = upload_starts(job, side);
  if (!code) code = make_sinks(job, side);
  if (!code && job->slopes.data)
    code = tool_upload(&side->memory[SLOPES], job->slopes.data,
                       (size_t)npy_count(&job->slopes) * sizeof(float), "copying the slopes to the device");
  const size_t element = job->output_type->size;
  if (!code)
    code = make_output(&job->o, attention_shape(job, job->q_rows, job->heads, job->value_dim),
                       &job->dout.layout, element, &side->memory[O]);
  const bool wants_lse = job->options.lse || job->backward;
  const npy_array of_lse = lse_shape(job);
  const matrix_layout layout = vector_layout(&of_lse);
  if (!code && wants_lse) code = make_output(&job->lse, of_lse, &layout, sizeof(float), &side->memory[LSE]);
  if (code || !job->backward) return code;
  code = make_output(&job->dq, job->q.values, &job->q.layout, element, &side->memory[DQ]);
  if (!code) code = make_output(&job->dk, job->k.values, &job->k.layout, element, &side->memory[DK]);
  if (!code) code = make_output(&job->dv, job->v.values, &job->v.layout, element, &side->memory[DV]);
  return code;
}

// Returns the strides that --ldq, --stride-q and those of K, V and O ask for.
static wt_attention_strides strides_of(const attention_job *job, const matrix_layout *layout, int64_t dim) {
  return (wt_attention_strides){.batch = job->packed ? 0 : layout->stride, .row = layout->ld, .head = dim};
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
  desc.strides_q = desc.strides_dq = strides_of(job, &job->q.layout, job->head_dim);
  desc.strides_k = desc.strides_dk = strides_of(job, &job->k.layout, job->head_dim);
  desc.strides_v = desc.strides_dv = strides_of(job, &job->v.layout, job->value_dim);
  desc.strides_o = desc.strides_dout = strides_of(job, &job->dout.layout, job->value_dim);
  desc.causal = job->options.causal;
  desc.window = job->options.window;
  desc.softmax_scale = job->softmax_scale;
  desc.soft_cap = job->soft_cap;
  desc.alibi_slopes = side->memory[SLOPES];
  desc.dropout = (float)job->options.dropout, desc.seed = job->options.run.seed;
  if (job->slopes.rank == 2) desc.alibi_batch_stride = job->heads;
  desc.scale_q = job->q.scale;
  desc.scale_k = job->k.scale;
  desc.scale_v = job->v.scale;
  desc.deterministic = job->options.deterministic;
  desc.waves = (int32_t)job->options.waves;
  desc.sinks = side->memory[SINKS], desc.d_sinks = side->memory[DSINKS];
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

static int download(attention_job *job, const element_type *type, const void *device,
                    const matrix_layout *layout, npy_array *to) {
  if (!to->data) return TOOL_OK;
  const size_t bytes = (size_t)matrix_layout_span(layout) * type->size;
  uint8_t *codes = malloc(bytes);
  if (!codes) return tool_error(TOOL_FAILED, "out of host memory for the results");
  const hipError_t error = hipMemcpy(codes, device, bytes, hipMemcpyDeviceToHost);
  for (int64_t i = 0; i < npy_count(to) && error == hipSuccess; ++i)
    to->data[i] = element_decode(type, NULL, codes + (size_t)matrix_layout_place(layout, i) * type->size);
  job->gaps_kept = job->gaps_kept && matrix_layout_gaps_kept(layout, codes, type->size);
  free(codes);
  return error == hipSuccess ? TOOL_OK : tool_hip_failed("copying the results from the device", error);
}

static int download_all(attention_job *job, const device_side *side) {
  const struct {
    int place;
    const matrix_layout *layout;
    npy_array *array;
  } results[] = {{O, &job->dout.layout, &job->o},
                 {DQ, &job->q.layout, &job->dq},
                 {DK, &job->k.layout, &job->dk},
                 {DV, &job->v.layout, &job->dv}};
  const matrix_layout of_lse = vector_layout(&job->lse), of_dsinks = vector_layout(&job->dsinks);
  const element_type *f32 = element_type_find("f32", true);
  int code = TOOL_OK;
  job->gaps_kept = true;
  for (int i = 0; i < 4 && !code; ++i)
    code =
        download(job, job->output_type, side->memory[results[i].place], results[i].layout, results[i].array);
  if (!code) code = download(job, f32, side->memory[DSINKS], &of_dsinks, &job->dsinks);
  return code ? code : download(job, f32, side->memory[LSE], &of_lse, &job->lse);
}

static int run_on(attention_job *job, device_side *side) {
  const hipError_t error = hipSetDevice(job->device.ordinal);
  if (error != hipSuccess) return tool_hip_failed("selecting the device", error);
  int code = make_memory(job, side);
  if (code) return code;
  code = device_run_begin(&job->run);
  if (code) return code;
  code = device_run_end(&job->run, enqueue(job, side), "attention");
  if (!job->run.computes) return code;
  return code ? code : download_all(job, side);
}

static int verdict_of(const device_side *side, wt_status status) {
  return tool_api_lacks_memory(status) ? TOOL_OK : status_of(side, status);
}

// Opens a context, and addresses at which no memory is.
static int open_nowhere(attention_job *job, device_side *side) {
  void **m = side->memory;
  const wt_status status = wt_context_create(job->device.ordinal, &side->context);
  if (status) return tool_api_failed(NULL, status);
  strncpy(job->target, wt_context_target(side->context), sizeof job->target - 1);
  for (int i = 0; i < MEMORIES; ++i) m[i] = tool_api_nowhere(i);
  if (!job->slopes.data) m[SLOPES] = NULL;
  if (!job->sinks.data) m[SINKS] = NULL;
  if (!job->sinks.data || !job->backward) m[DSINKS] = NULL;
  job->q.scale = job->k.scale = job->v.scale = 1;
  return TOOL_OK;
}

int attention_check_call(attention_job *job) {
  device_side side = {0};
  void **m = side.memory;
  int code = open_nowhere(job, &side);
  if (code) return code;
  wt_attention_desc desc = descriptor(job, &side);
  code = verdict_of(&side, wt_attention_forward(side.context, &desc, m[Q], m[K], m[V], m[O],
                                                job->options.lse || job->backward ? m[LSE] : NULL, NULL));
  if (!code && job->backward)
    code =
        verdict_of(&side, wt_attention_backward_workspace_size(side.context, &desc, &desc.workspace_bytes));
  if (!code && job->backward) {
    desc.workspace = m[WORKSPACE];
    code = verdict_of(&side, wt_attention_backward(side.context, &desc, m[Q], m[K], m[V], m[O], m[LSE],
                                                   m[DOUT], m[DQ], m[DK], m[DV], NULL));
  }
  wt_context_destroy(side.context);
  return code;
}

int attention_explain(attention_job *job) {
  device_side side = {0};
  int code = open_nowhere(job, &side);
  if (code) return code;
  const wt_attention_desc desc = descriptor(job, &side);
  for (int backward = 0; backward <= job->backward && !code; ++backward) {
    wt_status status = WT_SUCCESS;
    printf("%s%s pass\n", backward ? "\n" : "", backward ? "backward" : "forward");
    code = explanation_print(write_explanation, &(explain_call){side.context, &desc, backward}, &status);
    if (!code) code = status_of(&side, status);
  }
  wt_context_destroy(side.context);
  return code;
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
